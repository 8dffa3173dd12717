"""What the service says is left of a key's limit. Spec: §8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

import attrs

_ITEM = re.compile(r'\s*"([^"\\]{1,64})"((?:\s*;\s*[a-z]+=[^;,]{1,32})*)\s*')
_NUMBER = re.compile(r";\s*([a-z]+)=([0-9]{1,9})(?=\s*(?:;|$))", re.ASCII)


@attrs.frozen(kw_only=True)
class RateLimit:
    """What is left of a limit of the key, as of one answer."""

    name: str
    """`orders`, `reads` or `changes`."""
    quota: int
    """Number of requests that are admitted in any `window_seconds`."""
    window_seconds: int
    remaining: int
    """Number of requests that are admitted now."""
    reset_at: datetime
    """When more are admitted than `remaining`, by this machine's clock, in UTC."""


def read_rate_limit(headers: Mapping[str, str], now: datetime) -> RateLimit | None:
    """Return what the headers of an answer say, or None if they say nothing or are malformed."""
    policy, left = (_item(headers.get(name, "")) for name in ("RateLimit-Policy", "RateLimit"))
    if policy is None or left is None or policy[0] != left[0]:
        return None
    try:
        return RateLimit(
            name=left[0],
            quota=policy[1]["q"],
            window_seconds=policy[1]["w"],
            remaining=left[1]["r"],
            reset_at=now + timedelta(seconds=left[1]["t"]),
        )
    except (KeyError, OverflowError):
        return None


def _item(text: str) -> tuple[str, Mapping[str, int]] | None:
    """Return the name and the numbers of a limit; parameters that later versions add are ignored."""
    found = _ITEM.fullmatch(text)
    return (found[1], {name: int(number) for name, number in _NUMBER.findall(found[2])}) if found else None
