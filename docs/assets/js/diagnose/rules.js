/** Detection rules over a launch: conditions that are data, and checks of its grammar. */

import { jsonOf } from "./command.js";
import { compareVersions, isIn, nearest, propertyAt, releasesIn, spellingsOf, valuesOf } from "./engine.js";
import { readNumber } from "./facts.js";

const MAX_UNKNOWN = 50;
const CASELESS_SETS = new Set(["--moe-backend", "--linear-backend", "attention_backend", "--mamba-backend", "--gdn-prefill-backend"]);
const NUMBER_TYPES = { int: /^[+-]?\d+(?:_\d+)*$/, float: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/ };
const READABLE_NUMBER = /^[+-]?\d+(?:\.\d+)?[kKmMgGtT]?$/;
const JSON_CLASSES_THAT_TAKE_ANYTHING = new Set(["ScalarType"]);

/** All findings of the rules on one launch. */
export function evaluateRules(launch, facts, table, rules, faults) {
  const context = { launch, facts, table, engine: table.engine, version: facts.version, faults, meant: new Set() };
  for (const flag of launch.flags.filter((item) => !item.known).slice(0, MAX_UNKNOWN)) {
    flag.near = nearestFlag(flag, table.engine, facts.version);
    context.meant.add(flag.near);
  }
  const findings = [];
  for (const rule of rules) {
    if (rule.log) continue;
    if (rule.check) findings.push(...checkFindings(rule, context));
    else if (launch.engine === "vllm" || rule.any_engine) findings.push(...conditionFindings(rule, context));
  }
  return withoutReplaced(findings);
}

/** A check's finding gives way to a rule that says more about the same place. */
function withoutReplaced(findings) {
  const replacing = findings.filter((finding) => finding.rule.instead_of);
  const isReplaced = (finding) => replacing.some((other) => other.rule.instead_of.includes(finding.rule.check) && other.start < finding.end && finding.start < other.end);
  return findings.filter((finding) => !finding.rule.check || !isReplaced(finding));
}

// Conditions -------------------------------------------------------------------------------------

/** The findings of a rule made of conditions: none, or one. */
function conditionFindings(rule, context) {
  const captures = baseCaptures(context);
  let place = null;
  let valueRank = 0;
  for (const condition of rule.when) {
    const match = holds(condition, context);
    if (!match) return [];
    const { value, ...named } = match.captures;
    Object.assign(captures, named);
    if (value !== undefined && rankOf(condition) > valueRank) [captures.value, valueRank] = [value, rankOf(condition)];
    if (condition.place || (place === null && match.place)) place = match.place ?? place;
  }
  for (const condition of rule.except_when ?? []) if (holds(condition, context)) return [];
  const at = place ?? context.launch.head;
  return [{ rule, captures, start: at.start, end: at.end, edits: rewrite(rule, context) }];
}

/** How much a condition's value counts as the value that the texts speak of. */
function rankOf(condition) {
  if (condition.place) return 3;
  return condition.flag || condition.option || condition.variable || condition.any ? 2 : 1;
}

function baseCaptures({ launch, facts, version }) {
  return {
    model: facts.model ?? "?", version: checkedText(version), weights_gib: facts.weights_gib ?? "?",
    image: launch.image?.text ?? "?", format: facts.format ?? "?", weights_gib_per_spark: facts.weights_gib_per_spark ?? "?",
    memory_fraction: facts.memory_fraction ?? "?", num_gpus: facts.num_gpus, fitting_tool_parsers: facts.fitting_tool_parsers,
    fitting_reasoning_parsers: facts.fitting_reasoning_parsers, room_gib: facts.room_gib ?? "?", speculation: facts.speculation ?? "?",
  };
}

/** The release that values are checked against where none is known: the newest. */
function checkedText(version) {
  return version.kind === "unknown" ? version.releases[version.releases.length - 1] : versionText(version);
}

