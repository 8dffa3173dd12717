"""The forms of a page, filled in as a browser does."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser

import attrs


@attrs.define
class HtmlForm:
    """A form: where it is sent, what its fields hold, and the names and values of its buttons."""

    action: str
    values: dict[str, str] = attrs.field(factory=dict)
    buttons: list[tuple[str, str]] = attrs.field(factory=list)
    entries: set[str] = attrs.field(factory=set)
    """Names of the fields that a person can fill in."""

    def has(self, *names: str) -> bool:
        """Return whether the form has fields or buttons with all these names."""
        return set(names) <= self.values.keys() | self.entries | {name for name, _ in self.buttons}

    def filled_in(self, **entries: str) -> Mapping[str, str]:
        """Return what is sent if these fields are filled in and the first button is pressed."""
        assert self.has(*entries), (entries, self)
        pressed = {name: value for name, value in self.buttons[:1] if name}
        return {**self.values, **pressed, **entries}


def forms_in(page: str) -> list[HtmlForm]:
    """Return the forms of a page that are sent by POST, in its order."""
    parser = _FormParser()
    parser.feed(page)
    return parser.forms


class _FormParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[HtmlForm] = []
        self._form: HtmlForm | None = None
        self._select = self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = HtmlForm(given.get("action", ""))
            if given.get("method") == "post":
                self.forms.append(self._form)
        elif self._form is not None:
            self._enter(self._form, tag, given)

    def _enter(self, form: HtmlForm, tag: str, given: Mapping[str, str]) -> None:
        name, value = given.get("name", ""), given.get("value", "")
        match tag:
            case "button":
                form.buttons.append((name, value))
            case "select":
                self._select = name
                form.entries.add(name)
            case "option" if self._select not in form.values or "selected" in given:
                form.values[self._select] = value
            case "textarea":
                self._textarea = name
                form.entries.add(name)
                form.values[name] = ""
            case "input":
                if given.get("type") != "hidden":
                    form.entries.add(name)
                if given.get("type") not in {"radio", "checkbox"} or "checked" in given:
                    form.values[name] = value

    def handle_data(self, data: str) -> None:
        if self._form is not None and self._textarea:
            self._form.values[self._textarea] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._textarea = ""
