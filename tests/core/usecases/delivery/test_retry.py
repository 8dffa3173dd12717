"""What certainly never left is tried again when an operator says so; nothing is sent twice (spec §3, ADR-69)."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import attrs
import psycopg
import pytest
from tests.builders import a_hand_over
from tests.core.usecases.delivery.stepped_delivery import InMemoryMark
from tests.core.usecases.harness import AppHarness, MailScript
from tests.links import token_of
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import AsyncApplication, DeliveryPaused, ReviewDraft
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import NotRetried
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.ports import RefusedForNow, Rejected, Store
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.delivery import retry

FULL = MailScript(at_stage=Rejected("552 5.2.2"))
UNKNOWN = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"
WAITING = """
SELECT COUNT(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted
"""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def test_a_rejected_invitation_is_due_at_once_and_its_three_days_begin_anew() -> None:
    harness = AppHarness(FULL, MailScript(at_stage=RefusedForNow("452 4.2.2")))
    invite_id = harness.report_due()
    harness.deliver()
    harness.clock.advance(10 * DAY)
    assert harness.app.invitations.retry([invite_id]).scheduled == [invite_id]
    waiting = harness.invitation(invite_id)
    assert (waiting.due_at, waiting.attempts, waiting.first_tried_at) == (harness.clock.now(), 1, None)
    assert (waiting.state, waiting.reason, waiting.epoch, waiting.reply) == (
        State.SCHEDULED,
        Reason.RETRIED,
        None,
        None,
    )
    harness.deliver()
    assert harness.state(invite_id) == (State.SCHEDULED, Reason.REFUSED_FOR_NOW)
    assert harness.invitation(invite_id).due_at - harness.clock.now() > timedelta(minutes=1)  # after two attempts
    harness.clock.advance(HOUR)
    harness.deliver()
    assert harness.state(invite_id) == (State.SENT, Reason.ACCEPTED)
    assert len(harness.mailer.committed) == 1


def test_each_that_is_left_alone_is_told_with_its_reason() -> None:
    harness = AppHarness(*[FULL] * 3, MailScript(at_stage=Rejected("550 5.1.1", no_mailbox=True)))
    ids = []
    for name in ("again", "opted-out", "erased", "dead", "sent"):
        ids.append(harness.report_due(f"{name}@example.com"))
        harness.deliver()
    again, opted_out, erased, dead, sent = ids
    harness.app.privacy.suppress("opted-out@example.com")
    harness.app.privacy.erase_address("erased@example.com")
    tried = harness.app.invitations.retry([again, opted_out, erased, dead, sent, UNKNOWN, "no-uuid", again])
    refused = {
        NotRetried.SUPPRESSED: [opted_out],
        NotRetried.ERASED: [erased],
        NotRetried.NO_MAILBOX: [dead],
        NotRetried.NOT_REJECTED: [sent],
        NotRetried.UNKNOWN: [UNKNOWN, "no-uuid"],
    }
    assert (tried.scheduled, tried.refused) == ([again], refused)
    assert harness.app.invitations.retry([again]).refused == {NotRetried.NOT_REJECTED: [again]}


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_all_that_were_rejected_since_are_tried_again_shop_by_shop(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "MOST_AT_ONCE", batch)
    harness = AppHarness(*[FULL] * 8)
    harness.app.shops.add(a_shop("slagerij-2"))
    old = harness.report_due("old@example.com")
    harness.deliver()
    harness.clock.advance(DAY)
    since = harness.clock.now()
    new = [harness.report_due(f"c{number}@example.com") for number in range(5)]
    others = [harness.report_due(f"d{number}@example.com", site_id="slagerij-2") for number in range(2)]
    harness.deliver()
    assert harness.app.invitations.count_rejected(since) == 7
    tried = harness.app.invitations.retry_rejected(since)
    assert (sorted(tried.scheduled), tried.refused) == (sorted(new + others), {})
    harness.deliver()
    assert {harness.state(each)[0] for each in new + others} == {State.SENT}
    assert harness.state(old)[0] is State.REJECTED
    assert harness.app.invitations.count_rejected(since) == 0


def test_each_transaction_stays_when_a_later_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "MOST_AT_ONCE", 1)
    mark = InMemoryMark()
    harness = AppHarness(FULL, FULL, mark=mark)
    first, second = harness.report_due("a@example.com"), harness.report_due("b@example.com")
    harness.deliver()
    pauses = iter([None, "mark_ahead"])
    monkeypatch.setattr(retry, "pause_at", lambda *_, **__: next(pauses))
    with pytest.raises(DeliveryPaused, match="db reconcile"):
        harness.app.invitations.retry([first, second])
    assert [harness.state(each)[0] for each in (first, second)] == [State.SCHEDULED, State.REJECTED]


def test_nothing_is_tried_again_while_deliveries_are_paused() -> None:
    mark = InMemoryMark()
    harness = AppHarness(FULL, mark=mark)
    invite_id = harness.report_due()
    harness.deliver()
    mark.advance([a_hand_over(99)])
    with pytest.raises(DeliveryPaused, match="older copy"):
        harness.app.invitations.retry([invite_id])
    mark.let_out = None
    with pytest.raises(DeliveryPaused, match="missing"):
        harness.app.invitations.retry_rejected(harness.clock.now() - DAY)
    assert harness.state(invite_id) == (State.REJECTED, Reason.REFUSED)
    harness.app.delivery.reconcile()
    assert harness.app.invitations.retry([invite_id]).refused == {NotRetried.OLDER: [invite_id]}


def test_a_retry_waits_for_a_reconciliation_that_has_begun_on_another_connection(postgres_url: str) -> None:
    storage = PostgresStorage(postgres_url, busy_seconds=TIMEOUT_SECONDS)
    harness = AppHarness(FULL, storage=storage, mark=InMemoryMark())
    invite_id = harness.report_due()
    harness.deliver()
    begun, may_end = threading.Event(), threading.Event()

    def draw_another_epoch(store: Store) -> None:
        store.relay.keep(attrs.evolve(store.relay.lock(), epoch=7))
        begun.set()
        assert may_end.wait(TIMEOUT_SECONDS)

    try:
        with ThreadPoolExecutor(2) as pool, psycopg.connect(postgres_url, autocommit=True) as watcher:
            reconciled = pool.submit(storage.run, draw_another_epoch)
            assert begun.wait(TIMEOUT_SECONDS)
            tried = pool.submit(harness.app.invitations.retry, [invite_id])
            wait_until(lambda: watcher.execute(WAITING).fetchone() == (1,))
            may_end.set()
            reconciled.result()
            assert tried.result().refused == {NotRetried.OLDER: [invite_id]}
    finally:
        may_end.set()
        storage.close()


def test_one_whose_first_attempt_arrived_after_all_is_not_sent_again_once_it_is_reviewed() -> None:
    """A mail server may refuse what it has delivered; the customer then has a link, and may use it."""
    harness = AppHarness(MailScript(answer=Rejected("552 5.2.2")))
    invite_id = harness.report_due()
    harness.deliver()
    harness.app.invitations.retry([invite_id])
    harness.write_review(token_of(harness.app, invite_id, Purpose.REVIEW), ReviewDraft(rating=5, text="Good"))
    harness.deliver()
    assert harness.state(invite_id) == (State.SENT, Reason.REVIEWED)
    assert len(harness.mailer.committed) == 1


def test_with_asyncio_it_is_the_same() -> None:
    harness = AppHarness(FULL, FULL)
    ids = [harness.report_due(f"{name}@example.com") for name in "ab"]
    harness.deliver()
    since = harness.clock.now()

    async def scenario() -> list[object]:
        async with AsyncApplication(harness.app) as awaited:
            first = await awaited.invitations.retry(ids[:1])
            count = await awaited.invitations.count_rejected(since)
            return [first.scheduled, count, (await awaited.invitations.retry_rejected(since)).scheduled]

    assert asyncio.run(scenario()) == [ids[:1], 1, ids[1:]]


@pytest.mark.parametrize("wrong", ["one-id", [1]])
def test_ids_are_a_sequence_of_texts(wrong: object) -> None:
    with pytest.raises(TypeError, match="invite_ids"):
        AppHarness().app.invitations.retry(wrong)  # type: ignore[arg-type]