/** The releases in words: one, a span, or "?" where nothing is known. */
export function versionText(version) {
  const { releases } = version;
  if (version.kind === "unknown") return "?";
  if (version.kind === "outside") return version.version;
  return releases.length === 1 ? releases[0] : `${releases[0]}–${releases[releases.length - 1]}`;
}

/** Whether a condition holds, with what it captured and where it stands. */
function holds(condition, context) {
  if (condition.any) {
    for (const inner of condition.any) {
      const match = holds(inner, context);
      if (match) return match;
    }
    return null;
  }
  if (condition.version) return versionHolds(condition.version, context) ? { captures: {}, place: null } : null;
  const items = subjects(condition, context);
  if (condition.absent && condition.flag && (mayHoldFlags(context.launch) || context.meant.has(condition.flag))) return null;
  if (condition.absent) return items.length === 0 ? { captures: {}, place: null } : null;
  for (const item of items) {
    if (!valueHolds(condition, item.value)) continue;
    const name = condition.as ?? "value";
    const captures = { [name]: shown(item.value), ...patternCaptures(condition, item.value) };
    return { captures, place: item.start === undefined ? null : { start: item.start, end: item.end } };
  }
  return null;
}

/** Whether a word that is not known, such as `$EXTRA_ARGS`, or a file of settings can hold any flag. */
function mayHoldFlags(launch) {
  if (launch.flags.some((flag) => flag.name === "--config")) return true;
  return launch.strays.some((word) => word.open) || (launch.model?.open === true && /ARG|OPT|EXTRA|FLAG|^(?:\.{3}|\u2026)$/i.test(launch.model.text));
}

/** What a condition is about: every present item with its value and place. */
function subjects(condition, { launch, facts }) {
  if (condition.flag) return flagSubjects(condition, launch);
  if (condition.variable) {
    const all = [...launch.variables, ...(launch.outside ?? []), ...(launch.later ?? [])];
    return all.filter((variable) => nameMatches(condition.variable, variable.name)).map((variable) => ({ ...variable, value: variable.value ?? variable.name }));
  }
  if (condition.option) return launch.options.filter((option) => option.name === condition.option);
  if (condition.image) return launch.image ? [{ value: launch.image.text, start: launch.image.start, end: launch.image.end }].filter((item) => matches(condition.image, item.value)) : [];
  if (condition.model) return facts.model && matches(condition.model, facts.model) ? [{ value: facts.model, ...span(facts.model_place) }] : [];
  if (condition.word) return launch.arguments.filter((word) => matches(condition.word, word.text)).map((word) => ({ value: word.text, start: word.start, end: word.end }));
  if (condition.fact) return factSubjects(condition.fact, facts);
  return [];
}

function span(place) {
  return place ? { start: place.start, end: place.end } : {};
}

function nameMatches(wanted, name) {
  return wanted.endsWith("*") ? name.startsWith(wanted.slice(0, -1)) : wanted === name;
}

function flagSubjects(condition, launch) {
  const given = launch.flags.filter((flag) => flag.name === condition.flag || flag.spelled === condition.flag);
  if (condition.key) {
    const json = jsonOf(launch, condition.flag);
    const value = condition.key.split(".").reduce((inner, key) => (inner && typeof inner === "object" ? inner[key] : undefined), json);
    if (value === undefined || given.length === 0) return [];
    return [{ value, start: given[0].start, end: given[0].end }];
  }
  const last = given[given.length - 1];
  if (!last) return [];
  const value = last.negated ? "off" : last.value ?? "on";
  return [{ value, start: last.start, end: last.end }];
}

function factSubjects(name, facts) {
  const value = facts[name];
  if (value === null || value === undefined) return [];
  if (typeof value === "object" && !Array.isArray(value)) return [value];
  return [{ value }];
}

