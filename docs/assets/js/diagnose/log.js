/** A server log: what the rules find in it, and what it tells by itself. */

import { isCommandLine, isLogLine, withoutLineHead } from "./command.js";
import { expression } from "./rules.js";

const MAX_LINE = 4000;
const MAX_HITS = 400;
const MAX_EACH = 10;
const ERROR_LINE = /^[A-Za-z_][\w.]{0,120}(?:Error|Exception|Interrupt)(?:: .*|:?)$/;
const LOG_HEAD = /^(?:\([^()\n]{1,80}\) ?)?(?:ERROR|CRITICAL) [\d:.\s-]{0,40}(?:\[[^\]\n]{1,60}\] ?)?/;
const MAX_ERRORS = 5000;
const WRAPPED = { least: 50, most: 250, lines: 8, shared: 2 };
const CONSEQUENCES = /Engine core initialization failed|EngineDeadError|EngineCore encountered|See (?:root cause|stack trace) above|WorkerProc initialization failed|Failed core proc|ChildFailedError|SystemExit|KeyboardInterrupt|cancelled|CancelledError|BrokenPipe|ConnectionReset/;
const TOLD = [
  ["engine_version", /(?:vLLM API server version|V1 LLM engine \(v|vLLM [Vv]ersion|█  version)\s*:?\s*v?(\d+\.\d+[\w.+-]*)/],
  ["model", /(?:model='|model_tag': '|'model': ')([^']{1,200})'/],
  ["moe_backend", /Using '?([A-Za-z0-9_]+)'? (?:NvFp4|Fp8|Mxfp4|MxFp8|WNA16|Unquantized) MoE backend/],
  ["linear_kernel", /Using ([A-Za-z0-9_.]+) for (?:NVFP4|MXFP4|MXFP8) GEMM/],
  ["attention_backend", /Using (?:AttentionBackendEnum\.)?([A-Z][A-Z0-9_]+) attention backend/],
  ["gdn_kernel", /Using ([A-Za-z0-9/]+) GDN prefill kernel/],
  ["kv_pool_tokens", /GPU KV cache size:\s*([\d,]+) tokens/],
  ["kv_memory_gib", /Available KV cache memory:\s*(-?[\d.]+) GiB/],
  ["maximum_concurrency", /Maximum concurrency for [\d,]+ tokens per request:\s*([\d.]+)x/],
  ["weights_gib", /Model loading took\s*([\d.]+) Gi?B/],
  ["load_s", /Loading weights took ([\d.]+) seconds/],
  ["graph_capture_s", /Graph capturing finished in ([\d.]+) secs/],
  ["mean_acceptance_length", /Mean acceptance length:\s*([\d.]+)/],
  ["draft_acceptance_percent", /Avg Draft acceptance rate:\s*([\d.]+)%/],
  ["prefix_cache_hit_percent", /Prefix cache hit rate:\s*([\d.]+)%/],
  ["generation_tokens_per_s", /Avg generation throughput:\s*([\d.]+) tokens\/s/],
];

/** Findings of the log rules and what the log says, in one pass over its text. */
export function readLog(text, rules, isCommandPlace) {
  const index = lineIndex(text);
  const pieces = [unwrap(text, index, " "), unwrap(text, index, "")];
  const findings = [];
  for (const rule of rules) {
    if (!rule.log || (rule.unless_log && matchesAnywhere(text, index, rule.unless_log))) continue;
    if (rule.with_log && !matchesAnywhere(text, index, rule.with_log)) continue;
    const hits = hitsOf(text, index, rule, isCommandPlace);
    if (hits.length === 0) hits.push(...wrappedHits(pieces, rule, isCommandPlace));
    for (const hit of hits) findings.push({ rule, ...hit });
  }
  return { findings, told: whatItSays(text, index), root: firstError(text, index) };
}

function lineIndex(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The number of the line that holds a place. */
export function lineOf(starts, place) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lineText(text, starts, number) {
  const from = starts[number];
  const to = number + 1 < starts.length ? starts[number + 1] - 1 : text.length;
  return text.slice(from, Math.min(to, from + MAX_LINE)).replace(/\r$/, "");
}

/** The first line that a rule's patterns match; where `each` names a capture, one for each value. */
function hitsOf(text, starts, rule, isCommandPlace) {
  const hits = new Map();
  for (const pattern of rule.log) {
    for (const number of linesWith(text, starts, pattern)) {
      if (isCommandPlace(starts[number])) continue;
      const line = joined(text, starts, number, rule.lines ?? 1);
      if (!rule.in_scripts && isCommandLine(line)) continue;
      const match = expression(pattern, "u").exec(line);
      if (!match || (rule.unless ?? []).some((other) => expression(other, "u").test(line))) continue;
      if (!capturesFit(rule, match)) continue;
      const hit = hitAt(text, starts, number, match, rule);
      const key = rule.each ? hit.captures[rule.each] : "";
      const other = hits.get(key);
      if (!other && hits.size >= MAX_EACH) continue;
      if (!other || hit.start < other.start) hits.set(key, hit);
    }
  }
  return [...hits.values()];
}

/** Where a match stands in the text, with what it captured. */
function hitAt(text, starts, number, match, rule) {
  const length = lineText(text, starts, number).length;
  const start = starts[number] + Math.min(match.index, length);
  const end = Math.min(start + match[0].length, starts[number] + length);
  return { start, end: Math.max(end, start + 1), captures: named(rule, match) };
}

/** Whether the captured values are those that the rule speaks of. */
function capturesFit(rule, match) {
  for (const [name, limits] of Object.entries(rule.where ?? {})) {
    const value = match[rule.captures.indexOf(name) + 1];
    if (value === undefined) return false;
    if (limits.is && !limits.is.includes(value)) return false;
    if (limits.not && limits.not.includes(value)) return false;
    const number = Number(value.replace(/,/g, ""));
    if (limits.below != null && !(number < limits.below)) return false;
    if (limits.at_least != null && !(number >= limits.at_least)) return false;
  }
  return true;
}

function named(rule, match) {
  const captures = {};
  (rule.captures ?? []).forEach((name, index) => { captures[name] = (match[index + 1] ?? "?").slice(0, 300); });
  for (const [name, formula] of Object.entries(rule.computed ?? {})) captures[name] = compute(formula, captures);
  return captures;
}

/** The one sum that a text needs: the fraction that fits, rounded down to two decimals. */
function compute(formula, captures) {
  const [first, second] = formula.over.map((name) => Number(captures[name]));
  if (!(second > 0)) return "?";
  return (Math.floor((first / second) * 100) / 100).toFixed(2);
}

/** A line without what a container, a journal or a listing put before it, and without the head of its logger. */
function withoutHead(line) {
  const rest = withoutLineHead(line).replace(LOG_HEAD, "");
  return rest.startsWith("(") ? withoutLineHead(rest) : rest;
}

function joined(text, starts, number, lines) {
  let line = lineText(text, starts, number);
  for (let next = number + 1; next < number + lines && next < starts.length; next += 1) line += ` ${withoutHead(lineText(text, starts, next)).trim()}`;
  return line.slice(0, MAX_LINE);
}

/**
 * Lines that a window or a mail has broken, put together again, one group a line.
 * `sign` stands between the parts: a blank, or nothing where the break lies at the full width of the window.
 */
function unwrap(text, starts, sign) {
  const width = sign === "" ? fullWidth(text, starts) : null;
  if (width === 0) return grouped([], sign);
  const groups = [];
  let number = 0;
  while (number + 1 < starts.length) {
    const parts = [part(text, starts, number, 0)];
    let next = number + 1;
    while (next < starts.length && parts.length < WRAPPED.lines && goesOn(text, starts, next, width)) {
      parts.push(part(text, starts, next, headLength(lineText(text, starts, next), sign)));
      next += 1;
    }
    if (parts.length > 1) groups.push(parts);
    number = parts.length === WRAPPED.lines ? next - WRAPPED.shared : next;
  }
  return grouped(groups, sign);
}

function part(text, starts, number, skipped) {
  return { text: lineText(text, starts, number).slice(skipped).trimEnd(), place: starts[number] + skipped };
}

function headLength(line, sign) {
  const rest = withoutHead(line);
  return line.length - (sign === "" ? rest : rest.trimStart()).length;
}

/** The groups as one text, with the place that each part has in the pasted one. */
function grouped(groups, sign) {
  const lines = groups.map((parts) => parts.map((each) => each.text).join(sign));
  const starts = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  return { text: lines.join("\n"), starts, groups, sign };
}

/** Whether a line can be the rest of the one before: no record of its own, behind a long line. */
function goesOn(text, starts, number, width) {
  const before = lineText(text, starts, number - 1).trimEnd();
  const isFull = width !== null ? before.length === width : before.length >= WRAPPED.least && before.length <= WRAPPED.most;
  if (!isFull || before.endsWith("\\")) return false;
  const line = withoutLineHead(lineText(text, starts, number));
  const head = LOG_HEAD.exec(line)?.[0] ?? "";
  const rest = line.slice(head.length);
  return rest.trim() !== "" && !isLogLine(rest) && (head === "" || withoutLineHead(before).startsWith(head));
}

/** The length of the longest line if it can be the width of a window, or 0. */
function fullWidth(text, starts) {
  let width = 0;
  for (let number = 0; number < starts.length; number += 1) width = Math.max(width, lineText(text, starts, number).trimEnd().length);
  return width >= WRAPPED.least && width <= WRAPPED.most ? width : 0;
}

/** The first match of a rule that runs over a broken line. */
function wrappedHits(pieces, rule, isCommandPlace) {
  if (rule.lines > 1) return [];
  for (const { text, starts, groups, sign } of pieces) {
    for (const pattern of rule.log) {
      for (const number of linesWith(text, starts, pattern)) {
        const line = lineText(text, starts, number);
        const match = expression(pattern, "u").exec(line);
        if (!match || (rule.unless ?? []).some((other) => expression(other, "u").test(line))) continue;
        const [from, to] = [placeIn(groups[number], match.index, sign), placeIn(groups[number], match.index + match[0].length - 1, sign)];
        if (from.part === to.part || isCommandPlace(from.place) || isCommandLine(from.part.text) || !capturesFit(rule, match)) continue;
        return [{ start: from.place, end: from.part.place + from.part.text.length, captures: named(rule, match) }];
      }
    }
  }
  return [];
}

/** The part of a group that holds a letter, and the letter's place in the pasted text. */
function placeIn(parts, index, sign) {
  let at = 0;
  for (const each of parts) {
    if (index < at + each.text.length + sign.length) return { part: each, place: each.place + Math.min(index - at, each.text.length) };
    at += each.text.length + sign.length;
  }
  const last = parts[parts.length - 1];
  return { part: last, place: last.place };
}

/** The lines that hold the longest literal of a pattern; all lines where it has none. */
function* linesWith(text, starts, pattern) {
  const literal = longestLiteral(pattern);
  if (literal.length < 3) {
    for (let number = 0; number < Math.min(starts.length, 20000); number += 1) yield number;
    return;
  }
  let hits = 0;
  for (let at = text.indexOf(literal); at >= 0 && hits < MAX_HITS; hits += 1) {
    const number = lineOf(starts, at);
    yield number;
    at = number + 1 < starts.length ? text.indexOf(literal, starts[number + 1]) : -1;
  }
}

const literals = new Map();

/** The longest text that every match of a pattern must contain. */
export function longestLiteral(pattern) {
  if (literals.has(pattern)) return literals.get(pattern);
  let best = "";
  let run = "";
  let depth = 0;
  const close = () => {
    if (run.length > best.length) best = run;
    run = "";
  };
  for (let index = 0; index < pattern.length; index += 1) {
    const letter = pattern[index];
    const quantified = /[?*{+]/.test(pattern[index + (letter === "\\" ? 2 : 1)] ?? "");
    if (letter === "(") depth += 1;
    if (letter === ")") depth -= 1;
    if (letter === "[") {
      close();
      while (index < pattern.length && pattern[index] !== "]") index += pattern[index] === "\\" ? 2 : 1;
    } else if (letter === "{") {
      close();
      while (index < pattern.length && pattern[index] !== "}") index += 1;
    } else if ("()|.^$?*+".includes(letter) || depth > 0) close();
    else if (letter === "\\") {
      index += 1;
      if (/[dwsbDWSB]/.test(pattern[index]) || quantified) close();
      else run += pattern[index];
    } else if (quantified) close();
    else run += letter;
  }
  close();
  literals.set(pattern, best);
  return best;
}

function matchesAnywhere(text, starts, patterns) {
  return patterns.some((pattern) => {
    for (const number of linesWith(text, starts, pattern)) if (expression(pattern, "u").test(lineText(text, starts, number))) return true;
    return false;
  });
}

/** Version, backends, cache, graphs and acceptance as the log states them; the last statement counts. */
function whatItSays(text, starts) {
  const told = {};
  for (const [name, pattern] of TOLD) {
    const literal = TOLD_LITERALS[name];
    let at = -1;
    for (const part of literal) at = Math.max(at, text.lastIndexOf(part));
    if (at < 0) continue;
    const match = pattern.exec(lineText(text, starts, lineOf(starts, at)));
    if (match) told[name] = { value: match[1], line: lineOf(starts, at) + 1 };
  }
  return told;
}

const TOLD_LITERALS = {
  engine_version: ["vLLM API server version", "V1 LLM engine (v", "vLLM version", "vLLM Version", "█  version"], model: ["model='", "'model_tag': '", "'model': '"],
  moe_backend: ["MoE backend"], linear_kernel: ["GEMM"], attention_backend: ["attention backend"], gdn_kernel: ["GDN prefill kernel"],
  kv_pool_tokens: ["GPU KV cache size"], kv_memory_gib: ["Available KV cache memory"], maximum_concurrency: ["Maximum concurrency for"],
  weights_gib: ["Model loading took"], load_s: ["Loading weights took"], graph_capture_s: ["Graph capturing finished"],
  mean_acceptance_length: ["Mean acceptance length"], draft_acceptance_percent: ["Avg Draft acceptance rate"],
  prefix_cache_hit_percent: ["Prefix cache hit rate"], generation_tokens_per_s: ["Avg generation throughput"],
};

/** The first error that is a cause and not only says that something else failed. */
function firstError(text, starts) {
  let fallback = null;
  const next = { Error: text.indexOf("Error"), Exception: text.indexOf("Exception") };
  for (let looked = 0; looked < MAX_ERRORS; looked += 1) {
    const places = Object.values(next).filter((place) => place >= 0);
    if (places.length === 0) break;
    const number = lineOf(starts, Math.min(...places));
    const line = lineText(text, starts, number).replace(LOG_HEAD, "").trim();
    const match = ERROR_LINE.exec(line);
    if (match) {
      const found = { line: number + 1, text: line.slice(0, 300) };
      if (!CONSEQUENCES.test(line)) return found;
      fallback = fallback ?? found;
    }
    if (number + 1 >= starts.length) break;
    for (const word of Object.keys(next)) {
      if (next[word] >= 0 && next[word] < starts[number + 1]) next[word] = text.indexOf(word, starts[number + 1]);
    }
  }
  return fallback;
}
