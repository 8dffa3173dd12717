"""Refusals and errors as data, without prose or HTTP (ADR-2).

A *refusal* is a result that a use case returns. An *error* is raised: for bad values when they are constructed
(`Invalid`), and for faults of the installation (`StorageUnavailable`, `ConfigurationError`).
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
    UNKNOWN_SNIPPET = "unknown_snippet"
    MALFORMED = "malformed"
    NOT_A_HOST = "not_a_host"
    PUBLIC_SUFFIX = "public_suffix"


@attrs.define(auto_exc=False, unsafe_hash=True)
class Invalid(ValueError):
    """An invalid value; names the field and the problem, never the value.

    Raised when a value is constructed, returned when a request is decoded (Spec: §7, 422). `also` holds the request's
    other faults; two errors are equal if their first faults are.
    """

    problem: Problem
    field: str | None = None
    also: tuple[Invalid, ...] = attrs.field(default=(), eq=False, repr=False)

    @property
    def errors(self) -> tuple[Invalid, ...]:
        """All faults, this one first."""
        return (self, *self.also)

    def __reduce__(self) -> tuple[type[Invalid], tuple[object, ...]]:
        """Pickle all fields; an exception by default pickles only its constructor's arguments."""
        return type(self), (self.problem, self.field, self.also)

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}" if self.field else str(self.problem)


@attrs.frozen
class KeyRefused:
    """No key was presented, or the key is malformed, unknown or revoked (Spec: §5, 401), or may not do this (§4.13).

    A caller gets it as well who is a member without the role any more (§10.1), or acts for another database's shop.
    """

    presented: bool


@attrs.frozen
class ShopInactive:
    """The shop is not active (Spec: §5, 403)."""


