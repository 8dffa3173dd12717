"""Errors, which are raised: for bad values when they are constructed (`Invalid`), and for faults of the installation.

What a use case returns instead is a *refusal* (`refusals.py`, ADR-2); `Invalid` is both.
"""

from __future__ import annotations

from enum import StrEnum

import attrs

from reviewinvite_core.domain.refused import Refusal, RefusalKind, gettext_noop


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
class Invalid(Refusal, ValueError):
    """An invalid value; names the field and the problem, never the value.

    Raised when a value is constructed, returned when a request is decoded (Spec: §7, 422). `also` holds the request's
    other faults; two errors are equal if their first faults are.
    """

    kind = RefusalKind.INVALID

    problem: Problem
    field: str | None = None
    also: tuple[Invalid, ...] = attrs.field(default=(), eq=False, repr=False)

    @property
    def errors(self) -> tuple[Invalid, ...]:
        """All faults, this one first."""
        return (self, *self.also)

    @property
    def explanation(self) -> str:
        """The problem and the field."""
        return f"Invalid value: {self}."

    def __reduce__(self) -> tuple[type[Invalid], tuple[object, ...]]:
        """Pickle all fields; an exception by default pickles only its constructor's arguments."""
        return type(self), (self.problem, self.field, self.also)

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}" if self.field else str(self.problem)


class StorageUnavailable(Exception):
    """Storage is busy, full or unreachable (Spec: §7, 503).

    No changes of the unit of work were stored, or all of them if the answer to its commit was lost.
    """

    kind, code = RefusalKind.UNAVAILABLE, "storage_unavailable"
    sentence = gettext_noop("The service is temporarily unavailable. Try again later.")


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
