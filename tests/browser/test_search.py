"""What people type finds the right page among the first three, on the site of every language."""

import gzip
from pathlib import Path

import pytest
import yaml

QUERIES = yaml.safe_load(Path(__file__).with_name("search_queries.yaml").read_text("utf-8"))
SHOWN = 3  # pages, and hits that are shown of each
LARGEST = 300_000  # bytes of an index on its way to a phone

ODD = [
    "", "-", "?!…", '"', "a:b^2~*+\\", "--kv-cache-dtype", "vllm/vllm-openai@sha256:0123",
    "[rank0]: RuntimeError: 'x' != \"y\" <think> {{.Names}}", "constructor __proto__ toString",
    "什么", "🦙", "x" * 3000, "error " * 500,
]  # fmt: skip

# The theme's own worker with the index of the language, asked one query after the other.
ASK = """async ([language, queries]) => {
  const index = await (await fetch(`${language}/search/search_index.json`)).json();
  const script = JSON.parse(document.querySelector("#__config").text).search;
  const worker = new Worker(new URL(script, location.href));
  const ask = (message) => new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data.data);
    worker.onerror = reject;
    worker.postMessage(message);
  });
  await ask({ type: 0, data: { ...index, options: { suggest: true } } });
  const found = {};
  for (const query of queries) {
    const { items } = await ask({ type: 2, data: query });
    found[query] = items.map((page) => page.map((hit) => hit.location));
  }
  worker.terminate();
  return found;
}"""


def is_found(wanted: str, pages: list[list[str]]) -> bool:
    """Whether a page, or a question on it, is among what the first results show."""
    shown = [page[:SHOWN] for page in pages[:SHOWN]]
    if "#" in wanted:
        return any(wanted in page for page in shown)
    return any(hit.partition("#")[0] == wanted for page in shown for hit in page)


@pytest.mark.parametrize("language", QUERIES)
def test_what_people_ask_finds_its_page_among_the_first_three(page, site, built_site, language):
    queries = QUERIES[language]
    assert len(queries) >= 30
    for wanted in {path.partition("#")[0] for paths in queries.values() for path in paths}:
        assert (built_site / language / wanted / "index.html").is_file(), wanted
    page.goto(f"{site}{language}/about/")
    page.goto(f"{site}404.html")
    found = page.evaluate(ASK, [language, list(queries)])
    missed = {
        query: found[query][:SHOWN]
        for query, wanted in queries.items()
        if not any(is_found(each, found[query]) for each in wanted)
    }
    assert missed == {}


@pytest.mark.parametrize("language", QUERIES)
def test_no_query_makes_the_search_fail(page, site, language):
    page.goto(f"{site}404.html")
    found = page.evaluate(ASK, [language, ODD])  # the worker warns on the console if it fails
    assert set(found) == set(ODD)


@pytest.mark.parametrize("language", QUERIES)
def test_the_index_is_fit_for_a_phone(built_site, language):
    index = (built_site / language / "search" / "search_index.json").read_bytes()
    size = len(gzip.compress(index))
    print(f"{language}: {size / 1000:.0f} kB compressed, {len(index) / 1000:.0f} kB in memory")
    assert size < LARGEST
