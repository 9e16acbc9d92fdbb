"""A web server for the built site, and a page that records what a reader should not meet."""

import functools
import http.server
import os
import shutil
import threading
from pathlib import Path

import pytest

from tests.conftest import SITE_URL

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FOLDER = "/ledger"  # the site must also work below a folder


def pytest_collection_modifyitems(items):
    """Mark every test of this folder as one that needs a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


class SiteHandler(http.server.SimpleHTTPRequestHandler):
    """Serves the site below a folder, at whatever port, with its own 404 page."""

    def translate_path(self, path):
        """Map `/ledger/…` to the built site, everything else to nothing."""
        inside = path.startswith(f"{FOLDER}/")
        return super().translate_path(path.removeprefix(FOLDER) if inside else "/none")

    def do_GET(self):
        """Answer with a file whose built-in address is the address of this server."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and not self.path.split("?")[0].endswith("/"):
            return super().do_GET()
        path = path / "index.html" if path.is_dir() else path
        status, path = (200, path) if path.is_file() else (404, Path(self.directory, "404.html"))
        body = path.read_bytes()
        if path.suffix in {".html", ".xml"}:
            own = f"http://127.0.0.1:{self.server.server_address[1]}{FOLDER}/"
            body = body.replace(SITE_URL.encode(), own.encode())
        self.send_response(status)
        kind = self.guess_type(str(path))
        self.send_header("Content-Type", kind + ("; charset=utf-8" if "text" in kind else ""))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Keep quiet."""


@pytest.fixture(scope="session")
def site(built_site) -> str:
    """The address of the built site."""
    handler = functools.partial(SiteHandler, directory=str(built_site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}{FOLDER}/"
    server.shutdown()


def find_browser() -> str | None:
    """Return the path of an installed Chromium, or None."""
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else NAMES
    return next((path for name in names if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, browser_type) -> dict:
    """Start the installed Chromium, or say how to run the tests without one."""
    path = find_browser()
    if path is None and not Path(browser_type.executable_path).exists():
        pytest.fail(
            "There is no Chromium. Install it (sudo apt-get install chromium fonts-noto-cjk),"
            " name it (CHROMIUM=/path/to/it), or run the other tests: make test BROWSER=none",
            pytrace=False,
        )
    chosen = {"executable_path": path} if path else {}
    return browser_type_launch_args | chosen | {"args": ARGUMENTS}


def watch(page, address: str) -> list[str]:
    """Return a list that fills with every request or message that a reader should not cause."""
    faults: list[str] = []

    def on_request(request):
        if not request.url.startswith((address, "data:", "blob:")):
            faults.append(f"foreign request: {request.url}")

    def on_response(response):
        if response.status >= 400:
            faults.append(f"{response.status}: {response.url}")

    def on_failure(request):
        if request.failure != "net::ERR_ABORTED":  # the reader went on to another page
            faults.append(f"failed: {request.url} ({request.failure})")

    def on_console(message):
        if message.type in ("error", "warning"):
            faults.append(f"console {message.type}: {message.text}")

    page.on("request", on_request)
    page.on("response", on_response)
    page.on("requestfailed", on_failure)
    page.on("console", on_console)
    page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
    return faults


@pytest.fixture
def faults(page, site) -> list[str]:
    """What went wrong in the page so far; a test that expects a fault clears the list."""
    return watch(page, site)


@pytest.fixture(autouse=True)
def nothing_went_wrong(faults):
    """Fail every browser test on failed or foreign requests and on errors in the console."""
    yield
    assert faults == []
