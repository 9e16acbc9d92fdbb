// The theme adds a copy button to every code block, as one more navigation without a name; to assistive
// technology it is none.  A block that scrolls can be reached and scrolled with the keyboard.  Code within a
// sentence stays in one piece, where it is not too long for a line of a phone.

const LONGEST_WHOLE = 32;

const mend = () => {
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([role])")) {
    buttons.setAttribute("role", "none");
  }
  for (const code of document.querySelectorAll("pre > code:not([tabindex])")) {
    const scrolls = code.scrollHeight > code.clientHeight || code.scrollWidth > code.clientWidth;
    if (scrolls) code.tabIndex = 0;
  }
  for (const code of document.querySelectorAll(":not(pre) > code:not(.whole)")) {
    if (code.textContent.length <= LONGEST_WHOLE) code.classList.add("whole");
  }
};

let waiting = false;
const mendSoon = () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    mend();
  });
};

new MutationObserver(mendSoon).observe(document.body, {
  attributeFilter: ["hidden"],
  childList: true,
  subtree: true,
});
addEventListener("resize", mendSoon);
mendSoon();