function valueHolds(condition, value) {
  const text = String(value);
  if (condition.is && !condition.is.some((wanted) => same(wanted, text))) return false;
  if (condition.not && condition.not.some((wanted) => same(wanted, text))) return false;
  if (condition.pattern && !matches(condition.pattern, text)) return false;
  if (condition.excludes && matches(condition.excludes, text)) return false;
  const limits = [condition.above, condition.at_least, condition.below, condition.at_most];
  if (limits.every((limit) => limit === undefined || limit === null)) return true;
  const number = typeof value === "number" ? value : readNumber(text);
  if (number === null) return false;
  const [above, atLeast, below, atMost] = limits;
  return (above == null || number > above) && (atLeast == null || number >= atLeast) && (below == null || number < below) && (atMost == null || number <= atMost);
}

function same(wanted, text) {
  const plain = (word) => String(word).toLowerCase().replace(/-/g, "_");
  return plain(wanted) === plain(text);
}

const compiled = new Map();

/** A pattern of a rule as a regular expression, compiled once. */
export function expression(pattern, flags) {
  const key = `${flags} ${pattern}`;
  if (!compiled.has(key)) compiled.set(key, new RegExp(pattern, flags));
  return compiled.get(key);
}

function matches(pattern, text) {
  return expression(pattern, "iu").test(text.slice(0, 4000));
}

function patternCaptures(condition, value) {
  if (!condition.pattern) return {};
  const match = expression(condition.pattern, "iu").exec(String(value).slice(0, 4000));
  const captures = {};
  match?.slice(1).forEach((text, index) => { if (text !== undefined) captures[`${index + 1}`] = text; });
  return captures;
}

