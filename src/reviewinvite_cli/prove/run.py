"""One trial from its start to its result."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Protocol

import attrs

from reviewinvite_cli.prove.faults import Faults
from reviewinvite_cli.prove.installation import Installation
from reviewinvite_cli.prove.load import Load, customer
from reviewinvite_cli.prove.tally import Tally, count
from reviewinvite_core import State

_UP_SECONDS = 120.0
_CLIENTS, _CLIENT_PAUSE = 4, 0.05  # some 50 orders a second, which most machines can also deliver
_BETWEEN_FAULTS = (0.5, 3.0)
_PROGRESS_SECONDS = 120.0
_TICK_SECONDS = 0.2
_FULL_AT, _BACKUP_AT, _RESTORE_AT = 0.25, 0.5, 0.7
_LONGEST_FULL = 6.0


class Progress(Protocol):
    """Where a trial reports what it does."""

    def event(self, sentence: str) -> None:
        """Report a step."""

    def figures(self, acknowledged: int, accepted: int, faults: int) -> None:
        """Report how far it is."""


@attrs.frozen(kw_only=True)
class Restored:
    """What the restore of an older copy meant."""

    after_backup: int
    """Orders acknowledged since the backup began, which the backup may not have."""
    reported_again: int
    """Those of them that the mail server had not got, which their shop reported again."""
    uncertain: int
    resolved_as_sent: int
    resolved_by_resending: int


@attrs.frozen
class SmallDisk:
    """What the trial on a small disk found: a tally, or why it was not possible."""

    tally: Tally | None = None
    problems: tuple[str, ...] = ()
    why_not: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether it found nothing wrong, or was not possible here."""
        return not self.problems and (self.tally.is_good if self.tally else self.why_not is not None)


@attrs.define
class Result:
    """What a trial found."""

    seed: int
    engine: str
    seconds: int
    tally: Tally | None = None
    faults: Mapping[str, int] = attrs.field(factory=dict)
    restored: Restored | None = None
    small_disk: SmallDisk | None = None
    not_done: list[str] = attrs.field(factory=list)
    """What was not possible here, and why."""
    failed_attempts: int = 0
    problems: list[str] = attrs.field(factory=list)
    """What went wrong that no order shows."""

    @property
    def is_good(self) -> bool:
        """Whether the trial was finished and found nothing wrong."""
        others = self.small_disk is None or self.small_disk.is_good
        return self.tally is not None and self.tally.is_good and not self.problems and others


