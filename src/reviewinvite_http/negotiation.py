"""Choose the form of a response that a client prefers (RFC 9110, section 12)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from litestar.datastructures.headers import Accept

from reviewinvite_core import Language

CACHE_SIZE = 64  # headers: browsers and programs send few different ones, each at most as long as a request's head

_QUALITY = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")


@lru_cache(maxsize=CACHE_SIZE)
def best_match(accept: str, offered: tuple[str, ...]) -> str:
    """Return the offered media type that an `Accept` header prefers, or the first one if it accepts none of them.

    Litestar's `Accept` treats `q=0` as acceptable, so such media types are removed first.
    """
    wanted = ",".join(f"{name};q={quality}" for name, quality in _qualities(accept).items() if quality)
    return Accept(wanted).best_match(list(offered), default=offered[0])


@lru_cache(maxsize=CACHE_SIZE)
def names_media_type(accept: str, media_type: str) -> bool:
    """Return whether an `Accept` header names this media type itself, and accepts it."""
    return _qualities(accept).get(media_type, 0.0) > 0


@lru_cache(maxsize=CACHE_SIZE)
def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether an `Accept-Encoding` header accepts gzip; False for a missing or empty header."""
    wanted = _qualities(accept_encoding)
    return wanted.get("gzip", wanted.get("x-gzip", wanted.get("*", 0.0))) > 0


@lru_cache(maxsize=CACHE_SIZE)
def preferred_language(accept_language: str, otherwise: Language = Language.NL) -> Language:
    """Return the language that an `Accept-Language` header prefers (English for `en-GB`) if we have it."""
    wanted = _qualities(accept_language)
    primary = [tag.partition("-")[0] for tag in sorted(wanted, key=lambda tag: -wanted[tag]) if wanted[tag]]
    return next((Language(each) for each in primary if each in set(Language)), otherwise)


def _qualities(header: str) -> Mapping[str, float]:
    """Return the listed values in lower case with their quality; malformed ones are left out."""
    listed = {}
    for item in header.split(","):
        name, *parameters = (part.strip().lower() for part in item.split(";"))
        given = [value for key, _, value in (each.partition("=") for each in parameters) if key.strip() == "q"]
        quality = _QUALITY.fullmatch(given[0].strip()) if given else None
        if name and (quality or not given):
            listed[name] = float(quality[0]) if quality else 1.0
    return listed
