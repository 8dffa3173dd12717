"""Proofs are looked for again and again, beside deliveries, and one that is gone for 7 days verifies no more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import NoReturn

import pytest
import structlog
from tests.core.usecases.published import Published
from tests.core.usecases.test_domains import HOST, KAAS, MOLEN, WWW, Market

from reviewinvite_core import Application, Domain, DomainCheck, Rechecked, Settings, Standing, StorageUnavailable, build
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.domain.domains import LOST_AFTER
from reviewinvite_core.domain_watch import DomainWatch, Watching
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.usecases.hand_over import Stop
from reviewinvite_core.usecases.work import Perform

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SECONDS = 60


@pytest.fixture
def market(each_storage: Storage) -> Iterator[Market]:
    """On every storage."""
    made = Market(each_storage)
    yield made
    made.app.close()


def recheck(market: Market) -> list[Rechecked]:
    return list(market.app.domain_watch.once())


def looked_at(market: Market) -> list[str]:
    """The hosts that are looked at now."""
    market.world.looks.clear()
    recheck(market)
    return market.world.looks


def test_a_proof_is_looked_for_again_a_day_after_it_was_last(market: Market) -> None:
    market.verify(MOLEN)
    market.clock.advance(DAY)
    assert looked_at(market) == [], "not more than a day yet"
    market.clock.advance(timedelta(microseconds=1))
    assert looked_at(market) == [HOST]
    assert looked_at(market) == []
    [domain] = market.app.list_domains(MOLEN)
    assert (domain.checked_at, domain.standing) == (market.clock.now(), Standing.VERIFIED)


def test_the_longest_ago_is_looked_for_first_and_all_that_are_due(market: Market) -> None:
    for name in ("c", "a", "b"):
        market.verify(MOLEN, f"{name}.example.nl")
        market.clock.advance(HOUR)
    market.verify(KAAS, "d.example.nl")
    market.clock.advance(2 * DAY)
    assert looked_at(market) == [f"{name}.example.nl" for name in ("c", "a", "b", "d")]


def test_what_is_not_verified_or_vouched_for_is_not_looked_for(market: Market) -> None:
    market.add_published(MOLEN)
    market.add(MOLEN, "vouched.example.nl", assume_verified=True)
    market.clock.advance(400 * DAY)
    assert looked_at(market) == []
    assert market.standing(MOLEN, "vouched.example.nl") is Standing.VOUCHED


def test_a_proof_that_is_gone_ends_the_verification_after_seven_days(market: Market) -> None:
    """Every hour of nine days, as the worker goes on."""
    verified = market.verify(MOLEN)
    market.clock.advance(HOUR)
    market.world.withdraw(verified)
    changes = []
    for _ in range(9 * 24):
        market.clock.advance(HOUR)
        before = market.standing(MOLEN)
        for rechecked in recheck(market):
            if rechecked.after.standing is not rechecked.before.standing:
                changes.append((rechecked.after.standing, market.clock.now() - verified.verified_at))
                assert rechecked.before.standing is before
                assert rechecked.site_id == MOLEN
    (missing, first), (lost, last) = changes
    assert (missing, lost) == (Standing.MISSING, Standing.LOST)
    assert DAY < first <= DAY + 2 * HOUR
    assert LOST_AFTER <= last - first <= LOST_AFTER + DAY + 2 * HOUR
    [domain] = market.app.list_domains(MOLEN)
    assert (domain.standing, domain.verified_at) == (Standing.LOST, None)
    assert domain.lost_at == verified.verified_at + last
    assert len(market.world.looks) < 12


def test_a_proof_that_is_back_in_time_keeps_the_verification(market: Market) -> None:
    verified = market.verify(MOLEN)
    for day in range(30):
        market.clock.advance(DAY + HOUR)
        (market.world.publish if day % 6 == 5 else market.world.withdraw)(verified)
        recheck(market)
        assert market.app.list_domains(MOLEN)[0].verified_at == verified.verified_at


def test_a_lost_host_is_free_for_another_shop(market: Market) -> None:
    verified = market.verify(MOLEN)
    market.world.withdraw(verified)
    market.clock.advance(2 * DAY)
    recheck(market)
    market.add_published(KAAS, WWW)
    assert not isinstance(market.app.check_domain(KAAS, WWW), DomainCheck), "missing, but still molen's"
    market.clock.advance(8 * DAY)
    recheck(market)
    assert market.app.check_domain(KAAS, WWW).proved
    market.world.publish(verified)
    market.clock.advance(2 * DAY)
    recheck(market)
    assert market.standing(MOLEN) is Standing.LOST, "a lost one is not looked for again by itself"
    assert not isinstance(market.app.check_domain(MOLEN, HOST), DomainCheck), "now it is kaas's"


def test_many_workers_look_for_each_proof_once(market: Market) -> None:
    hosts = [f"h{number}.example.nl" for number in range(12)]
    for host in hosts:
        market.verify(MOLEN, host)
    market.clock.advance(2 * DAY)
    market.world.looks.clear()
    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(lambda _: recheck(market), range(4)))
    assert sorted(market.world.looks) == sorted(hosts)
    assert sum(map(len, done)) == len(hosts)


def test_a_worker_that_dies_at_a_look_costs_this_look_only(market: Market) -> None:
    class Killed(BaseException):
        pass

    def die() -> None:
        raise Killed

    market.verify(MOLEN)
    market.clock.advance(2 * DAY)
    market.world.meanwhile = die
    with pytest.raises(Killed):
        recheck(market)
    market.world.meanwhile = lambda: None
    assert looked_at(market) == []
    market.clock.advance(2 * DAY)
    assert looked_at(market) == [HOST]


def test_what_was_removed_or_vouched_for_at_the_look_stays_so(market: Market) -> None:
    for host in ("removed.example.nl", "vouched.example.nl"):
        market.world.withdraw(market.verify(MOLEN, host))
    market.clock.advance(20 * DAY)

    def decide() -> None:
        if market.world.looks[-1].startswith("removed"):
            market.app.remove_domain(MOLEN, "removed.example.nl")
        else:
            market.app.add_domain(MOLEN, "vouched.example.nl", assume_verified=True)

    market.world.meanwhile = decide
    recheck(market)
    [domain] = market.app.list_domains(MOLEN)
    assert (domain.standing, domain.missing_since) == (Standing.VOUCHED, None)


def test_a_look_dated_by_a_clock_that_was_ahead_is_repeated(market: Market) -> None:
    verified = market.verify(MOLEN)
    market.clock.advance(400 * DAY)
    assert looked_at(market) == [HOST]
    market.clock.set(verified.verified_at + HOUR)
    assert looked_at(market) == [HOST]
    assert looked_at(market) == []


class Hours:
    """What counts seconds and cannot be set."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def started(market: Market, pace: Hours) -> Application:
    """A process that has just been started, and believes no clock yet."""
    return build(
        Settings(database_url="memory:", secret="a secret for tests, long enough", mail_url="recording:"),
        storage=market.app._storage,
        clock=market.clock,
        entropy=CountingEntropy(),
        domain_proof=market.world,
        pace=pace,
    )


