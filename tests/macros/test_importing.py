"""Result files of four tools become drafts of runs; nonsense is refused, nothing is overwritten."""

import json
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from macros import checks, importing
from macros.__main__ import main
from macros.importing import ResultsError, draft_of, import_results, read_results
from macros.library import Library, load, validate
from macros.loading import load_text
from macros.records import Measurement
from macros.style import write_whole

TESTS = Path(__file__).resolve().parents[1]
FILES = TESTS / "results"
HEALTHY = TESTS / "cases" / "healthy"
NAMES = [
    "vllm-serve.json",
    "llama-bench.json",
    "llama-benchy.json",
    "llama-benchy.csv",
    "aiperf.json",
]
KNOWN = {"checkpoint": "somebody-small-moe-nvfp4", "source": "small-source", "engine": "vllm",
         "engine_version": "0.26.0", "nodes": 1}  # fmt: skip


@pytest.fixture(scope="module")
def library() -> Library:
    """A small library in which nothing is wrong."""
    found, findings = load(HEALTHY)
    assert findings == []
    return found


def text_of(name: str) -> str:
    """Return a sample file."""
    return (FILES / name).read_text("utf-8")


def run_of(library: Library, name: str, **known) -> Measurement:
    """Return the run that a sample becomes when the caller knows the rest."""
    draft = draft_of(library, read_results(text_of(name)), file_name=name, **(known or KNOWN))
    document, faults = load_text(draft.text, draft.path)
    assert faults == []
    run, findings = validate(document, Measurement)
    assert findings == []
    return run


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_is_a_run_that_keeps_every_rule(name, library, tmp_path):
    shutil.copytree(HEALTHY / "data", tmp_path / "data")
    terms = tmp_path / "data" / "terms.yaml"
    for code in ("draft-not-stated", "undated"):
        terms.write_text(
            terms.read_text("utf-8")
            + f"  {code}:\n    label: {{en: a, zh: 甲}}\n    explanation: {{en: b, zh: 乙}}\n"
        )
    draft = import_results(library, tmp_path, FILES / name, write_whole, **KNOWN)
    whole, findings = load(tmp_path)
    assert findings + checks.run(whole) == []
    assert (tmp_path / draft.path).read_text("utf-8") == draft.text


def test_vllm_serve_keeps_definitions_and_decimals(library):
    run = run_of(library, "vllm-serve.json")
    (point,) = run.points
    assert (point.concurrency, point.input_tokens, point.output_tokens) == (4, 1024, 512)
    assert point.results.aggregate_tokens_per_s == Decimal("93.792")
    assert point.results.median_tpot_ms == Decimal("41.1")
    assert point.results.p99_ttft_ms == Decimal("981.556")
    assert point.results.decode_tokens_per_s is None
    assert (run.metric, str(run.measured_on)) == ("server-throughput", "2026-08-14")


def test_llama_bench_splits_prefill_from_decode_and_leaves_mixtures_out(library):
    run = run_of(library, "llama-bench.json")
    assert [(p.context_tokens, p.results.prefill_tokens_per_s, p.results.decode_tokens_per_s)
            for p in run.points] == [
        (0, Decimal("1918.621"), None), (0, None, Decimal("60.41")), (8192, None, Decimal("53.3")),
    ]  # fmt: skip
    assert run.draft.method == "none"
    results = read_results(text_of("llama-bench.json"))
    assert results.build == "b5163 (8cf427ff)" and "mixes" in results.notes[0]


@pytest.mark.parametrize("name", ["llama-benchy.json", "llama-benchy.csv"])
def test_llama_benchy_means_each_alone_and_all_in_company(library, name):
    points = {
        (p.concurrency, p.context_tokens, p.content_as_stated): p.results
        for p in run_of(library, name).points
    }
    alone = points[1, 0, None]
    assert alone.decode_tokens_per_s == Decimal("28.612")
    assert alone.mean_ttft_ms == Decimal("1084.2")  # ttfr, and not e2e_ttft
    assert alone.aggregate_tokens_per_s is None
    company = points[2, 4096, None]
    assert company.decode_tokens_per_s == Decimal("23.05")
    assert company.aggregate_tokens_per_s == Decimal("44.1")
    assert company.prefill_tokens_per_s is None  # one request's, and the file gives all of them
    assert points[1, 0, "loading the context"].prefill_tokens_per_s == 1850


