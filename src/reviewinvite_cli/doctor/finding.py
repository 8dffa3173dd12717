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


def ok(check: str, detail: str) -> Finding:
    return Finding(check, Status.OK, detail)


def warning(check: str, detail: str, then: str) -> Finding:
    return Finding(check, Status.WARNING, detail, then)


def failure(check: str, detail: str, then: str) -> Finding:
    return Finding(check, Status.FAILURE, detail, then)
