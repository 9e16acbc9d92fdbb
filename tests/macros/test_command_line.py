"""The command line answers, suggests, and refuses nonsense in one line with exit code 2."""

import json
import shutil
import subprocess
import sys

import pytest

from macros.__main__ import main
from tests.conftest import ROOT


def answer(capsys, *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "" and captured.out.count("\n") == 1
    return json.loads(captured.out)


CEILING_KEYS = [
    "checkpoint", "hardware", "bandwidth_gb_per_s", "context_tokens", "concurrency", "kv_format",
    "draft", "draft_tokens", "acceptance_length", "nodes", "modules", "weight_bytes_per_step",
    "state_bytes_per_step", "kv_bytes_per_step", "bytes_per_step_min", "bytes_per_step",
    "bytes_per_token", "weights_ceiling_tokens_per_s", "ceiling_tokens_per_s",
    "ceiling_aggregate_tokens_per_s", "expected_tokens_per_s",
]  # fmt: skip
FIT_KEYS = {
    "weight_bytes", "kv_cache_bytes", "state_bytes", "reserve_bytes", "total_bytes",
    "capacity_bytes", "fits", "gpu_memory_utilization", "max_context_tokens", "max_concurrency",
}  # fmt: skip
JUDGE_KEYS = {
    "verdict", "share_of_ceiling", "ceiling_tokens_per_s", "expected_tokens_per_s", "percentile",
    "similar_measurements", "likely_causes",
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "sehyo/QWEN3.5-122b-a10b-nvfp4",
        "sehyo-qwen3.5-122b-a10b-nvfp4",
        " https://huggingface.co/Sehyo/Qwen3.5-122B-A10B-NVFP4/\n",
        "HTTPS://HuggingFace.co/sehyo/Qwen3.5-122B-A10B-NVFP4/tree/main",
        "https://www.huggingface.co/Sehyo/Qwen3.5-122B-A10B-NVFP4?library=vllm#files",
    ],
)
def test_ceiling_takes_a_repository_in_any_letter_case_or_an_id(capsys, name):
    found = answer(capsys, "ceiling", name)
    assert list(found) == CEILING_KEYS
    assert found["ceiling_tokens_per_s"] == pytest.approx(24.58, abs=0.01)
    assert sum(m["bytes_per_step"] for m in found["modules"]) == pytest.approx(
        found["weight_bytes_per_step"], abs=len(found["modules"])
    )
    assert set(found["modules"][0]) == {"module", "format", "params", "bytes_per_step"}


def test_ceiling_without_acceptance_is_a_bound(capsys):
    bound = answer(capsys, "ceiling", "nvidia/Qwen3.6-35B-A3B-NVFP4", "--draft", "mtp",
                   "--draft-tokens", "2")  # fmt: skip
    real = answer(capsys, "ceiling", "nvidia/Qwen3.6-35B-A3B-NVFP4", "--draft", "mtp",
                  "--draft-tokens", "2", "--acceptance-length", "2.5")  # fmt: skip
    assert bound["acceptance_length"] == 3
    assert real["ceiling_tokens_per_s"] == pytest.approx(bound["ceiling_tokens_per_s"] * 2.5 / 3)


def test_expectation_takes_the_usual_acceptance_where_none_is_stated(capsys):
    drafted = ("nvidia/Qwen3.6-35B-A3B-NVFP4", "--draft", "mtp", "--draft-tokens", "2")
    expected = answer(capsys, "ceiling", *drafted)["expected_tokens_per_s"]
    judged = answer(capsys, "judge", *drafted, "--tokens-per-s", "100")
    assert expected == judged["expected_tokens_per_s"] < judged["ceiling_tokens_per_s"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello world", "this looks neither like a command nor like a log of vLLM"),
        ("llama-server -m model.gguf -c 8192", "llama.cpp is not vLLM; only vLLM's flags"),
        (
            "vllm serve openai/gpt-oss-20b --gpu-memory-utilization 0.5 --max-num-seqs 4"
            " --max-model-len 65536 --host 127.0.0.1",
            "nothing found",
        ),
    ],
)
def test_diagnose_says_what_it_cannot_read(capsys, tmp_path, text, said):
    file = tmp_path / "pasted.txt"
    file.write_text(text, "utf-8")
    main(["diagnose", str(file)])
    assert said in capsys.readouterr().out


