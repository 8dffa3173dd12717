"""Personal links: tokens that are bound to one invitation and cannot be guessed or altered."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from enum import StrEnum

from reviewinvite_core.domain.identifiers import id_bytes, id_text

_MAC_BYTES = 16
_CONTENT_BYTES = 20
_TOKEN = re.compile(r"[A-Za-z0-9_-]{48}", re.ASCII)


class Purpose(StrEnum):
    """Purpose of a link; a token for one purpose is invalid for another."""

    REVIEW = "review"
    UNSUBSCRIBE = "unsubscribe"


def link_token(key: bytes, purpose: Purpose, shop_number: int, invite_id: str) -> str:
    """Return the token (48 characters, base64url) of an invitation's link.

    It contains the shop's number, the invitation's id and a keyed hash. The number lets a link find its shop without an
    index across shops.
    """
    content = shop_number.to_bytes(4, "big") + id_bytes(invite_id)
    return base64.urlsafe_b64encode(content + _mac(key, purpose, content)).decode("ascii")


def read_token(key: bytes, purpose: Purpose, text: str) -> tuple[int, str] | None:
    """Return the shop number and invitation id if `link_token` made this token for this purpose, or None."""
    if not _TOKEN.fullmatch(text):
        return None
    token = base64.urlsafe_b64decode(text)
    content, mac = token[:_CONTENT_BYTES], token[_CONTENT_BYTES:]
    if not hmac.compare_digest(mac, _mac(key, purpose, content)):
        return None
    return int.from_bytes(content[:4], "big"), id_text(content[4:])


def unproved_invite_id(text: str) -> str | None:
    """Return the invitation id in a token of the right form, or None. Unverified: use it only to choose a lock."""
    if not _TOKEN.fullmatch(text):
        return None
    return id_text(base64.urlsafe_b64decode(text)[4:_CONTENT_BYTES])


def _mac(key: bytes, purpose: Purpose, content: bytes) -> bytes:
    return hashlib.blake2b(content, key=key, person=purpose.encode(), digest_size=_MAC_BYTES).digest()
