"""Take the pictures of README.md and of shared links from a served site; argument: its address."""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "assets" / "images"
LOCALES = {"en": "en-GB", "zh": "zh-CN"}
CARD = {"width": 1200, "height": 630}  # as sites that show links expect it
CARD_STYLE = """
  html { font-size: 172% !important; }
  .md-header, .md-tabs, .md-footer, .language-offer, .md-top { display: none; }
  .md-content__inner > * { display: none; }
  .md-content__inner > .hero { display: block; }
  .md-content__inner::before { display: none; }
  .md-main__inner { margin: 1.1rem auto 0; }
  .explained { text-decoration: none !important; }
  .hero h1::before { display: block; margin-bottom: .7em; font-size: .42em; color: var(--accent); }
  .hero h1::before { content: "GB10 Ledger"; }
  body { border-top: 14px solid var(--accent); }
"""


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
        for language in ("en", "zh", "zh-Hant"):
            page = browser.new_page(viewport=CARD)
            page.goto(f"{address}{language}/")
            page.add_style_tag(content=CARD_STYLE)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=IMAGES / f"card.{language}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000/")
