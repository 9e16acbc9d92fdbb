/** What the releases of an engine know: versions, flags, variables, values. */

/** Numbers of a version for comparing. */
export function versionKey(version) {
  return (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);
}

/** Below, equal or above zero, as one version is older, the same or newer than another. */
export function compareVersions(first, second) {
  const [a, b] = [versionKey(first), versionKey(second)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** An engine's tables made ready for look-ups. */
export function prepareEngine(tables) {
  const releases = Object.keys(tables.releases).sort(compareVersions);
  const number = new Map(releases.map((release, index) => [release, index]));
  const engine = { tables, releases, number, spellings: new Map(), values: new Map() };
  engine.everywhere = new Map();
  for (const release of releases) {
    for (const [spelling, target] of spellingsOf(engine, release)) engine.everywhere.set(spelling, target);
  }
  return engine;
}

/** Whether runs of releases hold a release. */
export function isIn(engine, runs, release) {
  const at = engine.number.get(release);
  return runs.some(([first, last]) => engine.number.get(first) <= at && (last === null || at <= engine.number.get(last)));
}

/** The releases that lie in runs. */
export function releasesIn(engine, runs) {
  return engine.releases.filter((release) => isIn(engine, runs, release));
}

/** A property of an entry as it was in a release. */
export function propertyAt(entry, property, release) {
  for (const change of entry.earlier?.[property] ?? []) {
    if (compareVersions(release, change.last_version) <= 0) return change.value;
  }
  return entry[property];
}

/** Every spelling of every flag of a release, with the flag and whether the spelling switches it off. */
export function spellingsOf(engine, release) {
  const known = engine.spellings.get(release);
  if (known) return known;
  const spellings = new Map();
  const disableForms = engine.tables.releases[release].disable_forms;
  for (const [name, entry] of Object.entries(engine.tables.flags)) {
    if (entry.kind === "positional" || !isIn(engine, entry.versions, release)) continue;
    const isSwitch = propertyAt(entry, "kind", release) === "bool";
    for (const spelling of [name, ...(propertyAt(entry, "aliases", release) ?? [])]) {
      spellings.set(spelling, { name, negated: false });
      if (!isSwitch || !spelling.startsWith("--")) continue;
      spellings.set(`--no-${spelling.slice(2)}`, { name, negated: true });
      if (disableForms && spelling.startsWith("--enable-")) spellings.set(`--disable-${spelling.slice(9)}`, { name, negated: true });
      if (disableForms && spelling.startsWith("--disable-")) spellings.set(`--enable-${spelling.slice(10)}`, { name, negated: true });
    }
  }
  if (!spellings.has("-O") && spellings.has("--optimization-level")) spellings.set("-O", { name: "--optimization-level", negated: false });
  engine.spellings.set(release, spellings);
  return spellings;
}

/** The values of a named set in a release. */
export function valuesOf(engine, set, release) {
  const key = `${set} ${release}`;
  if (!engine.values.has(key)) {
    const all = engine.tables.choices[set] ?? {};
    engine.values.set(key, Object.keys(all).filter((value) => isIn(engine, all[value], release)));
  }
  return engine.values.get(key);
}

/**
 * The releases that a stated version can mean.
 * `kind` is `exact`, `between` (a build between releases), `series`, `outside` or `unknown`.
 */
export function readVersion(engine, stated) {
  const text = String(stated ?? "").trim().replace(/(?:flashinfer|cuda|ngc|torch|driver|cutlass)\D{0,3}[\d.]+/gi, " ");
  const whole = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?$/.exec(text);
  if (whole && Number(whole[1]) > 2) return outside(engine, text.replace(/^v/, ""));
  const found = [...text.matchAll(/(?<![\d.])v?([0-2])\.(\d{1,3})(?:\.(\d{1,3}))?(?:\.x)?((?:[.-]?(?:a|b|rc|dev|post)\d*)*)/g)];
  const plausible = found.filter((match) => match[1] !== "0" || Number(match[2]) >= 2 || match[3] !== undefined);
  if (plausible.length === 0) return { kind: "unknown", releases: engine.releases };
  const meant = plausible.map((match) => meaning(engine, match));
  const usable = meant.filter((item) => item.releases.length > 0);
  if (usable.length === 0) return { kind: "unknown", releases: engine.releases };
  const isRange = plausible.length > 1 && /\d[\w.]*\s*(?:-|–|to|…)\s*v?\d/.test(text);
  if (!isRange) return usable[0];
  const numbers = usable.flatMap((item) => item.releases.map((release) => engine.number.get(release)));
  const releases = engine.releases.slice(Math.min(...numbers), Math.max(...numbers) + 1);
  return { kind: "series", releases };
}

/** The releases that one written version stands for. */
function meaning(engine, match) {
  const [, major, minor, patch, suffix] = match;
  const base = `${Number(major)}.${Number(minor)}`;
  if (/dev\d{4,}/.test(suffix) && patch === undefined) return { kind: "unknown", releases: [] };
  const isBuild = /rc|dev|a\d|b\d/.test(suffix ?? "");
  if (patch === undefined && !isBuild) {
    const releases = engine.releases.filter((release) => release.startsWith(`${base}.`));
    return releases.length > 0 ? { kind: "series", releases } : outside(engine, `${base}.0`);
  }
  const version = `${base}.${Number(patch ?? 0)}`;
  if (!isBuild && engine.number.has(version)) return { kind: "exact", releases: [version] };
  const below = engine.releases.filter((release) => compareVersions(release, version) < 0).pop();
  const above = engine.releases.find((release) => compareVersions(release, version) >= 0);
  if (below && above) return { kind: "between", releases: [below, above] };
  return outside(engine, version);
}

/** A version before the first or after the newest known release. */
function outside(engine, version) {
  const newest = engine.releases[engine.releases.length - 1];
  const nearest = compareVersions(version, newest) > 0 ? newest : engine.releases[0];
  return { kind: "outside", version, releases: [nearest] };
}

/** How many single letters must change to turn one word into another; without end above `limit`. */
export function distance(first, second, limit = 4) {
  if (Math.abs(first.length - second.length) > limit) return Infinity;
  let before = [];
  let row = Array.from({ length: second.length + 1 }, (_, index) => index);
  for (let i = 1; i <= first.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= second.length; j += 1) {
      const cost = first[i - 1] === second[j - 1] ? 0 : 1;
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + cost);
      const swapped = i > 1 && j > 1 && first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1];
      if (swapped) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[second.length] > limit ? Infinity : row[second.length];
}

/** The candidate that looks most like a word: a quarter of its letters may differ; else null. */
export function nearest(word, candidates) {
  const bare = (text) => text.toLowerCase().replace(/^-+/, "");
  const wanted = bare(word);
  const limit = Math.min(4, Math.max(1, Math.floor(wanted.length / 4)));
  let best = null;
  let bestScore = limit + 0.5;
  for (const candidate of candidates) {
    const other = bare(candidate);
    let score = distance(wanted, other, limit);
    const shorter = Math.min(wanted.length, other.length);
    if (shorter > 6 && (wanted.startsWith(other) || other.startsWith(wanted))) score = Math.min(score, 1.5);
    if (score < bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}
