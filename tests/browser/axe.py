"""What axe finds on a page."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LOOKS = [("zh", "light"), ("zh", "dark"), ("en", "dark"), ("zh-Hant", "light")]
ONLY_VIOLATIONS = {"resultTypes": ["violations"]}  # a third of the time on a long page


def violations(page: Page, **options: object) -> list[str]:
    """Return what axe finds, one line for each element."""
    found = Axe().run(page, options=ONLY_VIOLATIONS | options).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]
