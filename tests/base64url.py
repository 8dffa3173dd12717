"""Base64url without padding, as in JWS."""

from __future__ import annotations

import base64


def decoded(text: str) -> bytes:
    """Return the bytes that this text encodes."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
