"""Deliveries go on: somebody delivers, nothing waits for long, and nothing waits for an operator."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from reviewinvite_cli.doctor.finding import Finding, Status, ok, unread
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.times import span

if TYPE_CHECKING:
    from reviewinvite_core.maintenance.inspection import DeliveryFigures

CHECK = "deliveries"
LONG = timedelta(hours=1)
FEWEST_REJECTED, REJECTED_PERCENT = 5, 5
_PAGE = "see docs/how-to/act-on-an-alert.md in the source code."


def check(patient: Patient) -> Finding:
    """Name everything that is wrong, and what to do about the worst of it."""
    from reviewinvite_core import ConfigurationError, StorageUnavailable

    try:
        figures = patient.inspection.deliveries()
    except (ConfigurationError, StorageUnavailable) as error:
        return unread(CHECK, error)
    found = list(_troubles(figures))
    if not found:
        waiting = f"{figures.backlog.due:,} due" if figures.backlog.due else "nothing is late"
        return ok(CHECK, f"{waiting}; workers: {figures.workers}")
    status = max((status for status, _, _ in found), key=list(Status).index)
    then = next(then for each, _, then in found if each is status)
    return Finding(CHECK, status, "; ".join(words for _, words, _ in found), then)


def _troubles(figures: DeliveryFigures) -> Iterator[tuple[Status, str, str]]:
    """Yield each trouble with what to do, the most urgent first."""
    backlog = figures.backlog
    waits = backlog.due + backlog.waiting_retry
    if not figures.workers:
        yield (
            *(Status.FAILURE if waits else Status.WARNING, "no worker delivers"),
            "Start `reviewinvite serve` or `reviewinvite worker`; the log says why it ended.",
        )
    if backlog.relay_refuses:
        yield (
            *(Status.FAILURE, "the mail server refuses all mail, so one is tried at a time"),
            f"Look at the replies: `reviewinvite invitation list --state scheduled`; {_PAGE}",
        )
    if backlog.oldest_first_due > LONG:
        yield (
            *(Status.FAILURE, f"the oldest invitation was due {span(backlog.oldest_first_due)} ago"),
            f"Run `reviewinvite mail test ADDRESS`, and {_PAGE}",
        )
    if backlog.waiting_retry:
        yield (
            *(Status.WARNING, f"{backlog.waiting_retry:,} tried in vain and waiting to be tried again"),
            f"Look at the reasons: `reviewinvite invitation list --state scheduled`; {_PAGE}",
        )
    if figures.rejected >= FEWEST_REJECTED and figures.rejected * 100 > REJECTED_PERCENT * figures.sent:
        yield (
            *(Status.WARNING, f"{figures.rejected:,} refused since Monday of last week, and {figures.sent:,} sent"),
            f"Look at the reasons: `reviewinvite invitation list --state rejected`; {_PAGE}",
        )
    if figures.silent:
        yield (
            *(Status.WARNING, f"workers without a sign of life for 2 minutes: {figures.silent}"),
            f"Start them again, or wait a day until they are forgotten; {_PAGE}",
        )
    if backlog.stuck:
        yield (
            *(Status.WARNING, f"{backlog.stuck:,} held by a worker for more than 5 minutes"),
            f"They are freed or become uncertain when LEASE_SECONDS have passed; {_PAGE}",
        )
    if backlog.uncertain:
        yield (
            *(Status.WARNING, f"{backlog.uncertain:,} uncertain"),
            "Decide: `reviewinvite invitation list --state uncertain`, then `invitation resolve`.",
        )
