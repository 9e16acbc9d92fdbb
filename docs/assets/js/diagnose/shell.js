/** Shell text as commands and words; every character of a word remembers its place in the text. */

const LINE_NUMBER = /^\s*(\d{1,5})(?:[:|.)]|\s)\s?/;
const PROMPT = /^\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+(?::[^\s$#]*)?[$#]|\[[^\]\n]{1,60}\][$#]|PS [^>\n]{0,80}>|\$|%|>{1,3})\s+/;
const PROGRAM = "(?:sudo|docker|podman|vllm|python3?|export|bash|nohup|VLLM_\\w+=\\S*)";
const ROOT_PROMPT = new RegExp(`^\\s*#\\s+(?=${PROGRAM}\\s)`);
const UNPROMPTED = new RegExp(`^\\s*${PROGRAM}\\s`);
const CODE_SPAN = /`((?:sudo\s|docker\s|podman\s|vllm\s|python3?\s-m\s|VLLM_\w+=)[^`]+)`/;
const ARRAY_START = /^[A-Za-z_]\w*\+?=$/;
const TAG = /<\/?(?:pre|code|p|br|div|span)(?:\s[^<>]{0,80})?\/?>/gi;
const FENCE = /^\s*(?:```|~~~).*$/;
const CURLY_QUOTES = { "\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u00a0": " " };
const ANGLE_BLANK = /^<[A-Za-z][\w .-]{0,40}>/;
const IMAGE = /^(?:[\w.-]+(?::\d+)?\/)+[\w.-]+:\w[\w.-]*$/;
const ELLIPSIS = /^(?:\.{3}|\u2026)$/;
const MAX_UNCLOSED = 20;
const MAX_EXPANDED = 20_000;

/** The text of a listing with its line numbers replaced by blanks. */
export function blankNumbers(text) {
  const lines = text.split("\n");
  return isNumbered(lines) ? lines.map((line) => blankMatch(line, LINE_NUMBER)).join("\n") : text;
}

/** The text with prompts, tags and fences replaced by blanks, so that places stay true. */
export function blankDecoration(text) {
  const plain = text.split("\n").map((line) => {
    if (FENCE.test(line)) return " ".repeat(line.length);
    return onlyCodeSpan(blankMatch(line.replace(TAG, (tag) => " ".repeat(tag.length)), PROMPT));
  });
  if (plain.some((line) => UNPROMPTED.test(line))) return plain.join("\n");
  return plain.map((line) => blankMatch(line, ROOT_PROMPT)).join("\n");
}

/** A sentence that quotes a command in back-ticks, with all but the command blanked. */
function onlyCodeSpan(line) {
  const match = CODE_SPAN.exec(line);
  if (!match || line.slice(0, match.index).trim() === "" || /^vllm\s+serve\s*$/.test(match[1])) return line;
  const start = match.index + 1;
  const end = start + match[1].length;
  return " ".repeat(start) + match[1] + " ".repeat(line.length - end);
}

function blankMatch(line, pattern) {
  const match = pattern.exec(line);
  return match ? " ".repeat(match[0].length) + line.slice(match[0].length) : line;
}

/** Whether every line starts with its number, as in a pasted listing; a single one with 1. */
function isNumbered(lines) {
  const full = lines.filter((line) => line.trim() !== "");
  const numbers = full.map((line) => LINE_NUMBER.exec(line)?.[1]);
  if (full.length < 2) return numbers[0] === "1";
  if (numbers.some((number) => number === undefined)) return false;
  return numbers.every((number, index) => index === 0 || Number(number) > Number(numbers[index - 1]));
}

/**
 * Commands and faults of a shell text.
 * `places` gives the place of each character in the pasted text where this text is a part of it;
 * without `comments` a `#` is a word like any other.
 */
export function readShell(text, places = null, { variables = new Map(), literalQuotes = new Set(), comments = true } = {}) {
  const reader = newReader(text, places, { variables, literalQuotes, comments });
  while (reader.index < text.length) step(reader);
  endCommand(reader, "end");
  if (reader.unclosed !== null && literalQuotes.size < MAX_UNCLOSED) {
    const again = readShell(text, places, { variables, literalQuotes: new Set([...literalQuotes, reader.unclosed]), comments });
    const at = placeOf(reader, reader.unclosed);
    again.faults.push({ kind: "unclosed-quote", start: at, end: at + 1 });
    return again;
  }
  return { commands: joinBroken(reader), faults: reader.faults, variables: reader.variables };
}

