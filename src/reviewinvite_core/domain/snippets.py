"""Which orders a shop takes from browsers, and signatures by which its server vouches for them. Spec: §4.2, ADR-66."""

from __future__ import annotations

import hmac
from enum import StrEnum

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem

SECRET_ENTROPY_BYTES = 32
_PREFIX = "rvs_"
_VERSION = "v1"
_LINE_BREAKS = frozenset("\r\n")


class SnippetMode(StrEnum):
    """Which orders a shop takes from browsers, from the most to the fewest."""

    OPEN = "open"
    SIGNED = "signed"
    OFF = "off"

    def stricter_of(self, other: SnippetMode) -> SnippetMode:
        """Return the one of the two that takes fewer orders."""
        return max(self, other, key=list(SnippetMode).index)


def to_snippet_mode(value: str | SnippetMode) -> SnippetMode:
    """Return the mode with this name.

    Raises: `Invalid`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "snippet")
    try:
        return SnippetMode(value)
    except ValueError:
        raise Invalid(Problem.UNKNOWN_SNIPPET, "snippet") from None


def new_secret(entropy: bytes) -> str:
    """Return the text of a snippet secret made from 32 random bytes; signatures are keyed with that text."""
    return _PREFIX + entropy.hex()


@attrs.frozen(kw_only=True)
class SnippetSignature:
    """A signature that a browser sent, and the exact strings it has to be over: those that were sent with it.

    `order_number` is empty if none was sent. `value` is the hex of HMAC-SHA256.
    """

    value: str = attrs.field(repr=False)
    site_id: str
    email: str = attrs.field(repr=False)
    order_number: str = ""

    def is_keyed_with(self, secret: str) -> bool:
        """Return whether it was made with this secret, compared in constant time.

        A line break in one of the strings could make two reports look alike, so it makes the signature wrong.
        """
        signed = (self.site_id, self.email, self.order_number)
        if any(_LINE_BREAKS.intersection(each) for each in signed):
            return False
        # A lone surrogate has no UTF-8: no genuine signature is over one, and none contains one.
        message = "\n".join((_VERSION, *signed)).encode("utf-8", "surrogatepass")
        expected = hmac.digest(secret.encode(), message, "sha256").hex().encode()
        return hmac.compare_digest(expected, self.value.encode("utf-8", "surrogatepass").lower())