def whole_seconds(wait: timedelta) -> int:
    """Return the whole seconds of a wait, rounded up, at least 1."""
    return max(1, -(-wait // timedelta(seconds=1)))


@attrs.frozen
class LimitReached:
    """A limit is used up; `retry_at` is the earliest instant at which it admits another call (Spec: §8, 429).

    `limit` is the name of its setting, if it has one, for the operator's metrics.
    """

    asked_at: datetime
    retry_at: datetime
    limit: str = attrs.field(default="", eq=False, repr=False)

    @property
    def retry_after_seconds(self) -> int:
        """Whole seconds to wait, rounded up, at least 1."""
        return whole_seconds(self.retry_at - self.asked_at)


@attrs.frozen
class ShopUnknown:
    """There is no shop with this site id."""

    site_id: str


@attrs.frozen
class OriginForeign:
    """The request comes from no verified domain of the shop, or there is no such shop (Spec: §5, 403)."""


@attrs.frozen
class SnippetOff:
    """The shop takes no orders from browsers (Spec: §4.2, 403)."""


@attrs.frozen
class SignatureRefused:
    """The shop takes signed orders from browsers only, and this one's signature is missing or wrong (§4.2, 403)."""


@attrs.frozen
class SignatureUnseen:
    """The shop has sent no valid signature yet, so that signed orders only would be none (Spec: §4.13, 409)."""


@attrs.frozen
class DomainUnknown:
    """The shop has no such host."""

    host: str


@attrs.frozen
class DomainTaken:
    """Another shop has verified this host, or one that covers it, and must release it first."""

    host: str


@attrs.frozen
class ShopExists:
    """The site id is taken."""

    site_id: str


@attrs.frozen
class KeyExists:
    """The request that made this key was repeated; the key's text cannot be shown again."""

    key_id: str


@attrs.frozen
class KeyUnknown:
    """There is no API key with this id."""

    key_id: str


@attrs.frozen
class InvitationUnknown:
    """There is no invitation with this id, or it belongs to another shop."""

    invite_id: str


@attrs.frozen
class ReviewUnknown:
    """There is no review with this id, or it belongs to another shop."""

    review_id: str


@attrs.frozen
class ReviewStateConflict:
    """The review's current `state` does not allow the requested change (docs/states.md)."""

    state: str


@attrs.frozen
class TooLate:
    """The invitation's current `state` no longer allows this (docs/states.md)."""

    state: str


@attrs.frozen
class TrustMarkStateConflict:
    """The current state of the shop's trust mark, `mark`, does not allow the requested change (docs/states.md)."""

    mark: str


@attrs.frozen
class SigningKeyUnknown:
    """There is no signing key with this id."""

    key_id: str


@attrs.frozen
class StandbyTooNew:
    """The standby key has been published for less than 24 hours; `ready_at` is when that time is over."""

    ready_at: datetime


@attrs.frozen
class AlreadyCompromised:
    """The signing key has already been withdrawn as compromised."""

    key_id: str


@attrs.frozen
class NotUncertain:
    """The invitation's outcome is not in doubt, so there is nothing to resolve; `state` is its current state."""

    state: str


@attrs.frozen
class AddressErased:
    """The customer's address has been erased, so nothing can be sent to it."""


@attrs.frozen
class NotSuppressed:
    """The address has no such suppression; `elsewhere` is whether it has one for another shop or for all shops."""

    elsewhere: bool


@attrs.frozen
class OptedOut:
    """The customer opted out, and only the customer can undo that (ADR-16)."""


@attrs.frozen
class MemberUnknown:
    """The shop has no such member."""


@attrs.frozen
class MemberExists:
    """The person with this address is a member of the shop already."""

    member_id: str


@attrs.frozen
class LastOwner:
    """The member is the shop's last owner, and can neither leave nor become staff."""

    member_id: str


@attrs.frozen
class ChangedMeanwhile:
    """Somebody else has changed the same thing since it was shown; nothing was changed."""


@attrs.frozen
class NoNameWaiting:
    """The shop asks for no other name, so there is none to approve."""


@attrs.frozen
class RoleRefused:
    """The member's role at the shop does not allow this; only an owner may do it."""


@attrs.frozen
class SignInTooOld:
    """The action needs a sign-in within the last 15 minutes."""


Refusal: TypeAlias = (
    Invalid
    | KeyRefused
    | ShopInactive
    | LimitReached
    | ShopUnknown
    | OriginForeign
    | SnippetOff
    | SignatureRefused
    | SignatureUnseen
    | DomainUnknown
    | DomainTaken
    | ShopExists
    | KeyExists
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
    | MemberUnknown
    | MemberExists
    | LastOwner
    | ChangedMeanwhile
    | NoNameWaiting
    | RoleRefused
    | SignInTooOld
)


class StorageUnavailable(Exception):
    """Storage is busy, full or unreachable (Spec: §7, 503).

    No changes of the unit of work were stored, or all of them if the answer to its commit was lost.
    """


class DatabaseLocked(StorageUnavailable):
    """Another process has locked the database's file for longer than anybody waits."""


class DatabaseDamaged(StorageUnavailable):
    """The database's file is damaged: waiting does not help, a backup does."""


DAMAGE_REMEDY = "restore a sound backup with `reviewinvite db restore FILE`"
DAMAGE_ADVICE = f"the database is damaged: {DAMAGE_REMEDY}"
"""First line of a check that finds damage; the lines after it are the damage."""

MORE_DAMAGE = "there is more damage than is listed here"
"""Last line of a check that finds more damage than it lists."""


class ApplicationClosed(RuntimeError):
    """The application was used after it was closed: nothing was done, and repeating the call does not help."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__("the application is closed: build another one, and close it after the last call")


class UsedAfterFork(RuntimeError):
    """The process inherited the application, or its open SQLite file, through a fork; nothing was done."""


class ClockJumped(Exception):
    """The clock jumped: it moved by days more or less than the time that passed. The message states by how much."""


class DatabaseInUse(Exception):
    """Another process has the database open, which this operation does not allow."""


class ConfigurationError(Exception):
    """The installation cannot work with its configuration or its database; the message says what is wrong."""


class DatabaseMissing(ConfigurationError):
    """There is no database, or an empty one, and this operation must not set up a new one."""


class HighWaterMarkUnreadable(ConfigurationError):
    """The file of the high-water mark cannot be read, or is damaged (ADR-20)."""


class SecretMissing(ConfigurationError):
    """The database holds keys sealed under a secret, but no secret was given (ADR-6)."""


class SecretWrong(ConfigurationError):
    """The secret does not open the key ring in the database (ADR-6)."""


class SecretBusy(Exception):
    """Another process is changing the secret at this moment (ADR-31)."""


class SecretChanged(Exception):
    """Another process changed the secret in the meantime; this one changed nothing (ADR-31)."""


@attrs.define(auto_exc=False, unsafe_hash=True)
class RotationIncomplete(Exception):
    """A change of the secret could not be completed; the next start completes or undoes it (ADR-31).

    `sealed` is whether the key ring is sealed under the new secret, or None if that is not known.
    """

    sealed: bool | None
    cause: str

    def __str__(self) -> str:
        return self.cause


class SchemaTooOld(ConfigurationError):
    """The database was made by an older release and must be migrated."""


class CopyUnfinished(ConfigurationError):
    """The database holds an incomplete copy of another one."""


class CopyTakenOver(ConfigurationError):
    """A later copy into the same database has taken over from this one."""


class SchemaTooNew(ConfigurationError):
    """The database was made by a newer release than this one."""
