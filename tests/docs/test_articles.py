"""The pages of the two articles hold every statement, and are read again when a verdict changes.

`tests/golden/articles.json` remembers which verdicts each part was written for. If one changes,
read that part in both languages, then run `pytest tests/docs/test_articles.py --golden`.
"""

import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from macros import claims
from macros.library import Entry, Library, load
from macros.records import Claim, Faq, Pitfall
from macros.rendering import macros, render_pages
from macros.rendering.pages import articles
from macros.rendering.pages.claims import ARTICLES, VERDICTS

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "articles.json"
LIBRARY, _ = load(ROOT)
PAGES = {source: f"{address.strip('/')}.md" for source, address in ARTICLES.items()}
PART = re.compile(r"^#+ .*\{ #([\w-]+) \}$", re.M)
CLAIM_CALL = re.compile(r"\b(?:claims_of|stated|said|record_link)\(([^)]*)\)")
LADDER = (
    "2026-04-vllm-albond-qwen3.5-122b-int4-base",
    "2026-04-vllm-albond-qwen3.5-122b-hybrid",
    "2026-04-vllm-albond-qwen3.5-122b-hybrid-mtp1",
)


def read(source: str, language: str = "en") -> str:
    return (ROOT / "docs" / language / PAGES[source]).read_text("utf-8")


def told(source: str, language: str) -> list[str]:
    """Return the claims that the tables of a page list."""
    calls = re.findall(r"\bclaims_of\(([^)]*)\)", read(source, language))
    return [name for call in calls for name in re.findall(r'"([^"]+)"', call)[1:]]


def claims_by_part(text: str) -> dict[str, list[str]]:
    """Return the claims that each part of a page lists, quotes or links."""
    found = {}
    cuts = list(PART.finditer(text))
    for this, following in zip(cuts, [*cuts[1:], None], strict=True):
        part = text[this.end() : following.start() if following else None]
        words = [
            name for call in CLAIM_CALL.findall(part) for name in re.findall(r'"([^"]+)"', call)
        ]
        names = {name.removeprefix("claims/") for name in words}
        found[this[1]] = sorted(name for name in names if LIBRARY.find(Claim, name))
    return found


def verdict_of(library: Library, claim_id: str) -> str:
    """Return the verdict of a claim as its check computes it."""
    return claims.judge_claim(library, library.get(Claim, claim_id)).verdict


def verdicts_as_told(library: Library) -> dict[str, dict[str, dict[str, str]]]:
    """Return the verdict of today of every claim, by the page and the part that tell it."""
    return {
        PAGES[source]: {
            part: {name: verdict_of(library, name) for name in names}
            for part, names in claims_by_part(read(source)).items()
            if names
        }
        for source in ARTICLES
    }


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("source", ARTICLES)
def test_every_statement_is_told_once(source, language):
    own = sorted(claim.id for claim in LIBRARY.records(Claim) if claim.source == source)
    assert sorted(told(source, language)) == own


def test_parts_were_read_with_the_verdicts_of_today(request):
    found = verdicts_as_told(LIBRARY)
    if request.config.getoption("--golden"):
        GOLDEN.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
    assert found == json.loads(GOLDEN.read_text("utf-8")), (
        "verdicts changed: read these parts of the articles' pages again, in both languages; "
        "then run `pytest tests/docs/test_articles.py --golden`"
    )


def test_a_flipped_verdict_makes_its_part_be_read_again():
    entry = LIBRARY.kinds["measurements"][LADDER[1]]
    point = entry.record.points[0]
    results = point.results.model_copy(update={"end_to_end_tokens_per_s": Decimal("31.4")})
    points = [point.model_copy(update={"results": results})]
    runs = LIBRARY.kinds["measurements"] | {
        LADDER[1]: Entry(entry.document, entry.record.model_copy(update={"points": points}))
    }
    changed = verdicts_as_told(replace(LIBRARY, kinds=LIBRARY.kinds | {"measurements": runs}))
    stored = json.loads(GOLDEN.read_text("utf-8"))
    assert stored["articles/builder-daily.md"]["ladder"]["122b-hybrid-30.8"] == "holds"
    assert changed["articles/builder-daily.md"]["ladder"]["122b-hybrid-30.8"] == "contradicted"
    assert changed != stored