def test_nothing_is_lost_by_a_clock_that_is_not_believed() -> None:
    market, pace = Market(MemoryStorage()), Hours()
    app = started(market, pace)
    market.world.withdraw(market.verify(MOLEN))

    def pass_by(span: timedelta) -> None:
        market.clock.advance(span)
        pace.seconds += span.total_seconds()

    list(app.domain_watch.once())
    pass_by(25 * HOUR)
    [missing] = app.domain_watch.once()
    assert missing.after.standing is Standing.MISSING
    market.clock.advance(30 * DAY)  # a jump: no time has passed
    [still] = app.domain_watch.once()
    assert still.after.standing is Standing.MISSING
    pass_by(HOUR)
    [lost] = app.domain_watch.once()
    assert lost.after.standing is Standing.LOST, "as soon as the clock is believed"
    app.close()


def test_a_worker_that_is_started_anew_every_day_ends_a_verification_too() -> None:
    """Its looks fall into its first hour, in which it believes no clock."""
    market, pace = Market(MemoryStorage()), Hours()
    market.world.withdraw(market.verify(MOLEN))
    standings = []
    for _ in range(9):
        market.clock.advance(timedelta(minutes=1))
        app = started(market, pace)
        for _ in range(24):
            list(app.domain_watch.once())
            market.clock.advance(HOUR)
            pace.seconds += HOUR.total_seconds()
        app.close()
        standings.append(market.standing(MOLEN))
    assert standings == [Standing.VERIFIED, *[Standing.MISSING] * 7, Standing.LOST]


def test_checks_every_day_put_no_end_off(market: Market) -> None:
    market.world.withdraw(market.verify(MOLEN))
    for _ in range(8):
        assert not market.app.check_domain(MOLEN, HOST).proved
        assert market.standing(MOLEN) is Standing.MISSING
        market.clock.advance(DAY - HOUR)
        recheck(market)
    assert market.standing(MOLEN) is Standing.LOST


def wait_until(happened: threading.Event) -> None:
    assert happened.wait(SECONDS), "it did not happen"


def due(market: Market, host: str = HOST) -> Domain:
    """A verified host whose proof is gone and has to be looked for."""
    verified = market.verify(MOLEN, host)
    market.world.withdraw(verified)
    market.clock.advance(2 * DAY)
    market.world.looks.clear()
    return verified


class Rounds:
    """A stop after so many rounds; between two of them time passes, without a wait."""

    def __init__(self, market: Market, count: int, passing: timedelta) -> None:
        self._market, self._left, self._passing = market, count, passing
        self.waits: list[float] = []

    def is_set(self) -> bool:
        return self._left == 0

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self._left -= 1
        self._market.clock.advance(self._passing)
        return self.is_set()


