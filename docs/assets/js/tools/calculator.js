// The calculator: a checkpoint under a load becomes a bar, a ceiling, an expected speed and a fit.

import { LedgerError, ceiling, expectedTokensPerS, fit, withFormats, withTypicalAcceptance } from "../ledger.js";
import { drafterOf, markWrong, pairCheckpoints, readLoad, showDraftFields } from "./load.js";
import {
  fetchJson, fieldsOf, fillFields, gibibytes, gigabytes, h, percent, rememberFields, replaceQuery, rounded, say, showState,
} from "./page.js";

const MACHINE = "dgx-spark";
const ENGINE = "vllm";
const FORMAT = "format-";
const THIN = new Set(["state", "kv_cache"]);

const speed = (value, decimals = 1) => `${rounded(value, decimals)}\u00a0tok/s`;

const facts = (pairs) =>
  h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null).map(([term, value]) =>
    h("div", {}, h("dt", {}, term), h("dd", {}, value))));

const moduleClass = (name) => `module--${name.replaceAll("_", "-")}`;
const dashed = (name) => name.replaceAll("_", "-");

/** The formats that the address changes, those that exist alone. */
export const formatsFrom = (parameters, data) =>
  Object.fromEntries([...parameters]
    .filter(([name, value]) => name.startsWith(FORMAT) && value in data.formats)
    .map(([name, value]) => [name.slice(FORMAT.length), value]));

const rememberFormats = (chosen) => {
  const parameters = new URLSearchParams(location.search);
  for (const name of [...parameters.keys()]) if (name.startsWith(FORMAT)) parameters.delete(name);
  for (const [module, format] of Object.entries(chosen)) parameters.set(FORMAT + module, format);
  replaceQuery(parameters);
};

/** A label of formats by their written names. */
const formatWords = (root, label, data) =>
  label.split(" + ").map((piece) => {
    const [name, share] = piece.split(" ");
    return [name in data.formats ? say(root, `format-${name}`) : name, share].filter(Boolean).join(" ");
  }).join(" + ");

/** The bytes of a step as the parts of the bar, in the order of the bar. */
const segmentsOf = (step, root, order) => {
  const totals = new Map();
  const add = (name, bytes) => bytes && totals.set(name, (totals.get(name) ?? 0) + bytes);
  for (const module of step.modules) add(say(root, `part-${dashed(module.part)}`), module.bytes_per_step);
  add("state", step.state_bytes);
  add("kv_cache", step.kv_bytes ?? 0);
  return order.filter((name) => totals.has(name)).map((name) => [name, totals.get(name)]);
};

const barOf = (answer, name, root, order) => {
  const segments = segmentsOf(answer.step, root, order);
  const word = (module) => say(root, `module-${dashed(module)}`);
  const spoken = segments.map(([module, bytes]) => `${word(module)} ${gigabytes(bytes)}`).join(" · ");
  const parts = segments.map(([module, bytes]) =>
    h("span", {
      class: `bytes-part ${moduleClass(module)}`, title: `${word(module)} ${gigabytes(bytes)}`,
      style: `width:${((100 * bytes) / answer.bytes_per_step).toFixed(3)}%`,
    }, THIN.has(module) ? null : h("span", { class: "bytes-name" }, word(module))));
  const legend = segments.map(([module, bytes]) =>
    h("li", {},
      h("span", { class: `bytes-swatch ${moduleClass(module)}`, "aria-hidden": "true" }),
      h("span", {}, word(module)),
      h("b", { class: "bytes-amount" }, gigabytes(bytes))));
  return h("figure", { class: "bytes" },
    h("figcaption", { class: "bytes-head" },
      h("span", { class: "bytes-label" }, name),
      h("span", { class: "bytes-total" }, gigabytes(answer.bytes_per_step))),
    h("div", { class: "bytes-bar", role: "img", "aria-label": `${name} · ${gigabytes(answer.bytes_per_step)} · ${spoken}` }, parts),
    h("ul", { class: "bytes-legend" }, legend));
};

const answerOf = (root, context, answer, expected) => {
  const { load, composition, published, chosen } = context;
  const count = Object.keys(chosen).length;
  const many = load.concurrency > 1;
  return [
    h("p", { class: "speed speed--large" }, h("span", { class: "speed-value" }, speed(answer.ceiling_tokens_per_s)),
      h("span", { class: "speed-terms" }, say(root, "ceiling"))),
    count ? h("p", { class: "what-if-on" }, `${say(root, "what-if-on", { count, speed: speed(published) })} `,
      h("button", { type: "button", class: "button", "data-as-published": true }, say(root, "as-published"))) : null,
    facts([
      [say(root, "expected"), expected === null ? null : speed(expected, 0)],
      [say(root, "aggregate"), many ? speed(answer.ceiling_aggregate_tokens_per_s) : null],
      [say(root, "weights"), speed(answer.weights_ceiling_tokens_per_s)],
      [say(root, "step"), gigabytes(answer.bytes_per_step)],
      [say(root, "token"), gigabytes(answer.bytes_per_token)],
    ]),
    answer.step.kv_bytes === null ? h("p", { class: "data-note" }, say(root, "kv-unknown")) : null,
    load.nodes > 1 ? h("p", { class: "data-note" }, say(root, "link-note")) : null,
    h("p", { class: "tool-links" },
      h("a", { href: `${root.dataset.checkpoints}${composition.checkpoint}/` }, say(root, "to-checkpoint")),
      h("a", { href: `${root.dataset.judge}${location.search}` }, say(root, "to-judge"))),
  ];
};

