// Changing the language keeps the place in the page; the choice is remembered; nothing moves the reader.

const KEY = "gb10-ledger.language";

export const remembered = () => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage may be forbidden
  }
};

export const remember = (language) => {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // then it is asked again next time
  }
};

/** The first of our languages that the browser asks for, or null. */
export const preferred = (languages) => {
  for (const language of languages) {
    const tag = language.toLowerCase();
    if (/^zh-(hant|tw|hk|mo)/.test(tag)) return "zh-Hant";
    if (/^zh/.test(tag)) return "zh";
    if (/^en/.test(tag)) return "en";
  }
  return null;
};

const keepPlace = (link) => {
  const target = new URL(link.href);
  target.search = location.search;
  target.searchParams.delete("h"); // the words of a search belong to one language
  target.hash = location.hash;
  link.href = target.href;
};

const offer = () => {
  const current = document.documentElement.lang;
  const wanted = remembered() ?? preferred(navigator.languages);
  for (const note of document.querySelectorAll("[data-language-offer]")) {
    note.hidden = note.dataset.languageOffer !== wanted || wanted === current;
    note.querySelector("a").onclick = () => remember(wanted);
    note.querySelector("button").onclick = () => {
      remember(current);
      note.hidden = true;
    };
  }
};

/** A page that is not there answers in all languages: the reader's first, and without a frame in another one. */
const answer = () => {
  const wanted = remembered() ?? preferred(navigator.languages);
  const own = document.querySelector(`[data-not-found][lang="${wanted}"]`);
  if (!own) return;
  own.parentElement.prepend(own);
  if (wanted === document.documentElement.lang) return;
  document.body.classList.add("frameless");
  document.querySelector(".md-header .md-ellipsis").textContent = own.dataset.notFound;
  document.querySelector(".md-header .md-logo").href = own.querySelector("a[hreflang]").href;
};

document.addEventListener(
  "click",
  (event) => {
    const link = event.target.closest?.("a[hreflang]");
    if (!link) return;
    keepPlace(link);
    if ("languageChoice" in link.dataset) remember(link.hreflang);
  },
  { capture: true },
);
window.document$?.subscribe(offer); // absent on the first page, which has no theme
window.document$?.subscribe(answer);
