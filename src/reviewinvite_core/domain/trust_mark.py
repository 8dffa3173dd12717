"""The trust mark that the service gives to shops: its states and transitions. Spec: §3."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class TrustMark(StrEnum):
    """State of a shop's trust mark."""

    ABSENT = "absent"
    GRANTED = "granted"
    REVOKED = "revoked"


TRANSITIONS: Mapping[TrustMark, frozenset[TrustMark]] = MappingProxyType(
    {
        TrustMark.ABSENT: frozenset({TrustMark.GRANTED}),
        TrustMark.GRANTED: frozenset({TrustMark.REVOKED}),
        TrustMark.REVOKED: frozenset({TrustMark.GRANTED}),
    }
)


class Status(StrEnum):
    """Status of a shop in statements."""

    TRUSTED = "trusted"
    UNVERIFIED = "unverified"
    REVOKED = "revoked"
    INACTIVE = "inactive"


_STATUS_OF = {TrustMark.ABSENT: Status.UNVERIFIED, TrustMark.GRANTED: Status.TRUSTED, TrustMark.REVOKED: Status.REVOKED}


def status_of(trust_mark: TrustMark, *, active: bool) -> Status:
    """Return the status of a shop with this trust mark; inactivity takes precedence."""
    return _STATUS_OF[trust_mark] if active else Status.INACTIVE
