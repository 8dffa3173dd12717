"""JSON and base64url as they are signed: read without any of the liberties that Python's own readers take."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Collection, Mapping
from typing import NoReturn

from reviewinvite_core.domain.signing import base64url

_LARGEST_WHOLE_NUMBER = 2**53 - 1
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,15}")


class NonCanonicalJson(ValueError):
    """It is not what was to be read, or it is written in another way than the one there is."""


def read_json(data: bytes) -> object:
    """The value in `data`, where no member comes twice and no number is any but a whole one from 0 to 2**53 - 1.

    Raises: `NonCanonicalJson`.
    """
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, 9,000 brackets
        raise NonCanonicalJson from None


def canonical(value: Mapping[str, object]) -> bytes:
    """The canonical form of RFC 8785.

    Raises: `NonCanonicalJson` if there is none, as with half of a surrogate pair.
    """
    import rfc8785  # for who verifies, not for who signs

    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]  # its own recursive type of JSON
    except (rfc8785.CanonicalizationError, ValueError, RecursionError):
        raise NonCanonicalJson from None


def as_object(value: object) -> dict[str, object]:
    """The value, which is an object.

    Raises: `NonCanonicalJson`.
    """
    if not isinstance(value, dict):
        raise NonCanonicalJson
    return value


def members(value: object, names: Collection[str]) -> dict[str, object]:
    """The members of an object, which has these, all of them, and no more.

    Raises: `NonCanonicalJson`.
    """
    found = as_object(value)
    if found.keys() != set(names):
        raise NonCanonicalJson
    return found


def as_text(value: object) -> str:
    """The value, which is a string.

    Raises: `NonCanonicalJson`.
    """
    if not isinstance(value, str):
        raise NonCanonicalJson
    return value


def from_base64url(value: object, size: int | None = None) -> bytes:
    """The bytes in a string, so many where a size is given; there is one way to write them, and no other is read.

    Raises: `NonCanonicalJson`.
    """
    text = as_text(value)
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        raise NonCanonicalJson from None
    if base64url(data) != text or size not in (None, len(data)):
        raise NonCanonicalJson
    return data


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NonCanonicalJson
    return found


def _whole_number(literal: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(literal) or int(literal) > _LARGEST_WHOLE_NUMBER:
        raise NonCanonicalJson
    return int(literal)


def _no_number(_: str) -> NoReturn:
    """1.0, 1e0, NaN."""
    raise NonCanonicalJson


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once_each, parse_int=_whole_number, parse_float=_no_number, parse_constant=_no_number
)
