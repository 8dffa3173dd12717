"""Badges as they are drawn in a page, looked into with the browser's own tools: no script of the page can do that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playwright.sync_api import CDPSession
from playwright.sync_api import Page as Tab

NAME = "reviewinvite-badge"


class Drawn:
    """One badge: the link in its shadow root, and the element that this root is attached to."""

    def __init__(self, developer: CDPSession, host: Mapping[str, Any]) -> None:
        self._developer = developer
        (self._root,) = host["shadowRoots"]
        (self._link,) = self._root["children"]

    @property
    def mode(self) -> str:
        """Whether the page may look into it."""
        return str(self._root["shadowRootType"])

    def ask(self, body: str) -> Any:
        """What this body of a function gives, whose `this` is the link."""
        node = {"backendNodeId": self._link["backendNodeId"]}
        found = self._developer.send("DOM.resolveNode", node)["object"]["objectId"]
        called = {"objectId": found, "functionDeclaration": f"function () {{ {body} }}", "returnByValue": True}
        answer = self._developer.send("Runtime.callFunctionOn", called)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def style(self, name: str, selector: str = "") -> str:
        """What is computed for this property of the link, or of the first that is selected in it."""
        found = f"this.querySelector('{selector}')" if selector else "this"
        return str(self.ask(f"return getComputedStyle({found}).getPropertyValue('{name}');"))

    @property
    def seen(self) -> list[str]:
        """The texts that are seen, in their order."""
        return list(
            self.ask(
                "return [...this.querySelectorAll('.mean, .label, .count')].map((each) => each.firstChild.nodeValue);"
            )
        )

    @property
    def has_mark(self) -> bool:
        return bool(self.ask("return this.querySelector('.mark') !== null;"))

    @property
    def filled(self) -> float | None:
        """How much of the stars is filled, from 0 to 1."""
        return self.ask(  # type: ignore[no-any-return]
            "const full = this.querySelector('svg svg');"
            "return full && full.getAttribute('width') / full.ownerSVGElement.viewBox.baseVal.width;"
        )

    @property
    def name(self) -> str:
        """What a screen reader says of it, without the marks around a name that may run from right to left."""
        asked = {"backendNodeId": self._link["backendNodeId"], "fetchRelatives": False}
        (node, *_) = self._developer.send("Accessibility.getPartialAXTree", asked)["nodes"]
        assert node["role"]["value"] == "link"
        return str(node["name"]["value"]).replace("\u2068", "").replace("\u2069", "")

    @property
    def box(self) -> dict[str, float]:
        """Where it is in the window."""
        return dict(
            self.ask("const {x, y, width, height} = this.getBoundingClientRect(); return {x, y, width, height};")
        )

    @property
    def tag(self) -> str | None:
        """The id of the script tag that it stands behind."""
        return self.ask(  # type: ignore[no-any-return]
            "const before = this.getRootNode().host.previousElementSibling;"
            "return before && before.localName === 'script' ? before.id : null;"
        )


def badges(tab: Tab) -> list[Drawn]:
    """The badges that are in the page, in its order."""
    developer = tab.context.new_cdp_session(tab)
    document = developer.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    return [Drawn(developer, node) for node in _walk(document) if node.get("localName") == NAME]


def _walk(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("children", ()):
        yield from _walk(child)


class Heard:
    """All that a tab says of errors: uncaught ones, and every line of its console, also those of the browser itself."""

    def __init__(self, tab: Tab) -> None:
        self.lines: list[str] = []
        tab.on("console", lambda message: self.lines.append(message.text))
        tab.on("pageerror", lambda error: self.lines.append(str(error)))
        tab.on("dialog", lambda dialog: self.lines.append(f"dialog: {dialog.message}"))