const modulesOf = (root, context, answer, data, change) => {
  const { plain, chosen } = context;
  const own = new Map(plain.modules.map((module) => [module.name, module.format]));
  const row = (module) => {
    const choices = [["", formatWords(root, own.get(module.module) ?? module.format, data)]];
    for (const id of Object.keys(data.formats)) if (id !== own.get(module.module)) choices.push([id, formatWords(root, id, data)]);
    const select = own.has(module.module)
      ? h("select", {
          name: FORMAT + module.module, "aria-label": say(root, "format-of", { module: module.module }),
          onchange: (event) => change(module.module, event.target.value),
        }, choices.map(([id, name]) => h("option", { value: id, selected: (chosen[module.module] ?? "") === id }, name)))
      : formatWords(root, module.format, data);
    return h("tr", { class: module.module in chosen ? "changed" : null },
      h("th", { scope: "row" }, h("code", {}, module.module)),
      h("td", {}, select),
      h("td", { class: "number" }, rounded(module.params / 1e6, 1)),
      h("td", { class: "number" }, rounded(module.bytes_per_step / 1e9, 3)),
      h("td", { class: "number" }, rounded((100 * module.bytes_per_step) / answer.bytes_per_step, 1)));
  };
  const traffic = (name, format, bytes) => h("tr", {},
    h("th", { scope: "row" }, say(root, `module-${dashed(name)}`)), h("td", {}, format), h("td", {}),
    h("td", { class: "number" }, bytes === null ? say(root, "unknown") : rounded(bytes / 1e9, 3)),
    h("td", { class: "number" }, bytes === null ? "" : rounded((100 * bytes) / answer.bytes_per_step, 1)));
  const ordered = [...answer.step.modules].sort((one, other) => other.bytes_per_step - one.bytes_per_step);
  const heading = (text, unit, number) =>
    h("th", { scope: "col", class: number ? "number" : null }, text, unit ? h("span", { class: "data-unit" }, ` ${unit}`) : null);
  return h("div", { class: "data" }, h("div", { class: "data-scroll", role: "region", tabindex: "0", "aria-label": say(root, "what-if") },
    h("table", { class: "data-table" },
      h("thead", {}, h("tr", {},
        heading(say(root, "module")), heading(say(root, "format")), heading(say(root, "parameters"), say(root, "million"), true),
        heading(say(root, "per-step"), "GB", true), heading(say(root, "share"), "%", true))),
      h("tbody", {}, ordered.map(row),
        answer.step.state_bytes ? traffic("state", "FP32", answer.step.state_bytes) : null,
        context.load.context_tokens ? traffic("kv_cache", context.load.kv_format.toUpperCase(), answer.step.kv_bytes) : null),
      h("tfoot", {}, h("tr", {},
        h("th", { scope: "row" }, say(root, "total")), h("td", {}), h("td", {}),
        h("td", { class: "number" }, rounded(answer.bytes_per_step / 1e9, 3)), h("td", { class: "number" }, "100.0"))))));
};

const memoryOf = (root, context, data) => {
  const machine = data.hardware[MACHINE];
  const found = fit(context.composition, context.load, {
    capacity_bytes: machine.usable_memory_bytes,
    reserves_bytes: machine.reserves_bytes,
    model_context_tokens: data.models[context.composition.model].context_tokens,
    drafter: context.drafter,
  });
  const size = (bytes) => (bytes === null ? say(root, "unknown") : gibibytes(bytes));
  const each = context.load.nodes > 1 ? ` · ${say(root, "each-machine")}` : "";
  const reserve = found.reserve_bytes === null ? say(root, "unknown") : say(root, "reserve-range", {
    middle: size(found.reserve_bytes), low: size(found.reserve_low_bytes), high: size(found.reserve_high_bytes),
  });
  const sentence = say(root, found.fits ? "fits" : "not-fits", { total: size(found.total_bytes), capacity: size(found.capacity_bytes) });
  const tokens = found.max_context_tokens === null ? say(root, "unknown") : `${rounded(found.max_context_tokens, 0)} ${say(root, "tokens")}`;
  return [
    h("p", { class: `fit fit--${found.fits ? "yes" : "no"}` }, sentence + each),
    h("div", { class: "memory-bar", "aria-hidden": "true" }, [
      ["weights", found.weight_bytes], ["kv", found.kv_cache_bytes], ["state", found.state_bytes], ["reserve", found.reserve_bytes],
    ].filter(([, bytes]) => bytes).map(([name, bytes]) =>
      h("span", { class: `memory-part memory-part--${name}`, style: `width:${((100 * bytes) / Math.max(found.total_bytes, found.capacity_bytes)).toFixed(2)}%` }))),
    facts([
      [say(root, "resident"), size(found.weight_bytes)],
      [say(root, "kv-kept"), size(found.kv_cache_bytes)],
      [say(root, "state-kept"), found.state_bytes ? size(found.state_bytes) : null],
      [say(root, "reserve"), reserve],
      [say(root, "max-context"), tokens],
      [say(root, "max-concurrency"), found.max_concurrency === null ? null : rounded(found.max_concurrency, 0)],
      [say(root, "utilization"), found.gpu_memory_utilization === null ? null
        : h("code", {}, `--gpu-memory-utilization ${found.gpu_memory_utilization.toFixed(2)}`)],
      [say(root, "kv-flag"), found.fits && found.kv_cache_memory_bytes ? h("code", {}, `--kv-cache-memory-bytes ${found.kv_cache_memory_bytes}`) : null],
    ]),
  ];
};