def test_aiperf_calls_tpot_inter_token_latency(library):
    (point,) = run_of(library, "aiperf.json").points
    assert point.concurrency == 8
    assert point.results.median_tpot_ms == Decimal("51.98")
    assert point.results.median_itl_ms is None
    assert point.results.aggregate_tokens_per_s == Decimal("150.248")


def test_what_the_file_does_not_know_is_null_and_listed(library):
    results = read_results(text_of("llama-bench.json"))
    draft = draft_of(library, results, file_name="a.json")
    document, _ = load_text(draft.text, draft.path)
    assert document.data["model"] is None and document.data["provenance"][0]["source"] is None
    listed = {each.split(":")[0] for each in draft.missing}
    assert {"model", "checkpoint", "engine.version", "provenance", "num_nodes"} <= listed
    assert "draft" not in listed and "measured_on" not in listed
    undated = draft_of(library, read_results(text_of("llama-benchy.csv")), file_name="a.csv")
    assert "measured_on" in {each.split(":")[0] for each in undated.missing}


def test_the_checkpoint_is_found_by_its_repository_in_any_case(library):
    assert importing.find_named(library, "SOMEBODY/small-moe-nvfp4").id == KNOWN["checkpoint"]
    assert importing.find_named(library, "somebody/other") is None
    assert importing.find_named(library, None) is None


def changed(name: str, **values) -> str:
    """Return a sample with some fields of its first object changed."""
    value = json.loads(text_of(name))
    (value[0] if isinstance(value, list) else value).update(values)
    return json.dumps(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("hello\n", "neither JSON nor the CSV"),
        ("{", "not JSON"),
        ("[]", "no results"),
        ("[1, 2]", "no results"),
        ('{"a": 1}', "not a result of vllm bench serve"),
        (changed("vllm-serve.json", completed=0), "no request succeeded"),
        (changed("vllm-serve.json", output_throughput=-3), "output_throughput is -3"),
        (changed("vllm-serve.json", output_throughput=0), "expected a number above 0"),
        (changed("vllm-serve.json", output_throughput="fast"), "'fast'"),
        (changed("vllm-serve.json", mean_ttft_ms=True), "mean_ttft_ms is True"),
        (changed("vllm-serve.json", total_output_tokens=1.5), "whole number"),
        (changed("vllm-serve.json", max_concurrency=0), "max_concurrency is 0"),
        (changed("vllm-serve.json", output_throughput=float("nan")), "NaN where a number belongs"),
        (changed("llama-bench.json", model_filename="other.gguf"), "2 models"),
        (changed("llama-benchy.json", benchmarks=[]), "no test has a result"),
        (changed("llama-benchy.json", benchmarks=["x"]), "something other"),
        (changed("aiperf.json", was_cancelled=True), "cancelled"),
        (changed("aiperf.json", time_to_first_token={"unit": "sec", "avg": 1}), "expected ms"),
        (text_of("llama-benchy.csv") + "x,sing128,1,,,,,,,,,\n", "unknown test 'sing128'"),
        (text_of("llama-benchy.csv") + "x,tg32 (c1),1,,,,,,,,,\n", "a second 'tg32 (c1)'"),
    ],
)
def test_nonsense_is_refused_with_its_reason(text, words):
    with pytest.raises(ResultsError) as refused:
        read_results(text)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_with_a_result_a_line_is_read(library):
    line = json.dumps(json.loads(text_of("vllm-serve.json")))
    assert len(read_results(f"{line}\n{line}\n").points) == 2


def test_nothing_is_overwritten(library, tmp_path):
    draft = import_results(library, tmp_path, FILES / "aiperf.json", write_whole, **KNOWN)
    path = tmp_path / draft.path
    path.write_text("mine", "utf-8")
    with pytest.raises(ResultsError, match="exists"):
        import_results(library, tmp_path, FILES / "aiperf.json", write_whole, **KNOWN)
    assert path.read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.json"], "cannot read nowhere.json"),
        ([str(FILES / "aiperf.json"), "--engine", "nothing"], "unknown engine"),
        ([str(FILES / "aiperf.json"), "--source", "nothing"], "unknown source"),
        ([str(FILES / "aiperf.json"), "--nodes", "0"], "must be 1 or more"),
    ],
)
def test_the_command_line_refuses_in_one_line(capsys, arguments, words):
    assert main(["import-results", *arguments]) == 2
    printed = capsys.readouterr()
    assert words in printed.err and printed.err.count("\n") == 1 and not printed.out
