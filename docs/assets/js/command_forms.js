// A recipe's command with some of its options changed: the same pieces, the same text.

/** The options of a recipe as it stands. */
export const optionsOf = (recipe) => {
  const { flags, arguments: given } = recipe;
  const has = (name) => flags[name] !== undefined && flags[name] in given;
  return {
    context: has("context") ? String(given[flags.context]) : "",
    requests: has("requests") ? String(given[flags.requests]) : "",
    drafts: has("drafts") ? "on" : "off",
    caching: has("caching") && given[flags.caching] !== false ? "on" : "off",
    input: has("text") || !recipe.vision ? "text" : "images",
    tools: has("tools") ? "on" : "off",
    kv: recipe.kv_format === "fp8" ? "fp8" : "auto",
    network: "local",
  };
};

/** What options change: [flag, value]; undefined takes it away, null is a bare flag, false its `--no-`. */
export const changesOf = (recipe, options, fraction = null) => {
  const { flags, arguments: given } = recipe;
  const base = optionsOf(recipe);
  const changes = [];
  const differs = (name) => options[name] !== base[name] && flags[name === "input" ? "text" : name] !== undefined;
  if (differs("context")) changes.push([flags.context, options.context]);
  if (differs("requests")) changes.push([flags.requests, options.requests]);
  if (fraction !== null && flags.fraction in given && fraction !== given[flags.fraction]) changes.push([flags.fraction, fraction]);
  if (differs("drafts")) changes.push([flags.drafts, undefined]);
  if (differs("caching")) changes.push([flags.caching, options.caching === "on" ? null : false]);
  if (differs("input")) changes.push([flags.text, options.input === "text" ? null : undefined]);
  if (differs("tools")) changes.push([flags.tools, undefined], [flags.parser, undefined]);
  if (differs("kv")) changes.push([flags.kv, options.kv === "fp8" ? "fp8" : undefined]);
  return changes;
};

const kindOf = (name) => name.split("-")[0];
const negated = (flag) => `--no-${flag.slice(2)}`;

const lineOf = (template, flag, value) => {
  if (value === null || value === false) return template.bare.replace("{flag}", value === null ? flag : negated(flag));
  return template.valued.replace("{flag}", flag).replace("{value}", value);
};

/** The lines of a form after changes: [key, text, whether it differs from the recipe]. */
export const linesOf = (form, changes, templates, ofTheForm, open = false) => {
  const template = templates[kindOf(form.name)];
  const wanted = new Map(changes);
  const lines = [];
  for (const [key, text] of form.lines) {
    if (wanted.has(key)) {
      const value = wanted.get(key);
      if (value !== undefined) lines.push([key, lineOf(template, key, value), true]);
    } else if (open && key in form.network_lines) lines.push([key, form.network_lines[key], true]);
    else lines.push([key, text, false]);
  }
  const present = new Set(form.lines.map(([key]) => key));
  const added = changes.filter(([key, value]) => value !== undefined && !present.has(key));
  const first = lines.findIndex(([key]) => ofTheForm.includes(key));
  lines.splice(first === -1 ? lines.length : first, 0, ...added.map(([key, value]) => [key, lineOf(template, key, value), true]));
  return lines;
};

/** The text of a form, as it is copied. */
export const textOf = (form, changes, templates, ofTheForm, open = false) =>
  (open ? form.network_before : form.before) +
  linesOf(form, changes, templates, ofTheForm, open).map(([, text]) => text).join(form.separator) +
  form.after;

/** Whether drafts and prefix caching exclude each other under these options. */
export const cachingIsClosed = (recipe, options) =>
  recipe.hybrid && recipe.mtp && options.drafts === "on" && !recipe.fixed_caching;