function newReader(text, places, { variables, literalQuotes, comments }) {
  const other = /\\[ \t]*\n/.test(text) ? null : /([`^])[ \t]*\r?\n/.exec(text);
  return {
    text, places, variables, literalQuotes, comments,
    continuation: other ? other[1] : "\\",
    index: 0, lastInk: text.trimEnd().length - 1, words: [], word: null, commands: [], faults: [], unclosed: null, skipWord: false,
    array: null, spare: MAX_EXPANDED, continued: false,
  };
}

/** The place of a character in the pasted text. */
function placeOf(reader, index) {
  if (!reader.places) return index;
  return reader.places[Math.min(index, reader.places.length - 1)] ?? 0;
}

/** Read one character, quotation, comment or separator. */
function step(reader) {
  const { text, index, continuation } = reader;
  const raw = text[index];
  const letter = CURLY_QUOTES[raw] ?? raw;
  if (letter !== raw && raw !== "\u00a0") oddCharacter(reader, index);
  if (letter === "\n") return newline(reader);
  if (letter === " " || letter === "\t" || letter === "\r") {
    endWord(reader);
    reader.index += 1;
    return undefined;
  }
  if (letter === "#" && reader.word === null && reader.comments) return comment(reader);
  if (letter === continuation && continues(reader)) return undefined;
  if (letter === "\\" && continuation === "\\") return escaped(reader);
  if ((letter === "'" || letter === '"') && !reader.literalQuotes.has(index)) {
    return quotation(reader, letter);
  }
  if (letter === "$") return variable(reader, false);
  if (letter === "(" && reader.word !== null && ARRAY_START.test(reader.word.letters.join(""))) return openArray(reader);
  if (letter === ")" && reader.array !== null) {
    closeArray(reader);
    reader.index += 1;
    return undefined;
  }
  if (";|&".includes(letter)) return separator(reader, letter);
  const blank = letter === "<" ? ANGLE_BLANK.exec(text.slice(index, index + 60)) : null;
  if (blank) return placeholder(reader, blank[0]);
  if ((letter === ">" || letter === "<") && !isInsideBraces(reader)) return redirection(reader);
  if ((letter === "(" || letter === ")") && reader.word === null) {
    endCommand(reader, letter);
    reader.index += 1;
    return undefined;
  }
  append(reader, letter, index);
  reader.index += 1;
  return undefined;
}

/** `<model>` of an article stands for a word that is not known. */
function placeholder(reader, text) {
  for (let at = 0; at < text.length; at += 1) append(reader, text[at], reader.index + at);
  reader.word.open = true;
  reader.index += text.length;
}

function oddCharacter(reader, index) {
  const start = placeOf(reader, index);
  reader.faults.push({ kind: "curly-quote", start, end: start + 1 });
}

function isInsideBraces(reader) {
  return reader.word !== null && reader.word.letters[0] === "{";
}

function append(reader, letter, index) {
  appendAt(reader, letter, placeOf(reader, index));
}

function appendAt(reader, letter, place) {
  if (reader.word === null) reader.word = { letters: [], places: [], start: place, quoted: false, open: false };
  reader.word.end = place + 1;
  if (letter === "") return;
  reader.word.letters.push(letter);
  reader.word.places.push(place);
}

function endWord(reader) {
  const { word } = reader;
  if (word === null) return;
  reader.word = null;
  if (reader.skipWord) {
    reader.skipWord = false;
    return;
  }
  reader.words.push({
    text: word.letters.join(""), start: word.start, end: word.end, places: word.places,
    quoted: word.quoted, open: word.open,
  });
}

function endCommand(reader, by) {
  if (reader.array !== null) closeArray(reader);
  endWord(reader);
  reader.skipWord = false;
  if (reader.words.length > 0) {
    reader.commands.push({ words: reader.words, by, at: placeOf(reader, reader.index), continued: reader.continued });
    assign(reader);
  }
  reader.words = [];
  reader.continued = false;
}

/** Remember `NAME=value` and `export NAME=value`, so that `$NAME` can be read later. */
function assign(reader) {
  const words = reader.words.filter((word) => !["export", "declare", "-x", "set", "local"].includes(word.text));
  if (!words.every((word) => /^[A-Za-z_]\w*=/.test(word.text))) return;
  for (const word of words) {
    const cut = word.text.indexOf("=");
    if (!word.open) reader.variables.set(word.text.slice(0, cut), { text: word.text.slice(cut + 1), places: word.places.slice(cut + 1) });
  }
}

/** `NAME=(`: the words up to `)` are the items of an array. */
function openArray(reader) {
  const name = reader.word.letters.join("").replace(/\+?=$/, "");
  const isMore = reader.word.letters.includes("+");
  const rest = { text: `\${${name}[@]}`, start: reader.word.start, end: reader.word.end, places: reader.word.places, quoted: true, open: true };
  reader.array = { name, before: reader.words, items: isMore ? reader.variables.get(name)?.items ?? [rest] : [] };
  reader.word = null;
  reader.words = [];
  reader.index += 1;
}

function closeArray(reader) {
  endWord(reader);
  const { name, before, items } = reader.array;
  reader.variables.set(name, { text: "", places: [], items: [...items, ...reader.words] });
  reader.words = before;
  reader.array = null;
}

function newline(reader) {
  if (reader.array !== null) endWord(reader);
  else endCommand(reader, "newline");
  reader.index += 1;
}

/** A comment to the end of its line; one that hides a continuation is a fault. */
function comment(reader) {
  const { text, index, continuation } = reader;
  let end = text.indexOf("\n", index);
  if (end < 0) end = text.length;
  const body = text.slice(index, end).trimEnd();
  if (reader.words.length > 0 && body.endsWith(continuation)) {
    reader.faults.push({
      kind: "comment-hides-continuation", start: placeOf(reader, index), end: placeOf(reader, index + body.length - 1) + 1,
    });
    reader.index = Math.min(end + 1, text.length);
    return;
  }
  reader.index = end;
}

/** A continuation sign; blanks or a comment behind it break the command. */
function continues(reader) {
  const { text, index } = reader;
  const rest = /^[ \t\r]*(#[^\n]*)?(\n|$)/.exec(text.slice(index + 1, index + 2000));
  if (!rest) return false;
  const behind = rest[0].replace(/[\r\n]+$/, "");
  const glued = rest[1] !== undefined && !/^[ \t]/.test(behind);
  if (glued) return false;
  const follows = index + rest[0].length < reader.lastInk;
  if (behind.length > 0 && (follows || rest[1] !== undefined) && (reader.words.length > 0 || reader.word)) {
    const start = placeOf(reader, index);
    const kind = rest[1] === undefined ? "blank-after-continuation" : "comment-after-continuation";
    reader.faults.push({ kind, start, end: start + 1 + behind.length });
  }
  if (behind.length > 0 || !reader.word) endWord(reader);
  reader.index += 1 + rest[0].length;
  reader.continued = true;
  return true;
}

function escaped(reader) {
  const { text, index } = reader;
  if (index + 1 < text.length) append(reader, text[index + 1], index + 1);
  reader.index += 2;
}

function quotation(reader, quote) {
  const { text, index } = reader;
  const isCurly = text[index] !== quote;
  if (reader.word === null) append(reader, "", index);
  reader.word.quoted = true;
  reader.index += 1;
  while (reader.index < text.length) {
    const raw = text[reader.index];
    const letter = CURLY_QUOTES[raw] && raw !== "\u00a0" ? CURLY_QUOTES[raw] : raw;
    if (letter === quote && !reader.literalQuotes.has(reader.index)) {
      if (reader.word) reader.word.end = placeOf(reader, reader.index) + 1;
      reader.index += 1;
      return;
    }
    if (quote === '"' && letter === "\\" && '"\\$`\n'.includes(text[reader.index + 1] ?? " ")) {
      if (text[reader.index + 1] !== "\n") append(reader, text[reader.index + 1], reader.index + 1);
      reader.index += 2;
    } else if (quote === '"' && letter === "$") {
      variable(reader, true);
    } else {
      append(reader, isCurly ? letter : raw, reader.index);
      reader.index += 1;
    }
  }
  reader.unclosed = index;
}

