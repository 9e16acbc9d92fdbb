/** Diagnosis of a pasted command or log; the page and the command line both call `diagnose`. */

import { isLogLine, readCommands } from "./command.js";
import { prepareEngine, readVersion } from "./engine.js";
import { factsOf } from "./facts.js";
import { lineOf, readLog } from "./log.js";
import { evaluateRules, versionFindings, versionText } from "./rules.js";

const LANGUAGES = ["en", "zh"];
const MAX_FINDINGS = 300;
const UNSEEN = /[\u0000\u200b\u2060\ufeff]/g;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
const HALF_CHARACTER = /[\ud800-\udbff]$/;
const RANK = { error: 0, warning: 1, info: 2 };

/** The tables made ready once for many diagnoses. */
export function prepareTable(knowledge) {
  const { vllm } = knowledge.engines;
  const nicknames = Object.entries(knowledge.models)
    .flatMap(([id, model]) => model.nicknames.map((name) => [name.toLowerCase().replace(/[_ ]/g, "-"), id]))
    .filter(([name]) => name.length > 5 && /^[a-z]{3}/.test(name));
  return { ...knowledge, engine: prepareEngine(vllm), nicknames };
}

/** Everything that the rules and the tables say about a text. */
export function diagnose(input, table, options = {}) {
  const text = String(input ?? "").replace(UNSEEN, " ");
  const { launches, faults, comments } = readCommands(text, table.engine);
  const context = { engineVersion: options.engineVersion || null, comments, text: text.slice(0, 200_000) };
  const log = readLogPart(text, table, context, launches);
  context.logVersion = log.told.engine_version?.value ?? null;
  const findings = [];
  const commands = [];
  launches.forEach((launch, index) => {
    const facts = factsOf(launch, table, context);
    const own = [...(index === 0 ? faults : []), ...launch.faults];
    const found = evaluateRules(launch, facts, table, table.rules, own);
    findings.push(...found);
    commands.push(describe(launch, facts, found, table));
  });
  findings.push(...log.findings);
  if (launches.length === 0 && options.engineVersion) findings.push(...statedFindings(text, table, options.engineVersion));
  const version = launches.length > 0 ? commands[0].version : logVersion(table, context, log);
  const read = commands.length > 0 || findings.length > 0 || Object.keys(log.told).length > 0 || log.root !== null;
  return { read, engine_version: version, findings: finish(findings, String(input ?? ""), table, options.languages ?? LANGUAGES), commands, log: { told: log.told, root: log.root } };
}

/** What is to be said of the reader's release where no command can carry it. */
function statedFindings(text, table, stated) {
  const ink = /\S+/.exec(text.slice(0, 100_000));
  if (!ink) return [];
  const version = { ...readVersion(table.engine, stated), stated };
  return versionFindings(version, table, { start: ink.index, end: ink.index + ink[0].length });
}

/** What is a log in the text; beside a command only the lines outside it count. */
function readLogPart(text, table, context, launches) {
  const looksLikeLog = launches.every(isOnlySettings) || hasLogLines(text);
  const spans = launches.map(spanOf);
  const isCommandPlace = (place) => spans.some(([from, to]) => place >= from && place < to);
  return readLog(text, logRules(table, context).filter((rule) => looksLikeLog || rule.in_scripts), isCommandPlace);
}

/** The log rules whose range of releases fits a stated version. */
function logRules(table, context) {
  if (!context.engineVersion) return table.rules;
  const { kind, releases } = readVersion(table.engine, context.engineVersion);
  if (kind === "unknown" || kind === "outside") return table.rules;
  const { number } = table.engine;
  return table.rules.filter((rule) => {
    if (!rule.log || !rule.versions) return true;
    const { first, last } = rule.versions;
    return releases.some((release) => (!first || number.get(release) >= number.get(first)) && (!last || number.get(release) <= number.get(last)));
  });
}

function logVersion(table, context, log) {
  if (context.engineVersion) return stateVersion({ ...readVersion(table.engine, context.engineVersion), stated: context.engineVersion, from: "reader" });
  const told = log.told.engine_version?.value;
  if (told) return stateVersion({ ...readVersion(table.engine, told), stated: told, from: "log" });
  return stateVersion({ kind: "unknown", releases: [], stated: null, from: null });
}

