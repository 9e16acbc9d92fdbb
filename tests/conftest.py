"""What all tests share: the site, built once a run, and the choice to leave out the browser."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SITE_URL = "http://127.0.0.1:8000/ledger/"
SOURCE_URL = "https://example.org/gb10-ledger/edit/main/"


def without_browser() -> bool:
    """Whether the run was asked to do without a browser."""
    return os.environ.get("BROWSER") == "none"


def pytest_collection_modifyitems(config, items):
    """Leave out the browser tests on request, and the long ones unless they are asked for."""
    left_out = {"browser"} if without_browser() else set()
    if "bench" not in config.getoption("markexpr"):
        left_out.add("bench")
    deselected = [item for item in items if any(item.get_closest_marker(name) for name in left_out)]
    config.hook.pytest_deselected(items=deselected)
    items[:] = [item for item in items if item not in deselected]


def pytest_terminal_summary(terminalreporter):
    """Say so when a part of the tests did not run."""
    if without_browser():
        terminalreporter.write_line("The browser tests did not run (BROWSER=none).", yellow=True)


def run(*command: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess:
    """Run a program of this environment, and return its output as text."""
    program = Path(sys.executable).parent / command[0]
    variables = os.environ | {"NO_MKDOCS_2_WARNING": "1"} | environment
    return subprocess.run(
        [program, *command[1:]], cwd=cwd, env=variables, capture_output=True, text=True
    )


@pytest.fixture(scope="session")
def built_site(tmp_path_factory) -> Path:
    """The folder of the built site; one process builds it, the others wait for it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    site, log = shared / "site", shared / "build.log"
    with (shared / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not log.exists():
            shutil.rmtree(site, ignore_errors=True)
            result = run(
                "mkdocs", "build", "--strict",
                SITE_DIR=str(site), SITE_URL=SITE_URL, SOURCE_URL=SOURCE_URL, ONLY="",
            )  # fmt: skip
            log.write_text(f"{result.returncode}\n{result.stdout}{result.stderr}", "utf-8")
    code, _, output = log.read_text("utf-8").partition("\n")
    if code != "0":
        pytest.fail(f"mkdocs build --strict failed:\n{output}", pytrace=False)
    return site


def pytest_addoption(parser):
    """Add `--golden`, which writes derived values anew instead of comparing them."""
    parser.addoption("--golden", action="store_true", help="write tests/golden/ anew")
