"""Take the pictures of README.md from a site that is served: tools/screenshots.py [ADDRESS]."""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "assets" / "images"
LOCALES = {"en": "en-GB", "zh": "zh-CN"}


def main(address: str) -> None:
    """Write one picture of the home page for each language of the README."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        )
        for language, locale in LOCALES.items():
            page = browser.new_page(viewport={"width": 1280, "height": 800}, locale=locale)
            page.goto(f"{address}{language}/")
            page.wait_for_load_state("networkidle")
            page.screenshot(path=IMAGES / f"home.{language}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000/")