/** Whether a launch is nothing but variables, which a log names too. */
function isOnlySettings(launch) {
  return launch.form === "fragment" && launch.arguments.length === 0;
}

function hasLogLines(text) {
  const lines = text.slice(0, 400_000).split("\n");
  return lines.some(isLogLine);
}

function spanOf(launch) {
  const places = [launch.head.start, launch.head.end, launch.container?.start ?? launch.head.start];
  for (const part of [...launch.arguments, ...launch.options]) places.push(part.start, part.end);
  return [Math.min(...places), Math.max(...places)];
}

/** What was concluded about a launch and what was checked and found right. */
function describe(launch, facts, findings, table) {
  const touched = (item) => findings.some((finding) => finding.start < item.end && finding.end > item.start && finding.rule.severity !== "info");
  const right = launch.flags.filter((flag) => flag.known && !touched({ start: flag.start, end: flag.valueEnd }));
  return {
    form: launch.form, engine: launch.engine, image: launch.image?.text ?? null,
    model: facts.model, model_id: facts.model_id ?? null, model_from: facts.model_from ?? null, format: facts.format, weights_gib: facts.weights_gib,
    version: stateVersion(facts.version), checked_flags: right.map((flag) => flag.name),
    num_flags: launch.flags.length, num_rules: table.rules.filter((rule) => !rule.log).length,
    speculation: facts.speculation, prefix_caching: facts.prefix_caching,
  };
}

function stateVersion(version) {
  return {
    kind: version.kind, stated: version.stated ?? null, from: version.from ?? null,
    text: version.kind === "unknown" ? null : versionText(version),
  };
}

/** Findings with line, column and texts; one a place and pitfall, the worst first by place. */
function finish(findings, text, table, languages) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const seen = new Map();
  for (const finding of findings) {
    const number = lineOf(starts, Math.min(finding.start, text.length));
    const severity = finding.severity ?? finding.rule.severity;
    const item = {
      pitfall: finding.rule.pitfall, severity, line: number + 1, column: numCharacters(text.slice(starts[number], finding.start)) + 1,
      text: text.slice(finding.start, Math.min(finding.end, finding.start + 200)).split(/\r?\n/)[0].replace(HALF_CHARACTER, ""),
      message: fill(finding.rule.message, finding.captures, table, languages), fix: fill(finding.rule.fix, finding.captures, table, languages),
      start: finding.start, end: finding.end, edits: finding.edits ?? [], rule: finding.rule.number,
    };
    const key = `${item.pitfall} ${item.start} ${finding.rule.check ? item.message[languages[0]] : ""}`;
    const other = seen.get(key);
    if (!other || RANK[severity] < RANK[other.severity]) seen.set(key, item);
  }
  const worst = [...seen.values()].sort((a, b) => RANK[a.severity] - RANK[b.severity]).slice(0, MAX_FINDINGS);
  return worst.sort((a, b) => a.start - b.start || RANK[a.severity] - RANK[b.severity] || (a.pitfall < b.pitfall ? -1 : 1));
}

/** How many characters a text has; one outside the basic plane is one, though two units here. */
function numCharacters(text) {
  return text.length - (text.match(PAIR) ?? []).length;
}

/** A text in each language with its captured values; a value can be a sentence of its own. */
function fill(texts, captures, table, languages) {
  const filled = (template, values, language) =>
    template.replace(/\{([a-z0-9_]+)\}/g, (whole, name) => {
      const value = values[name];
      if (value === undefined || value === null) return whole;
      return typeof value === "object" ? filled(table.texts[value.text][language], value.values, language) : String(value);
    });
  return Object.fromEntries(languages.map((language) => [language, filled(texts?.[language] ?? "", captures, language).trim()]));
}

/** The text after a finding's changes. */
export function applyEdits(text, edits) {
  return [...edits].sort((a, b) => b.start - a.start).reduce((result, edit) => {
    const end = edit.text === "" && result[edit.end] === " " ? edit.end + 1 : edit.end;
    return result.slice(0, edit.start) + edit.text + result.slice(end);
  }, text);
}
