"""What a machine lacks is named in one line; the locks are complete and name no registry."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT

LOCKS = ("requirements.txt", "requirements-dev.txt")


@pytest.fixture
def machine(tmp_path) -> Path:
    """The programs of a machine on which nobody is root and almost nothing is installed."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(shutil.which(name))
    write_program(programs / "id", "echo 1000")
    return programs


def write_program(path: Path, line: str) -> None:
    """Write a program of one line."""
    path.write_text(f"#!{shutil.which('bash')}\n{line}\n", "utf-8")
    path.chmod(0o755)


def set_up(machine: Path, part: str, **environment: str) -> subprocess.CompletedProcess:
    """Run tools/setup on that machine, in a folder of its own."""
    project = machine.parent / "project"
    (project / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "setup", project / "tools")
    return subprocess.run(
        [machine / "bash", "tools/setup", part], cwd=project, capture_output=True, text=True,
        env={"PATH": str(machine)} | environment,
    )  # fmt: skip


def test_missing_python_is_named(machine):
    write_program(machine / "python3", "exit 1  # too old")
    result = set_up(machine, "runtime")
    assert result.returncode != 0
    assert result.stderr.startswith("Python 3.11.2 or later is needed.")
    assert result.stderr.count("\n") == 1


def test_missing_venv_is_named(machine):
    write_program(machine / "python3", '[[ "$2" != *ensurepip* ]]')
    result = set_up(machine, "runtime")
    assert result.returncode != 0
    assert "sudo apt-get install python3-venv" in result.stderr
    assert result.stderr.count("\n") == 1


def test_missing_browser_and_fonts_are_named(machine):
    result = set_up(machine, "browser")
    assert "sudo apt-get install chromium fontconfig fonts-noto-cjk" in result.stderr
    assert result.stderr.count("\n") == 1


def test_without_browser_nothing_is_asked_for(machine):
    result = set_up(machine, "browser", BROWSER="none")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_present_browser_and_fonts_are_enough(machine):
    write_program(machine / "chromium", "exit 0")
    write_program(machine / "fc-list", "echo 'Noto Sans CJK SC'")
    result = set_up(machine, "browser")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_root_gets_what_is_missing(machine):
    write_program(machine / "id", "echo 0")
    write_program(machine / "apt-get", 'echo "$@" >>apt-get.log')
    result = set_up(machine, "browser")
    log = (machine.parent / "project" / "apt-get.log").read_text("utf-8")
    assert result.returncode == 0
    assert "install" in log
    assert log.endswith("chromium fontconfig fonts-noto-cjk\n")


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_of_a_lock_is_pinned_and_hashed(name):
    entries = re.split(r"\n(?=[a-z])", (ROOT / name).read_text("utf-8"))[1:]
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"[a-z0-9.-]+==\S+ (; .+ )?\\\n    --hash=sha256:[0-9a-f]{64}", entry), (
            entry
        )


@pytest.mark.parametrize("name", LOCKS)
def test_lock_names_no_registry_and_no_place_of_this_machine(name):
    text = (ROOT / name).read_text("utf-8")
    assert "http" not in text
    assert "file:" not in text
    assert "--find-links" not in text
    assert "index-url" not in text


def normal(requirement: str) -> str:
    """Return the name of a required package as a lock spells it."""
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower().replace("_", "-")


@pytest.mark.parametrize(
    ("name", "extras"), [(LOCKS[0], ["install"]), (LOCKS[1], ["install", "dev"])]
)
def test_lock_holds_every_dependency_of_the_project(name, extras):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    text = (ROOT / name).read_text("utf-8")
    assert [w for w in wanted if not re.search(rf"^{re.escape(normal(w))}==", text, re.M)] == []


def test_the_locks_agree():
    versions = [
        dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.M))
        for name in LOCKS
    ]
    runtime, development = versions
    assert {name: development.get(name) for name in runtime} == runtime


def test_make_alone_lists_every_target():
    if not shutil.which("make"):
        pytest.skip("there is no make")
    listing = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True).stdout
    for target in ("setup", "serve", "build", "check", "fix", "test", "bench", "clean"):
        assert re.search(rf"^  make {target}\b", listing, re.M), listing


@pytest.mark.parametrize("name", ["tools/setup", ".ci/run"])
def test_programs_can_be_run(name):
    assert os.access(ROOT / name, os.X_OK)
