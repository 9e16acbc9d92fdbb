"""A term is explained where it occurs first in running text, and nowhere else."""

import re
from pathlib import Path

import pytest

from macros.library import load
from macros.rendering.explanations import explainer

LIBRARY, _ = load(Path(__file__).resolve().parents[2])
EXPLAIN = {language: explainer(LIBRARY, language).explain for language in ("en", "zh")}
MARKED = re.compile(r'<a href="/glossary/#([\w-]+)" title="[^"]+" class="explained">(.*?)</a>')


def marked(html, language="en"):
    """Return (id, text) of every explained term."""
    return MARKED.findall(EXPLAIN[language](html))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Tokens and a token", [("token", "Tokens")]),
        ("MTP-2 beside FP8", [("mtp", "MTP"), ("fp8", "FP8")]),
        ("a routed expert, experts", [("routed-expert", "routed expert"), ("expert", "experts")]),
        ("Qwen-FP8, FP8-dynamic, tokenizer, my_token", []),
        ("CUDA graphs, Embedding", [("cuda-graph", "CUDA graphs"), ("embedding", "Embedding")]),
        ("MoE models", [("mixture-of-experts", "MoE")]),
        ("A release in a container", []),
    ],
)  # fmt: skip
def test_english_terms_are_whole_words_that_need_a_word(text, found):
    assert marked(f"<p>{text}</p>") == found


def test_the_longest_chinese_term_wins():
    assert marked("<p>混合专家里的路由专家与专家，见 KV 缓存。</p>", "zh") == [
        ("mixture-of-experts", "混合专家"),
        ("routed-expert", "路由专家"),
        ("expert", "专家"),
        ("kv-cache", "KV 缓存"),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<h2>MTP</h2>",
        "<p><code>MTP</code></p>",
        '<p><a href="/">MTP</a></p>',
        '<p><span lang="zh">MTP</span></p>',
        "<li><label><input>MTP</label></li>",
        "<table><tr><td>MTP</td></tr></table>",
        '<p><span class="badge badge--mtp">MTP</span></p>',
        "<pre><span>MTP</span></pre>",
        "<p hidden>MTP</p>",
        "<div>MTP</div>",
    ],
)
def test_headings_code_links_and_quotations_stay_as_they_are(html):
    assert EXPLAIN["en"](html) == html


def test_only_the_marks_are_added():
    html = "<p>The KV cache<br>and <em>MTP</em> &amp; 3 > 2</p>\n<ul><li>token</li></ul>"
    shown = EXPLAIN["en"](html)
    assert len(MARKED.findall(shown)) == 3
    assert MARKED.sub(r"\2", shown) == html


def test_every_explained_term_has_its_entry():
    glossary = LIBRARY.single("terms").glossary
    assert sum(not term.everyday for term in glossary.values()) > 40
