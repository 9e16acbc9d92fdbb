"""The tables of an engine fold and unfold without loss; a wheel is read, not imported."""

import shutil
import zipfile

import pytest
import yaml

from macros.engines.extract import extract
from macros.engines.import_flags import import_flags
from macros.engines.normalise import negative_forms, normalise
from macros.engines.runs import contains, from_runs, to_runs
from macros.engines.store import read_tables, write_tables
from macros.engines.tables import fold, state_at, unfold
from macros.engines.yaml_text import to_yaml
from tests.conftest import ROOT

TABLES = ROOT / "data" / "engines" / "vllm"

SOURCES = {
    "vllm/engine/arg_utils.py": """
from vllm.config.cache import CacheConfig


class EngineArgs:
    @staticmethod
    def add_cli_args(parser):
        cache_kwargs = get_kwargs(CacheConfig)
        group = parser.add_argument_group(title="CacheConfig")
        group.add_argument("--gpu-memory-utilization", **cache_kwargs["gpu_memory_utilization"])
        group.add_argument("--enable-prefix-caching", **cache_kwargs["enable_prefix_caching"])
        group.add_argument("--kv-cache-dtype", **cache_kwargs["cache_dtype"])
        group.add_argument("--enforce-eager", action="store_true")
        return parser
""",
    "vllm/config/cache.py": """
from typing import Literal

CacheDType = Literal["auto", "fp8"]


@config
@dataclass
class CacheConfig:
    gpu_memory_utilization: float = 0.9
    enable_prefix_caching: bool | None = None
    cache_dtype: CacheDType = "auto"
""",
    "vllm/entrypoints/cli/serve.py": """
from vllm.engine.arg_utils import EngineArgs


class ServeSubcommand:
    def subparser_init(self, subparsers):
        serve_parser = subparsers.add_parser("serve")
        serve_parser.add_argument("model_tag", type=str, nargs="?")
        serve_parser = EngineArgs.add_cli_args(serve_parser)
        return serve_parser
""",
    "vllm/utils/__init__.py": "",
    "vllm/envs.py": """
import os

VLLM_PORT: int | None = None

environment_variables = {"VLLM_PORT": lambda: os.getenv("VLLM_PORT", None)}
""",
    "vllm/model_executor/layers/fused_moe/selector.py": """
def choose(name):
    logger.info_once("Using '%s' test MoE backend.", name)
    logger.debug("Using debug backend")
""",
    "vllm-{version}.dist-info/METADATA": "Version: {version}\nRequires-Dist: torch==2.0.0\n",
}


def write_wheel(folder, version: str, **changes: str):
    """Write a wheel of a tiny engine; `changes` replaces text in its sources."""
    path = folder / f"vllm-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in SOURCES.items():
            for old, new in changes.items():
                text = text.replace(old, new)
            wheel.writestr(name.replace("{version}", version), text.replace("{version}", version))
    return path


def test_runs_name_neighbours():
    releases = ["0.1.0", "0.2.0", "0.3.0", "0.10.0"]
    assert to_runs(["0.1.0", "0.2.0", "0.10.0"], releases) == [["0.1.0", "0.2.0"], ["0.10.0", None]]
    assert from_runs([["0.2.0", "0.3.0"]], releases) == ["0.2.0", "0.3.0"]
    assert contains([["0.9.0", None]], "0.10.0")
    assert not contains([["0.2.0", "0.9.0"]], "0.10.0")


def test_real_tables_unfold_and_fold_to_themselves():
    tables = read_tables(TABLES)
    assert fold(unfold(tables)) == tables


def test_the_files_are_what_the_importer_writes(tmp_path):
    assert len(write_tables(tmp_path, read_tables(TABLES))) == 6
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (TABLES / path.name).read_bytes(), path.name


def test_tables_stay_small():
    assert sum(path.stat().st_size for path in TABLES.glob("*.yaml")) < 600_000


def test_a_wheel_is_read_without_importing_it(tmp_path):
    changed = import_flags(tmp_path, "0.1.0", write_wheel(tmp_path, "0.1.0"))
    assert sorted(changed) == [
        "choices.yaml", "configs.yaml", "environment.yaml", "flags.yaml", "logs.yaml",
        "releases.yaml",
    ]  # fmt: skip
    tables = read_tables(tmp_path)
    flags = tables["flags"]
    assert flags["--gpu-memory-utilization"]["default"] == 0.9
    assert flags["--enable-prefix-caching"]["kind"] == "bool"
    assert flags["--enforce-eager"]["kind"] == "switch"
    assert flags["model_tag"]["kind"] == "positional"
    assert set(tables["choices"]["kv_cache_dtype"]) == {"auto", "fp8"}
    assert list(tables["environment"]) == ["VLLM_PORT"]
    assert list(tables["logs"]) == ["Using '%s' test MoE backend."]


def test_importing_again_changes_nothing(tmp_path):
    wheel = write_wheel(tmp_path, "0.1.0")
    import_flags(tmp_path, "0.1.0", wheel)
    assert import_flags(tmp_path, "0.1.0", wheel) == []


def test_the_next_release_extends_the_runs(tmp_path):
    import_flags(tmp_path, "0.1.0", write_wheel(tmp_path, "0.1.0"))
    same = write_wheel(tmp_path, "0.2.0")
    assert import_flags(tmp_path, "0.2.0", same) == ["releases.yaml"]
    other = write_wheel(
        tmp_path, "0.3.0",
        **{'group.add_argument("--enforce-eager", action="store_true")': "pass", "= 0.9": "= 0.92"},
    )  # fmt: skip
    assert set(import_flags(tmp_path, "0.3.0", other)) == {"releases.yaml", "flags.yaml"}
    flags = read_tables(tmp_path)["flags"]
    assert flags["--enforce-eager"]["versions"] == [["0.1.0", "0.2.0"]]
    assert flags["--gpu-memory-utilization"]["versions"] == [["0.1.0", None]]
    assert flags["--gpu-memory-utilization"]["default"] == 0.92
    assert state_at(flags["--gpu-memory-utilization"], "0.2.0", {})["default"] == 0.9


def test_a_release_in_between_splits_no_run(tmp_path):
    for version in ("0.1.0", "0.3.0", "0.2.0"):
        import_flags(tmp_path, version, write_wheel(tmp_path, version))
    versions = read_tables(tmp_path)["flags"]["--enforce-eager"]["versions"]
    assert versions == [["0.1.0", None]]


def test_a_wheel_of_another_release_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"holds 0\.1\.0, not 0\.2\.0"):
        import_flags(tmp_path, "0.2.0", write_wheel(tmp_path, "0.1.0"))


def test_a_tree_can_be_read_too(tmp_path):
    with zipfile.ZipFile(write_wheel(tmp_path, "0.1.0")) as wheel:
        wheel.extractall(tmp_path / "tree")
    facts = normalise(extract(tmp_path / "tree"))
    assert "--kv-cache-dtype" in facts["flags"]
    shutil.rmtree(tmp_path / "tree")


def test_negative_forms():
    assert negative_forms("--enable-x", "bool", disable_forms=True) == [
        "--no-enable-x",
        "--disable-x",
    ]
    assert negative_forms("--enable-x", "switch", disable_forms=True) == []


@pytest.mark.parametrize(
    "value", ["no", "1.0", "a: b", "x #y", "", "null", "-1", "- a", "%s x", "0.33.0", "é"]
)
def test_doubtful_text_is_quoted(value):
    text = to_yaml({"key": {value: [value]}}, "comment")
    assert yaml.safe_load(text) == {"key": {value: [value]}}
