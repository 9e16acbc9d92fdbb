/** The part of YAML that compose files and Kubernetes manifests use, with the place of every text. */

const KEY = /^("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z_][\w./-]*|<<)\s*:(?=\s|$)/;
const ANCHOR = /^&([\w.-]+)(?:\s+|$)/;
const ALIAS = /^\*([\w.-]+)$/;
const BLOCK = /^([|>])[+-]?\d?[+-]?\s*(?:#.*)?$/;
const MAX_DEPTH = 40;
const MAX_ENTRIES = 1000;

/** The documents of a YAML text as one list of nodes; a line that cannot be read is passed over. */
export function readYaml(text) {
  const lines = [];
  let start = 0;
  for (const raw of text.split("\n")) {
    const line = raw.replace(/\r$/, "");
    const body = withoutComment(line);
    lines.push({ raw: line, body, indent: line.length - line.trimStart().length, start });
    start += raw.length + 1;
  }
  const reader = { lines, index: 0, anchors: new Map() };
  const nodes = [];
  while (skipBlank(reader)) {
    const before = reader.index;
    if (/^(---|\.\.\.)/.test(current(reader).raw)) reader.index += 1;
    else nodes.push(readNode(reader, current(reader).indent, 0));
    if (reader.index === before) reader.index += 1;
  }
  return nodes.filter(Boolean);
}

/** Visit every mapping of a node once, those of extensions (`x-…`) only where they are used. */
export function eachMapping(node, visit, visited = new Set()) {
  if (!node || visited.has(node)) return;
  visited.add(node);
  if (node.kind === "map") {
    visit(node);
    for (const entry of node.entries) if (!entry.key.startsWith("x-")) eachMapping(entry.value, visit, visited);
  } else if (node.kind === "list") {
    for (const item of node.items) eachMapping(item, visit, visited);
  }
}

/** The value of a key of a mapping, or of a path of keys. */
export function valueOf(node, ...path) {
  let here = node;
  for (const key of path) {
    here = here?.kind === "map" ? here.entries.find((entry) => entry.key === key)?.value : undefined;
  }
  return here;
}

function withoutComment(line) {
  if (!line.includes("#")) return line.trimEnd();
  let quote = null;
  for (let index = 0; index < line.length; index += 1) {
    const letter = line[index];
    if (quote) {
      if (letter === quote) quote = null;
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "#" && (index === 0 || /\s/.test(line[index - 1]))) return line.slice(0, index).trimEnd();
  }
  return line.trimEnd();
}

function current(reader) {
  return reader.lines[reader.index];
}

function skipBlank(reader) {
  while (reader.index < reader.lines.length && current(reader).body.trim() === "") reader.index += 1;
  return reader.index < reader.lines.length;
}

function readNode(reader, indent, depth) {
  if (depth > MAX_DEPTH || !skipBlank(reader)) return null;
  const line = current(reader);
  const content = line.body.slice(line.indent);
  if (/^-(\s|$)/.test(content)) return readList(reader, line.indent, depth);
  if (KEY.test(content)) return readMap(reader, line.indent, depth);
  return readScalar(reader, line.indent, indent - 1, depth);
}

function readList(reader, indent, depth) {
  const items = [];
  const start = current(reader).start + indent;
  while (skipBlank(reader)) {
    const line = current(reader);
    const content = line.body.slice(line.indent);
    if (line.indent !== indent || !/^-(\s|$)/.test(content)) break;
    const offset = indent + 1 + (content.slice(1).length - content.slice(1).trimStart().length);
    if (content.trim() === "-") {
      reader.index += 1;
      items.push(skipBlank(reader) && current(reader).indent > indent ? readNode(reader, indent + 1, depth + 1) : null);
    } else if (KEY.test(line.body.slice(offset)) || /^-\s/.test(line.body.slice(offset))) {
      reader.lines[reader.index] = { ...line, body: " ".repeat(offset) + line.body.slice(offset), indent: offset };
      items.push(readNode(reader, offset, depth + 1));
    } else {
      items.push(readScalar(reader, offset, indent, depth + 1));
    }
  }
  return { kind: "list", items: items.filter(Boolean), start };
}

function readMap(reader, indent, depth) {
  const entries = [];
  const start = current(reader).start + indent;
  while (skipBlank(reader)) {
    const line = current(reader);
    const match = line.indent === indent ? KEY.exec(line.body.slice(indent)) : null;
    if (!match) break;
    const key = match[1].replace(/^["']|["']$/g, "");
    const written = line.body.slice(indent + match[0].length);
    const anchor = ANCHOR.exec(written.trimStart());
    const offset = indent + match[0].length + (written.length - written.trimStart().length) + (anchor?.[0].length ?? 0);
    const rest = line.body.slice(offset);
    const alias = ALIAS.exec(rest.trim());
    const entry = { key, start: line.start + indent, end: line.start + indent + match[1].length, value: null };
    if (alias) {
      entry.value = reader.anchors.get(alias[1]) ?? null;
      reader.index += 1;
    } else if (rest.trim() === "") {
      reader.index += 1;
      if (skipBlank(reader)) {
        const next = current(reader);
        const isList = /^-(\s|$)/.test(next.body.slice(next.indent));
        if (next.indent > indent || (isList && next.indent === indent)) {
          entry.value = readNode(reader, next.indent, depth + 1);
        }
      }
    } else {
      entry.value = readScalar(reader, offset, indent, depth + 1);
    }
    if (anchor && entry.value) reader.anchors.set(anchor[1], entry.value);
    entries.push(entry);
  }
  return { kind: "map", entries: merged(entries, reader), start };
}

/** The entries of a mapping with those that `<<` brings in from elsewhere and that it lacks. */
function merged(entries, reader) {
  const own = entries.filter((entry) => entry.key !== "<<");
  for (const { value } of entries.filter((entry) => entry.key === "<<")) {
    const named = value?.kind === "list" ? value.items.map((item) => reader.anchors.get(ALIAS.exec(item.text ?? "")?.[1])) : [value];
    for (const map of named.filter((each) => each?.kind === "map")) {
      for (const entry of map.entries) if (!own.some((other) => other.key === entry.key) && own.length < MAX_ENTRIES) own.push(entry);
    }
  }
  return own;
}

/** A block, flow, quoted or plain value that starts on the current line. */
function readScalar(reader, offset, indent, depth) {
  const line = current(reader);
  const first = line.body.slice(offset);
  const block = BLOCK.exec(line.raw.slice(offset));
  reader.index += 1;
  if (block) return blockScalar(reader, block[1], indent, line.start + offset);
  const letters = [];
  const places = [];
  push(letters, places, first, line.start + offset);
  const opens = first[0];
  const isFlow = opens === "[" || opens === "{";
  while (reader.index < reader.lines.length) {
    const next = current(reader);
    const blank = next.body.trim() === "";
    if (isFlow ? balanced(letters) : blank || next.indent <= indent || closed(letters, opens)) break;
    push(letters, places, " ", next.start);
    push(letters, places, next.body.trim(), next.start + next.indent);
    reader.index += 1;
  }
  const text = letters.join("");
  if (isFlow) return readFlow({ text, places, index: 0 }, depth) ?? scalar(text, places);
  return unquoted(text, places);
}

function closed(letters, quote) {
  return (quote === '"' || quote === "'") && letters.length > 1 && letters[letters.length - 1] === quote;
}

function balanced(letters) {
  let depth = 0;
  for (const letter of letters) {
    if (letter === "[" || letter === "{") depth += 1;
    if (letter === "]" || letter === "}") depth -= 1;
  }
  return depth <= 0;
}

function push(letters, places, text, start) {
  for (let index = 0; index < text.length; index += 1) {
    letters.push(text[index]);
    places.push(start + index);
  }
}

function scalar(text, places, style = "plain") {
  return { kind: "scalar", text, places, style, start: places[0] ?? 0, end: (places[places.length - 1] ?? 0) + 1 };
}

function unquoted(text, places) {
  const quote = text[0];
  if ((quote !== '"' && quote !== "'") || text.length < 2 || !text.endsWith(quote)) return scalar(text, places);
  const letters = [];
  const kept = [];
  for (let index = 1; index < text.length - 1; index += 1) {
    let letter = text[index];
    if (quote === '"' && letter === "\\") {
      index += 1;
      letter = { n: "\n", t: "\t" }[text[index]] ?? text[index];
    } else if (quote === "'" && letter === "'" && text[index + 1] === "'") index += 1;
    letters.push(letter);
    kept.push(places[index]);
  }
  return { ...scalar(letters.join(""), kept, "quoted"), start: places[0], end: places[places.length - 1] + 1 };
}

function blockScalar(reader, style, indent, start) {
  const letters = [];
  const places = [];
  let inner = null;
  while (reader.index < reader.lines.length) {
    const line = current(reader);
    if (line.raw.trim() === "") {
      push(letters, places, "\n", line.start);
      reader.index += 1;
      continue;
    }
    if (line.indent <= indent) break;
    inner = inner ?? line.indent;
    const from = Math.min(inner, line.indent);
    push(letters, places, line.raw.slice(from), line.start + from);
    push(letters, places, style === "|" ? "\n" : " ", line.start + line.raw.length);
    reader.index += 1;
  }
  while (letters.length > 0 && /\s/.test(letters[letters.length - 1])) {
    letters.pop();
    places.pop();
  }
  return { ...scalar(letters.join(""), places, style), start };
}

/** `[a, "b"]` and `{key: value}` on the text of a flow value. */
function readFlow(reader, depth) {
  if (depth > MAX_DEPTH) {
    reader.index += 1;
    return null;
  }
  const open = reader.text[reader.index];
  const start = reader.places[reader.index];
  reader.index += 1;
  const items = [];
  const entries = [];
  while (reader.index < reader.text.length) {
    skipSpace(reader);
    const letter = reader.text[reader.index];
    if (letter === "]" || letter === "}") {
      reader.index += 1;
      break;
    }
    if (letter === ",") {
      reader.index += 1;
      continue;
    }
    const value = flowValue(reader, depth, open);
    skipSpace(reader);
    if (open === "{" && reader.text[reader.index] === ":") {
      reader.index += 1;
      skipSpace(reader);
      entries.push({ key: value?.text ?? "", start: value?.start, end: value?.end, value: flowValue(reader, depth, open) });
    } else items.push(value);
  }
  return open === "[" ? { kind: "list", items: items.filter(Boolean), start } : { kind: "map", entries, start };
}

function skipSpace(reader) {
  while (/\s/.test(reader.text[reader.index] ?? "")) reader.index += 1;
}

function flowValue(reader, depth, open) {
  const { text, places } = reader;
  const from = reader.index;
  const letter = text[from];
  if (letter === "[" || letter === "{") return readFlow(reader, depth + 1);
  let end = from;
  if (letter === '"' || letter === "'") {
    end += 1;
    while (end < text.length && text[end] !== letter) end += letter === '"' && text[end] === "\\" ? 2 : 1;
    end = Math.min(end + 1, text.length);
  } else {
    while (end < text.length && !",]}".includes(text[end]) && !(open === "{" && text[end] === ":")) end += 1;
  }
  reader.index = Math.max(end, from + 1);
  const value = text.slice(from, end).trimEnd();
  return unquoted(value, places.slice(from, from + value.length));
}
