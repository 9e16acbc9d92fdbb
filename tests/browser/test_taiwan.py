"""What programs write into Traditional pages is Traditional, too, in the words of Taiwan."""

import pytest

from tests.frame.test_built_site import simplified_only
from tests.frame.test_taiwan import mainland_words_in

TOOLS = ["benchmarks", "builder", "calculator", "diagnose", "judge", "pitfalls", "recipes"]
TEXT = """() => {
  const foreign = "code, pre, kbd, samp, script, style, textarea, [lang]:not(html)";
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest(foreign)) found.push(walker.currentNode.data);
  }
  for (const element of document.querySelectorAll("body *")) {
    for (const name of ["title", "placeholder", "aria-label", "alt", "data-label"]) {
      if (element.hasAttribute(name) && !element.closest(foreign)) {
        found.push(element.getAttribute(name));
      }
    }
  }
  return found.join("\\n");
}"""


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_speaks_as_in_taiwan_whatever_one_enters(page, site, built_site, tool):
    if not (built_site / "zh-Hant" / tool).exists():
        pytest.skip(f"{tool} is not a page of this build")
    page.goto(f"{site}zh-Hant/{tool}/")
    page.wait_for_load_state("networkidle")
    texts = [page.evaluate(TEXT)]
    for typed in ("-1", "99999999", "vllm serve --max-model-length 8"):
        for field in page.locator("article :is(input, textarea)").element_handles():
            kind = field.get_attribute("type")
            if field.is_visible() and kind in (None, "text", "number", "search"):
                field.fill("-1" if kind == "number" and " " in typed else typed)
        page.wait_for_timeout(150)
        texts.append(page.evaluate(TEXT))
    text = "\n".join(texts)
    assert {character for character in text if simplified_only(character)} == set()
    assert mainland_words_in(text) == {}
