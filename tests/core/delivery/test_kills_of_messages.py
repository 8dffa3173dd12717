"""`kill -9` while a sign-in link is delivered to a real SMTP server: it arrives once or not at all, never twice."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from datetime import timedelta

import pytest
from tests.core.delivery.crash_harness import CrashHarness, MakeCrashHarness, WorkerForkServer
from tests.core.delivery.crashing_worker import CrashPoint
from tests.messages import queue

from reviewinvite_core import State

MEMBER = "member@example.com"
LATER = timedelta(days=30)  # so that it is not the expiry that keeps it from being sent again


def state_of(harness: CrashHarness, message_id: str) -> State:
    found = harness.app._storage.read(lambda store: store.notices.find(message_id))
    assert found
    return found.state


@pytest.mark.parametrize(
    ("point", "end", "times"),
    [
        (CrashPoint.STAGING, State.SENT, 1),
        (CrashPoint.STAGED, State.SENT, 1),
        (CrashPoint.MARKED, State.UNCERTAIN, 0),
        (CrashPoint.DOT, State.UNCERTAIN, 1),
        (CrashPoint.ANSWERED, State.UNCERTAIN, 1),
    ],
)
def test_a_worker_that_is_killed_sends_a_link_at_most_once(
    make_crash_harness: MakeCrashHarness,
    fork_servers: Sequence[WorkerForkServer],
    point: CrashPoint,
    end: State,
    times: int,
) -> None:
    harness = make_crash_harness(connections=1)
    link = queue(harness.app, to=MEMBER, expires_after=LATER)
    harness.report_due(1)
    assert fork_servers[0].run(harness.job(point)) == -signal.SIGKILL
    harness.deliver_all(fork_servers[0])
    assert state_of(harness, link.message_id) is end
    arrived = harness.arrivals()
    assert arrived.pop(link.message_id, 0) == times
    assert list(arrived.values()) == [1]  # the invitation


def test_links_and_invitations_share_sessions_and_links_arrive_first(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer]
) -> None:
    harness = make_crash_harness(connections=1)
    harness.report_due(3)
    links = [queue(harness.app, to=MEMBER).message_id for _ in range(2)]
    assert fork_servers[0].run(harness.job()) == 0
    arrived = [each.strip("<>").partition("@")[0] for each in harness.server.logged()]
    assert sorted(arrived[:2]) == sorted(links)
    assert len(set(arrived)) == len(arrived) == 5
    assert harness.server.sessions == 1