function shown(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Whether one of the releases in question lies between two releases; unknown counts as stated. */
function versionHolds(range, { version }) {
  if (version.kind === "unknown") return range.unknown === true;
  return version.releases.some((release) => {
    const late = !range.first || compareVersions(release, range.first) >= 0;
    return late && (!range.last || compareVersions(release, range.last) <= 0);
  });
}

/** Changes of the pasted text that carry out a rule's fix. */
function rewrite(rule, { launch }) {
  const edits = [];
  for (const name of rule.rewrite?.remove ?? []) {
    for (const flag of launch.flags) if (flag.name === name || flag.spelled === name) edits.push({ start: flag.start, end: flag.valueEnd, text: "" });
    for (const option of launch.options) if (option.name === name) edits.push({ start: option.start, end: option.end, text: "" });
  }
  for (const [name, value] of Object.entries(rule.rewrite?.set ?? {})) {
    const flag = launch.flags.find((item) => item.name === name && item.value !== null);
    if (flag) edits.push({ start: flag.valueStart, end: flag.valueEnd, text: String(value) });
    else edits.push(appended(launch, `${name} ${value}`));
  }
  for (const words of rule.rewrite?.add ?? []) edits.push(appended(launch, words));
  return edits.filter(Boolean);
}

function appended(launch, words) {
  const last = [...launch.arguments].sort((a, b) => a.end - b.end).pop();
  return last ? { start: last.end, end: last.end, text: ` ${words}` } : null;
}

// Checks -----------------------------------------------------------------------------------------

/** The findings of a named check, each with the captures that the rule's texts use. */
function checkFindings(rule, context) {
  const run = CHECKS[rule.check];
  if (!run || (context.launch.engine !== "vllm" && rule.check !== "broken-continuation")) return [];
  const findings = [];
  for (const item of run(context, rule)) {
    if (rule.kinds && !rule.kinds.includes(item.kind)) continue;
    findings.push({
      rule, severity: item.severity, start: item.start, end: item.end, edits: item.edits ?? [],
      captures: { ...baseCaptures(context), ...item.captures },
    });
  }
  return findings;
}

const CHECKS = {
  "unknown-flag": (context) => flagsOfKind(context, "unknown"),
  "fork-flag": (context) => flagsOfKind(context, "fork"),
  "removed-flag": (context) => flagsOfKind(context, "removed"),
  "future-flag": (context) => flagsOfKind(context, "future"),
  "dropped-flag": (context) => flagsOfKind(context, "dropped"),
  "abbreviated-flag": abbreviated,
  "odd-dash": oddDashes,
  "missing-value": missingValues,
  "extra-value": extraValues,
  "repeated-flag": repeated,
  "wrong-number": wrongNumbers,
  "wrong-choice": (context) => choices(context, "wrong"),
  "doubtful-choice": (context) => choices(context, "doubtful"),
  "dropped-choice": (context) => [...choices(context, "dropped"), ...keys(context, "dropped-choice")],
  "json-error": jsonErrors,
  "unknown-key": (context) => keys(context, "unknown"),
  "removed-key": (context) => keys(context, "removed"),
  "dropped-key": (context) => keys(context, "dropped"),
  "wrong-key-choice": (context) => keys(context, "choice"),
  "unknown-variable": (context) => variablesOfKind(context, "unknown"),
  "removed-variable": (context) => variablesOfKind(context, "removed"),
  "dropped-variable": (context) => variablesOfKind(context, "dropped"),
  "wrong-variable-choice": (context) => variablesOfKind(context, "choice"),
  "backend-for-format": backendForFormat,
  "broken-continuation": brokenContinuation,
  "version-outside": versionOutside,
};

/** Where a flag stands in time for the releases in question. */
function flagState(flag, context) {
  const { engine, version } = context;
  if (!flag.known) return { kind: "unknown" };
  const spelling = flag.known.how === "prefix" ? flag.known.full : flag.spelled;
  const having = engine.releases.filter((release) => spellingsOf(engine, release).has(spelling));
  return timeState(having, engine, version);
}

/** `ok`, `removed`, `future` or `dropped`, for what exists in some releases. */
function timeState(having, engine, version) {
  const last = having[having.length - 1];
  const newest = engine.releases[engine.releases.length - 1];
  const after = engine.releases[engine.number.get(last) + 1] ?? null;
  if (version.kind === "unknown") return last === newest ? { kind: "ok" } : { kind: "dropped", last, release: after };
  const meant = version.releases.find((release) => having.includes(release));
  if (meant) {
    const gone = engine.releases.slice(engine.number.get(meant)).find((release) => !having.includes(release));
    return gone ? { kind: "dropped", last: engine.releases[engine.number.get(gone) - 1], release: gone } : { kind: "ok" };
  }
  const earlier = having.filter((release) => compareVersions(release, version.releases[0]) < 0);
  if (earlier.length === 0) return { kind: "future", first: having[0] };
  const end = earlier[earlier.length - 1];
  return { kind: "removed", last: end, release: engine.releases[engine.number.get(end) + 1] ?? null };
}

function flagsOfKind(context, kind) {
  const { launch, table, engine, version } = context;
  const found = [];
  for (const flag of launch.flags) {
    const state = flagState(flag, context);
    const forks = table.fork_flags[flag.spelled];
    const actual = state.kind === "unknown" && forks ? "fork" : state.kind;
    if (actual !== kind) continue;
    const successor = table.successors[flag.spelled] ?? table.successors[flag.name] ?? null;
    const near = kind === "unknown" && !successor ? flag.near ?? null : null;
    const suggestion = near ?? successor?.flag ?? null;
    found.push({
      start: flag.start, end: flag.nameEnd, severity: version.kind === "outside" && kind !== "dropped" ? "warning" : undefined,
      captures: {
        flag: flag.written, nearest: near ?? "", last: state.last ?? "", first: state.first ?? "", release: state.release ?? "",
        fork: forks ?? "", suggestion: suggestionFor(near, table.texts[`successor ${flag.spelled}`] ? flag.spelled : flag.name, table),
      },
      edits: suggestion && (near || successor?.same_value) ? [{ start: flag.start, end: flag.nameEnd, text: suggestion }] : [],
    });
  }
  return found;
}

/** A sentence of the table as a captured value, with values of its own. */
function words(text, values = {}) {
  return { text, values };
}

/** What to write instead of a flag. */
function suggestionFor(near, name, table) {
  if (near) return words("write", { word: near });
  return words(table.texts[`successor ${name}`] ? `successor ${name}` : "delete_or_look_up");
}

/** The flag of the newest release in question that looks most like an unknown one: `-tp2` is `-tp 2`. */
function nearestFlag(flag, engine, version) {
  const spellings = spellingsOf(engine, version.releases[version.releases.length - 1]);
  const glued = /^(-[a-z]+)(\d+)$/.exec(flag.spelled);
  if (glued && spellings.has(glued[1])) return `${glued[1]} ${glued[2]}`;
  return nearest(flag.spelled, spellings.keys());
}

function abbreviated({ launch }) {
  return launch.flags
    .filter((flag) => flag.known?.how === "prefix")
    .map((flag) => ({
      start: flag.start, end: flag.nameEnd, captures: { flag: flag.written, full: flag.known.full },
      edits: [{ start: flag.start, end: flag.nameEnd, text: flag.known.full }],
    }));
}

function oddDashes({ launch }) {
  return launch.flags
    .filter((flag) => flag.odd)
    .map((flag) => ({ start: flag.start, end: flag.nameEnd, captures: { flag: flag.written, full: flag.spelled }, edits: [{ start: flag.start, end: flag.nameEnd, text: flag.spelled }] }));
}

function missingValues({ launch }) {
  return launch.flags
    .filter((flag) => flag.entry && !["bool", "switch", "switch_off"].includes(flag.entry.kind) && flag.entry.nargs !== "?" && flag.value === null)
    .map((flag) => ({ start: flag.start, end: flag.end, captures: { flag: flag.written } }));
}

function extraValues({ launch }) {
  const inline = launch.flags
    .filter((flag) => flag.entry && ["bool", "switch"].includes(flag.entry.kind) && flag.inline && flag.path.length === 0)
    .map((flag) => ({ start: flag.valueStart, end: flag.valueEnd, captures: { value: flag.value, flag: flag.written }, edits: [{ start: flag.nameEnd, end: flag.valueEnd, text: "" }] }));
  const strays = launch.strays.filter((word) => !word.open && word.text.trim() !== "" && !/^[([{)\]}]/.test(word.text));
  return [...inline, ...strays.map((word) => strayFinding(word, launch))];
}

function strayFinding(word, launch) {
  const before = launch.flags.filter((flag) => flag.start < word.start).pop();
  return { start: word.start, end: word.end, captures: { value: word.text, flag: before?.written ?? launch.model?.text ?? "" }, edits: [{ start: word.start, end: word.end, text: "" }] };
}

/** A flag given twice with different values; the last one counts. */
function repeated({ launch }) {
  const seen = new Map();
  const found = [];
  for (const flag of launch.flags) {
    if (flag.path.length > 0 || !flag.known || flag.entry.kind === "append") continue;
    const value = flag.negated ? "off" : flag.value ?? "on";
    const earlier = seen.get(flag.name);
    if (earlier && earlier.value !== value) found.push({ start: earlier.flag.start, end: earlier.flag.end, captures: { flag: flag.name, value, first_value: earlier.value } });
    seen.set(flag.name, { flag, value });
  }
  return found;
}

function wrongNumbers({ launch }) {
  const found = [];
  for (const flag of launch.flags) {
    const type = flag.entry?.type ?? "";
    const pattern = NUMBER_TYPES[type] ?? (type.startsWith("human_readable_int") ? READABLE_NUMBER : null);
    if (!pattern || flag.open || flag.value === null) continue;
    for (const value of flag.values) {
      const isAuto = type.endsWith("_or_auto") && /^(?:auto|-1)$/.test(value);
      if (!pattern.test(value) && !isAuto && value !== "None") found.push({ start: flag.valueStart, end: flag.valueEnd, captures: { flag: flag.name, value } });
    }
  }
  return found;
}

/** Values of flags that the releases in question do not take. */
function choices(context, kind) {
  const { launch } = context;
  const found = [];
  const plugins = launch.flags.map((flag) => flag.name);
  for (const flag of launch.flags) {
    if (!flag.entry || flag.open || flag.value === null || flag.json !== undefined) continue;
    const set = setOf(flag);
    if (!set) continue;
    const isParser = set === "tool_call_parser" || set === "reasoning_parser";
    if (isParser && plugins.includes(set === "tool_call_parser" ? "--tool-parser-plugin" : "--reasoning-parser-plugin")) continue;
    const release = context.version.releases[context.version.releases.length - 1];
    const enforced = isParser || ["argparse", "config"].includes(propertyAt(flag.entry, "enforced_by", release));
    for (const value of flag.values) {
      const item = choiceFinding(value, set, context);
      if (!item) continue;
      const actual = item.kind === "dropped" ? "dropped" : item.isKnown || (enforced && set !== "load_format") ? "wrong" : "doubtful";
      if (actual === kind) found.push({ ...item, start: flag.valueStart, end: flag.valueEnd, captures: { ...item.captures, flag: flag.name, value }, edits: item.near ? [{ start: flag.valueStart, end: flag.valueEnd, text: item.near }] : [] });
    }
  }
  return found;
}

const NAMED_SETS = {
  "--tool-call-parser": "tool_call_parser", "--reasoning-parser": "reasoning_parser", "--quantization": "quantization",
  "--load-format": "load_format", "--attention-backend": "attention_backend", "--kv-cache-dtype": "kv_cache_dtype",
};

function setOf(flag) {
  return NAMED_SETS[flag.name] ?? flag.entry.choices ?? null;
}

/** What is wrong with a value of a set, or null. */
function choiceFinding(value, set, { engine, version }) {
  const plain = (word) => (CASELESS_SETS.has(set) ? word.toLowerCase().replace(/-/g, "_") : word);
  const runs = engine.tables.choices[set];
  if (!runs || value === "None") return null;
  const name = Object.keys(runs).find((item) => plain(item) === plain(value));
  const release = version.releases[version.releases.length - 1];
  const allowed = valuesOf(engine, set, release);
  if (allowed.length === 0) return null;
  if (!name) {
    const near = nearest(value, allowed);
    return { kind: "unknown", near, severity: version.kind === "outside" ? "warning" : undefined, captures: choiceCaptures(near, allowed, null) };
  }
  const state = timeState(releasesIn(engine, runs[name]), engine, version);
  if (state.kind === "ok") return null;
  const kind = state.kind === "dropped" ? "dropped" : "unknown";
  return { kind, near: null, isKnown: true, severity: version.kind === "outside" ? "warning" : undefined, captures: { ...choiceCaptures(null, allowed, state), release: state.release ?? "" } };
}

function choiceCaptures(near, allowed, state) {
  const list = allowed.length > 24 ? `${allowed.slice(0, 24).join(", ")}, …` : allowed.join(", ");
  const rest = near ? words("write", { word: near }) : words("allowed", { allowed: list });
  if (state?.kind === "future") return { allowed: list, suggestion: words("exists_from", { first: state.first, rest }) };
  if (state?.kind === "removed") return { allowed: list, suggestion: words("ended_with", { last: state.last, rest }) };
  return { allowed: list, suggestion: rest };
}

function jsonErrors({ launch, faults }) {
  const open = faults.filter((fault) => fault.kind === "unclosed-quote");
  return launch.flags
    .filter((flag) => flag.jsonError && !open.some((fault) => fault.start >= flag.valueStart && fault.start < flag.valueEnd))
    .map((flag) => ({ kind: flag.jsonError, start: flag.valueStart, end: flag.valueEnd, captures: { flag: flag.name, value: flag.value.slice(0, 200) } }));
}

/** Keys of JSON values that the configuration class does not have, at every depth that is known. */
function keys(context, kind) {
  const found = [];
  for (const flag of context.launch.flags) {
    if (!flag.entry?.config || !flag.json || typeof flag.json !== "object" || Array.isArray(flag.json)) continue;
    for (const item of keyFindings(flag.json, flag.entry.config, context, 0)) {
      if (item.kind !== kind) continue;
      found.push({ ...item, start: flag.valueStart, end: flag.valueEnd, captures: { ...item.captures, flag: flag.name } });
    }
  }
  return found;
}

function keyFindings(json, className, context, depth) {
  const { engine, version } = context;
  const fields = engine.tables.configs[className];
  if (!fields || depth > 3 || JSON_CLASSES_THAT_TAKE_ANYTHING.has(className)) return [];
  const found = [];
  const release = version.releases[version.releases.length - 1];
  const allowed = Object.keys(fields).filter((key) => isIn(engine, fields[key].versions, release));
  for (const [key, value] of Object.entries(json)) {
    const field = fields[key];
    if (!field) {
      const near = nearest(key, allowed);
      found.push({ kind: "unknown", severity: version.kind === "outside" ? "warning" : undefined, captures: { key, ...choiceCaptures(near, allowed, null) } });
      continue;
    }
    const state = timeState(releasesIn(engine, field.versions), engine, version);
    const captures = { key, last: state.last ?? "", release: state.release ?? "", ...choiceCaptures(null, allowed, state.kind === "dropped" ? null : state) };
    if (state.kind === "removed" || state.kind === "future") found.push({ kind: "removed", captures });
    if (state.kind === "dropped") found.push({ kind: "dropped", captures });
    const set = propertyAt(field, "choices", release);
    if (set && typeof value === "string" && state.kind !== "removed") {
      const wrong = choiceFinding(value, set, context);
      const lenient = /(?:^|\| )str(?: |$)/.test(field.type ?? "") || /CUDAGraphMode|CompilationMode/.test(field.type ?? "");
      if (wrong && wrong.kind === "unknown" && !lenient) found.push({ kind: "choice", captures: { key, value, ...wrong.captures } });
      if (wrong?.kind === "dropped") found.push({ kind: "dropped-choice", captures: { key, value, ...wrong.captures } });
    }
    const inner = Object.keys(engine.tables.configs).find((name) => new RegExp(`\\b${name}\\b`).test(field.type ?? ""));
    if (inner && value && typeof value === "object" && !Array.isArray(value)) found.push(...keyFindings(value, inner, context, depth + 1));
  }
  return found;
}

/** Variables of the engine that it does not read, no longer reads, or will not read. */
function variablesOfKind(context, kind) {
  const { launch, engine, table, version } = context;
  const found = [];
  for (const variable of launch.variables.concat(launch.outsideCounts ? launch.outside ?? [] : [])) {
    if (!/^VLLM_[A-Z0-9_]+$/.test(variable.name)) continue;
    const entry = engine.tables.environment[variable.name];
    const state = entry ? timeState(releasesIn(engine, entry.versions), engine, version) : { kind: "unknown" };
    const fork = table.fork_variables[variable.name] ?? "";
    const captures = { name: variable.name, value: variable.value ?? "", fork, last: state.last ?? "", release: state.release ?? "", first: state.first ?? "" };
    const place = { start: variable.start, end: variable.end };
    const wrong = entry?.choices && state.kind !== "removed" && variable.value && !variable.open ? variableChoice(entry, variable, context) : null;
    if (kind === "choice") {
      if (wrong) found.push({ ...place, captures: { ...captures, ...wrong } });
      continue;
    }
    const actual = state.kind === "future" ? "unknown" : state.kind;
    if (actual !== kind || (actual === "unknown" && variable.isLocal)) continue;
    const near = actual === "unknown" && !fork && state.kind !== "future" ? nearest(variable.name, Object.keys(engine.tables.environment)) : null;
    found.push({ ...place, captures: { ...captures, suggestion: variableSuggestion(near, variable.name, fork, state, table) } });
  }
  return found;
}

function variableChoice(entry, variable, { engine, version }) {
  const release = version.releases[version.releases.length - 1];
  const allowed = valuesOf(engine, entry.choices, release);
  if (allowed.length === 0) return null;
  const known = allowed.map((value) => value.toLowerCase());
  const given = variable.value.toLowerCase().split(",").map((value) => value.trim());
  if (given.every((value) => known.includes(value) || value === "")) return null;
  return choiceCaptures(nearest(variable.value, allowed), allowed, null);
}

function variableSuggestion(near, name, fork, state, table) {
  if (table.texts[`successor ${name}`]) return words(`successor ${name}`);
  if (fork) return words("only_fork", { fork });
  if (state.kind === "future") return words("read_from", { first: state.first });
  return near ? words("perhaps", { word: near }) : words("delete");
}

/** A backend for experts that the weight format of the checkpoint has no kernel for. */
function backendForFormat({ launch, facts, engine, version }) {
  const flag = launch.flags.find((item) => item.name === "--moe-backend" && item.value && !item.open);
  const set = { nvfp4: "nvfp4", fp8: "fp8", mxfp4: "mxfp4", int4: "int_wna16", bf16: "unquantized" }[facts.format];
  if (!flag || !set || facts.dense === true) return [];
  const backend = flag.value.toLowerCase().replace(/-/g, "_");
  const release = version.releases[version.releases.length - 1];
  const allowed = valuesOf(engine, `moe_backend_of_${set}`, release);
  const known = valuesOf(engine, "--moe-backend", release);
  if (allowed.length === 0 || backend === "auto" || allowed.includes(backend) || !known.includes(backend)) return [];
  const anywhere = version.kind !== "exact" && version.releases.some((other) => valuesOf(engine, `moe_backend_of_${set}`, other).includes(backend));
  if (anywhere) return [];
  return [{ start: flag.valueStart, end: flag.valueEnd, captures: { backend: flag.value, format: facts.format, allowed: allowed.join(", ") } }];
}

function brokenContinuation({ faults }) {
  return faults.map((fault) => ({ kind: fault.kind, start: fault.start, end: fault.end, captures: {}, edits: continuationEdit(fault) }));
}

function continuationEdit(fault) {
  if (fault.kind === "missing-continuation") return [{ start: fault.end, end: fault.end, text: " \\" }];
  if (fault.kind === "comment-hides-continuation" || fault.kind === "comment-after-continuation") return [{ start: fault.start, end: fault.end, text: "\\" }];
  if (fault.kind === "blank-after-continuation") return [{ start: fault.start + 1, end: fault.end, text: "" }];
  return [];
}

/** A release that is not known: outside the tables, or stated in a way that names none. */
function versionOutside({ launch, version, engine }) {
  const isTag = version.kind === "unknown" && version.stated === null && launch.image?.tag && /vllm/i.test(launch.image.text);
  const stated = version.version ?? version.stated ?? (isTag ? launch.image.tag : null);
  const kind = { outside: "outside", unknown: "unread" }[version.kind];
  if (!kind || !stated) return [];
  const place = isTag ? { start: launch.image.start, end: launch.image.end } : launch.head;
  return [{ ...place, kind, captures: { stated, first: engine.releases[0], newest: engine.releases[engine.releases.length - 1] } }];
}

/** The finding on the stated release of a text that holds no command. */
export function versionFindings(version, table, place) {
  const context = { launch: { head: place, engine: "vllm" }, version, engine: table.engine };
  const rules = table.rules.filter((rule) => rule.check === "version-outside");
  return rules.flatMap((rule) => versionOutside(context).filter((item) => rule.kinds.includes(item.kind)).map((item) => ({ rule, ...item })));
}
