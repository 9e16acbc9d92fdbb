// The builder: what a reader chooses becomes the command of a recipe, with every difference shown.

import { cachingIsClosed, changesOf, linesOf, optionsOf, textOf } from "../command_forms.js";
import { PLAIN, fit } from "../ledger.js";
import { fetchJson, fieldsOf, fillFields, gibibytes, h, rememberFields, rounded, say, showState } from "./page.js";

const MACHINE = "dgx-spark";
const HIGHEST_FRACTION = 0.9;
const OPTIONS = ["context", "requests", "drafts", "caching", "input", "tools", "kv", "network"];

const textsOf = (root) =>
  new Map([...root.querySelectorAll("[data-text]")].map((element) => [element.dataset.text, element]));

const copyOf = (element) => [...element.childNodes].map((node) => node.cloneNode(true));

/** The memory that a recipe needs on each machine under options: one request of the longest context. */
export const memoryOf = (recipe, options, ledger) => {
  const composition = ledger.checkpoints[recipe.checkpoint];
  if (!composition) return null;
  const machine = ledger.hardware[MACHINE];
  const drafted = recipe.mtp && options.drafts === "on";
  const load = (concurrency) => ({
    ...PLAIN, context_tokens: Number(options.context), concurrency, kv_format: options.kv === "fp8" ? "fp8" : "bf16",
    draft: drafted ? "mtp" : "none", draft_tokens: drafted ? recipe.draft_tokens : 0, nodes: recipe.nodes,
  });
  const limits = { capacity_bytes: machine.usable_memory_bytes, reserves_bytes: machine.reserves_bytes };
  const one = fit(composition, load(1), limits);
  const all = fit(composition, load(Number(options.requests) || 1), limits);
  if (one.kv_cache_bytes === null) return null;
  const needed = one.weight_bytes + one.kv_cache_bytes + all.state_bytes + (one.reserve_low_bytes ?? 0);
  return { needed, capacity: machine.usable_memory_bytes };
};

/** The memory fraction to pass: the recipe's own, and more by what the options add; null where there is none. */
export const fractionOf = (recipe, options, ledger) => {
  const own = recipe.arguments[recipe.flags.fraction];
  const memory = memoryOf(recipe, options, ledger);
  const base = memoryOf(recipe, optionsOf(recipe), ledger);
  if (own === undefined || memory === null || base === null) return own ?? null;
  const added = Math.ceil((100 * (memory.needed - base.needed)) / memory.capacity) / 100;
  return added <= 0 ? own : (Number(own) + added).toFixed(2);
};

/** Whether the machine has room for a load. */
const hasRoom = (recipe, options, memory, ledger) => {
  const fraction = fractionOf(recipe, options, ledger);
  return memory === null || (fraction === null ? memory.needed <= HIGHEST_FRACTION * memory.capacity : Number(fraction) <= HIGHEST_FRACTION);
};

const setOptions = (select, entries) => {
  const before = select.value;
  select.replaceChildren(...entries.map(([value, label, closed]) => h("option", { value, disabled: closed }, label)));
  const open = entries.filter(([, , closed]) => !closed).map(([value]) => value);
  if (open.includes(before)) select.value = before;
  else if (open.length) [select.value] = open;
};

const close = (form, name, reason) => {
  const select = form.elements[name];
  const place = form.querySelector(`#why-${name}`);
  select.disabled = reason !== "";
  place.textContent = reason;
  place.hidden = reason === "";
  if (reason === "") select.removeAttribute("aria-describedby");
  else select.setAttribute("aria-describedby", place.id);
};

/** The values of a number that a recipe can take, with the reason beside each that it cannot. */
const offered = (root, recipe, options, name, values, ledger) =>
  values.map((value) => {
    const label = rounded(Number(value), 0);
    const most = ledger.models[recipe.model]?.context_tokens;
    if (name === "context" && most && Number(value) > most) return [value, say(root, "why-model-end", { value: label, most: rounded(most, 0) }), true];
    const wanted = { ...options, [name]: value };
    const memory = memoryOf(recipe, wanted, ledger);
    if (!hasRoom(recipe, wanted, memory, ledger)) {
      const sizes = { needed: gibibytes(memory.needed, 0), capacity: gibibytes(HIGHEST_FRACTION * memory.capacity, 0) };
      return [value, say(root, "why-memory", { value: label, ...sizes }), true];
    }
    return [value, label, false];
  });

