// Lists that a reader narrows down, and tables that a reader sorts; the state stands in the address.
// A page has at most one filter and one sortable table, so their keys in the address are plain.

const TEXT_KEY = "text"; // not "q": on it the theme opens the search of the site
const SORT_KEY = "sort";

/** The choices that a query holds for the facets of a list. */
export const choicesFrom = (query, keys) => {
  const parameters = new URLSearchParams(query);
  const chosen = keys.map((key) => [key, (parameters.get(key) ?? "").split(",").filter(Boolean)]);
  return { text: parameters.get(TEXT_KEY) ?? "", facets: Object.fromEntries(chosen) };
};

/** The query with the choices written in; what else stood there stays. */
export const queryWith = (query, choices) => {
  const parameters = new URLSearchParams(query);
  const written = { [TEXT_KEY]: choices.text.trim() };
  for (const [key, values] of Object.entries(choices.facets)) written[key] = values.join(",");
  for (const [key, value] of Object.entries(written)) {
    if (value) parameters.set(key, value);
    else parameters.delete(key);
  }
  return parameters.toString();
};

/** Text as it is compared: one form of each character, no difference of case. */
export const folded = (text) => text.normalize("NFKC").toLowerCase();

/** Whether an item holds every word, and of every facet with choices one of them. */
export const matches = (item, choices) =>
  folded(choices.text).split(/\s+/).every((part) => item.text.includes(part)) &&
  Object.entries(choices.facets).every(
    ([key, values]) => values.length === 0 || values.some((value) => item.facets[key]?.includes(value)),
  );

/** A cell as it is sorted: a number where it is one, text otherwise, null where it is not known. */
export const sortKey = (text) => {
  const compact = text.replace(/[\s\u202f\u00a0,]/g, "").replace("−", "-").replace(/%$/, "");
  if (compact === "" || compact === "–") return null;
  return Number.isNaN(Number(compact)) ? text.trim() : Number(compact);
};

const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of two keys; what is not known comes last in both directions. */
export const compare = (one, other, descending) => {
  if (one === null || other === null) return (one === null) - (other === null);
  const order =
    typeof one === "number" && typeof other === "number"
      ? one - other
      : collator.compare(String(one), String(other));
  return descending ? -order : order;
};

const replaceQuery = (query) => {
  const address = new URL(location.href);
  address.search = query;
  history.replaceState(history.state, "", address);
};

const itemOf = (element) => ({
  element,
  text: folded(element.textContent),
  facets: Object.fromEntries(
    Object.entries(element.dataset)
      .filter(([name]) => name.startsWith("facet"))
      .map(([name, value]) => [name.slice("facet".length).toLowerCase(), value.split(" ")]),
  ),
});

const inputsOf = (form) => [...form.elements].filter((input) => input.name && input.name !== TEXT_KEY);

const readForm = (form, keys) => ({
  text: form.elements[TEXT_KEY].value,
  facets: Object.fromEntries(
    keys.map((key) => [
      key,
      inputsOf(form)
        .filter((input) => input.name === key && (input.type === "checkbox" ? input.checked : input.value))
        .map((input) => input.value),
    ]),
  ),
});

const writeForm = (form, choices) => {
  form.elements[TEXT_KEY].value = choices.text;
  for (const input of inputsOf(form)) {
    const values = choices.facets[input.name];
    if (input.type === "checkbox") input.checked = values.includes(input.value);
    else input.value = values[0] ?? "";
  }
};

const startFilter = (root) => {
  const form = root.querySelector("form");
  const count = root.querySelector("[data-say-count]");
  const empty = root.querySelector("[data-filter-empty]");
  const items = [...root.querySelectorAll("[data-filter-item]")].map(itemOf);
  const keys = [...new Set(inputsOf(form).map((input) => input.name))];
  const apply = () => {
    const choices = readForm(form, keys);
    for (const item of items) item.element.hidden = !matches(item, choices);
    const shown = items.filter((item) => !item.element.hidden).length;
    count.textContent = count.dataset.sayCount
      .replace("{shown}", shown)
      .replace("{total}", items.length);
    empty.hidden = shown > 0;
    return choices;
  };
  const change = () => replaceQuery(queryWith(location.search, apply()));
  writeForm(form, choicesFrom(location.search, keys));
  form.hidden = false;
  form.addEventListener("input", change);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault(); // it would restore what the browser found at first, not what is empty
    writeForm(form, choicesFrom("", keys));
    change();
  });
  apply();
};

const sortTable = (table, index, descending) => {
  const body = table.tBodies[0];
  const keyOf = (row) => sortKey(row.cells[index].dataset.key ?? row.cells[index].textContent);
  const rows = [...body.rows].map((row) => [keyOf(row), row]);
  rows.sort(([one], [other]) => compare(one, other, descending));
  body.append(...rows.map(([, row]) => row));
  [...table.tHead.rows[0].cells].forEach((cell, position) => {
    if (position === index) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
  });
};

const startSort = (table) => {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((cell, index) => {
    if (!cell.dataset.sort) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "data-sort";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const now = cell.getAttribute("aria-sort");
      const descending = now ? now === "ascending" : cell.dataset.sort === "number";
      sortTable(table, index, descending);
      const parameters = new URLSearchParams(location.search);
      parameters.set(SORT_KEY, `${descending ? "-" : ""}${index + 1}`);
      replaceQuery(parameters.toString());
    });
  });
  const stated = Number(new URLSearchParams(location.search).get(SORT_KEY));
  if (headings[Math.abs(stated) - 1]?.dataset.sort) sortTable(table, Math.abs(stated) - 1, stated < 0);
};

const start = () => {
  const fresh = (selector, begin) =>
    document.querySelectorAll(`${selector}:not([data-started])`).forEach((element) => {
      element.dataset.started = "";
      begin(element);
    });
  fresh("[data-filter]", startFilter);
  fresh("table[data-sortable]", startSort);
};

if (typeof document !== "undefined") {
  if (typeof document$ === "undefined") start();
  else document$.subscribe(start); // the theme emits at the first page and at each one after it
}
