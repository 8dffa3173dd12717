"""Badges as a browser renders them, inspected through its developer tools: no script of the page can look into them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from playwright.sync_api import CDPSession, FloatRect, Page as Tab

NAME = "reviewinvite-badge"


class RenderedBadge:
    """One badge: the link in its shadow root, and the element that this root is attached to."""

    def __init__(self, devtools: CDPSession, host: Mapping[str, Any]) -> None:
        self._devtools = devtools
        (self._root,) = host["shadowRoots"]
        (self._link,) = self._root["children"]

    @property
    def shadow_mode(self) -> str:
        """Whether the page may look into it: `open` or `closed`."""
        return str(self._root["shadowRootType"])

    @cached_property
    def _link_object(self) -> str:
        node = {"backendNodeId": self._link["backendNodeId"]}
        return str(self._devtools.send("DOM.resolveNode", node)["object"]["objectId"])

    def evaluate(self, body: str) -> Any:
        """Return what a function with this body returns, whose `this` is the link."""
        call = {
            "objectId": self._link_object,
            "functionDeclaration": f"function () {{ {body} }}",
            "returnByValue": True,
        }
        answer = self._devtools.send("Runtime.callFunctionOn", call)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def computed_style(self, name: str, selector: str = "") -> str:
        """Return the computed value of a property of the link, or of the first element in it that is selected."""
        element = f"this.querySelector('{selector}')" if selector else "this"
        return str(self.evaluate(f"return getComputedStyle({element}).getPropertyValue('{name}');"))

    @property
    def texts(self) -> list[str]:
        """The visible texts, in their order."""
        return list(
            self.evaluate(
                "return [...this.querySelectorAll('.mean, .label, .count')].map((each) => each.firstChild.nodeValue);"
            )
        )

    @property
    def has_mark(self) -> bool:
        return bool(self.evaluate("return this.querySelector('.mark') !== null;"))

    @property
    def star_fill(self) -> float | None:
        """The filled fraction of the stars, or None if there are none."""
        fill: float | None = self.evaluate(
            "const full = this.querySelector('svg svg');"
            "return full && full.getAttribute('width') / full.ownerSVGElement.viewBox.baseVal.width;"
        )
        return fill

    @property
    def accessible_name(self) -> str:
        """What a screen reader says, without the marks around a name that may run from right to left."""
        query = {"backendNodeId": self._link["backendNodeId"], "fetchRelatives": False}
        (node, *_) = self._devtools.send("Accessibility.getPartialAXTree", query)["nodes"]
        assert node["role"]["value"] == "link"
        return str(node["name"]["value"]).replace("\u2068", "").replace("\u2069", "")

    @property
    def box(self) -> FloatRect:
        """Its rectangle in the window."""
        box: FloatRect = self.evaluate(
            "const {x, y, width, height} = this.getBoundingClientRect(); return {x, y, width, height};"
        )
        return box

    @property
    def script_id(self) -> str | None:
        """The id of the script tag just before it, or None if there is none."""
        found: str | None = self.evaluate(
            "const before = this.getRootNode().host.previousElementSibling;"
            "return before && before.localName === 'script' ? before.id : null;"
        )
        return found


def rendered_badges(tab: Tab) -> list[RenderedBadge]:
    """Return the badges in the page, in its order."""
    devtools = tab.context.new_cdp_session(tab)
    document = devtools.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    return [RenderedBadge(devtools, node) for node in _walk(document) if node.get("localName") == NAME]


def _walk(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("children", ()):
        yield from _walk(child)
