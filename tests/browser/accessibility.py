"""Accessibility checks by axe-core."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page as Tab

_SCRIPT = Axe().axe_script
_RUN = "(part) => axe.run(part, {resultTypes: ['violations']}).then((found) => found.violations)"

_SMALL = """() => [...document.querySelectorAll("a[href], button, summary, select, input:not([type=hidden])")]
    .filter(each => {
        const {width, height} = each.getBoundingClientRect();
        const text = each.closest("p, li, dd, figcaption");
        const isInText = text && text.textContent.trim() !== each.textContent.trim()
            && getComputedStyle(each).display === "inline";
        const isSeen = each.checkVisibility({visibilityProperty: true}) && width > 1 && height > 1;
        return isSeen && !isInText && Math.min(width, height) < 23.99;
    })
    .map(each => `${each.outerHTML.slice(0, 120)}: ${Math.round(each.getBoundingClientRect().height)}`)"""


def violations(tab: Tab, part: str = "html") -> list[str]:
    """Return each rule that the page breaks, and where; works even if the page may run no scripts of its own.

    `part` is the selector of the only part to check.
    """
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(_SCRIPT)
    found = tab.evaluate(_RUN, part)
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]]


def small_targets(tab: Tab) -> list[str]:
    """Return what can be pressed and has less than 24 pixels in height or width; links within a text may."""
    found: list[str] = tab.evaluate(_SMALL)
    return found
