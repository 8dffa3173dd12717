"""Proofs are looked for again and again, beside deliveries, and one that is gone for 7 days verifies no more."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import NoReturn

import pytest
from tests.core.usecases.domains.domain_harness import HOST, KAAS, MOLEN, WWW, DomainHarness, FakeDomainProof
from tests.core.usecases.harness import present
from tests.logs import captured_logs
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import Application, Settings, StorageUnavailable, build
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.application.domain_recheck import BackgroundRechecker, DomainRechecker
from reviewinvite_core.ports import StopSignal
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.usecases.context import TransactionRunner
from reviewinvite_core.values import Domain, DomainCheck, Rechecked, VerificationStatus

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def recheck(harness: DomainHarness) -> list[Rechecked]:
    return list(harness.app.domain_rechecker.once())


def hosts_looked_up(harness: DomainHarness) -> list[str]:
    """Recheck, and return the hosts whose proofs were looked up."""
    harness.proof.lookups.clear()
    recheck(harness)
    return harness.proof.lookups


def test_the_longest_ago_is_looked_for_first_and_all_that_are_due(harness: DomainHarness) -> None:
    for name in ("c", "a", "b"):
        harness.verify(MOLEN, f"{name}.example.nl")
        harness.clock.advance(HOUR)
    harness.verify(KAAS, "d.example.nl")
    harness.clock.advance(2 * DAY)
    assert hosts_looked_up(harness) == [f"{name}.example.nl" for name in ("c", "a", "b", "d")]


def test_a_lost_host_is_free_for_another_shop(harness: DomainHarness) -> None:
    verified = harness.verify(MOLEN)
    harness.proof.withdraw(verified)
    harness.clock.advance(2 * DAY)
    recheck(harness)
    harness.add_published(KAAS, WWW)
    assert not isinstance(harness.app.domains.check(KAAS, WWW), DomainCheck), "missing, but still molen's"
    harness.clock.advance(8 * DAY)
    recheck(harness)
    assert harness.check(KAAS, WWW).proved
    harness.proof.publish(verified)
    harness.clock.advance(2 * DAY)
    recheck(harness)
    assert harness.standing(MOLEN) is VerificationStatus.LOST, "a lost one is not looked for again by itself"
    assert not isinstance(harness.app.domains.check(MOLEN, HOST), DomainCheck), "now it is kaas's"


def test_many_workers_look_for_each_proof_once(concurrent_harness: DomainHarness) -> None:
    hosts = [f"h{number}.example.nl" for number in range(12)]
    for host in hosts:
        concurrent_harness.verify(MOLEN, host)
    concurrent_harness.clock.advance(2 * DAY)
    concurrent_harness.proof.lookups.clear()
    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(lambda _: recheck(concurrent_harness), range(4)))
    assert sorted(concurrent_harness.proof.lookups) == sorted(hosts)
    assert sum(map(len, done)) == len(hosts)


def test_a_worker_that_dies_at_a_look_costs_this_look_only(harness: DomainHarness) -> None:
    class Killed(BaseException):
        pass

    def die() -> None:
        raise Killed

    harness.verify(MOLEN)
    harness.clock.advance(2 * DAY)
    harness.proof.meanwhile = die
    with pytest.raises(Killed):
        recheck(harness)
    harness.proof.meanwhile = lambda: None
    assert hosts_looked_up(harness) == []
    harness.clock.advance(2 * DAY)
    assert hosts_looked_up(harness) == [HOST]


def test_what_was_removed_or_vouched_for_at_the_look_stays_so(harness: DomainHarness) -> None:
    for host in ("removed.example.nl", "vouched.example.nl"):
        harness.proof.withdraw(harness.verify(MOLEN, host))
    harness.clock.advance(20 * DAY)

    def decide() -> None:
        if harness.proof.lookups[-1].startswith("removed"):
            harness.app.domains.remove(MOLEN, "removed.example.nl")
        else:
            harness.app.domains.add(MOLEN, "vouched.example.nl", assume_verified=True)

    harness.proof.meanwhile = decide
    recheck(harness)
    [domain] = harness.domains(MOLEN)
    assert (domain.status, domain.missing_since) == (VerificationStatus.VOUCHED, None)


def test_a_look_dated_by_a_clock_that_was_ahead_is_repeated(harness: DomainHarness) -> None:
    verified = harness.verify(MOLEN)
    harness.clock.advance(400 * DAY)
    assert hosts_looked_up(harness) == [HOST]
    harness.clock.set(present(verified.verified_at) + HOUR)
    assert hosts_looked_up(harness) == [HOST]
    assert hosts_looked_up(harness) == []


class ElapsedSeconds:
    """A monotonic clock that tests advance."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def new_process(harness: DomainHarness, pace: ElapsedSeconds) -> Application:
    """A process that has just been new_process, and believes no clock yet."""
    return build(
        Settings(database_url="memory:", secret="a secret for tests, long enough", mail_url="recording:"),
        storage=harness.storage,
        clock=harness.clock,
        entropy=CountingEntropy(),
        domain_verifier=harness.proof,
        monotonic=pace,
    )