/** The sentence of a load that the ledger refuses. */
export const refusal = (root, error) => {
  const key = { acceptance: "error-acceptance", "no-mtp-layers": "error-no-mtp-layers", "no-mtp-weights": "error-no-mtp-weights", "no-drafter": "error-no-drafter" }[error.code];
  if (!key) throw error;
  return say(root, key, error.values);
};

/** What a field that holds no fitting number is told. */
export const complaint = (root, form, { wrong, lowest }) => {
  markWrong(form, wrong);
  const field = form.querySelector(`label[for="field-${wrong}"]`).textContent;
  return say(root, wrong === "acceptance-length" ? "error-number" : "error-whole", { field, lowest });
};

export const start = async (root) => {
  const form = root.querySelector("form");
  const place = (name) => root.querySelector(`[data-${name}]`);
  showState(root, "loading", root.getAttribute("data-say-loading"));
  const data = await fetchJson(root.dataset.href);
  const machine = data.hardware[MACHINE];
  const order = root.dataset.modules.split(" ");
  const first = fieldsOf(form);
  const choose = pairCheckpoints(form, data, machine, say(root, "scenario"));
  let chosen = {};

  const change = (module, format) => {
    const { [module]: _, ...rest } = chosen;
    chosen = format ? { ...rest, [module]: format } : rest;
    rememberFormats(chosen);
    show();
    root.querySelector(`[name="${FORMAT}${module}"]`)?.focus();
  };

  const show = () => {
    const fields = fieldsOf(form);
    showDraftFields(form);
    markWrong(form, null);
    if (!fields.checkpoint) return showState(root, "empty", say(root, "empty"));
    const read = readLoad(fields);
    if (!read.load) return showState(root, "error", complaint(root, form, read));
    const { load } = read;
    const plain = data.checkpoints[fields.checkpoint];
    const composition = withFormats(plain, chosen, data.formats);
    const drafter = drafterOf(data, plain.model, load.draft);
    try {
      const answer = ceiling(composition, load, { ...machine, drafter });
      const published = ceiling(plain, load, { ...machine, drafter }).ceiling_tokens_per_s;
      const law = data.laws[ENGINE] ?? data.laws.all ?? null;
      const assumed = read.acceptanceIsStated ? load : withTypicalAcceptance(data, load);
      const expected = law && expectedTokensPerS(law, composition, answer, assumed);
      const context = { load, plain, composition, drafter, chosen, published };
      place("answer").replaceChildren(...answerOf(root, context, answer, expected).filter(Boolean));
      place("bar").replaceChildren(barOf(answer, plain.name, root, order));
      place("modules").replaceChildren(modulesOf(root, context, answer, data, change));
      place("memory").replaceChildren(...memoryOf(root, context, data));
      place("answer").querySelector("[data-as-published]")?.addEventListener("click", () => {
        chosen = {};
        rememberFormats(chosen);
        show();
      });
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      if (error.code === "acceptance") markWrong(form, "acceptance-length");
      return showState(root, "error", refusal(root, error));
    }
    return showState(root, "result");
  };

  const parameters = new URLSearchParams(location.search);
  fillFields(form, parameters);
  const known = choose(parameters.get("checkpoint"));
  const own = (checkpoint) => new Set((data.checkpoints[checkpoint]?.modules ?? []).map((module) => module.name));
  const wanted = formatsFrom(parameters, data);
  chosen = Object.fromEntries(Object.entries(wanted).filter(([module]) => own(form.elements.checkpoint.value).has(module)));
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    chosen = {};
    choose("");
    rememberFormats(chosen);
    rememberFields(form, first);
    show();
  }));
  form.addEventListener("input", (event) => {
    if (event.target.name === "model" || event.target.name === "checkpoint") {
      chosen = {};
      rememberFormats(chosen);
    }
    setTimeout(() => {
      rememberFields(form, first, (name) => name !== "model");
      show();
    });
  });
  show();
  if (!known) showState(root, "error", say(root, "error-unknown-checkpoint", { checkpoint: parameters.get("checkpoint") }));
};