def test_an_unfinished_run_does_not_stand_in_the_way(capsys, monkeypatch, tmp_path):
    shutil.copytree(ROOT / "tests" / "cases" / "healthy" / "data", tmp_path / "data")
    monkeypatch.setattr("macros.__main__.ROOT", tmp_path)
    run = tmp_path / "data" / "measurements" / "2026-01-10-vllm-small.yaml"
    run.write_text(run.read_text("utf-8").replace("source: small-source", "source: null"), "utf-8")
    assert main(["ceiling", "somebody-small-moe-nvfp4"]) == 0
    assert "data/measurements/2026-01-10-vllm-small.yaml is unfinished" in capsys.readouterr().err
    assert main(["check"]) == 1


def test_fit_tells_what_does_not_fit(capsys):
    small = answer(capsys, "fit", "nvidia/Qwen3.6-35B-A3B-NVFP4", "--context-tokens", "32768")
    large = answer(capsys, "fit", "Qwen/Qwen3.5-122B-A10B-FP8")
    assert set(small) >= FIT_KEYS and small["fits"] is True and large["fits"] is False
    assert large["gpu_memory_utilization"] is None and small["gpu_memory_utilization"] <= 1
    total = sum(small[f"{part}_bytes"] for part in ("weight", "kv_cache", "state", "reserve"))
    assert small["total_bytes"] == pytest.approx(total, abs=4)


def test_longest_context_is_the_longest_that_fits(capsys):
    name = "openai/gpt-oss-120b"
    longest = answer(capsys, "fit", name, "--concurrency", "16")["max_context_tokens"]
    at = answer(capsys, "fit", name, "--concurrency", "16", "--context-tokens", str(longest))
    over = answer(capsys, "fit", name, "--concurrency", "16", "--context-tokens", str(longest + 1))
    assert at["fits"] and (not over["fits"] or longest == 131072)


@pytest.mark.parametrize(
    ("checkpoint", "draft", "speed", "tokens"),
    [
        ("Qwen/Qwen3.6-27B-FP8", "mtp", "22.6", 2),
        ("albond-qwen3.5-122b-a10b-int4-fp8-int8-head", "dflash", "81", 2),
        ("nvidia/Qwen3.6-35B-A3B-NVFP4", "mtp", "97.7", 1),
    ],
)
def test_drafts_of_unknown_number_are_impossible_only_under_every_number(
    capsys, checkpoint, draft, speed, tokens
):
    """Published speeds; one draft, stated, cannot reach two of them."""
    asked = ("judge", checkpoint, "--draft", draft, "--tokens-per-s")
    found = answer(capsys, *asked, speed)
    assert found["verdict"] != "impossible" and found["draft_tokens"] == tokens
    one = answer(capsys, *asked, speed, "--draft-tokens", "1")
    assert (one["verdict"] == "impossible") == (tokens > 1)
    assert answer(capsys, *asked, "5000")["verdict"] == "impossible"


def test_a_reader_that_stops_early_sees_no_traceback():
    command = [sys.executable, "-c", "import sys; from macros.__main__ import main; "
               "sys.exit(main(['ceiling', 'openai/gpt-oss-20b']))"]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        assert run.stderr.read() == b"" and run.wait() == 0


def judged(capsys, speed: str, *more: str) -> dict:
    return answer(capsys, "judge", "Intel/Qwen3.5-122B-A10B-int4-AutoRound", "--tokens-per-s",
                  speed, *more)  # fmt: skip


def test_judge_knows_normal_slow_broken_and_impossible(capsys):
    normal = judged(capsys, "28.4")
    assert set(normal) >= JUDGE_KEYS and normal["verdict"] == "normal"
    assert normal["similar_measurements"] and 0 < normal["share_of_ceiling"] < 1
    verdicts = [judged(capsys, speed)["verdict"] for speed in ("45", "20", "6")]
    assert verdicts == ["impossible", "slow", "something-is-wrong"]


def test_impossible_needs_more_than_the_stated_decimals(capsys):
    ceiling = normal = judged(capsys, "39.9")["ceiling_tokens_per_s"]
    assert normal == pytest.approx(39.93, abs=0.02)
    assert judged(capsys, "40")["verdict"] != "impossible", f"40 may mean 39.5; {ceiling}"
    assert judged(capsys, "40.2")["verdict"] == "impossible"


