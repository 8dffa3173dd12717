"""What can be refused, and why: data, not prose, and nothing of HTTP (ADR-2).

A *refusal* is a result that a use case returns. An *error* is raised: bad values where they are made
(`Invalid`), and faults of the installation (`StorageUnavailable`, `ConfigurationError`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

import attrs


class Problem(StrEnum):
    """What is wrong with a value; the stable codes of Spec: §7."""

    INVALID_JSON = "invalid_json"
    NOT_AN_OBJECT = "not_an_object"
    UNKNOWN_FIELD = "unknown_field"
    DUPLICATE_FIELD = "duplicate_field"
    FIELD_MISSING = "field_missing"
    WRONG_TYPE = "wrong_type"
    INVALID_ADDRESS = "invalid_address"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    FORBIDDEN_CHARACTERS = "forbidden_characters"
    OUT_OF_RANGE = "out_of_range"
    UNKNOWN_LANGUAGE = "unknown_language"
    UNKNOWN_THEME = "unknown_theme"
    UNKNOWN_SIZE = "unknown_size"
    UNKNOWN_REASON = "unknown_reason"
    MALFORMED = "malformed"
    NOT_A_HOST = "not_a_host"
    PUBLIC_SUFFIX = "public_suffix"


@attrs.define(auto_exc=False, unsafe_hash=True)
class Invalid(ValueError):
    """A value that no order, shop or key may have; names the field and the problem, never the value.

    Raised where a value is made, returned where a request is decoded (Spec: §7, 422). `also` is what else is wrong with
    the same request; two are equal if their first faults are.
    """

    problem: Problem
    field: str | None = None
    also: tuple[Invalid, ...] = attrs.field(default=(), eq=False, repr=False)

    @property
    def errors(self) -> tuple[Invalid, ...]:
        """All that is wrong, this first."""
        return (self, *self.also)

    def __reduce__(self) -> tuple[type[Invalid], tuple[object, ...]]:
        """Pickle all of it: an exception would pickle what it was called with."""
        return type(self), (self.problem, self.field, self.also)

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}" if self.field else str(self.problem)


@attrs.frozen
class KeyRefused:
    """No key was presented, or the one presented is malformed, unknown or revoked (Spec: §5, 401)."""

    presented: bool


@attrs.frozen
class ShopInactive:
    """The shop is known but not active (Spec: §5, 403)."""


@attrs.frozen
class LimitReached:
    """A limit is used up; `retry_at` is the first instant at which one more fits (Spec: §8, 429)."""

    asked_at: datetime
    retry_at: datetime

    @property
    def retry_after_seconds(self) -> int:
        """Whole seconds to wait, rounded up, at least 1."""
        return max(1, -(-(self.retry_at - self.asked_at) // timedelta(seconds=1)))


@attrs.frozen
class ShopUnknown:
    """There is no shop with this site id."""

    site_id: str


@attrs.frozen
class OriginForeign:
    """The request comes from no verified domain of the shop, or there is no such shop (Spec: §5, 403)."""


@attrs.frozen
class DomainUnknown:
    """The shop has no such host."""

    host: str


@attrs.frozen
class DomainTaken:
    """Another shop has verified this host, or one that covers it; it has to release it first."""

    host: str


@attrs.frozen
class ShopExists:
    """The site id is taken."""

    site_id: str


@attrs.frozen
class KeyUnknown:
    """There is no API key with this id."""

    key_id: str


@attrs.frozen
class InvitationUnknown:
    """There is no invitation with this id."""

    invite_id: str


@attrs.frozen
class ReviewUnknown:
    """There is no review with this id, or none of this shop's."""

    review_id: str


@attrs.frozen
class ReviewStateConflict:
    """The review cannot become what is asked for; `state` is where it is (docs/states.md)."""

    state: str


@attrs.frozen
class TooLate:
    """The invitation is past the point where this can be done; `state` is where it is (docs/states.md)."""

    state: str


@attrs.frozen
class TrustMarkStateConflict:
    """The shop's trust mark cannot become what is asked for; `mark` is what it is (docs/states.md)."""

    mark: str


@attrs.frozen
class SigningKeyUnknown:
    """There is no signing key with this id."""

    key_id: str


@attrs.frozen
class StandbyTooNew:
    """The standby key has not been published for 24 hours yet; `ready_at` is when it will have been."""

    ready_at: datetime


@attrs.frozen
class AlreadyCompromised:
    """The signing key is withdrawn already."""

    key_id: str


@attrs.frozen
class NotUncertain:
    """Nothing about the invitation is in doubt, so there is nothing to resolve; `state` is where it is."""

    state: str


@attrs.frozen
class AddressErased:
    """The customer's address is erased: there is nothing to send to."""


@attrs.frozen
class NotSuppressed:
    """Nothing stands for the address there; `elsewhere` tells whether something does at another place."""

    elsewhere: bool


@attrs.frozen
class OptedOut:
    """It is the customer's own word, which only the customer takes back (ADR-16)."""


Refusal: TypeAlias = (
    Invalid
    | KeyRefused
    | ShopInactive
    | LimitReached
    | ShopUnknown
    | OriginForeign
    | DomainUnknown
    | DomainTaken
    | ShopExists
    | KeyUnknown
    | InvitationUnknown
    | ReviewUnknown
    | ReviewStateConflict
    | TooLate
    | NotUncertain
    | TrustMarkStateConflict
    | SigningKeyUnknown
    | StandbyTooNew
    | AlreadyCompromised
    | AddressErased
    | NotSuppressed
    | OptedOut
)


class StorageUnavailable(Exception):
    """Storage is busy, full or away; nothing of the unit of work was kept (Spec: §7, 503)."""


class UsedAfterFork(RuntimeError):
    """An application, or its open SQLite file, came into this process by a fork; nothing was done."""


class ClockJumped(Exception):
    """The clock went on, or back, by days more than time did; the text tells by how much."""


class DatabaseInUse(Exception):
    """A process has the database open that must not while this is done."""


class ConfigurationError(Exception):
    """The installation cannot start as it is configured; the text tells what to change."""


class SecretMissing(ConfigurationError):
    """The database holds keys sealed under a secret, and none was given (ADR-6)."""


class SecretWrong(ConfigurationError):
    """The secret does not open the key ring in the database (ADR-6)."""


class SecretBusy(Exception):
    """Another process is changing the secret at this moment (ADR-31)."""


class SecretChanged(Exception):
    """Somebody else has changed the secret while it was to be changed here; nothing was changed here (ADR-31)."""


@attrs.define(auto_exc=False, unsafe_hash=True)
class RotationIncomplete(Exception):
    """A change of the secret that could not be brought to its end; the next start settles it (ADR-31).

    `sealed` is whether the key ring is sealed under the new secret; None if that is not known.
    """

    sealed: bool | None
    cause: str

    def __str__(self) -> str:
        return self.cause


class SchemaTooOld(ConfigurationError):
    """The database was made by an older release and has to be migrated."""


class CopyUnfinished(ConfigurationError):
    """The database holds part of another one, and the copying of it was broken off."""


class CopyTakenOver(ConfigurationError):
    """A later copying into the same database goes on in place of this one."""


class SchemaTooNew(ConfigurationError):
    """The database was made by a newer release than this one."""
