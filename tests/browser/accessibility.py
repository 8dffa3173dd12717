"""Accessibility checks by axe-core."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page as Tab

_SCRIPT = Axe().axe_script
_RUN = "(part) => axe.run(part, {resultTypes: ['violations']}).then((found) => found.violations)"


def violations(tab: Tab, part: str = "html") -> list[str]:
    """Return each rule that the page breaks, and where; works even if the page may run no scripts of its own.

    `part` is the selector of the only part to check.
    """
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(_SCRIPT)
    found = tab.evaluate(_RUN, part)
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]]