def test_judge_names_causes_for_a_slow_number(capsys):
    causes = [each["cause"] for each in judged(capsys, "22", "--draft", "mtp", "--draft-tokens",
              "1", "--acceptance-length", "1.9")["likely_causes"]]  # fmt: skip
    assert "stream-chunks-counted" in causes and "drafts-not-active" in causes
    assert "stream-chunks-counted" not in [
        each["cause"] for each in judged(capsys, "13")["likely_causes"]
    ]


BAD = [
    (("ceiling", "Sehyo/Qwen3.5-122B-NVFP4"), "did you mean Sehyo/Qwen3.5-122B-A10B-NVFP4"),
    (("ceiling", "minimax-m2.5"), "did you mean MiniMaxAI/MiniMax-M2.5"),
    (("ceiling", "openai/gpt-oss-20b", "--concurrency", "9" * 400), "or less"),
    (("judge", "openai/gpt-oss-20b", "--tokens-per-s", "1e999"), "must lie between"),
    (("judge", "openai/gpt-oss-20b", "--tokens-per-s", "1e-400"), "must lie between"),
    (("ceiling", "openai/gpt-oss-120b", "--context-tokens", "-1"), "must be 0 or more"),
    (("ceiling", "openai/gpt-oss-120b", "--concurrency", "0"), "must be 1 or more"),
    (("ceiling", "openai/gpt-oss-120b", "--concurrency", "many"), "not a whole number"),
    (("ceiling", "openai/gpt-oss-120b", "--kv-format", "int4"), "invalid choice"),
    (("ceiling", "openai/gpt-oss-120b", "--draft", "mtp"), "no published MTP layers"),
    (("ceiling", "openai/gpt-oss-120b", "--draft", "dflash"), "no dflash drafter"),
    (("ceiling", "openai/gpt-oss-120b", "--acceptance-length", "nan"), "must be 1 or more"),
    (("ceiling", "openai/gpt-oss-120b", "--hardware", "h100"), "unknown hardware"),
    (("judge", "openai/gpt-oss-120b", "--tokens-per-s", "0"), "must be more than 0"),
    (("judge", "openai/gpt-oss-120b", "--tokens-per-s", "fast"), "is not a number"),
    (("judge", "openai/gpt-oss-120b", "--tokens-per-s", "9", "--engine", "foo"), "known are"),
    (("judge", "openai/gpt-oss-120b", "--tokens-per-s", "9", "--engine", "vlm"), "mean vllm"),
    (("cieling", "openai/gpt-oss-120b"), "unknown command 'cieling'; did you mean ceiling"),
    (("check", "no-such-file.yaml"), "there is no no-such-file.yaml"),
    (("new", "modle", "x"), "did you mean model"),
    (("new", "model", "gpt-oss-120b"), "exists"),
    (("new", "model", "../up"), "an id is lower case"),
    (("diagnose", "no-such-file.txt"), "cannot read no-such-file.txt"),
    ((), "required"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: str(value)[:50])
def test_nonsense_gets_one_clear_line_and_exit_code_2(capsys, arguments, words):
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert words in captured.err and captured.err.startswith("error: ")
    assert captured.out == "" and "Traceback" not in captured.err
    assert captured.err.count("\n") == 1


def test_engine_is_found_in_any_letter_case(capsys):
    assert judged(capsys, "28.4", "--engine", "VLLM")["engine"] == "vllm"


def test_check_shows_all_or_only_what_is_in_some_files(capsys, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "tests" / "cases" / "healthy" / "data", tmp_path / "data")
    for number in range(7):
        (tmp_path / "data" / "measurements" / f"{number}.yml").write_text("id: x\n", "utf-8")
    monkeypatch.setattr("macros.__main__.ROOT", tmp_path)
    said = {}
    for options in ((), ("--all",), ("data/measurements/3.yml",), ("data/models",)):
        paths = [str(tmp_path / each) if "/" in each else each for each in options]
        code = main(["check", *paths])
        said[options] = (code, capsys.readouterr().out)
    assert [said[options][0] for options in said] == [1, 1, 1, 0]
    counts = [text.count(": identity/unread-file:") for _, text in said.values()]
    assert counts == [5, 7, 1, 0]
    assert "and 2 more of identity/unread-file; see all:" in said[()][1]
    assert said[("data/models",)][1].startswith("7 found in other files; the rules run once")
