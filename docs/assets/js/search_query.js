// Reads what a reader typed and writes the query for the search library. The build puts this at the
// start of the theme's search worker: pasted flags, image names and log lines find instead of failing,
// Chinese is found by its words, and names of the same thing, in any script, find each other.

const MOST_WORDS = 40;
const HAN = /\p{sc=Han}+/gu;
const OPERATORS = /[~^*+\\]+/g;

/**
 * Mend the library before it makes an index, and return the settings of the search.
 *
 * It tells the nodes of its word tree apart by a text in which digits of words and numbers of nodes
 * run together: "1" then node 23 looks like "12" then node 3. Merged nodes then lead to words that no
 * page has, and the query fails.
 */
const preparedSearch = (config) => {
  lunr.TokenSet.prototype.toString = function () {
    if (this._str) return this._str;
    const edges = Object.keys(this.edges).sort();
    return `${Number(this.final)}${edges.map((label) => `${label}${this.edges[label].id};`).join("")}`;
  };
  return config;
};

/** Return the words of the index that a run of Chinese holds; single characters only if alone. */
const wordsOf = (run, index) => {
  const found = [];
  for (let start = 0; start < run.length; start += 1) {
    for (let end = start + 2; end <= run.length; end += 1) {
      const word = run.slice(start, end);
      if (Object.hasOwn(index, word)) found.push(word);
    }
  }
  return found.length ? found : [...run].filter((character) => Object.hasOwn(index, character));
};

/** Return a text in the script of this index: listed words first, then characters. */
const inOwnScript = (text, script) =>
  text.replace(HAN, (run) => {
    let written = "";
    for (let start = 0; start < run.length; ) {
      let end = run.length;
      while (end > start + 1 && !Object.hasOwn(script, run.slice(start, end))) end -= 1;
      const part = run.slice(start, end);
      written += Object.hasOwn(script, part) ? script[part] : part;
      start = end;
    }
    return written;
  });

/** Return a text without the Chinese names that the index lacks, and what all its names stand for. */
const withOtherNames = (text, aliases, index) => {
  let own = text;
  const others = [];
  for (const [name, other] of Object.entries(aliases)) {
    const at = text.indexOf(name);
    const isHan = /\p{sc=Han}/u.test(name);
    if (at < 0 || (!isHan && /[a-z0-9_]/.test(`${text[at - 1] ?? ""}${text[at + name.length] ?? ""}`))) continue;
    others.push(other);
    if (isHan && !Object.hasOwn(index, name)) own = own.replace(name, " ");
  }
  return [own, others.join(" ")];
};

/** Return the words of a text as the index has them, without stop words. */
const tokensOf = (text, config, index) => {
  const tokens = text
    .replace(OPERATORS, " ")
    .split(new RegExp(config.separator))
    .flatMap((part) => part?.split(/(\p{sc=Han}+)/u) ?? [])
    .flatMap((part) => {
      if (/\p{sc=Han}/u.test(part)) return wordsOf(part, index);
      return Object.hasOwn(index, part) ? [part] : part.split(/(?<=^\d+)(?=[a-z]+$)/); // 14w
    })
    .filter(Boolean);
  const telling = tokens.filter(
    (token) =>
      !config.stop?.includes(token) &&
      lunr.stopWordFilter(token),
  );
  return [...new Set(telling.length ? telling : tokens)].slice(0, MOST_WORDS);
};

const searchQuery = (typed, config, index) => {
  const { aliases = {}, script = {} } = config;
  const [asTyped, namesAsTyped] = withOtherNames(typed.toLowerCase(), aliases, index);
  const [kept, names] = withOtherNames(inOwnScript(asTyped, script), aliases, index);
  const own = tokensOf(kept, config, index);
  const others = tokensOf(`${namesAsTyped} ${names}`, config, index);
  return [
    ...own.map((token, place) => {
      const last = place === own.length - 1 && token.length > 1;
      const open = token.length > 3 || last || /[^\x00-\x7f]/.test(token);
      return open ? `${token}^4 ${token}*^1` : `${token}^4`;
    }),
    ...others.filter((token) => !own.includes(token)).map((token) => `${token}^2`),
  ].join(" ");
};
