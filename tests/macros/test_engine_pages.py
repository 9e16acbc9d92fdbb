"""What the pages of engines say is what the tables and the records hold."""

from functools import cache

import pytest

from macros import library as library_module
from macros.engines.facts import canonical, fits_template, property_at, values_of
from macros.engines.runs import contains, version_key
from macros.records import Measurement
from macros.rendering.pages import engines, several
from tests.conftest import ROOT


@cache
def library():
    """Return the library of this project."""
    return library_module.load(ROOT)[0]


def tables():
    """Return the tables of vLLM."""
    return engines.tables_of(library())


def test_every_change_is_one_that_the_tables_know_or_that_says_when():
    releases = list(tables()["releases"])
    for change in tables()["spark_changes"]["changes"]:
        life = engines.life_of(change, tables())
        assert life.first in releases
        assert life.last is None or life.last in releases
        assert change["area"] in engines.AREAS
        assert change["en"] and change["zh"]


@pytest.mark.parametrize(
    ("change", "first", "last"),
    [
        ({"flag": "--moe-backend"}, "0.17.0", None),
        ({"flag": "--moe-backend", "choice": "b12x"}, "0.29.0", None),
        ({"config": "QuantizationConfigArgs", "key": "targets"}, "0.30.0", None),
        ({"variable": "VLLM_NVFP4_GEMM_BACKEND"}, "0.11.1", "0.23.0"),
        ({"first_version": "0.14.0", "last_version": "0.27.1"}, "0.14.0", "0.27.1"),
    ],
)
def test_a_life_comes_from_the_tables(change, first, last):
    assert engines.life_of(change, tables()) == (first, last)


def test_flags_that_came_and_went_add_up():
    known = tables()["flags"]
    releases = list(tables()["releases"])
    count = sum(contains(entry["versions"], releases[0]) for entry in known.values())
    for release, added, ended in reversed(list(engines.flags_between(tables()))):
        count += len(added) - len(ended)
        assert count == sum(contains(entry["versions"], release) for entry in known.values())


@pytest.mark.parametrize(
    ("tag", "release"),
    [
        ("vllm/vllm-openai:v0.28.0", "0.28.0"),
        ("vllm/vllm-openai:v0.26.0-aarch64-cu129-ubuntu2404", "0.26.0"),
        ("nvcr.io/nvidia/vllm:26.08-py3", "0.27.1"),
        ("nvcr.io/nvidia/vllm:25.10-py3", "0.10.2"),
        ("vllm/vllm-openai:cu130-nightly", None),
    ],
)
def test_an_image_holds_a_release(tag, release):
    assert engines.release_in(tag, tables()["images"]) == release


def test_images_are_ordered_by_what_they_hold():
    held = [release for _, release in engines.known_images(library()) if release]
    assert held == sorted(held, key=version_key, reverse=True)


def test_the_newest_measured_release_is_the_newest():
    newest = engines.newest_measured(library())
    assert newest["qwen3.6-35b-a3b"].engine.version == "0.28.0"
    for model, run in newest.items():
        others = [
            version_key(other.engine.version)
            for other in library().records(Measurement)
            if other.model == model
            and other.engine.name == "vllm"
            and other.engine.version in tables()["releases"]
            and other.num_nodes == 1
            and several.evidence_of_points(other) == "reported"
        ]
        assert version_key(run.engine.version) == max(others)


def test_pitfalls_of_an_image_bite_in_its_release_and_not_everywhere():
    old = {pitfall.id for pitfall in engines.bites_in(library(), "0.17.1")}
    new = {pitfall.id for pitfall in engines.bites_in(library(), "0.33.0")}
    assert "moe-marlin-forced-on-bf16-drafter" in old
    assert "moe-marlin-forced-on-bf16-drafter" not in new
    assert old != new


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_name_what_the_tables_hold(language):
    made = engines.pages(library(), language)
    assert "0.33.0" in made["engines/changes.md"].markdown
    assert "13.4.3" in made["engines/images.md"].markdown
    assert set(made) == {"engines/index.md", "engines/changes.md", "engines/images.md"}


def test_speeds_of_several_machines_prefer_public_raw_data():
    for numbers in several.by_machines(library()).values():
        for runs in numbers.values():
            for drafted in (False, True):
                best = several.fastest_single(runs, drafted=drafted)
                if best is None:
                    continue
                public = [
                    run
                    for run in runs
                    if several.fastest_single([run], drafted=drafted)
                    and several.evidence_of_points(run) != "claimed"
                ]
                assert not public or several.evidence_of_points(best.run) != "claimed"


def test_a_flag_is_found_under_each_of_its_spellings():
    flags = tables()["flags"]
    assert canonical("--no-enable-prefix-caching", flags)[0] == "--enable-prefix-caching"
    assert canonical("--max_model_len", flags)[0] == "--max-model-len"
    assert canonical("--device-memory-utilization", flags)[0] == "--gpu-memory-utilization"
    assert canonical("--speculative-model-type", flags) is None


def test_a_property_is_what_it_was_in_a_release():
    entry = {"default": 2, "earlier": {"default": [{"last_version": "0.19.1", "value": 1}]}}
    assert [property_at(entry, "default", each) for each in ("0.19.1", "0.20.0")] == [1, 2]
    assert "b12x" in values_of(tables()["choices"], "--moe-backend", "0.29.0")
    assert "b12x" not in values_of(tables()["choices"], "--moe-backend", "0.28.0")


def test_a_proof_line_fits_its_template_and_no_other():
    template = "Using '{backend.value}' NvFp4 MoE backend out of potential backends: {names}."
    line = "Using 'MARLIN' NvFp4 MoE backend out of potential backends: …"
    assert fits_template(line, template)
    assert not fits_template("Using backend: marlin", template)
    assert not fits_template(line, "Using %s for NVFP4 GEMM")
