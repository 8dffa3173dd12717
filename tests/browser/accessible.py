"""What axe-core finds wrong in a page for people who use it otherwise than most."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page as Tab


def violations(tab: Tab) -> list[str]:
    """Each rule that the page breaks, and where; needs no script of the page's to be allowed."""
    found = Axe().run(tab).response["violations"]
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]]
