// What every tool shares: elements, sentences from the page, numbers, its data, and its state in the address.

const THIN_SPACE = "\u202f";
const loaded = new Map();

/** An element with attributes, listeners (`onclick`) and children; null attributes and children vanish. */
export const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
};

/** A sentence that stands in the page as `data-say-KEY`, its {placeholders} filled in. */
export const say = (root, key, values = {}) => {
  const template = root.getAttribute(`data-say-${key}`);
  if (template === null) throw new Error(`the page does not say ${key}`);
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
};

/** A number with a fixed count of decimals; from five digits on, thousands are set apart. */
export const rounded = (value, decimals) => {
  const text = Math.abs(value).toFixed(decimals);
  const [whole, fraction] = text.split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN_SPACE) : whole;
  return `${value < 0 && Number(text) !== 0 ? "−" : ""}${grouped}${fraction ? `.${fraction}` : ""}`;
};

export const gigabytes = (bytes, decimals = 2) => `${rounded(bytes / 1e9, decimals)}\u00a0GB`;
export const gibibytes = (bytes, decimals = 1) => `${rounded(bytes / 2 ** 30, decimals)}\u00a0GiB`;
export const percent = (ratio, decimals = 0) => `${rounded(100 * ratio, decimals)}%`;

/** A share of a ceiling as a small bar with its number. */
export const shareBar = (ratio, meaning) =>
  h("span", { class: `share${ratio > 1 ? " share--over" : ""}`, title: meaning },
    h("span", { class: "share-track", "aria-hidden": "true" },
      h("span", { class: "share-fill", style: `width:${(100 * Math.min(Math.max(ratio, 0), 1)).toFixed(1)}%` })),
    h("span", { class: "share-number" }, percent(ratio)),
    h("span", { class: "visually-hidden" }, ` ${meaning}`));

/** The JSON that a tool stands on, fetched once. */
export const fetchJson = (href) => {
  const address = new URL(href, location.href).href;
  if (!loaded.has(address)) {
    const request = fetch(address).then((response) => {
      if (!response.ok) throw new Error(`${response.status} ${address}`);
      return response.json();
    });
    request.catch(() => loaded.delete(address));
    loaded.set(address, request);
  }
  return loaded.get(address);
};

/** Show one of the states of a tool: empty, loading, error (with its sentence) or result. */
export const showState = (root, state, sentence = "") => {
  const line = root.querySelector("[data-tool-state]");
  line.dataset.toolState = state;
  line.textContent = sentence;
  line.hidden = sentence === "";
  root.querySelector("[data-tool-result]").hidden = state !== "result";
};

/** Replace the query of the address; nothing is added to the history. */
export const replaceQuery = (parameters) => {
  const address = new URL(location.href);
  address.search = parameters.toString();
  history.replaceState(history.state, "", address);
};

/** The named fields of a form as text. */
export const fieldsOf = (form) =>
  Object.fromEntries([...form.elements].filter((field) => field.name).map((field) => [field.name, field.value.trim()]));

/** Write the fields of a form into the address, those left as they were at first apart. */
export const rememberFields = (form, first, kept = () => true) => {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(fieldsOf(form))) {
    if (value !== "" && value !== first[name] && kept(name)) parameters.set(name, value);
    else parameters.delete(name);
  }
  replaceQuery(parameters);
};

/** Fill a form from the address; what a choice does not offer stays as it was. */
export const fillFields = (form, parameters) => {
  for (const field of form.elements) {
    const value = field.name ? parameters.get(field.name) : null;
    if (value === null) continue;
    if (field.tagName !== "SELECT" || [...field.options].some((option) => option.value === value)) field.value = value;
  }
};