/**
 * `$NAME`, `${NAME:-default}`, `${NAME[@]}` or `$(…)`; what is not known stays as written and is marked open.
 * A compose file writes `$$NAME` for a variable of the container's shell.
 */
function variable(reader, inQuotes) {
  const { text, index } = reader;
  const rest = text.slice(index, index + 400);
  const twice = /^\$\$(?=[A-Za-z_{(])/.exec(rest);
  if (twice) {
    reader.index += 1;
    return;
  }
  const setting = /^\$env:(?=[A-Za-z_]\w*\s*=)/i.exec(rest);
  if (setting) {
    for (let at = 0; at < setting[0].length; at += 1) append(reader, text[index + at], index + at);
    reader.index += setting[0].length;
    return;
  }
  const array = /^\$\{([A-Za-z_]\w*)\[[@*]\]\}/.exec(rest);
  if (array) {
    arrayItems(reader, array);
    return;
  }
  const simple = /^\$([A-Za-z_]\w*)/.exec(rest);
  const braces = /^\$\{([A-Za-z_]\w*)(?::?[-=]([^{}]*))?(?::?[?+][^{}]*)?\}/.exec(rest);
  const substitution = /^\$(?:\(\((?:[^()\n]|\([^()\n]{0,100}\)){0,200}\)\)|\([^()\n]{0,300}\)|[@*#?!0-9]|\{[^{}\n]{1,300}\})/.exec(rest);
  const match = braces ?? simple ?? substitution;
  if (!match) {
    if (!inQuotes && (rest[1] === "'" || rest[1] === '"')) reader.index += 1;
    else {
      append(reader, "$", index);
      reader.index += 1;
    }
    return;
  }
  const value = match === substitution ? undefined : reader.variables.get(match[1]) ?? fallback(reader, match);
  const known = value && canExpand(reader, value.text.length) ? value : undefined;
  if (known && !inQuotes && /\s/.test(known.text.trim())) splitWords(reader, known);
  else if (known === undefined || inQuotes || known.text !== "") {
    for (const letter of known?.text ?? match[0]) append(reader, letter, index);
    if (reader.word === null) append(reader, "", index);
    if (known === undefined) reader.word.open = true;
    reader.word.end = placeOf(reader, index + match[0].length - 1) + 1;
  }
  reader.index += match[0].length;
}

/** Whether so many letters may still be put in for variables; a text that doubles itself stops here. */
function canExpand(reader, numLetters) {
  reader.spare -= numLetters;
  return reader.spare >= 0;
}

/** The default of `${NAME:-default}` with its places. */
function fallback(reader, match) {
  if (!match[2]) return undefined;
  const text = match[2].replace(/^["']|["']$/g, "");
  const from = reader.index + match[0].indexOf(text, match[1].length + 2);
  return { text, places: Array.from(text, (_, at) => placeOf(reader, from + at)) };
}

/** An unquoted value of several words becomes words that stand where the value was written. */
function splitWords(reader, { text, places }) {
  for (let at = 0; at < text.length; at += 1) {
    if (/\s/.test(text[at])) endWord(reader);
    else appendAt(reader, text[at], places[at]);
  }
}

/** `${NAME[@]}`: the items of an array, each a word of its own. */
function arrayItems(reader, match) {
  const items = reader.variables.get(match[1])?.items;
  if (items === undefined || items.length === 0 || !canExpand(reader, items.reduce((sum, item) => sum + item.text.length + 1, 0))) {
    for (const letter of match[0]) append(reader, letter, reader.index);
    reader.word.open = true;
    reader.word.end = placeOf(reader, reader.index + match[0].length - 1) + 1;
  } else {
    if (reader.word?.letters.length === 0) reader.word = null;
    endWord(reader);
    for (const item of items) reader.words.push(item);
  }
  reader.index += match[0].length;
}

function separator(reader, letter) {
  const { text, index } = reader;
  if (letter === "&" && text[index + 1] === ">") return redirection(reader);
  const length = text[index + 1] === letter ? 2 : 1;
  endCommand(reader, text.slice(index, index + length));
  reader.index += length;
  return undefined;
}

/** `> file`, `2>&1` and their like are no words of the command. */
function redirection(reader) {
  const { text } = reader;
  if (reader.word && /^\d$/.test(reader.word.letters.join(""))) reader.word = null;
  endWord(reader);
  const operator = /^(?:&?>>?|<<?<?-?)(?:&\d?)?/.exec(text.slice(reader.index, reader.index + 6))[0];
  reader.index += operator.length;
  reader.skipWord = !/&\d$/.test(operator);
}

/** Whether a word is the image that a container command on the line before still lacks. */
function isLostImage(words, text) {
  const verb = words.findIndex((word) => word.text === "run");
  const isContainer = verb > 0 && /(?:^|\/)(?:docker|podman|nerdctl)$/.test(words[verb - 1].text);
  return isContainer && IMAGE.test(text) && !words.some((word) => IMAGE.test(word.text));
}

/** Commands that a missing continuation cut off rejoin the command they belong to. */
function joinBroken(reader) {
  const joined = [];
  for (const command of reader.commands) {
    const previous = joined[joined.length - 1];
    const first = command.words[0];
    const isRest = (/^(?:--?|[–—])[A-Za-z]/.test(first.text) && !first.quoted) || (previous && isLostImage(previous.words, first.text));
    if (previous && isRest && previous.by === "newline" && !/^[A-Za-z_]\w*=/.test(previous.words[0].text)) {
      const last = previous.words[previous.words.length - 1];
      const told = ELLIPSIS.test(last.text) || reader.faults.some((fault) => fault.start >= last.end && fault.end <= first.start);
      if (!told) reader.faults.push({ kind: "missing-continuation", start: last.start, end: last.end, next: first.start });
      previous.words.push(...command.words);
      previous.by = command.by;
      previous.continued ||= command.continued;
    } else {
      joined.push({ ...command, words: [...command.words] });
    }
  }
  return joined;
}