class Trial:
    """Run once: load and faults for a while, then all that is left is delivered and everything is counted."""

    def __init__(self, installation: Installation, result: Result, progress: Progress) -> None:
        self._installation, self._result, self._progress = installation, result, progress
        self._dice = random.Random(result.seed)  # noqa: S311 - no secret
        self._faults = Faults(installation, self._dice)
        self._load = Load(installation.url, installation.key, clients=_CLIENTS, pause=_CLIENT_PAUSE)
        self._in_backup: set[str] = set()

    def run(self) -> None:
        """Fill in the result; at Ctrl-C with what there is so far."""
        try:
            self._break_things()
            states = self._settle()
        except KeyboardInterrupt:
            self._installation.kill_all()
            self._load.stop()
            self._count(None)
            raise
        self._count(states)

    def _break_things(self) -> None:
        result, installation = self._result, self._installation
        installation.start()
        self._progress.event("Starting the service and a mail server.")
        if not installation.wait_until_up(_UP_SECONDS):
            result.problems.append(f"the service did not start: {installation.serve.last_words()}")
            return
        self._load.start()
        self._wait_for_orders(1)
        begun = time.monotonic()
        steps = self._steps(begun)
        self._progress.event(f"Taking orders and breaking things for {result.seconds} s.")
        while time.monotonic() < begun + result.seconds and not result.problems:
            if steps and time.monotonic() >= steps[0][0]:
                steps.pop(0)[1]()
            else:
                self._faults.strike()
            self._wait_for_orders(self._dice.randint(1, 40))
            self._pause(self._dice.uniform(*_BETWEEN_FAULTS))
        for _, step in steps:  # on a slow machine, or in a short trial
            if not result.problems:
                step()
                self._wait_for_orders(1)
        self._load.stop()

    def _steps(self, begun: float) -> list[tuple[float, Callable[[], None]]]:
        """Return what is done once each, in this order, and when."""
        database, seconds = self._installation.database, self._result.seconds
        steps: list[tuple[float, Callable[[], None]]] = []
        if database.why_not_filled is None:
            steps.append((_FULL_AT, self._fill_disk))
        else:
            self._result.not_done.append(f"full disk: {database.why_not_filled}")
        if database.why_not_restored is None:
            steps += [(_BACKUP_AT, self._back_up), (_RESTORE_AT, self._restore)]
        else:
            self._result.not_done.append(f"restore: {database.why_not_restored}")
        return [(begun + share * seconds, step) for share, step in steps]

    def _fill_disk(self) -> None:
        self._progress.event("The disk is full.")
        self._faults.fill_disk(min(_LONGEST_FULL, self._result.seconds / 4))

    def _back_up(self) -> None:
        self._progress.event("Backing up the database, while orders come in.")
        self._in_backup = set(self._load.acknowledged())
        database = self._installation.database
        if not database.copied_while_running:
            self._installation.kill_service()
        database.back_up(self._installation.settings)
        self._installation.start()

    def _restore(self) -> None:
        self._progress.event("Restoring the backup, as the documentation says.")
        installation = self._installation
        self._load.stop()
        installation.kill_all()
        installation.database.restore(installation.settings)
        uncertain, as_sent, again = installation.reconcile()
        after = set(self._load.acknowledged()) - self._in_backup
        missing = {order for order in after if customer(order) not in installation.mail.by_recipient}
        installation.start()
        self._load.report_again(missing)
        self._load.start()
        self._result.restored = Restored(
            after_backup=len(after),
            reported_again=len(missing),
            uncertain=uncertain,
            resolved_as_sent=as_sent,
            resolved_by_resending=again,
        )

    def _settle(self) -> Mapping[str, State] | None:
        self._progress.event("Delivering what is left, with the clock set ahead.")
        installation = self._installation
        self._load.stop()
        installation.stop_service()
        installation.mail_server.kill()
        installation.start_mail_server(calm=True)
        return installation.settle()

    def _count(self, states: Mapping[str, State] | None) -> None:
        self._installation.mail.update()
        self._result.faults = dict(self._faults.counts)
        self._result.failed_attempts = self._load.failed_attempts
        self._result.problems += self._load.unexpected
        self._result.tally = count(
            {customer(order): ids for order, ids in self._load.acknowledged().items()},
            map(customer, self._load.unanswered()),
            self._installation.mail,
            states,
        )

    def _wait_for_orders(self, more: int) -> None:
        """Wait until this many more orders are acknowledged, so that each fault meets a service that runs."""
        wanted, deadline = self._load.count + more, time.monotonic() + _PROGRESS_SECONDS
        while self._load.count < wanted and not self._load.unexpected:
            if time.monotonic() > deadline:
                self._result.problems.append(
                    f"no order was acknowledged for {_PROGRESS_SECONDS:.0f} s: {self._installation.serve.last_words()}"
                )
                return
            self._pause(_TICK_SECONDS)
        if self._load.unexpected:
            self._result.problems.append("the service gave an answer that it should not give")

    def _pause(self, seconds: float) -> None:
        """Wait, and meanwhile report, and start again what ended by itself."""
        end = time.monotonic() + seconds
        while True:
            self._installation.revive()
            self._installation.mail.update()
            accepted = self._installation.mail.by_invitation.total()
            self._progress.figures(self._load.count, accepted, self._faults.counts.total())
            if self._installation.mail_server.has_ended_by_itself:
                self._result.problems.append(f"the mail server: {self._installation.mail_server.last_words()}")
                return
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(_TICK_SECONDS, left))