def test_nothing_is_lost_by_a_clock_that_is_not_believed() -> None:
    harness, pace = DomainHarness(MemoryStorage()), ElapsedSeconds()
    app = new_process(harness, pace)
    harness.proof.withdraw(harness.verify(MOLEN))

    def pass_by(span: timedelta) -> None:
        harness.clock.advance(span)
        pace.seconds += span.total_seconds()

    app.domain_rechecker.once()
    pass_by(25 * HOUR)
    [missing] = app.domain_rechecker.once()
    assert missing.after.status is VerificationStatus.MISSING
    harness.clock.advance(30 * DAY)  # a jump: no time has passed
    [still] = app.domain_rechecker.once()
    assert still.after.status is VerificationStatus.MISSING
    pass_by(HOUR)
    [lost] = app.domain_rechecker.once()
    assert lost.after.status is VerificationStatus.LOST, "as soon as the clock is believed"
    app.close()


def test_a_worker_that_is_started_again_every_day_ends_a_verification_too() -> None:
    """Its rechecks fall into its first hour, in which it does not trust the clock."""
    harness, pace = DomainHarness(MemoryStorage()), ElapsedSeconds()
    harness.proof.withdraw(harness.verify(MOLEN))
    standings = []
    for _ in range(9):
        harness.clock.advance(timedelta(minutes=1))
        app = new_process(harness, pace)
        for _ in range(24):
            app.domain_rechecker.once()
            harness.clock.advance(HOUR)
            pace.seconds += HOUR.total_seconds()
        app.close()
        standings.append(harness.standing(MOLEN))
    assert standings == [VerificationStatus.VERIFIED, *[VerificationStatus.MISSING] * 7, VerificationStatus.LOST]


def test_checks_every_day_put_no_end_off(harness: DomainHarness) -> None:
    harness.proof.withdraw(harness.verify(MOLEN))
    for _ in range(8):
        assert not harness.check(MOLEN, HOST).proved
        assert harness.standing(MOLEN) is VerificationStatus.MISSING
        harness.clock.advance(DAY - HOUR)
        recheck(harness)
    assert harness.standing(MOLEN) is VerificationStatus.LOST


def due(harness: DomainHarness, host: str = HOST) -> Domain:
    """Add a verified host whose proof is gone and whose recheck is due."""
    verified = harness.verify(MOLEN, host)
    harness.proof.withdraw(verified)
    harness.clock.advance(2 * DAY)
    harness.proof.lookups.clear()
    return verified


class StopAfterRounds:
    """A stop signal that is set after some number of rounds; each wait advances the clock at once."""

    def __init__(self, harness: DomainHarness, count: int, passing: timedelta) -> None:
        self._harness, self._left, self._passing = harness, count, passing
        self.waits: list[float] = []

    def is_set(self) -> bool:
        return self._left == 0

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self._left -= 1
        self._harness.clock.advance(self._passing)
        return self.is_set()


def test_what_changes_is_logged_with_shop_host_and_reason() -> None:
    harness = DomainHarness(MemoryStorage())
    verified = due(harness)
    with captured_logs() as logged:
        harness.app.domain_rechecker.continually(StopAfterRounds(harness, 10, 2 * DAY))
        assert harness.standing(MOLEN) is VerificationStatus.LOST
        harness.proof.publish(verified)
        assert harness.check(MOLEN, HOST).proved
        harness.app.domain_rechecker.continually(StopAfterRounds(harness, 3, 2 * DAY))
        harness.proof.withdraw(verified)
        harness.app.domain_rechecker.continually(StopAfterRounds(harness, 1, 2 * DAY))
        harness.proof.publish(verified)
        harness.app.domain_rechecker.continually(StopAfterRounds(harness, 1, 2 * DAY))
    gone = {"siteId": MOLEN, "host": HOST, "reason": "dns:no_record well_known:no_host", "event": "domain_changed"}
    back = {"siteId": MOLEN, "host": HOST, "event": "domain_changed"}
    assert logged == [
        {**gone, "state": "missing", "log_level": "warning"},
        {**gone, "state": "lost", "log_level": "warning"},
        {**gone, "state": "missing", "log_level": "warning"},
        {**back, "state": "verified", "log_level": "info"},
    ]


