// The fields that describe a checkpoint under a load, read and checked the same way by every tool.

import { PLAIN, ceiling } from "../ledger.js";
import { h } from "./page.js";

const WHOLE = /^\d{1,9}$/;
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/;

const compactNumber = (text) => text.trim().replace(/[\s\u202f\u00a0]/g, "");

/** A number as typed, with a decimal comma or point; null where it is none. */
export const typedNumber = (text) => {
  const typed = compactNumber(text).replace(",", ".");
  return DECIMAL.test(typed) ? typed : null;
};

/** The load that fields describe, or the first field that holds no fitting number. */
export const readLoad = (fields) => {
  const drafted = fields.draft !== "none";
  const load = { ...PLAIN, kv_format: fields["kv-format"] ?? "bf16", draft: fields.draft };
  const wholes = [["context-tokens", 0], ["concurrency", 1], ["nodes", 1]];
  if (drafted) wholes.push(["draft-tokens", 1]);
  for (const [name, lowest] of wholes) {
    const text = compactNumber(fields[name] ?? String(lowest));
    if (!WHOLE.test(text) || Number(text) < lowest) return { wrong: name, lowest };
    load[name.replaceAll("-", "_")] = Number(text);
  }
  if (drafted) {
    load.acceptance_length = load.draft_tokens + 1;
    const text = fields["acceptance-length"] ?? "";
    if (text !== "") {
      const length = typedNumber(text);
      if (length === null) return { wrong: "acceptance-length", lowest: 1 };
      load.acceptance_length = Number(length);
    }
  }
  return { load, acceptanceIsStated: !drafted || (fields["acceptance-length"] ?? "") !== "" };
};

/** The drafter on record for a model and a method, or null. */
export const drafterOf = (data, model, method) =>
  data.drafters.find((drafter) => drafter.model === model && drafter.method === method) ?? null;

/** The checkpoints of a model, those read least first. */
export const checkpointsOf = (data, model, machine) => {
  const own = Object.values(data.checkpoints).filter((each) => each.model === model);
  const read = new Map(own.map((each) => [each, ceiling(each, PLAIN, machine).bytes_per_step]));
  return own.sort((one, other) => one.scenario - other.scenario || read.get(one) - read.get(other));
};

/** Offer the checkpoints of a model; a scenario says that it is one. */
export const offerCheckpoints = (select, checkpoints, scenario) => {
  const options = checkpoints.map((each) =>
    h("option", { value: each.checkpoint }, each.scenario ? `${each.name} (${scenario})` : each.name));
  select.replaceChildren(select.options[0], ...options);
  select.disabled = options.length === 0;
};

/** The checkpoint of a repository in any letter case, that of the file itself before its conversions. */
const byRepository = (data, repository) =>
  Object.values(data.checkpoints)
    .filter((each) => each.repository && each.repository.toLowerCase() === repository.toLowerCase())
    .sort((one, other) => one.checkpoint.length - other.checkpoint.length)[0];

/** Keep the pair of model and checkpoint together; `changed` runs after the reader chose. */
export const pairCheckpoints = (form, data, machine, scenario) => {
  const { model, checkpoint } = form.elements;
  const offer = () => offerCheckpoints(checkpoint, model.value ? checkpointsOf(data, model.value, machine) : [], scenario);
  model.addEventListener("change", () => {
    offer();
    if (checkpoint.options.length > 1) checkpoint.selectedIndex = 1;
  });
  return (wanted) => {
    const known = data.checkpoints[wanted] ?? byRepository(data, wanted ?? "");
    if (known) model.value = known.model;
    offer();
    if (known) checkpoint.value = known.checkpoint;
    return known !== undefined || !wanted;
  };
};

/** Show the fields of drafts only where drafts are chosen. */
export const showDraftFields = (form) => {
  const drafted = form.elements.draft.value !== "none";
  for (const field of form.querySelectorAll("[data-only-drafts]")) field.hidden = !drafted;
};

/** Mark the field that holds no fitting value, and no other. */
export const markWrong = (form, name) => {
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.name === name) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
};
