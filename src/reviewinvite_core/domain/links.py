"""Personal links: tokens bound to one invitation, which nobody can guess or alter."""

from __future__ import annotations

import base64
import hashlib
import uuid
from enum import StrEnum

_MAC_BYTES = 16


class Purpose(StrEnum):
    """What a link is for; a token for one purpose is worth nothing for another."""

    REVIEW = "review"
    UNSUBSCRIBE = "unsubscribe"


def link_token(key: bytes, purpose: Purpose, shop_number: int, invite_id: str) -> str:
    """The token (48 characters, base64url) of an invitation's link: shop number, invitation id and a keyed hash.

    It carries the shop's number, so that a link finds its shop without an index over all shops.
    """
    content = shop_number.to_bytes(4, "big") + uuid.UUID(invite_id).bytes
    mac = hashlib.blake2b(content, key=key, person=purpose.encode(), digest_size=_MAC_BYTES).digest()
    return base64.urlsafe_b64encode(content + mac).decode("ascii")