def test_disagreements_come_from_the_records():
    pairs = claims.disagreements(LIBRARY, *ARTICLES)
    table = articles.disagreements(LIBRARY, "en")
    assert table.count("<tr>") == len(pairs) + 1
    for one, other in pairs:
        assert f"/claims/{one.id}/" in table and f"/claims/{other.id}/" in table
    one, other = pairs[0]
    kept = {
        key: Entry(entry.document, entry.record.model_copy(update={"disagrees_with": []}))
        if entry.record.id in (one.id, other.id)
        else entry
        for key, entry in LIBRARY.kinds["claims"].items()
    }
    fewer = articles.disagreements(replace(LIBRARY, kinds=LIBRARY.kinds | {"claims": kept}), "en")
    assert fewer.count("<tr>") < table.count("<tr>")


def test_counts_add_up():
    table = articles.article_verdicts(LIBRARY, "en")
    numbers = [int(each) for each in re.findall(r'<td class="number">(\d+)</td>', table)]
    rows = [numbers[start : start + 3] for start in range(0, len(numbers), 3)]
    assert len(rows) == len(VERDICTS) + 1
    assert all(first + second == both for first, second, both in rows)
    assert [sum(column) for column in zip(*rows[:-1], strict=True)] == rows[-1]


def test_ladder_gives_gains_and_bytes_of_each_step():
    table = articles.ladder(LIBRARY, "en", *LADDER)
    assert "&#43;8.8<" in table and "&#43;24.7<" in table
    assert "−0.45<" in table and "&#43;3.86<" in table


def test_figures_are_linked_and_quotations_keep_their_language():
    functions = macros(LIBRARY, "zh")
    assert functions["stated"]("122b-14-tok-s") == '<a href="/claims/122b-14-tok-s/">14</a>'
    assert '<q lang="zh-Hant">' in functions["said"]("road-with-twelve-lanes")
    with pytest.raises(ValueError, match="states no figure"):
        functions["stated"]("gdn-must-stay-bf16")


def test_road_refuses_a_file_of_unknown_composition():
    with pytest.raises(KeyError):
        articles.road(LIBRARY, "en", "no-such-checkpoint")


def test_the_printed_command_is_diagnosed_and_marked():
    shown = articles.faulty(
        LIBRARY, "en", "seed-builder-daily",
        "vllm serve RedHatAI/Qwen3.6-35B-A3B-NVFP4 --speculative-model-type=ngram",
    )  # fmt: skip
    assert "data-faulty" in shown and "/pitfalls/mtp-not-ngram/" in shown


@pytest.mark.parametrize("source", ARTICLES)
def test_the_page_of_a_claim_leads_back_to_its_part(source):
    pages = render_pages(LIBRARY, "en")
    for claim_id in told(source, "en"):
        page = pages[f"claims/{claim_id}.md"].markdown
        assert f'href="{ARTICLES[source]}#{claim_id}"' in page


def test_what_rests_on_an_article_is_tied_to_a_claim():
    named_by_claims = {
        reference
        for claim in LIBRARY.records(Claim)
        for reference in (*claim.related, *claim.against, *claim.superseded_by)
    }
    loose = [
        f"{kind}/{record.id}"
        for kind, record_class in (("faq", Faq), ("pitfalls", Pitfall))
        for record in LIBRARY.records(record_class)
        if {each.source for each in record.provenance} & set(ARTICLES)
        and not any(each.startswith("claims/") for each in record.related)
        and f"{kind}/{record.id}" not in named_by_claims
    ]
    assert loose == []
