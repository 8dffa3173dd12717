"""Personal links: tokens bound to one invitation, which nobody can guess or alter."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import uuid
from enum import StrEnum

_MAC_BYTES = 16
_CONTENT_BYTES = 20
_TOKEN = re.compile(r"[A-Za-z0-9_-]{48}", re.ASCII)


class Purpose(StrEnum):
    """What a link is for; a token for one purpose is worth nothing for another."""

    REVIEW = "review"
    UNSUBSCRIBE = "unsubscribe"


def link_token(key: bytes, purpose: Purpose, shop_number: int, invite_id: str) -> str:
    """The token (48 characters, base64url) of an invitation's link: shop number, invitation id and a keyed hash.

    It carries the shop's number, so that a link finds its shop without an index over all shops.
    """
    content = shop_number.to_bytes(4, "big") + uuid.UUID(invite_id).bytes
    return base64.urlsafe_b64encode(content + _mac(key, purpose, content)).decode("ascii")


def read_token(key: bytes, purpose: Purpose, text: str) -> tuple[int, str] | None:
    """The shop number and invitation id in a token made by `link_token` for this purpose; None for any other text."""
    if not _TOKEN.fullmatch(text):
        return None
    token = base64.urlsafe_b64decode(text)
    content, mac = token[:_CONTENT_BYTES], token[_CONTENT_BYTES:]
    if not hmac.compare_digest(mac, _mac(key, purpose, content)):
        return None
    return int.from_bytes(content[:4], "big"), str(uuid.UUID(bytes=content[4:]))


def unproved_invite_id(text: str) -> str | None:
    """The invitation id that a token names, made by us or not: enough to choose a lock by, and nothing else."""
    if not _TOKEN.fullmatch(text):
        return None
    return str(uuid.UUID(bytes=base64.urlsafe_b64decode(text)[4:_CONTENT_BYTES]))


def _mac(key: bytes, purpose: Purpose, content: bytes) -> bytes:
    return hashlib.blake2b(content, key=key, person=purpose.encode(), digest_size=_MAC_BYTES).digest()
