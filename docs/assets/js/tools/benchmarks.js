// The table of all points: narrowed down, sorted, paged, opened, compared and saved; its state stands in the address.

import { folded } from "../lists.js";
import { DEFAULT_COLUMNS, NUMBERS, SPANS, UNITS, csvOf, meets, rangeOf, resultOf, rowsOf, sorted } from "../points.js";
import { fetchJson, fieldsOf, fillFields, h, rememberFields, replaceQuery, rounded, say, shareBar, showState } from "./page.js";

const PAGE_LENGTH = 50;
const FACETS = ["model", "checkpoint", "format", "engine", "version", "draft", "concurrency", "context", "content", "evidence", "nodes"];
const DAY = { en: (text) => text, zh: (text) => text.split("-").map((part, i) => `${Number(part)}\u00a0${"年月日"[i]}`).join("\u00a0") };

const spoken = (root, prefix, name) => say(root, `${prefix}-${String(name).replaceAll("_", "-")}`);
const dateWords = (on) => (on ? DAY[document.documentElement.lang.startsWith("zh") ? "zh" : "en"](on) : null);
const figure = (stated) => {
  const [whole, fraction] = String(stated).split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
};

const breakable = (name) => name.split(/(?<=\/)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

const badge = (root, name) => {
  const meaning = say(root, `evidence-${name}-meaning`);
  return h("span", { class: `badge badge--evidence badge--${name}`, title: meaning },
    h("span", { class: "badge-shape", "aria-hidden": "true" }), say(root, `evidence-${name}`));
};

const unknown = (root) => h("span", { class: "unknown", title: say(root, "unknown") },
  h("span", { "aria-hidden": "true" }, "–"), h("span", { class: "visually-hidden" }, say(root, "unknown")));

const draftWords = (root, run) => {
  const name = spoken(root, "draft", run.draft);
  return run.draft_tokens && run.draft !== "none" ? `${name} ×${run.draft_tokens}` : name;
};

const engineName = (root, data, id) => (id === "not-stated" ? say(root, "engine-not-stated") : data.engines[id]?.name ?? id);

const engineWords = (root, data, run) => [engineName(root, data, run.engine), run.version].filter(Boolean).join(" ");

/** What a cell shows; null where it is not known. */
const cellOf = (root, data, row, column) => {
  const { run, values } = row;
  if (column in UNITS && column !== "context") {
    const result = resultOf(row, column);
    const kindOf = ({ field }) => root.getAttribute(`data-say-metric-${field.replaceAll("_", "-")}`) ?? field;
    if (!result) {
      const range = rangeOf(row, column);
      return range && [h("span", { class: "figure" }, range.ends.map(figure).join("–")), h("span", { class: "kind" }, kindOf(range))];
    }
    const share = result.share === null ? null : shareBar(result.share, say(root, result.share > 1 ? "over-ceiling" : "of-ceiling"));
    const kind = kindOf(result);
    return [h("span", { class: "figure" }, figure(result.stated)), share, h("span", { class: "kind" }, kind)];
  }
  switch (column) {
    case "model": return data.models[run.model];
    case "format": return run.format ?? null;
    case "engine": return engineWords(root, data, run);
    case "nodes": return run.nodes;
    case "concurrency": return row.concurrency;
    case "context": return row.context === null ? null : rounded(row.context, 0);
    case "draft": return draftWords(root, run);
    case "acceptance": return values.acceptance ?? null;
    case "content": return spoken(root, "content", values.content);
    case "date": return run.on ? h("span", { class: "nowrap" }, run.on) : null;
    default: return badge(root, run.evidence);
  }
};

export const start = async (root) => {
  const form = root.querySelector("form");
  const place = (name) => root.querySelector(`[data-${name}]`);
  showState(root, "loading", root.getAttribute("data-say-loading"));
  const data = await fetchJson(root.dataset.href);
  const rows = rowsOf(data);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const firstOfRun = new Map(rows.toReversed().map((row) => [row.run.id, row]));
  const first = fieldsOf(form);
  const boxes = [...root.querySelectorAll('input[name="column"]')];
  const every = boxes.map((box) => box.value);
  const state = { sort: "date", descending: true, page: 1, columns: DEFAULT_COLUMNS, compare: [] };

  // Choices

  const optionsOf = (facet) => {
    const found = [...new Set(rows.map((row) => row.facets[facet]))].filter((value) => value !== null);
    const label = {
      model: (value) => data.models[value],
      engine: (value) => engineName(root, data, value),
      draft: (value) => spoken(root, "draft", value),
      content: (value) => spoken(root, "content", value),
      evidence: (value) => say(root, `evidence-${value}`),
      checkpoint: (value) => rows.find((row) => row.run.checkpoint === value).run.name,
    }[facet] ?? ((value) => value);
    if (facet in SPANS) return SPANS[facet].filter((value) => found.includes(value)).map((value) => [value, value]);
    return found.map((value) => [value, label(value)]).sort(([, one], [, other]) => String(one).localeCompare(String(other), undefined, { numeric: true }));
  };
  for (const facet of FACETS) {
    form.elements[facet].append(...optionsOf(facet).map(([value, label]) => h("option", { value }, label)));
  }
  const months = [...new Set(rows.map((row) => row.run.on?.slice(0, 7)).filter(Boolean))].sort().reverse();
  form.elements.since.append(...months.map((month) => h("option", { value: month }, month)));

  const choices = () => {
    const fields = fieldsOf(form);
    return {
      words: folded(fields.text).split(/\s+/).filter(Boolean),
      since: fields.since,
      facets: Object.fromEntries(FACETS.map((facet) => [facet, fields[facet]])),
    };
  };

  // Address

  const readAddress = () => {
    const parameters = new URLSearchParams(location.search);
    fillFields(form, parameters);
    const sort = parameters.get("sort") ?? "-date";
    state.descending = sort.startsWith("-");
    state.sort = every.includes(sort.replace(/^-/, "")) ? sort.replace(/^-/, "") : "date";
    state.page = Math.max(1, Number.parseInt(parameters.get("page") ?? "1", 10) || 1);
    const wanted = (parameters.get("columns") ?? "").split(",").filter((name) => every.includes(name));
    state.columns = wanted.length ? every.filter((name) => name === "checkpoint" || wanted.includes(name)) : DEFAULT_COLUMNS;
    state.compare = (parameters.get("compare") ?? "").split(",").filter((id) => byId.has(id)).slice(0, 2);
  };

  const writeAddress = () => {
    rememberFields(form, first);
    const parameters = new URLSearchParams(location.search);
    const sort = `${state.descending ? "-" : ""}${state.sort}`;
    const written = {
      sort: sort === "-date" ? "" : sort,
      page: state.page > 1 ? state.page : "",
      columns: state.columns.join() === DEFAULT_COLUMNS.join() ? "" : state.columns.join(","),
      compare: state.compare.join(","),
    };
    for (const [name, value] of Object.entries(written)) {
      if (value) parameters.set(name, value);
      else parameters.delete(name);
    }
    replaceQuery(parameters);
  };

  // Table

  let found = rows;

  const sortBy = (column) => {
    state.descending = state.sort === column ? !state.descending : NUMBERS.has(column) || column === "date";
    state.sort = column;
    state.page = 1;
    change();
    place("table").querySelector(`[data-column="${column}"] button`)?.focus();
  };

  const heading = (column) => {
    const now = state.sort === column ? (state.descending ? "descending" : "ascending") : null;
    const unit = UNITS[column] === "tokens" ? say(root, "unit-tokens") : UNITS[column];
    return h("th", { scope: "col", class: NUMBERS.has(column) ? "number" : null, "aria-sort": now, "data-column": column },
      h("button", { type: "button", class: "data-sort", onclick: () => sortBy(column) },
        say(root, `col-${column}`), unit ? h("span", { class: "data-unit" }, ` ${unit}`) : null));
  };

  const rowOf = (row) =>
    h("tr", { "data-row": row.id },
      state.columns.map((column) => {
        if (column === "checkpoint") {
          return h("th", { scope: "row" }, h("div", { class: "pick" },
            h("label", { class: "tick" },
              h("input", { type: "checkbox", checked: state.compare.includes(row.id), onchange: (event) => tick(row.id, event.target.checked) }),
              h("span", { class: "visually-hidden" }, say(root, "compare-this", { name: row.run.name }))),
            h("button", { type: "button", class: "opens", onclick: () => open(row) }, breakable(row.run.name))));
        }
        return h("td", { class: NUMBERS.has(column) ? "number" : null }, cellOf(root, data, row, column) ?? unknown(root));
      }));

  const tick = (id, ticked) => {
    state.compare = ticked ? [...state.compare, id].slice(-2) : state.compare.filter((each) => each !== id);
    change();
    place("table").querySelector(`[data-row="${CSS.escape(id)}"] input`)?.focus();
  };

  const showCompare = () => {
    const chosen = state.compare.map((id) => byId.get(id));
    const line = place("compare");
    line.replaceChildren(say(root, chosen.length ? "compare-one" : "compare-hint"));
    if (chosen.length === 2) {
      line.replaceChildren(`${chosen[0].run.name} · ${chosen[1].run.name} `,
        h("button", { type: "button", class: "button", onclick: openCompare }, say(root, "compare-open")), " ",
        h("button", { type: "button", class: "button", onclick: () => { state.compare = []; change(); } }, say(root, "compare-drop")));
    }
  };

  const showPages = (pages) => {
    const go = (page) => {
      state.page = page;
      change();
      place("table").focus({ preventScroll: true });
      root.querySelector(".points-bar").scrollIntoView({ block: "nearest" });
    };
    const button = (key, page, possible) => h("button", { type: "button", class: "button", disabled: !possible, onclick: () => go(page) }, say(root, key));
    place("pages").replaceChildren(...(pages < 2 ? [] : [
      button("previous", state.page - 1, state.page > 1),
      h("span", {}, say(root, "page", { page: state.page, pages })),
      button("next", state.page + 1, state.page < pages),
    ]));
  };

  const show = () => {
    const wanted = choices();
    found = sorted(rows.filter((row) => meets(row, wanted)), state.sort, state.descending);
    const pages = Math.max(1, Math.ceil(found.length / PAGE_LENGTH));
    state.page = Math.min(state.page, pages);
    const shown = found.slice((state.page - 1) * PAGE_LENGTH, state.page * PAGE_LENGTH);
    place("table").replaceChildren(found.length
      ? h("table", { class: "data-table" },
          h("caption", { class: "visually-hidden" }, say(root, "tool")),
          h("thead", {}, h("tr", {}, state.columns.map(heading))),
          h("tbody", {}, shown.map(rowOf)))
      : h("p", { class: "empty" }, say(root, "empty")));
    place("count").textContent = say(root, "count", { shown: found.length, total: rows.length });
    for (const box of boxes) box.checked = state.columns.includes(box.value);
    showPages(pages);
    showCompare();
    showState(root, "result");
  };

  const change = () => {
    show();
    writeAddress();
  };

  // Details and comparison

  const dialog = place("dialog");
  const close = () => {
    if (dialog.open) dialog.close();
  };
  dialog.addEventListener("close", () => {
    const address = new URL(location.href);
    if (address.hash) history.replaceState(history.state, "", `${address.pathname}${address.search}`);
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  const head = (text) => h("div", { class: "run-head" },
    h("h2", { id: "run-title" }, text), h("button", { type: "button", class: "button", onclick: close }, say(root, "close")));

  const sourceOf = ([id, locator, evidence]) => {
    const source = data.sources[id] ?? { title: id };
    const name = source.url ? h("a", { href: source.url, rel: "noopener" }, source.title) : h("span", {}, source.title);
    const rest = [source.publisher, source.on && dateWords(source.on), locator, source.url ? null : say(root, "no-address")].filter(Boolean);
    return h("li", {}, name, h("span", { class: "citation-details" }, ` ${rest.join(" · ")} `), badge(root, evidence));
  };

  const argumentsOf = (run) => {
    const entries = Object.entries(run.arguments ?? {});
    if (!entries.length) return null;
    const lines = entries.map(([flag, value]) => (value === true ? flag : `${flag} ${typeof value === "object" ? JSON.stringify(value) : value}`));
    return h("pre", {}, h("code", {}, lines.join("\n")));
  };

  const conditionsOf = (row) => {
    const { run, values } = row;
    const count = (value) => (value == null ? null : `${rounded(value, 0)} ${say(root, "tokens")}`);
    return [
      ["col-model", data.models[run.model]], ["col-format", run.format], ["col-nodes", run.nodes], ["d-parallelism", run.parallelism],
      ["col-engine", engineWords(root, data, run)], ["d-build", run.build], ["d-image", run.image],
      ["col-draft", draftWords(root, run)], ["d-drafter", run.drafter ?? run.draft_as_stated], ["col-acceptance", values.acceptance],
      ["col-concurrency", row.concurrency ?? values.load_as_stated], ["d-cached", count(values.cached)], ["d-input", count(values.input)],
      ["d-output", count(values.output)], ["col-content", values.content_as_stated ?? spoken(root, "content", values.content)],
      ["d-kv-pool", count(values.kv_pool)], ["d-tool", run.tool], ["d-counting", spoken(root, "counting", run.counting.replace("-", "_"))],
      ["col-date", dateWords(run.on)], ["col-evidence", say(root, `evidence-${run.evidence}`)],
    ];
  };

  const resultsOf = (row) => {
    const found = [];
    for (const name of Object.keys(data.points)) {
      const stated = row.values[name];
      if (stated == null || !/(_tokens_per_s|_ms|_s)$/.test(name)) continue;
      const word = root.getAttribute(`data-say-metric-${name.replaceAll("_", "-")}`);
      const unit = name.endsWith("_tokens_per_s") ? "tok/s" : name.endsWith("_ms") ? "ms" : "s";
      found.push([name, word ?? h("code", {}, name.replace(/_(ms|s)$/, "")), `${figure(stated)}\u00a0${unit}`]);
    }
    for (const [name, [low, high]] of Object.entries(row.values.ranges ?? {})) found.push([`${name} range`, h("code", {}, name), `${low}–${high}`]);
    if (row.ceiling) found.push(["ceiling", say(root, "d-ceiling"), `${rounded(row.ceiling, 1)}\u00a0tok/s`]);
    if (row.values.expected) found.push(["expected", say(root, "d-expected"), `${rounded(row.values.expected, 1)}\u00a0tok/s`]);
    return found;
  };

  const pairs = (entries) => h("dl", { class: "facts" }, entries.filter(([, value]) => value != null && value !== "").map(([term, value]) =>
    h("div", {}, h("dt", {}, term), h("dd", {}, value))));

  const part = (key, ...content) => (content.some(Boolean) ? [h("h3", {}, say(root, key)), ...content] : null);

  const runLink = (id) => h("a", { href: `#${id}`, onclick: (event) => { event.preventDefault(); open(firstOfRun.get(id)); } }, id);
  const linksTo = (key, ids) => (ids?.length ? h("p", {}, say(root, "pair", { term: say(root, key), value: "" }), ids.filter((id) => firstOfRun.has(id)).map((id) => [runLink(id), " "])) : null);

  const loadQuery = (row) => {
    const { run, values } = row;
    const parameters = new URLSearchParams({ checkpoint: run.checkpoint });
    if (row.context) parameters.set("context-tokens", row.context);
    if (row.concurrency > 1) parameters.set("concurrency", row.concurrency);
    if (run.nodes > 1) parameters.set("nodes", run.nodes);
    if (run.draft === "mtp" && run.draft_tokens) {
      parameters.set("draft", "mtp");
      parameters.set("draft-tokens", run.draft_tokens);
      if (values.acceptance) parameters.set("acceptance-length", values.acceptance);
    }
    return parameters;
  };

  const toolLinks = (row) => {
    if (!row.run.checkpoint || !row.ceiling) return null;
    const parameters = loadQuery(row);
    const judged = new URLSearchParams(parameters);
    const single = ["decode", "e2e", "unspecified"].map((column) => resultOf(row, column)).find(Boolean);
    if (single) judged.set("tokens-per-s", single.stated);
    judged.set("engine", row.run.engine);
    return h("p", { class: "tool-links" },
      h("a", { href: `${root.dataset.checkpoints}${row.run.checkpoint}/` }, row.run.name),
      h("a", { href: `${root.dataset.calculator}?${parameters}` }, say(root, "d-calculate")),
      single ? h("a", { href: `${root.dataset.judge}?${judged}` }, say(root, "d-judge")) : null);
  };

  const caveatsOf = (row) => {
    const codes = [...(row.run.caveats ?? []), ...(row.values.caveats ?? [])];
    const stated = [row.run.caveat_as_stated, row.values.caveat_as_stated].filter(Boolean);
    if (!codes.length && !stated.length) return null;
    return h("ul", {},
      codes.map((code) => h("li", {}, h("b", {}, say(root, `caveat-${code}`)), ` ${say(root, `caveat-${code}-meaning`)}`)),
      stated.map((text) => h("li", { lang: "en" }, text)));
  };

  const open = (row) => {
    const { run } = row;
    const notes = document.querySelector(`[data-note="${CSS.escape(run.id)}"]`)?.cloneNode(true);
    notes?.removeAttribute("data-note");
    const others = rows.filter((each) => each.run === run);
    dialog.setAttribute("aria-labelledby", "run-title");
    dialog.replaceChildren(...[
      head(run.name),
      toolLinks(row),
      part("d-results", pairs(resultsOf(row).map(([, term, value]) => [term, value])), run.metric_as_stated ? h("p", { class: "data-note", lang: "en" }, run.metric_as_stated) : null),
      part("d-conditions", pairs(conditionsOf(row).map(([key, value]) => [say(root, key), value]))),
      part("d-arguments", argumentsOf(run), run.engine_as_stated ? h("p", { class: "data-note", lang: "en" }, run.engine_as_stated) : null),
      run.environment ? part("d-environment", h("pre", {}, h("code", {}, Object.entries(run.environment).map(([name, value]) => `${name}=${value}`).join("\n")))) : null,
      part("d-caveats", caveatsOf(row)),
      notes ? part("d-note", notes) : null,
      linksTo("d-duplicates", run.duplicates), linksTo("d-contradicts", run.contradicts), linksTo("d-replaced", run.replaced ? [run.replaced] : null),
      part("d-sources", h("ul", {}, run.sources.map(sourceOf))),
      others.length > 1 ? part("d-points", h("ul", { class: "points-list" }, others.map((each) => h("li", {},
        each === row ? h("b", {}, pointWords(each)) : h("a", { href: `#${each.id}`, onclick: (event) => { event.preventDefault(); open(each); } }, pointWords(each)))))) : null,
      h("p", { class: "data-note" }, h("code", {}, row.id)),
    ].flat(Infinity).filter(Boolean));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    history.replaceState(history.state, "", `${location.pathname}${location.search}#${row.id}`);
  };

  const pointWords = (row) => {
    const shown = ["decode", "e2e", "unspecified", "together", "prefill"].map((column) => [column, resultOf(row, column)]).filter(([, result]) => result);
    const load = row.concurrency ? `×${row.concurrency}` : "";
    const context = row.context ? `${rounded(row.context, 0)} ${say(root, "tokens")}` : "";
    return [...shown.map(([column, result]) => `${figure(result.stated)} tok/s ${say(root, `col-${column}`)}`), load, context].filter(Boolean).join(" · ");
  };

  const openCompare = () => {
    const [one, other] = state.compare.map((id) => byId.get(id));
    const lines = new Map();
    const put = (side, key, term, value) => {
      if (!lines.has(key)) lines.set(key, { term, values: [null, null] });
      if (value != null && value !== "") lines.get(key).values[side] = value;
    };
    [one, other].forEach((row, side) => {
      for (const [key, term, value] of resultsOf(row)) put(side, key, term, value);
      for (const [key, value] of conditionsOf(row)) put(side, key, say(root, key), value);
      for (const [flag, value] of Object.entries(row.run.arguments ?? {})) put(side, flag, h("code", {}, flag), typeof value === "object" ? JSON.stringify(value) : String(value));
      for (const [name, value] of Object.entries(row.run.environment ?? {})) put(side, name, h("code", {}, name), String(value));
      put(side, "caveats", say(root, "d-caveats"), [...(row.run.caveats ?? []), ...(row.values.caveats ?? [])].map((code) => say(root, `caveat-${code}`)).join(" · "));
    });
    const body = [...lines.values()].filter(({ values }) => values.some((value) => value !== null)).map(({ term, values }) => {
      const differs = String(values[0]) !== String(values[1]);
      return h("tr", { class: differs ? "differs" : null },
        h("th", { scope: "row" }, term, differs ? h("span", { class: "differs-mark" }, ` ${say(root, "differs")}`) : null),
        values.map((value) => h("td", {}, value ?? unknown(root))));
    });
    dialog.setAttribute("aria-labelledby", "run-title");
    dialog.replaceChildren(head(say(root, "compare")),
      h("div", { class: "data-scroll", role: "region", tabindex: "0", "aria-label": say(root, "compare") },
        h("table", { class: "data-table compare-table" },
          h("thead", {}, h("tr", {}, h("td", {}), [one, other].map((row) => h("th", { scope: "col" },
            h("button", { type: "button", class: "opens", onclick: () => open(row) }, breakable(row.run.name)))))),
          h("tbody", {}, body))));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };

  const openFromAddress = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    const row = byId.get(id) ?? firstOfRun.get(id);
    if (row) open(row);
    else if (/^(\d{4}|undated)-/.test(id)) showState(root, "error", say(root, "not-found", { run: id }));
    if (!row) root.querySelector("[data-tool-result]").hidden = false;
  };

  // Start

  readAddress();
  form.hidden = false;
  for (const list of document.querySelectorAll("[data-static-runs]")) list.hidden = true;
  form.addEventListener("submit", (event) => event.preventDefault());
  const again = () => {
    state.page = 1;
    change();
  };
  form.addEventListener("input", again);
  form.addEventListener("reset", () => setTimeout(() => {
    Object.assign(state, { sort: "date", descending: true, columns: DEFAULT_COLUMNS, compare: [] });
    again();
  }));
  place("columns").addEventListener("change", () => {
    state.columns = every.filter((name) => name === "checkpoint" || boxes.some((box) => box.value === name && box.checked));
    change();
  });
  place("csv").addEventListener("click", () => {
    const link = h("a", {
      href: URL.createObjectURL(new Blob(["\ufeff", csvOf(found, state.columns, data.engines)], { type: "text/csv;charset=utf-8" })),
      download: "gb10-ledger-benchmarks.csv",
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  window.addEventListener("hashchange", () => root.isConnected && openFromAddress());
  show();
  openFromAddress();
};
