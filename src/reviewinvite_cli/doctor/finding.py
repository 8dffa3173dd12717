"""What a check found."""

from __future__ import annotations

from enum import StrEnum

import attrs


class Status(StrEnum):
    """How bad a finding is: only a failure makes `doctor` exit with 1."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@attrs.frozen
class Finding:
    """Result of one check: what was seen, and what to do next, unless all is well."""

    check: str
    status: Status
    detail: str
    next: str | None = None


def unread(check: str, error: Exception) -> Finding:
    """Return the finding of a check that needs the database, and could not read it because of this error."""
    from reviewinvite_core.domain.errors import CopyUnfinished, SchemaTooNew, SchemaTooOld

    if isinstance(error, CopyUnfinished | SchemaTooNew | SchemaTooOld):
        return warning(check, "not checked: the database has another schema", "See the check of the schema.")
    return warning(check, "not checked: the database cannot be read", "See the check of the database.")


def ok(check: str, detail: str) -> Finding:
    return Finding(check, Status.OK, detail)


def warning(check: str, detail: str, then: str) -> Finding:
    return Finding(check, Status.WARNING, detail, then)


def failure(check: str, detail: str, then: str) -> Finding:
    return Finding(check, Status.FAILURE, detail, then)
