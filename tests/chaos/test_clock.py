"""The clock of a running machine jumps, by faketime: orders are taken, and nothing is sent twice, expired or erased."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from tests.budgets import in_full, in_soak
from tests.chaos.load import StubbornLoad
from tests.chaos.mailboxes import count_messages
from tests.fake_time import FakeTime
from tests.http.deliveries import each_invitation_is_delivered_at_most_once, every_acknowledged_order_is_there_once
from tests.http.service import Deployment, Process
from tests.waiting import wait_until

JUMPS = (
    (timedelta(hours=3), False),
    (timedelta(days=-2, hours=-2), True),
    (timedelta(days=100), True),
    (timedelta(0), True),
)
"""How far ahead the clock is then, and whether the jump there is one of which processes warn: of two days or more."""


@pytest.fixture
def fake_time(tmp_path: Path) -> FakeTime:
    return FakeTime(tmp_path)


def is_delivering(outbox: Path, more: int) -> Callable[[], bool]:
    """Return a check whether `more` messages than now have been delivered."""
    before = count_messages(outbox)
    return lambda: count_messages(outbox) >= before + more


def has_warned(process: Process, times: int) -> bool:
    """Return whether a process has noticed this many jumps, as it does before it expires or erases anything."""
    return process.log.count("the clock jumped") >= times


@pytest.mark.parametrize("rounds", [in_full(1), in_soak(20)])
def test_a_clock_that_jumps_sends_nothing_twice_and_expires_and_erases_nothing(
    tmp_path: Path, fake_time: FakeTime, rounds: int
) -> None:
    deployment = Deployment(tmp_path, orders_per_minute=0)
    deployment.command.variables |= fake_time.variables
    try:
        serve, worker = deployment.serve(), deployment.run("-m", "reviewinvite_cli", "worker")
        with StubbornLoad(partial(getattr, serve, "address"), deployment.key) as load:
            wait_until(load.has_acknowledged(60))
            warnings = 0
            for offset, is_far in JUMPS * rounds:
                acknowledging, delivering = load.has_acknowledged(60), is_delivering(deployment.outbox, 10)
                fake_time.set(offset)
                warnings += is_far
                for process in (serve, worker):
                    wait_until(partial(has_warned, process, warnings))
                wait_until(acknowledging)
                wait_until(delivering)
        for process in (serve, worker):
            assert process.terminate() == 0, process.log
            assert "Traceback" not in process.log
        assert load.contradictions == []
        assert every_acknowledged_order_is_there_once(deployment, load.acknowledged)
        assert each_invitation_is_delivered_at_most_once(deployment)
        invitations = [record.invitation for record in deployment.records()]
        assert all(invitation.sealed_address for invitation in invitations)
        states = Counter(invitation.state.value for invitation in invitations)
        assert set(states) <= {"scheduled", "sent"}
        assert deployment.problems() == ""
        print(f"{len(load.acknowledged)} orders acknowledged, {dict(states)}")
    finally:
        deployment.stop()
