"""Which form of an answer a client would rather have (RFC 9110, section 12)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

KEPT = 64  # headers, which few browsers and programs write differently; each may be as long as a request's whole head

_QUALITY = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")
_WILDCARD = re.compile(r"[^/]+$")


@lru_cache(maxsize=KEPT)
def accepts_gzip(accept_encoding: str) -> bool:
    """Whether an `Accept-Encoding` header takes gzip; one that is missing or empty does not."""
    wanted = _qualities(accept_encoding)
    return wanted.get("gzip", wanted.get("x-gzip", wanted.get("*", 0.0))) > 0


@lru_cache(maxsize=KEPT)
def prefers(accept: str, this: str, rather_than: str) -> bool:
    """Whether an `Accept` header wants one media type more than the other, or as much and by a name more exact."""
    wanted = _qualities(accept)
    quality = _quality_of(this, wanted)
    return quality[0] > 0 and quality > _quality_of(rather_than, wanted)


def _quality_of(media_type: str, wanted: Mapping[str, float]) -> tuple[float, int]:
    """How much it is wanted, by the most exact range that covers it, and how exact that is."""
    ranges = ("*/*", _WILDCARD.sub("*", media_type), media_type)
    return max(((exact, wanted[name]) for exact, name in enumerate(ranges) if name in wanted), default=(0, 0.0))[::-1]


def _qualities(header: str) -> Mapping[str, float]:
    """What is listed, in lower case, and how much it is wanted; what is malformed is left out."""
    listed = {}
    for item in header.split(","):
        name, *parameters = (part.strip().lower() for part in item.split(";"))
        given = [value for key, _, value in (each.partition("=") for each in parameters) if key.strip() == "q"]
        quality = _QUALITY.fullmatch(given[0].strip()) if given else None
        if name and (quality or not given):
            listed[name] = float(quality[0]) if quality else 1.0
    return listed
