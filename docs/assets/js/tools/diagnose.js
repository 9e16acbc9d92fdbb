// The diagnosis: a pasted command or log becomes findings with place, reason and fix; nothing leaves the page.

import { applyEdits, diagnose, prepareTable } from "../diagnose/index.js";
import { fetchJson, h, say, showState } from "./page.js";

const LANGUAGE = "page";
const WAIT_MS = 250;
const SHORT_LETTERS = 60000;
const LONGEST_ADDRESS = 8000;

/** The sentences that stand in the page, by their names. */
const textsOf = (root) =>
  new Map([...root.parentElement.querySelectorAll("[data-text]")].map((element) => [element.dataset.text, element]));

/** The tables with the sentences of the page. */
export const tableOf = (knowledge, texts) => {
  const sentence = (name) => ({ [LANGUAGE]: texts.get(name)?.textContent ?? "" });
  const named = [...texts.keys()].filter((name) => name.startsWith("text "));
  return prepareTable({
    ...knowledge,
    texts: Object.fromEntries(named.map((name) => [name.slice(5), sentence(name)])),
    rules: knowledge.rules.map((rule) => ({
      ...rule, message: sentence(`message ${rule.pitfall} ${rule.number}`), fix: sentence(`fix ${rule.pitfall} ${rule.number}`),
    })),
  });
};

/** A text in which `code` stands between backticks, as nodes; nothing in it is read as markup. */
const withCode = (text) => text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? h("code", {}, part) : part));

const copyOf = (element) => [...(element?.childNodes ?? [])].map((node) => node.cloneNode(true));

/** The address of a text: it stands behind the #, which no browser sends. */
export const encodeText = (text) => {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
};

export const decodeText = (code) => {
  try {
    const letters = atob(code.replace(/-/g, "+").replace(/_/g, "/"));
    return new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
  } catch {
    return "";
  }
};

const remember = (text, version) => {
  const parts = new URLSearchParams();
  const code = text === "" ? "" : encodeText(text.slice(0, LONGEST_ADDRESS));
  if (code !== "" && code.length <= LONGEST_ADDRESS) parts.set("text", code);
  if (version !== "") parts.set("version", version);
  const address = new URL(location.href);
  address.hash = parts.toString();
  history.replaceState(history.state, "", address);
};

const recall = (form) => {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (parts.has("text")) form.elements.text.value = decodeText(parts.get("text"));
  const version = parts.get("version");
  if (version && [...form.elements.version.options].some((option) => option.value === version)) form.elements.version.value = version;
};

const pointAt = (area, start, end) => {
  area.focus();
  area.setSelectionRange(start, Math.max(end, start + 1));
  const line = area.value.slice(0, start).split("\n").length - 1;
  area.scrollTop = Math.max(0, (line - 3) * (area.scrollHeight / area.value.split("\n").length));
};

const findingOf = (root, texts, area, finding, change) => {
  const pitfall = texts.get(`pitfall ${finding.pitfall}`);
  const [link, versions] = copyOf(pitfall);
  const place = say(root, "place", { line: finding.line, column: finding.column });
  return h("li", { class: `finding finding--${finding.severity}` },
    h("p", { class: "finding-head" }, copyOf(texts.get(`badge ${finding.severity}`)),
      h("button", { type: "button", class: "finding-place", onclick: () => pointAt(area, finding.start, finding.end) }, place)),
    finding.text.trim() === "" ? null : h("pre", {}, h("code", {}, finding.text)),
    h("p", { class: "finding-message" }, withCode(finding.message[LANGUAGE])),
    h("p", { class: "finding-fix" }, withCode(finding.fix[LANGUAGE]),
      finding.edits.length === 0 ? null : [" ", h("button", { type: "button", onclick: () => change(finding.edits) }, say(root, "apply"))]),
    h("p", { class: "finding-pitfall" }, link, " ", versions));
};

const sourceOf = (root, value, from) => {
  if (!from) return value;
  const key = `source-${from}`;
  const source = root.hasAttribute(`data-say-${key}`) ? say(root, key) : from;
  return say(root, "from", { value, source });
};