def test_a_look_holds_up_no_end_and_is_not_noted_after_it() -> None:
    harness = DomainHarness(MemoryStorage())
    due(harness)
    begun, go_on = threading.Event(), threading.Event()
    looking: list[threading.Thread] = []

    def take_long() -> None:
        looking.append(threading.current_thread())
        begun.set()
        wait_until(go_on.is_set)

    harness.proof.meanwhile = take_long
    watching = harness.app.domain_rechecker.in_background()
    wait_until(begun.is_set)
    assert watching.end(TIMEOUT_SECONDS), "nothing is at hand at storage"
    go_on.set()
    [thread] = looking
    thread.join(TIMEOUT_SECONDS)
    assert not thread.is_alive()
    assert harness.standing(MOLEN) is VerificationStatus.VERIFIED


def test_what_a_look_finds_after_a_stop_was_wished_is_not_noted() -> None:
    harness, stop = DomainHarness(MemoryStorage()), threading.Event()
    due(harness, "a.example.nl")
    due(harness, "b.example.nl")
    harness.proof.meanwhile = stop.set
    assert harness.app.domain_rechecker.once(stop) == []
    assert len(harness.proof.lookups) == 1
    assert {each.status for each in harness.domains(MOLEN)} == {VerificationStatus.VERIFIED}


class HangingStorage:
    """A transaction runner that hangs until it is released, and then fails."""

    def __init__(self) -> None:
        self.called, self.released = threading.Event(), threading.Event()
        self.callers: list[threading.Thread] = []

    def run(self, *_: object, **__: object) -> NoReturn:
        self.callers.append(threading.current_thread())
        self.called.set()
        wait_until(self.released.is_set)
        raise StorageUnavailable("it was away")

    run_batched = run


def test_an_end_does_not_wait_for_ever_for_storage() -> None:
    storage = HangingStorage()
    watching = DomainRechecker(verifier=FakeDomainProof(), transactions=storage).in_background()
    wait_until(storage.called.is_set)
    assert not watching.end(0.05)
    storage.released.set()
    storage.callers[0].join(TIMEOUT_SECONDS)
    assert not storage.callers[0].is_alive()
    assert len(storage.callers) == 1


def test_after_an_end_nothing_gets_to_storage_any_more() -> None:
    harness = DomainHarness(MemoryStorage())
    refused, ended, tried = [], threading.Event(), threading.Event()

    def insist(transactions: TransactionRunner, _: StopSignal) -> None:
        wait_until(ended.is_set)
        for run in (transactions.run, partial(transactions.run_batched, locks=frozenset({1}))):
            try:
                run(lambda _: refused.append("it got there"))
            except StorageUnavailable:
                refused.append("refused")
        tried.set()

    watching = BackgroundRechecker(harness.app.delivery._transactions(), insist)
    assert watching.end(TIMEOUT_SECONDS)
    ended.set()
    wait_until(tried.is_set)
    assert refused == ["refused", "refused"]


def test_storage_that_is_away_is_waited_for_and_no_fault_ends_the_looks() -> None:
    harness = DomainHarness(MemoryStorage())
    due(harness)

    def fail() -> None:
        raise ZeroDivisionError

    def raise_again(trouble: Exception) -> None:
        told.append(trouble)
        raise trouble

    told: list[Exception] = []
    harness.proof.meanwhile = fail
    stop = StopAfterRounds(harness, 3, 2 * DAY)
    harness.app.domain_rechecker.continually(stop, on_trouble=raise_again)
    assert [type(one) for one in told] == [ZeroDivisionError] * 3
    assert harness.proof.lookups == [HOST] * 3

    away = HangingStorage()
    away.released.set()
    stop = StopAfterRounds(harness, 3, 2 * DAY)
    with captured_logs() as logged:
        DomainRechecker(verifier=harness.proof, transactions=away).continually(stop)
    assert (len(away.callers), logged) == (3, []), "that storage is away, the deliveries beside it tell"
    assert min(stop.waits) >= 1


def test_a_listeners_fault_is_its_own() -> None:
    harness = DomainHarness(MemoryStorage())
    due(harness, "a.example.nl")
    harness.verify(MOLEN, "b.example.nl")
    harness.clock.advance(2 * DAY)
    heard = []

    def listen(rechecked: Rechecked) -> None:
        heard.append(rechecked.after.host.text)
        raise ZeroDivisionError

    troubles: list[Exception] = []
    harness.app.domain_rechecker.continually(
        StopAfterRounds(harness, 1, HOUR), on_change=listen, on_trouble=troubles.append
    )
    assert (heard, troubles) == (["a.example.nl", "b.example.nl"], [])
