// Measured points as rows: unfolded from columns, filtered, sorted, compared and written as CSV. No page here.

import { compare, folded } from "./lists.js";

const RESULTS = {
  decode: ["decode_tokens_per_s"],
  e2e: ["end_to_end_tokens_per_s", "per_request_end_to_end_tokens_per_s"],
  unspecified: ["unspecified_tokens_per_s"],
  together: ["aggregate_tokens_per_s", "sum_of_request_rates_tokens_per_s"],
  peak: ["peak_tokens_per_s"],
  prefill: ["prefill_tokens_per_s"],
  ttft: ["median_ttft_ms", "mean_ttft_ms", "ttft_ms"],
  tpot: ["median_tpot_ms", "mean_tpot_ms", "tpot_ms"],
};
const SPEEDS_OF_ONE = new Set(["decode", "e2e", "unspecified"]);
const CONCURRENCY = [[1, 1], [2, 4], [5, 16], [17, Infinity]];
const CONTEXT = [[0, 2047], [2048, 16383], [16384, 65535], [65536, Infinity]];

export const UNITS = {
  decode: "tok/s", e2e: "tok/s", unspecified: "tok/s", together: "tok/s", peak: "tok/s", prefill: "tok/s",
  ttft: "ms", tpot: "ms", context: "tokens",
};
export const NUMBERS = new Set(["nodes", "concurrency", "context", "acceptance", ...Object.keys(RESULTS)]);
export const DEFAULT_COLUMNS = [
  "checkpoint", "decode", "e2e", "unspecified", "together", "concurrency", "context", "draft", "engine", "date", "evidence",
];

const spanName = ([low, high]) => (low === high ? `${low}` : high === Infinity ? `${low}+` : `${low}–${high}`);
const spanOf = (spans, value) => {
  const span = value === null ? undefined : spans.find(([low, high]) => low <= value && value <= high);
  return span ? spanName(span) : null;
};
export const SPANS = { concurrency: CONCURRENCY.map(spanName), context: CONTEXT.map(spanName) };

/** The result of a point in a column: the figure as stated, its field, and its share of the ceiling. */
export const resultOf = (row, column) => {
  const field = RESULTS[column].find((name) => row.values[name] != null);
  if (!field) return null;
  const stated = row.values[field];
  let share = null;
  if (row.ceiling) {
    if (SPEEDS_OF_ONE.has(column)) share = Number(stated) / row.ceiling;
    else if (column === "together" && row.concurrency) share = Number(stated) / (row.ceiling * row.concurrency);
  }
  return { stated, field, share };
};

/** The lowest and highest figure of a point in a column, and their field, where no single one is stated. */
export const rangeOf = (row, column) => {
  const ranges = row.values.ranges ?? {};
  const field = RESULTS[column].find((name) => name in ranges);
  return field ? { field, ends: ranges[field] } : null;
};

/** The points of the published file as rows with their runs. */
export const rowsOf = (data) => {
  const { points, runs } = data;
  const names = Object.keys(points);
  return points.run.map((runIndex, position) => {
    const values = {};
    for (const name of names) values[name] = points[name][position];
    const run = runs[runIndex];
    const row = {
      id: `${run.id}-${values.index}`, run, values, position,
      concurrency: values.concurrency ?? null, context: values.context ?? null, ceiling: values.ceiling ?? null,
    };
    const engine = data.engines[run.engine]?.name ?? run.engine;
    row.facets = {
      model: run.model, checkpoint: run.checkpoint ?? null, format: run.format ?? null, engine: run.engine,
      version: run.version ?? null, draft: run.draft, concurrency: spanOf(CONCURRENCY, row.concurrency),
      context: spanOf(CONTEXT, row.context), content: values.content, evidence: run.evidence, nodes: String(run.nodes),
    };
    row.text = folded([
      run.id, data.models[run.model], run.name, run.format, engine, run.version, run.image, run.tool, values.content,
      ...run.sources.map(([id]) => `${id} ${data.sources[id]?.title ?? ""} ${data.sources[id]?.publisher ?? ""}`),
    ].filter(Boolean).join(" "));
    return row;
  });
};

/** Whether a row meets every choice: words of the text, facets, and a month from which on. */
export const meets = (row, choices) => {
  if (choices.since && !((row.run.on ?? "").slice(0, 7) >= choices.since)) return false;
  for (const [name, wanted] of Object.entries(choices.facets)) if (wanted && row.facets[name] !== wanted) return false;
  return choices.words.every((word) => row.text.includes(word));
};

/** The key by which a column sorts a row; null where it is not known. */
export const keyOf = (row, column) => {
  if (column in RESULTS) {
    const result = resultOf(row, column);
    return result && Number(result.stated);
  }
  switch (column) {
    case "checkpoint": return row.run.name;
    case "date": return row.run.on ?? null;
    case "nodes": return row.run.nodes;
    case "concurrency": return row.concurrency;
    case "context": return row.context;
    case "acceptance": return row.values.acceptance == null ? null : Number(row.values.acceptance);
    case "engine": return `${row.run.engine} ${row.run.version ?? ""}`;
    case "draft": return `${row.run.draft} ${row.run.draft_tokens ?? ""}`;
    default: return row.facets[column];
  }
};

/** Rows in the order of a column; rows without a value stand last in both directions. */
export const sorted = (rows, column, descending) => {
  const keyed = rows.map((row) => [keyOf(row, column), row]);
  keyed.sort(([one, a], [other, b]) => compare(one, other, descending) || a.position - b.position);
  return keyed.map(([, row]) => row);
};

/** A cell; a text that a spreadsheet would take for a formula begins with an apostrophe. */
const quoted = (value) => {
  const plain = value === null || value === undefined ? "" : String(value);
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The rows as CSV, one column per field and never two kinds of figures in one. */
export const csvOf = (rows, columns, engines) => {
  const plain = (row, column) => ({
    checkpoint: row.run.name, engine: [engines[row.run.engine]?.name ?? row.run.engine, row.run.version].filter(Boolean).join(" "),
    draft: [row.run.draft, row.run.draft_tokens].filter((part) => part != null).join(" "),
  }[column] ?? keyOf(row, column));
  const fields = columns.flatMap((column) => (column in RESULTS
    ? RESULTS[column].filter((name) => rows.some((row) => row.values[name] != null))
      .map((name) => [name, (row) => row.values[name]])
    : [[column === "context" ? "context_tokens" : column, (row) => plain(row, column)]]));
  const shared = columns.some((column) => SPEEDS_OF_ONE.has(column));
  if (shared) fields.push(["ceiling_tokens_per_s", (row) => row.ceiling]);
  const lines = [["run", "point", ...fields.map(([name]) => name), "source"]];
  for (const row of rows) {
    lines.push([row.run.id, row.values.index, ...fields.map(([, value]) => value(row)), row.run.sources.map(([id]) => id).join(" ")]);
  }
  return lines.map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n";
};
