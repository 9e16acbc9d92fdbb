// The judge: a measured speed becomes a verdict, a share, its like measurements and causes to check.

import { judge } from "../judge.js";
import { LedgerError, ceiling } from "../ledger.js";
import { complaint, refusal } from "./calculator.js";
import { drafterOf, markWrong, pairCheckpoints, readLoad, showDraftFields, typedNumber } from "./load.js";
import { fetchJson, fieldsOf, fillFields, h, percent, rememberFields, rounded, say, shareBar, showState } from "./page.js";

const MACHINE = "dgx-spark";

const answerOf = (root, found, typed, highest) => {
  const ratio = found.ratio_to_expected === null ? null : percent(found.ratio_to_expected);
  const reason = ratio === null ? say(root, "no-law") : say(root, `why-${found.verdict}`, { ratio, highest: rounded(highest, 1) });
  const facts = [
    [say(root, "share"), shareBar(found.share_of_ceiling, say(root, found.share_of_ceiling > 1 ? "over-ceiling" : "of-ceiling"))],
    [say(root, "ceiling"), `${rounded(found.ceiling_tokens_per_s, 1)}\u00a0tok/s`],
    [say(root, "expected"), found.expected_tokens_per_s === null ? say(root, "unknown") : `${rounded(found.expected_tokens_per_s, 0)}\u00a0tok/s`],
    [say(root, "place"), found.percentile === null ? say(root, "too-few") : say(root, "faster-than", { share: percent(found.percentile) })],
  ];
  return [
    h("p", { class: `verdict-line verdict-line--${found.verdict}` },
      h("span", { class: "verdict-mark", "aria-hidden": "true" }),
      say(root, "verdict-line", { verdict: say(root, `verdict-${found.verdict}`), speed: typed })),
    h("p", {}, reason),
    h("dl", { class: "facts" }, facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value)))),
    h("p", { class: "tool-links" }, h("a", { href: `${root.dataset.calculator}${location.search}` }, say(root, "to-calculator"))),
  ];
};

const causesOf = (root, found) => {
  if (!found.likely_causes.length) {
    const remarkable = found.verdict !== "normal" && found.verdict !== "excellent";
    return [h("p", { class: "empty" }, say(root, remarkable ? "no-known-causes" : "no-causes"))];
  }
  return [h("ol", { class: "causes" }, found.likely_causes.map(({ cause }) => {
    const copy = document.getElementById(`cause-${cause}`).cloneNode(true);
    copy.removeAttribute("id");
    for (const element of copy.querySelectorAll("[id]")) element.removeAttribute("id");
    for (const element of copy.querySelectorAll(".headerlink, .md-code__nav")) element.remove();
    return h("li", {}, copy);
  }))];
};

const similarOf = (root, found, judging, data) => {
  if (!found.similar_measurements.length) return [h("p", { class: "empty" }, say(root, "no-similar"))];
  const row = (each) => h("tr", {},
    h("th", { scope: "row", class: "number" },
      h("a", { href: `${root.dataset.benchmarks}#${each.measurement}-${each.point}` }, String(each.tokens_per_s))),
    h("td", {}, data.checkpoints[each.checkpoint].name),
    h("td", { class: "number" }, each.concurrency),
    h("td", { class: "number" }, rounded(each.context_tokens, 0)),
    h("td", {}, judging.engines[each.engine]?.name ?? each.engine),
    h("td", {}, say(root, `draft-${each.draft}`)),
    h("td", {}, each.measured_on ?? say(root, "unknown")));
  const heading = (key, unit, number) => h("th", { scope: "col", class: number ? "number" : null }, say(root, key),
    unit ? h("span", { class: "data-unit" }, ` ${unit}`) : null);
  return [h("div", { class: "data" }, h("div", { class: "data-scroll", role: "region", tabindex: "0", "aria-label": say(root, "similar") },
    h("table", { class: "data-table" },
      h("thead", {}, h("tr", {}, heading("measured", "tok/s", true), heading("checkpoint"), heading("concurrency", "", true),
        heading("context", say(root, "unit-tokens"), true), heading("engine"), heading("drafts"), heading("date"))),
      h("tbody", {}, found.similar_measurements.map(row)))))];
};

export const start = async (root) => {
  const form = root.querySelector("form");
  const place = (name) => root.querySelector(`[data-${name}]`);
  showState(root, "loading", root.getAttribute("data-say-loading"));
  const [data, judging] = await Promise.all([fetchJson(root.dataset.href), fetchJson(root.dataset.judging)]);
  const machine = data.hardware[MACHINE];
  const first = fieldsOf(form);
  const choose = pairCheckpoints(form, data, machine, say(root, "scenario"));

  const show = () => {
    const fields = fieldsOf(form);
    showDraftFields(form);
    markWrong(form, null);
    if (!fields.checkpoint || !fields["tokens-per-s"]) return showState(root, "empty", say(root, "empty"));
    const typed = typedNumber(fields["tokens-per-s"]);
    if (typed === null || Number(typed) <= 0) {
      markWrong(form, "tokens-per-s");
      const field = form.querySelector('label[for="field-tokens-per-s"]').textContent;
      return showState(root, "error", say(root, "error-speed", { field }));
    }
    const read = readLoad(fields);
    if (!read.load) return showState(root, "error", complaint(root, form, read));
    try {
      const { load } = read;
      const composition = data.checkpoints[fields.checkpoint];
      const drafter = drafterOf(data, composition.model, load.draft);
      const { highest_tokens_per_s: highest } = ceiling(composition, load, { ...machine, drafter });
      const found = judge(data, judging, {
        checkpoint: fields.checkpoint, tokens_per_s: typed, load, engine: fields.engine, acceptance_is_stated: read.acceptanceIsStated,
      });
      place("answer").replaceChildren(...answerOf(root, found, typed, highest));
      place("causes").replaceChildren(...causesOf(root, found));
      place("similar").replaceChildren(...similarOf(root, found, judging, data));
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
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => setTimeout(() => {
    rememberFields(form, first, (name) => name !== "model");
    show();
  }));
  form.addEventListener("reset", () => setTimeout(() => {
    choose("");
    rememberFields(form, first);
    show();
  }));
  show();
  if (!known) showState(root, "error", say(root, "error-unknown-checkpoint", { checkpoint: parameters.get("checkpoint") }));
};