const releaseOf = (root, version) =>
  version.text === null ? say(root, "any-release") : sourceOf(root, version.text, version.from);

const facts = (pairs) =>
  h("dl", { class: "facts" }, pairs.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));

const concludedOf = (root, command) => {
  const pairs = [
    [say(root, "form"), [command.form, command.image].filter(Boolean).join(" · ")],
    [say(root, "engine"), command.engine],
    [say(root, "model"), command.model === null ? say(root, "unknown") : sourceOf(root, command.model, command.model_from)],
    [say(root, "format"), [command.format, command.weights_gib === null ? null : `≈ ${command.weights_gib} GiB`].filter(Boolean).join(" · ") || say(root, "unknown")],
    [say(root, "release"), releaseOf(root, command.version)],
  ];
  const right = [...new Set(command.checked_flags)];
  return [
    command.engine === "vllm" ? null : h("p", {}, say(root, "other-engine")),
    facts(pairs),
    right.length === 0 ? null : h("details", {}, h("summary", {}, say(root, "right", { count: right.length })),
      h("p", {}, right.map((flag) => [h("code", {}, flag), " "]))),
  ];
};

const logOf = (root, result) => {
  const told = Object.entries(result.log.told).filter(([name]) => name !== "engine_version");
  const pairs = told.map(([name, { value }]) => [say(root, `told-${name.replace(/_/g, "-")}`), value]);
  if (result.commands.length === 0 && result.engine_version.text) pairs.unshift([say(root, "release"), releaseOf(root, result.engine_version)]);
  return [
    result.log.root === null ? null : [h("h2", {}, say(root, "root")), h("pre", {}, h("code", {}, `${result.log.root.line}: ${result.log.root.text}`))],
    pairs.length === 0 ? null : [h("h2", {}, say(root, "told")), facts(pairs)],
  ];
};

const countOf = (root, findings) => {
  const number = (severity) => findings.filter((finding) => finding.severity === severity).length;
  return say(root, "found", { errors: number("error"), warnings: number("warning"), notes: number("info") });
};

const show = (root, texts, table, form, change) => {
  const text = form.elements.text.value;
  root.querySelector("[data-findings]").replaceChildren();
  if (text.trim() === "") {
    showState(root, "empty", say(root, "empty"));
    return;
  }
  const result = diagnose(text, table, { engineVersion: form.elements.version.value || null, languages: [LANGUAGE] });
  if (!result.read) {
    showState(root, "error", say(root, "unread"));
    return;
  }
  showState(root, "result");
  root.querySelector("[data-count]").textContent = result.findings.length === 0 ? say(root, "nothing") : countOf(root, result.findings);
  root.querySelector("#findings").hidden = result.findings.length === 0;
  const order = { error: 0, warning: 1, info: 2 };
  const sorted = [...result.findings].sort((a, b) => order[a.severity] - order[b.severity] || a.start - b.start);
  root.querySelector("[data-findings]").replaceChildren(...sorted.map((finding) => findingOf(root, texts, form.elements.text, finding, change)));
  const concluded = result.commands.length === 0 ? [] : [h("h2", {}, say(root, "concluded")), result.commands.map((command) => concludedOf(root, command))];
  root.querySelector("[data-concluded]").replaceChildren(...[concluded, logOf(root, result)].flat(Infinity).filter(Boolean));
};

export const start = async (root) => {
  const form = root.querySelector("form");
  showState(root, "loading", say(root, "loading"));
  const texts = textsOf(root);
  const table = tableOf(await fetchJson(root.dataset.href), texts);
  const area = form.elements.text;
  let waiting = 0;
  const now = () => {
    clearTimeout(waiting);
    remember(area.value, form.elements.version.value);
    show(root, texts, table, form, change);
  };
  const change = (edits) => {
    area.value = applyEdits(area.value, edits);
    now();
    area.focus();
  };
  form.hidden = false;
  recall(form);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(now, area.value.length > SHORT_LETTERS ? 4 * WAIT_MS : WAIT_MS);
  });
  form.addEventListener("reset", () => setTimeout(now));
  for (const button of form.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => {
      area.value = button.dataset.example;
      now();
    });
  }
  now();
};