const closeOptions = (root, form, recipe, options) => {
  const missing = (name) => (recipe.flags[name] === undefined ? say(root, "why-engine") : "");
  const base = optionsOf(recipe);
  close(form, "drafts", missing("drafts") || (base.drafts === "off" ? say(root, "why-no-drafts") : ""));
  close(form, "caching", missing("caching") || (cachingIsClosed(recipe, options) ? say(root, "why-caching") : ""));
  close(form, "input", missing("text") || (recipe.vision ? "" : say(root, "why-images")));
  close(form, "tools", missing("tools") || (base.tools === "off" ? say(root, "why-parser") : ""));
  close(form, "kv", missing("kv") || (base.kv === "auto" ? say(root, "why-kv") : ""));
};

const changeWords = (root, recipe, form, changes, open) => {
  const words = changes.map(([flag, value]) => {
    const shown = value === undefined ? flag : value === null ? flag : value === false ? `--no-${flag.slice(2)}` : `${flag} ${value}`;
    const had = flag in recipe.arguments;
    const before = recipe.arguments[flag];
    if (value === undefined) return say(root, "removed", { flag });
    if (!had) return say(root, "added", { flag: shown });
    return say(root, "now", { flag: shown, before: before === false ? `--no-${flag.slice(2)}` : before ?? flag });
  });
  if (open) words.push(say(root, "open-added", { variable: recipe.key_variable }));
  return words.length ? words : [say(root, "unchanged")];
};

const reasonFor = (texts, id, engine, key) => texts.get(`flag ${id} ${key}`) ?? texts.get(`flag ${engine} ${key}`);

/** What ends a line; a backslash needs no room of its own. */
const continued = (separator) =>
  separator.split(/( \\)/).map((part) => (part === " \\" ? h("span", { class: "continues" }, part) : part));

/** The command as lines that can be pointed at; what differs from the recipe is marked. */
const codeOf = (form, lines, open, explain) => {
  const plain = (text) => text.split(/(?<=\n)/).filter(Boolean).map((line) => h("span", { class: "line" }, line));
  return [
    ...plain(open ? form.network_before : form.before),
    ...lines.map(([key, text, changed], index) => h("span", {
      class: `line builder-line${changed ? " builder-line--changed" : ""}`, tabindex: "0", "data-key": key,
      onfocus: () => explain(key), onpointerenter: () => explain(key),
    }, text, index < lines.length - 1 ? continued(form.separator) : null)),
    ...plain(form.after),
  ];
};

const copyText = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h("textarea", { style: "position:fixed;opacity:0" }, text);
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  return undefined;
};

