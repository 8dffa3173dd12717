"""What a check is: it looks at one installation, and says what it found and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    import dns.resolver

    from reviewinvite_core import Settings
    from reviewinvite_core.maintenance.inspection import Inspection


class Status(StrEnum):
    """How bad a finding is: only a failure makes `doctor` exit with 1."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@attrs.frozen
class Finding:
    """Result of one check: what was seen, and what to do next, unless all is well."""

    status: Status
    detail: str
    next: str | None = None


def passed(detail: str) -> Finding:
    return Finding(Status.OK, detail)


def warned(detail: str, then: str) -> Finding:
    return Finding(Status.WARNING, detail, then)


def failed(detail: str, then: str) -> Finding:
    return Finding(Status.FAILURE, detail, then)


@attrs.frozen(kw_only=True)
class Patient:
    """An installation: its settings, what is wrong with them by name, and its storage, which opens when asked.

    `seconds` bounds each wait for another machine.
    """

    settings: Settings
    faults: Mapping[str, str]
    unknown_variables: tuple[str, ...]
    inspection: Inspection
    new_resolver: Callable[[], dns.resolver.Resolver]
    dkim_selector: str | None = None
    seconds: float = 5.0

    def missing(self, *names: str) -> str | None:
        """Return the first of these settings whose value is not valid, or None; a check that needs it cannot run."""
        return next((name for name in names if name in self.faults), None)


@attrs.frozen
class Check:
    """A check by its name, and the settings without which it cannot run."""

    name: str
    run: Callable[[Patient], Finding]
    needs: tuple[str, ...] = ()

    def __call__(self, patient: Patient) -> Finding:
        return self.run(patient)


def check(name: str, *, needs: tuple[str, ...] = ()) -> Callable[[Callable[[Patient], Finding]], Check]:
    """Return a decorator that makes a function a check; `examine.CHECKS` lists them all."""
    return lambda run: Check(name, run, needs)
