"""Chinese pages are Chinese: English stands there as code, as a quotation, or as a name."""

import html
import re

from tests.frame.test_built_site import of_language, parse_site

PHRASE = re.compile(r"(?<![\w-])[A-Za-z][a-z]+(?:,? [a-z]{2,}){2,}(?![\w-])")
CODE = re.compile(r"<(?:code|pre)\b[^>]*>(.*?)</(?:code|pre)>", re.DOTALL)
SPAN = re.compile(r"`[^`]*`")  # code that a script still has to mark
TAG = re.compile(r"<[^>]+>")


def phrases_in(text: str) -> set[str]:
    """Return the runs of three ordinary English words or more."""
    return set(PHRASE.findall(SPAN.sub("", text)))


def test_english_phrases_are_seen():
    assert phrases_in("vLLM，shared experts to FP8，见 `as it was`") == {"shared experts to"}
    assert phrases_in("Not stated exactly，Qwen3.5 的 MTP") == {"Not stated exactly"}
    assert phrases_in("docker run，Spark Arena，NVIDIA Container Toolkit") == set()


def test_no_chinese_page_holds_an_english_phrase_of_ours(built_site):
    found = {}
    for path, page in of_language(parse_site(built_site), "zh").items():
        content = (built_site / "zh" / path / "index.html").read_text("utf-8")
        code = html.unescape(TAG.sub("", " ".join(CODE.findall(content))))
        texts = [page.title, page.description, *page.text]
        phrases = {each for text in texts for each in phrases_in(text) if each not in code}
        if phrases:
            found[path] = phrases
    assert found == {}
