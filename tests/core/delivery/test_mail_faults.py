"""What a mail server can do to a delivery, and the state of the invitation afterwards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.budgets import in_full, in_soak
from tests.core.delivery.crash_harness import UNSENT, MakeCrashHarness, WorkerForkServer
from tests.core.delivery.crashing_worker import CrashPoint

from reviewinvite_core import Reason, State
from reviewinvite_core.testing.smtp_server import PHASES

PHASE_TIMEOUT = 6.0  # seconds for each phase: enough for a server that answers, even beside 16 silent sessions
SLOW = {"stall", "drip", "gone"}
SESSIONS = [1, 4, 16]
DUE = 3  # for each session

AWAY = (State.SCHEDULED, Reason.UNREACHABLE)
FOR_NOW = (State.SCHEDULED, Reason.REFUSED_FOR_NOW)
FOR_GOOD = (State.REJECTED, Reason.REFUSED)
IN_DOUBT = (State.UNCERTAIN, Reason.ANSWER_LOST)
TAKEN = (State.SENT, Reason.ACCEPTED)

OUTCOMES: list[tuple[dict[str, object], tuple[State, Reason], int]] = [
    ({"at": "connect", "do": "drop"}, AWAY, 0),
    ({"at": "connect", "do": "reset"}, AWAY, 0),
    ({"at": "connect", "do": "stall"}, AWAY, 0),
    ({"at": "greeting", "do": "reply", "with": "554 5.3.2 not here"}, FOR_NOW, 0),
    ({"at": "greeting", "do": "reply", "with": "421 4.3.2 not now"}, FOR_NOW, 0),
    ({"at": "greeting", "do": "garbage", "with": "HTTP/1.1 400 Bad Request\r\n\r\n"}, AWAY, 0),
    ({"at": "greeting", "do": "drip", "seconds": 1.0}, AWAY, 0),
    ({"at": "ehlo", "do": "reply", "with": "550 5.7.1 not you"}, FOR_NOW, 0),
    ({"at": "ehlo", "do": "drop"}, AWAY, 0),
    ({"at": "mail", "do": "reply", "with": "451 4.3.0 trouble"}, FOR_NOW, 0),
    ({"at": "mail", "do": "reply", "with": "552 5.3.4 too large"}, FOR_GOOD, 0),
    ({"at": "mail", "do": "reset"}, AWAY, 0),
    ({"at": "rcpt", "do": "reply", "with": "421 4.3.2 going"}, FOR_NOW, 0),
    ({"at": "rcpt", "do": "reply", "with": "450 4.2.1 busy"}, FOR_NOW, 0),
    ({"at": "rcpt", "do": "reply", "with": "452 4.2.2 full"}, FOR_NOW, 0),
    ({"at": "rcpt", "do": "reply", "with": "550 5.1.1 unknown"}, FOR_GOOD, 0),
    ({"at": "rcpt", "do": "stall"}, AWAY, 0),
    ({"at": "rcpt", "do": "late", "seconds": 0.1}, TAKEN, 1),
    ({"at": "data", "do": "reply", "with": "451 4.7.1 greylisted"}, FOR_NOW, 0),
    ({"at": "data", "do": "reply", "with": "554 5.6.0 no"}, FOR_GOOD, 0),
    ({"at": "data", "do": "drop"}, AWAY, 0),
    ({"at": "data", "do": "garbage", "with": "\x00\xff"}, AWAY, 0),
    ({"at": "dot", "do": "reply", "with": "451 4.3.0 trouble"}, FOR_NOW, 0),
    ({"at": "dot", "do": "reply", "with": "421 4.3.2 going"}, FOR_NOW, 0),
    ({"at": "dot", "do": "reply", "with": "554 5.6.0 spam"}, FOR_GOOD, 0),
    ({"at": "dot", "do": "reply", "with": "554 5.7.1 not you"}, FOR_NOW, 0),
    ({"at": "dot", "do": "reply", "with": "354 go on"}, IN_DOUBT, 0),
    ({"at": "dot", "do": "drop"}, IN_DOUBT, 0),
    ({"at": "dot", "do": "reset"}, IN_DOUBT, 0),
    ({"at": "dot", "do": "stall"}, IN_DOUBT, 0),
    ({"at": "dot", "do": "garbage", "with": "2"}, IN_DOUBT, 0),
    ({"at": "dot", "do": "late", "seconds": 0.1}, TAKEN, 1),
    ({"at": "dot", "do": "gone"}, IN_DOUBT, 1),
    ({"at": "logged", "do": "drop"}, IN_DOUBT, 1),
    ({"at": "logged", "do": "reset"}, IN_DOUBT, 1),
    ({"at": "logged", "do": "stall"}, IN_DOUBT, 1),
    ({"at": "logged", "do": "garbage", "with": "999 what\r\n"}, IN_DOUBT, 1),
    ({"at": "logged", "do": "drip", "seconds": 1.0}, IN_DOUBT, 1),
    ({"at": "logged", "do": "late", "seconds": 0.1}, TAKEN, 1),
    ({"at": "logged", "do": "gone"}, IN_DOUBT, 1),
]


REPRESENTATIVES = [  # one for each outcome; the adapter's tests have what the rest of the faults mean to a session
    {"at": "rcpt", "do": "reply", "with": "550 5.1.1 unknown"},
    {"at": "data", "do": "reply", "with": "451 4.7.1 greylisted"},
    {"at": "data", "do": "drop"},
    {"at": "dot", "do": "drop"},
    {"at": "logged", "do": "drop"},
    {"at": "logged", "do": "late", "seconds": 0.1},
]


def name_of(fault: dict[str, object]) -> str:
    return "-".join(str(each) for each in fault.values())


CASES = [
    (pytest.param if outcome[0] in REPRESENTATIVES else in_full)(*outcome, id=name_of(outcome[0]))
    for outcome in OUTCOMES
]


@pytest.mark.parametrize("sessions", SESSIONS)
@pytest.mark.parametrize(("fault", "left", "arrived"), CASES)
def test_a_fault_of_the_mail_server_leaves_an_invitation_of_each_session_as_it_should_and_harms_no_other(
    make_crash_harness: MakeCrashHarness,
    fork_servers: Sequence[WorkerForkServer],
    fault: dict[str, object],
    left: tuple[State, Reason],
    arrived: int,
    sessions: int,
) -> None:
    due = DUE * sessions
    harness = make_crash_harness(faults=[{**fault, "times": sessions}], connections=sessions)
    harness.report_due(due)
    assert fork_servers[0].run(harness.job(phase_timeout=PHASE_TIMEOUT if fault["do"] in SLOW else None)) == 0
    after = Counter((each.state, each.reason) for each in harness.invitations().values())
    assert after == Counter([left] * sessions + [TAKEN] * (due - sessions))
    harness.stalled_sessions = sessions if fault["do"] == "stall" else 0
    arrivals = harness.arrivals()
    assert set(arrivals.values()) == {1}
    assert len(arrivals) == due - sessions * (1 - arrived)
    rejected = harness.count(State.REJECTED)
    harness.resolve_uncertain()
    harness.deliver_all(fork_servers[0])
    assert set(harness.arrivals().values()) == {1}
    assert harness.count(State.SENT) == len(harness.arrivals()) == due - rejected


@pytest.mark.parametrize("sessions", SESSIONS)
@pytest.mark.parametrize("fault", ["drop", in_full("reset")])
def test_a_server_that_hangs_up_within_the_body_never_has_the_message(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], fault: str, sessions: int
) -> None:
    harness = make_crash_harness(faults=[{"at": "body", "do": fault, "times": sessions}], connections=sessions)
    harness.report_due(DUE * sessions)
    assert fork_servers[0].run(harness.job()) == 0
    unsent = harness.in_state(State.SCHEDULED, State.UNCERTAIN)  # uncertain, where it was noticed with the dot only
    assert len(unsent) == sessions
    assert set(harness.arrivals()) == set(harness.states()) - unsent
    harness.resolve_uncertain()
    harness.deliver_all(fork_servers[0])
    harness.assert_all_sent_once()


def many_faults(seed: int) -> list[dict[str, object]]:
    """All kinds of faults in all phases, each now and then; none that lies about what was accepted."""
    dice = random.Random(seed)  # noqa: S311 - it decides about a test
    faults: list[dict[str, object]] = []
    for phase in PHASES:
        actions: list[dict[str, object]] = [{"do": "drop"}, {"do": "reset"}, {"do": "late", "seconds": 0.05}]
        if phase not in ("connect", "body"):
            actions.append({"do": "garbage", "with": "\xff"})
        if phase not in ("connect", "body", "logged", "quit"):
            actions.append({"do": "reply", "with": "451 4.3.0 trouble"})
        faults += [{"at": phase, "chance": 0.03, "seed": dice.random(), **action} for action in actions]
    return faults


@pytest.mark.parametrize("due", [in_full(60), in_soak(3000)])
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_workers_that_die_and_a_mail_server_full_of_faults_send_nothing_twice(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], engine: str, due: int
) -> None:
    harness = make_crash_harness(engine=engine, faults=many_faults(due), connections=4)
    dice = random.Random(due)  # noqa: S311 - it decides about a test
    harness.report_due(due)
    while harness.count(*UNSENT):
        for worker in fork_servers[:2]:
            worker.start(harness.job(dice.choice(list(CrashPoint)), dice.randint(1, 20), phase_timeout=PHASE_TIMEOUT))
        for worker in fork_servers[:2]:
            worker.wait()
        harness.expire_leases()
    harness.deliver_all(fork_servers[0])
    harness.server.then()
    arrived, doubtful = harness.arrivals(), harness.in_state(State.UNCERTAIN)
    assert [each for each, times in arrived.items() if times > 1] == []
    assert harness.in_state(State.SENT) <= set(arrived) <= harness.in_state(State.SENT) | doubtful
    assert harness.in_state(State.SENT) | doubtful == set(harness.states())
    harness.resolve_uncertain()
    harness.deliver_all(fork_servers[0])
    harness.assert_all_sent_once()
