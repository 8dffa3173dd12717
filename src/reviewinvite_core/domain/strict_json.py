"""Strict readers for signed JSON and base64url, without the leniency of Python's own readers."""

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
    """The input is not what was expected, or not in its only valid form."""


def read_json(data: bytes) -> object:
    """Return the value in `data`; reject repeated members and numbers other than whole ones from 0 to 2**53 - 1.

    Raises: `NonCanonicalJson`.
    """
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, 9,000 brackets
        raise NonCanonicalJson from None


def canonical(value: Mapping[str, object]) -> bytes:
    """Return the canonical form of RFC 8785.

    Raises: `NonCanonicalJson` if the value has no such form, for example a lone surrogate.
    """
    import rfc8785  # only verifiers need it, signers do not

    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]  # its own recursive type of JSON
    except (rfc8785.CanonicalizationError, ValueError, RecursionError):
        raise NonCanonicalJson from None


def as_object(value: object) -> dict[str, object]:
    """Return the value, which must be an object.

    Raises: `NonCanonicalJson`.
    """
    if not isinstance(value, dict):
        raise NonCanonicalJson
    return value


def members(value: object, names: Collection[str]) -> dict[str, object]:
    """Return the members of an object, which must have exactly these names.

    Raises: `NonCanonicalJson`.
    """
    found = as_object(value)
    if found.keys() != set(names):
        raise NonCanonicalJson
    return found


def as_text(value: object) -> str:
    """Return the value, which must be a string.

    Raises: `NonCanonicalJson`.
    """
    if not isinstance(value, str):
        raise NonCanonicalJson
    return value


def from_base64url(value: object, size: int | None = None) -> bytes:
    """Decode base64url to bytes, of length `size` if given; only the canonical encoding is accepted.

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
    """Reject 1.0, 1e0 and NaN."""
    raise NonCanonicalJson


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once_each, parse_int=_whole_number, parse_float=_no_number, parse_constant=_no_number
)
