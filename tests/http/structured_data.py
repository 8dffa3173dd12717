"""The structured data of a page, checked against what schema.org and those who read it ask of the types in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, TypeAlias
from urllib.parse import urlsplit

Check: TypeAlias = Callable[[Any], object]

_ELEMENT = re.compile(rb'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


def structured_data(body: bytes) -> dict[str, Any] | None:
    """Return what the page says to programs, checked, or None if it says nothing."""
    found = _ELEMENT.findall(body)
    assert len(found) <= 1
    if not found:
        return None
    assert not set(found[0]) - set(range(0x20, 0x7F)), "ASCII, and no line break"
    assert not re.search(rb"[<>&]", found[0]), "nothing that a parser of HTML looks at"
    told: dict[str, Any] = json.loads(found[0], object_pairs_hook=_without_repeats)
    assert told.pop("@context") == "https://schema.org"
    _thing("Organization")(told)
    return told


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({name for name, _ in pairs}) == len(pairs)
    return dict(pairs)


def _thing(kind: str) -> Check:
    def check(value: Any) -> None:
        assert value["@type"] == kind
        required, allowed = _KINDS[kind]
        names = value.keys() - {"@type"}
        assert required <= names <= allowed.keys(), (kind, names)
        for name in names:
            assert allowed[name](value[name]) is not False, (kind, name, value[name])

    return check


def _text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() == value != ""


def _url(value: Any) -> bool:
    return _text(value) and urlsplit(value).scheme in {"http", "https"} and bool(urlsplit(value).netloc)


def _rating(value: Any) -> bool:
    """Return whether this is a number from 1 to 5, as a string with a decimal point."""
    return isinstance(value, str) and bool(re.fullmatch(r"[1-5](\.[0-9]{2})?", value)) and 1 <= float(value) <= 5


def _count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _exactly(wanted: object) -> Check:
    return lambda value: type(value) is type(wanted) and value == wanted


def _reviews(value: Any) -> None:
    assert isinstance(value, list)
    assert value
    for each in value:
        _thing("Review")(each)


_RANGE: Mapping[str, Check] = {"bestRating": _exactly(5), "worstRating": _exactly(1)}
_KINDS: Mapping[str, tuple[set[str], Mapping[str, Check]]] = {
    "Organization": (
        {"@id", "name", "aggregateRating"},
        {"@id": _url, "url": _url, "name": _text, "aggregateRating": _thing("AggregateRating"), "review": _reviews},
    ),
    "AggregateRating": (
        {"ratingValue", "reviewCount", "bestRating", "worstRating"},
        {"ratingValue": _rating, "reviewCount": _count, "ratingExplanation": _text, **_RANGE},
    ),
    "Review": (
        {"author", "datePublished", "reviewRating"},
        {
            "author": _thing("Person"),
            "datePublished": date.fromisoformat,
            "dateModified": date.fromisoformat,
            "keywords": _text,
            "inLanguage": lambda value: value in {"nl", "en"},
            "reviewBody": _text,
            "reviewRating": _thing("Rating"),
        },
    ),
    "Rating": ({"ratingValue", "bestRating", "worstRating"}, {"ratingValue": _rating, **_RANGE}),
    "Person": ({"name"}, {"name": _text}),
}