def test_what_changes_is_logged_with_shop_host_and_reason() -> None:
    market = Market(MemoryStorage())
    verified = due(market)
    with structlog.testing.capture_logs() as logged:
        market.app.domain_watch.continually(Rounds(market, 10, 2 * DAY))
        assert market.standing(MOLEN) is Standing.LOST
        market.world.publish(verified)
        assert market.app.check_domain(MOLEN, HOST).proved
        market.app.domain_watch.continually(Rounds(market, 3, 2 * DAY))
        market.world.withdraw(verified)
        market.app.domain_watch.continually(Rounds(market, 1, 2 * DAY))
        market.world.publish(verified)
        market.app.domain_watch.continually(Rounds(market, 1, 2 * DAY))
    gone = {"siteId": MOLEN, "host": HOST, "reason": "dns:no_record well_known:no_host", "event": "domain_changed"}
    back = {"siteId": MOLEN, "host": HOST, "event": "domain_changed"}
    assert logged == [
        {**gone, "state": "missing", "log_level": "warning"},
        {**gone, "state": "lost", "log_level": "warning"},
        {**gone, "state": "missing", "log_level": "warning"},
        {**back, "state": "verified", "log_level": "info"},
    ]


def test_a_look_holds_up_no_end_and_is_not_noted_after_it() -> None:
    market = Market(MemoryStorage())
    due(market)
    begun, go_on = threading.Event(), threading.Event()
    looking: list[threading.Thread] = []

    def take_long() -> None:
        looking.append(threading.current_thread())
        begun.set()
        wait_until(go_on)

    market.world.meanwhile = take_long
    watching = market.app.domain_watch.beside()
    wait_until(begun)
    assert watching.end(SECONDS), "nothing is at hand at storage"
    market.app.close()
    go_on.set()
    [thread] = looking
    thread.join(SECONDS)
    assert not thread.is_alive()
    assert market.standing(MOLEN) is Standing.VERIFIED


def test_what_a_look_finds_after_a_stop_was_wished_is_not_noted() -> None:
    market, stop = Market(MemoryStorage()), threading.Event()
    due(market, "a.example.nl")
    due(market, "b.example.nl")
    market.world.meanwhile = stop.set
    assert list(market.app.domain_watch.once(stop)) == []
    assert len(market.world.looks) == 1
    assert {each.standing for each in market.app.list_domains(MOLEN)} == {Standing.VERIFIED}


class Hanging:
    """Storage that does not answer until it may."""

    def __init__(self) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()
        self.askers: list[threading.Thread] = []

    def __call__(self, *_: object, **__: object) -> NoReturn:
        self.askers.append(threading.current_thread())
        self.asked.set()
        wait_until(self.may_answer)
        raise StorageUnavailable("it was away")

    together = __call__


def test_an_end_does_not_wait_for_ever_for_storage() -> None:
    storage = Hanging()
    watching = DomainWatch(proof=Published(), perform=storage).beside()
    wait_until(storage.asked)
    assert not watching.end(0.05)
    storage.may_answer.set()
    storage.askers[0].join(SECONDS)
    assert not storage.askers[0].is_alive()
    assert len(storage.askers) == 1


def test_after_an_end_nothing_gets_to_storage_any_more() -> None:
    market = Market(MemoryStorage())
    refused, ended, tried = [], threading.Event(), threading.Event()

    def insist(perform: Perform, _: Stop) -> None:
        wait_until(ended)
        for step in (perform, partial(perform.together, locks=frozenset({1}))):
            try:
                step(lambda _: refused.append("it got there"))
            except StorageUnavailable:
                refused.append("refused")
        tried.set()

    watching = Watching(market.app.delivery.performing(market.app._storage.run), insist)
    assert watching.end(SECONDS)
    ended.set()
    wait_until(tried)
    assert refused == ["refused", "refused"]


def test_storage_that_is_away_is_waited_for_and_no_fault_ends_the_looks() -> None:
    market = Market(MemoryStorage())
    due(market)

    def fail() -> None:
        raise ZeroDivisionError

    def raise_again(trouble: Exception) -> None:
        told.append(trouble)
        raise trouble

    told: list[Exception] = []
    market.world.meanwhile = fail
    stop = Rounds(market, 3, 2 * DAY)
    market.app.domain_watch.continually(stop, on_trouble=raise_again)
    assert [type(one) for one in told] == [ZeroDivisionError] * 3
    assert market.world.looks == [HOST] * 3

    away = Hanging()
    away.may_answer.set()
    stop = Rounds(market, 3, 2 * DAY)
    with structlog.testing.capture_logs() as logged:
        DomainWatch(proof=market.world, perform=away).continually(stop)
    assert (len(away.askers), logged) == (3, []), "that storage is away, the deliveries beside it tell"
    assert min(stop.waits) >= 1


def test_a_listeners_fault_is_its_own() -> None:
    market = Market(MemoryStorage())
    due(market, "a.example.nl")
    market.verify(MOLEN, "b.example.nl")
    market.clock.advance(2 * DAY)
    heard = []

    def listen(rechecked: Rechecked) -> None:
        heard.append(rechecked.after.host.text)
        raise ZeroDivisionError

    troubles: list[Exception] = []
    market.app.domain_watch.continually(Rounds(market, 1, HOUR), on_change=listen, on_trouble=troubles.append)
    assert (heard, troubles) == (["a.example.nl", "b.example.nl"], [])
