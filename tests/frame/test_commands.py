"""The bare commands work in .venv, and serving survives faults in data and code."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import ROOT, run

BIN = Path(sys.executable).parent


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the project, to break; without generated pages, which would only take time."""
    for name in ("data", "docs", "macros", "overrides"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    with (tmp_path / "macros" / "rendering" / "__init__.py").open("a", encoding="utf-8") as module:
        module.write("\n\ndef render_pages(library, language):\n    return {}\n")
    return tmp_path


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listen_to_interrupts() -> None:
    """Let Ctrl-C end a program although a shell started the tests in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Server:
    """A bare `mkdocs serve` of a folder."""

    def __init__(self, folder: Path, only: str = "en") -> None:
        self.port = free_port()
        self.log = (folder / "serve.log").open("w+")
        self.process = subprocess.Popen(
            [BIN / "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{self.port}"],
            cwd=folder, stdout=self.log, stderr=self.log,
            env=os.environ | {"PYTHONPATH": str(folder), "ONLY": only},
            preexec_fn=listen_to_interrupts,
        )  # fmt: skip

    def get(self, path: str) -> str:
        """Return a page."""
        url = f"http://127.0.0.1:{self.port}/{path}"
        with urllib.request.urlopen(url, timeout=60) as response:
            return response.read().decode()

    def wait_for(self, path: str, condition) -> None:
        """Ask for a page until it is as it should be."""
        end = time.monotonic() + 120
        text = ""
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                text = self.get(path)
            except OSError:
                text = ""
            if text and condition(text):
                return
            time.sleep(0.5)
        self.log.seek(0)
        pytest.fail(f"{path} did not become as expected:\n{self.log.read()[-3000:]}", pytrace=False)

    def stop(self) -> None:
        """End the server as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        finally:
            self.process.kill()
            self.log.close()


@pytest.fixture
def server(copy) -> Server:
    """A running server of the copy."""
    server = Server(copy)
    try:
        server.wait_for("en/", lambda text: "<html" in text)
        yield server
    finally:
        server.stop()


def test_bare_mkdocs_serve_answers_in_every_language_and_stops(copy):
    server = Server(copy, only="")
    try:
        server.wait_for("", lambda text: "简体中文" in text)
        for language in ("zh", "en", "zh-Hant"):
            assert f'<html lang="{language}"' in server.get(f"{language}/")
    finally:
        server.stop()
    assert server.process.returncode == 0


def test_serving_starts_with_faulty_data_and_shows_the_faults(copy):
    (copy / "data" / "recipes" / "broken.yaml").write_text("id: [\n", "utf-8")
    server = Server(copy)
    try:
        server.wait_for("en/", lambda text: "data/recipes/broken.yaml:" in text)
    finally:
        server.stop()


def test_serving_keeps_the_last_good_data_and_shows_the_fault(copy, server):
    broken = copy / "data" / "recipes" / "broken.yaml"
    broken.write_text("id: [\n", "utf-8")
    server.wait_for("en/", lambda text: "data/recipes/broken.yaml:" in text)
    broken.unlink()
    server.wait_for("en/", lambda text: "data/recipes/broken.yaml" not in text)


def test_change_of_prose_appears(copy, server):
    page = copy / "docs" / "en" / "contribute.md"
    page.write_text(page.read_text("utf-8") + "\nA new sentence stands here.\n", "utf-8")
    server.wait_for("en/contribute/", lambda text: "A new sentence stands here." in text)


def test_change_of_code_appears_and_a_fault_in_it_is_shown(copy, server):
    words = copy / "macros" / "rendering" / "words.py"
    good = words.read_text("utf-8")
    words.write_text(good.replace('"en": "GB10 Ledger"', '"en": "GB10 Journal"'), "utf-8")
    server.wait_for("en/", lambda text: "GB10 Journal" in text)
    words.write_text(good + "\n)\n", "utf-8")
    server.wait_for("en/", lambda text: "SyntaxError" in text and "GB10 Journal" in text)
    words.write_text(good, "utf-8")
    server.wait_for("en/", lambda text: "SyntaxError" not in text and "GB10 Journal" not in text)


def test_taken_port_is_one_clear_line(copy):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = run("mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}", cwd=copy)
    assert result.returncode != 0
    assert f"Port {port} is taken. Choose another: make serve PORT={port + 1}" in result.stderr
    assert "Traceback" not in result.stderr


def test_invalid_data_stops_the_build_with_the_findings(copy):
    broken = copy / "data" / "recipes" / "broken.yaml"
    broken.write_text("id: [\n", "utf-8")
    result = run("mkdocs", "build", cwd=copy, PYTHONPATH=str(copy), SITE_DIR="built")
    assert result.returncode != 0
    assert "data/recipes/broken.yaml:" in result.stderr
    assert "Traceback" not in result.stderr


def test_unknown_language_is_one_clear_line(copy):
    result = run("mkdocs", "build", cwd=copy, ONLY="fr", SITE_DIR="built")
    assert result.returncode != 0
    assert "ONLY=fr: there is no such language; one of zh, en, zh-Hant" in result.stderr
    assert "Traceback" not in result.stderr


def test_command_line_never_loads_mkdocs():
    code = "import sys, macros, macros.library; sys.exit('mkdocs' in sys.modules)"
    assert run("python", "-c", code).returncode == 0