export const start = async (root) => {
  const form = root.querySelector("form");
  const place = (name) => root.querySelector(`[data-${name}]`);
  const texts = textsOf(root);
  const names = Object.fromEntries([...form.elements.purpose.options].map((option) => [option.value, option.textContent]));
  const values = Object.fromEntries(["context", "requests"].map((name) => [name, [...form.elements[name].options].map((option) => option.value)]));
  const choose = form.elements.recipe.options[0].textContent;
  showState(root, "loading", root.getAttribute("data-say-loading"));
  const [data, ledger] = await Promise.all([fetchJson(root.dataset.href), fetchJson(root.dataset.ledger)]);
  const asked = new URLSearchParams(location.search);
  const first = { ...fieldsOf(form), model: "", purpose: "", recipe: "", form: "" };
  const recipesOf = (model) => Object.entries(data.recipes).filter(([, recipe]) => recipe.model === model);
  let shown = null;

  const offerRecipes = () => {
    const { model } = fieldsOf(form);
    const own = recipesOf(model);
    const purposes = new Set(own.map(([, recipe]) => recipe.purpose));
    setOptions(form.elements.purpose, Object.entries(names).map(([value, label]) =>
      purposes.size && !purposes.has(value) ? [value, say(root, "no-purpose", { name: label }), true] : [value, label, false]));
    const { purpose } = fieldsOf(form);
    const fitting = own.filter(([, recipe]) => recipe.purpose === purpose).map(([id]) => [id, texts.get(`title ${id}`).textContent, false]);
    const closed = [...texts].filter(([key]) => key.startsWith(`closed ${model} `)).map(([key, element]) => [key, element.textContent, true]);
    setOptions(form.elements.recipe, model ? [...fitting, ...closed] : [["", choose, false]]);
  };

  const showOptions = (options) => {
    for (const name of OPTIONS) {
      const select = form.elements[name];
      if (![...select.options].some((option) => option.value === options[name]) && options[name]) {
        select.append(h("option", { value: options[name] }, rounded(Number(options[name]), 0)));
      }
      select.value = options[name];
    }
  };

  const render = () => {
    const fields = fieldsOf(form);
    const recipe = data.recipes[fields.recipe];
    for (const name of [...OPTIONS, "purpose", "recipe", "form"]) form.elements[name].closest(".field").hidden = !fields.model || (!recipe && name !== "purpose" && name !== "recipe");
    if (!recipe) return showState(root, "empty", say(root, "empty"));
    if (shown !== fields.recipe) {
      shown = fields.recipe;
      showOptions(optionsOf(recipe));
      setOptions(form.elements.form, recipe.forms.map(({ name }) => [name, texts.get(`tab ${fields.recipe} ${name}`).textContent, false]));
      fillFields(form, asked);
    }
    for (const name of OPTIONS) asked.delete(name);
    let options = Object.fromEntries(OPTIONS.map((name) => [name, form.elements[name].value]));
    if (cachingIsClosed(recipe, options)) form.elements.caching.value = options.caching = "off";
    for (const name of ["context", "requests"]) {
      const kept = new Set([...values[name], options[name]].filter(Boolean));
      const sorted = [...kept].sort((one, other) => Number(one) - Number(other));
      setOptions(form.elements[name], offered(root, recipe, options, name, sorted, ledger));
      options = { ...options, [name]: form.elements[name].value };
    }
    closeOptions(root, form, recipe, options);
    const memory = options.context ? memoryOf(recipe, options, ledger) : null;
    const changes = changesOf(recipe, options, fractionOf(recipe, options, ledger));
    const chosen = recipe.forms.find(({ name }) => name === form.elements.form.value) ?? recipe.forms[0];
    const open = options.network === "open";
    const lines = linesOf(chosen, changes, data.templates, data.of_the_form, open);
    const engine = texts.get(`engine ${fields.recipe}`).textContent;
    const explain = (key) => {
      const reason = reasonFor(texts, fields.recipe, engine, key);
      place("reason").replaceChildren(h("code", {}, key), " ", ...(reason ? copyOf(reason) : [say(root, "no-reason")]));
    };
    place("code").replaceChildren(...codeOf(chosen, lines, open, explain));
    place("copy").textContent = say(root, "copy");
    place("copy").dataset.copy = textOf(chosen, changes, data.templates, data.of_the_form, open);
    const note = texts.get(`note ${fields.recipe} ${chosen.name}`);
    place("note").replaceChildren(...(note && !open ? copyOf(note) : []));
    place("reason").textContent = say(root, "explain");
    place("changes").replaceChildren(...changeWords(root, recipe, chosen, changes, open).map((words) => h("li", {}, words)));
    place("memory").textContent = memory === null ? say(root, "memory-unknown") : say(root, "memory", { needed: gibibytes(memory.needed, 0), capacity: gibibytes(memory.capacity, 0) });
    const link = h("a", { href: `${root.dataset.recipes}${fields.recipe}/` }, say(root, "whole"));
    place("about").replaceChildren(...copyOf(texts.get(`about ${fields.recipe}`)), " ", link);
    return showState(root, "result");
  };

  const refresh = () => {
    offerRecipes();
    render();
    const recipe = data.recipes[form.elements.recipe.value];
    const base = recipe ? { ...optionsOf(recipe), form: recipe.forms[0].name } : {};
    rememberFields(form, { ...first, ...base }, (name) => Boolean(recipe) || !OPTIONS.includes(name));
  };

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", refresh);
  form.addEventListener("reset", () => setTimeout(() => { shown = null; form.elements.model.value = ""; refresh(); }));
  place("copy").addEventListener("click", async (event) => {
    await copyText(event.target.dataset.copy);
    event.target.textContent = say(root, "copied");
  });
  const named = data.recipes[asked.get("recipe")];
  if (named) {
    form.elements.model.value = named.model;
    offerRecipes();
    form.elements.purpose.value = named.purpose;
    offerRecipes();
    form.elements.recipe.value = asked.get("recipe");
  } else {
    fillFields(form, asked);
    offerRecipes();
    fillFields(form, asked);
  }
  refresh();
};
