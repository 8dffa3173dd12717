"""The service's word for a shop: its states, and which may follow which. Spec: §3."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class TrustMark(StrEnum):
    """What the service says of a shop."""

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
    """What a statement says of a shop."""

    TRUSTED = "trusted"
    UNVERIFIED = "unverified"
    REVOKED = "revoked"
    INACTIVE = "inactive"


_STATUS_OF = {
    TrustMark.ABSENT: Status.UNVERIFIED,
    TrustMark.GRANTED: Status.TRUSTED,
    TrustMark.REVOKED: Status.REVOKED,
}


def status_of(trust_mark: TrustMark, *, active: bool) -> Status:
    """What is said of a shop with this mark; that it is inactive comes first."""
    return _STATUS_OF[trust_mark] if active else Status.INACTIVE
