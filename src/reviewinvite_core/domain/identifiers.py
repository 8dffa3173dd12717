"""Identifiers of invitations and reviews. ADR-10."""

from __future__ import annotations

import re
from datetime import datetime

from reviewinvite_core.domain.timing import to_microseconds

_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)


def uuid7(at: datetime, entropy: bytes) -> str:
    """Return a UUIDv7 (RFC 9562): 48 bits of milliseconds and 74 bits from 10 random bytes (ADR-10)."""
    number = (to_microseconds(at) // 1000) << 80 | int.from_bytes(entropy[:10], "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return _hyphenated(f"{number:032x}")


def uuid7_after(earlier: str, entropy: bytes) -> str:
    """Return an identifier of the same millisecond that is greater than the earlier one (RFC 9562, §6.2, method 2).

    The step is random, from 5 bytes, so that two which follow the same one differ.
    """
    return _hyphenated(f"{int(earlier.replace('-', ''), 16) + 1 + int.from_bytes(entropy[:5], 'big'):032x}")


def parse_uuid(text: str) -> str | None:
    """Return `text` if it is a UUID as the service writes it, in lower case with hyphens; otherwise None.

    Python reads more forms (upper case, braces, no hyphens), but an id that has several forms hides mistakes.
    """
    return text if _UUID.fullmatch(text) else None


def id_bytes(text: str) -> bytes:
    """Return the 16 bytes of an identifier as the service writes it; `uuid.UUID` takes several times as long."""
    return bytes.fromhex(text.replace("-", ""))


def id_text(stored: bytes) -> str:
    """Return the identifier with these 16 bytes."""
    return _hyphenated(stored.hex())


def _hyphenated(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
