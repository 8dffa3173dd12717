"""Fences and answers of a batch: the results and the stored rows are those of one request after the other (ADR-50).

Each example is built, run and undone in one transaction: first as a batch, then one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from typing import Any, TypeVar

import attrs
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests import postgres
from tests.builders import a_dedup_key, a_review, a_suppression, an_address_hash, an_invitation
from tests.core.usecases.harness import AppHarness

from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.handovers import Ahead, HighWaterMark, RecordedHandOvers
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import NewShop, Shop
from reviewinvite_core.ports import Accepted, AnswerLost, RefusedForNow, Rejected, Storage, Store, Unreachable
from reviewinvite_core.testing.builders import CountingEntropy, a_shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest, fence_all
from reviewinvite_core.usecases.delivery.outcomes import Answer, record_all
from reviewinvite_core.usecases.delivery.restore_guard import HighWaterMarkSnapshot

T = TypeVar("T")

LEASE = timedelta(minutes=15)
DAY = timedelta(days=1)
NAMES = ("anna", "bert", "zoe")


@attrs.frozen(kw_only=True)
class Case:
    """An invitation that we have claimed, and what happened before and since."""

    shop: int = 0
    name: str = "anna"
    tried: bool = False  # a first attempt passed the fence
    reviewed: bool = False
    by_operator: bool = False
    sent_before: bool = False  # the shop has handed over another one to the address
    meanwhile: str = ""
    again: bool = False  # the same request comes twice
    mark: int = 0
    answer: Answer = attrs.field(factory=lambda: Accepted("250"))


@attrs.frozen(kw_only=True)
class Setting:
    """What the requests of a batch have in common."""

    host: str | None = "here"
    registered: bool = True
    other_ahead: bool = False


MEANWHILE = ("", "", "", "", "cancelled", "reclaimed", "expired", "erased", "released", "fenced", "in doubt")
ANSWERS: tuple[Answer, ...] = (
    *(Accepted("250 2.0.0"), Accepted(), Rejected("550"), Rejected("550 5.1.1", no_mailbox=True)),
    *(RefusedForNow("451"), AnswerLost(), Unreachable("gaierror")),
)
often = st.sampled_from((False, False, False, True))
cases = st.builds(
    Case,
    shop=st.integers(0, 3),
    name=st.sampled_from(NAMES),
    tried=often,
    reviewed=often,
    by_operator=often,
    sent_before=often,
    meanwhile=st.sampled_from(MEANWHILE),
    again=st.sampled_from((False,) * 9 + (True,)),
    mark=st.sampled_from((0, 0, 0, 0, 0, 1, 3)),
    answer=st.sampled_from(ANSWERS),
)
settings_of_all = st.builds(
    Setting,
    host=st.sampled_from(("here", "here", "here", None)),
    registered=st.sampled_from((True, True, True, False)),
    other_ahead=st.sampled_from((False, False, False, True)),
)
batches = st.lists(cases, max_size=12)
SHOPS: Sequence[NewShop] = (
    a_shop("plain"),
    a_shop("ruled", frequency_days=30),
    a_shop("also-ruled", frequency_days=1),
    a_shop("closed"),
)


class Undo(Exception):
    """Raised at the end of an example."""


@pytest.fixture(scope="module", params=["memory", "sqlite", "postgres"])
def harness(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppHarness]:
    if request.param == "memory":
        storage: Storage = MemoryStorage()
    elif request.param == "sqlite":
        storage = SqliteStorage(tmp_path_factory.mktemp("joint") / "test.db")
    else:
        with (
            postgres.database(request.getfixturevalue("postgres_server")) as url,
            closing(PostgresStorage(url)) as opened,
        ):
            yield AppHarness(storage=opened)
        return
    with closing(storage):
        yield AppHarness(storage=storage)


def context(harness: AppHarness, store: Store) -> UnitContext:
    return attrs.evolve(harness.app.delivery._context_of(store), entropy=CountingEntropy())


def undone(harness: AppHarness, example: Callable[[UnitContext], T]) -> T:
    """Return the result of an example whose changes are undone."""
    results: list[T] = []

    def unit(store: Store) -> None:
        results[:] = [example(context(harness, store))]
        raise Undo

    with pytest.raises(Undo):
        harness.in_transaction(unit)
    return results[0]


def shops_in(ctx: UnitContext) -> list[Shop]:
    shops = [shop for new in SHOPS if (shop := ctx.store.shops.add(new))]
    ctx.store.shops.change(attrs.evolve(shops[3], active=False))
    ctx.store.suppressions.add(attrs.evolve(a_suppression(None, name="zoe"), suppressed_at=ctx.now))
    return shops


def change(ctx: UnitContext, before: Invitation, to: State, reason: Reason, **fields: Any) -> Invitation:
    after = before.moved(to, reason, ctx.now, **fields)
    assert ctx.store.invitations.change(before, after)
    return after


def claim(ctx: UnitContext, waiting: Invitation, token: bytes = b"ours") -> Invitation:
    return change(ctx, waiting, State.CLAIMED, Reason.CLAIMED, claim=Claim(token=token, lease_until=ctx.now + LEASE))


def scheduled(ctx: UnitContext, shop: Shop, serial: int, name: str) -> Invitation:
    new = an_invitation(shop, serial, address_hash=an_address_hash(name), reported_at=ctx.now, due_after=timedelta(0))
    return ctx.store.invitations.schedule([(new, a_dedup_key(f"order {serial}"))])[0]


def claimed(ctx: UnitContext, case: Case, shop: Shop, serial: int) -> Invitation:
    """Store a case's invitation up to our claim."""
    invitation = scheduled(ctx, shop, 2 * serial, case.name)
    if case.sent_before:
        earlier = claim(ctx, scheduled(ctx, shop, 2 * serial + 1, case.name), b"earlier")
        change(ctx, earlier, State.HANDING_OVER, Reason.FENCED, claim=earlier.claim)
    if case.tried:
        first = claim(ctx, invitation, b"first")
        fenced = change(ctx, first, State.HANDING_OVER, Reason.FENCED, claim=first.claim)
        invitation = change(ctx, fenced, State.SCHEDULED, Reason.REFUSED_FOR_NOW, reply="451")
    if case.reviewed:
        ctx.store.reviews.add(a_review(invitation))
    if case.by_operator:
        invitation = change(ctx, invitation, State.SCHEDULED, Reason.OPERATOR)
    return claim(ctx, invitation)


def happened(ctx: UnitContext, ours: Invitation, case: Case) -> Invitation:
    """Make what happened since we have claimed an invitation; return it as we know it."""
    match case.meanwhile:
        case "cancelled":
            change(ctx, ours, State.CANCELLED, Reason.CANCELLED)
        case "released" | "reclaimed":
            waiting = change(ctx, ours, State.SCHEDULED, Reason.LEASE_EXPIRED)
            if case.meanwhile == "reclaimed":
                claim(ctx, waiting, b"theirs")
        case "erased":
            ctx.store.invitations.forget_address(ours)
        case "fenced":
            return change(ctx, ours, State.HANDING_OVER, Reason.FENCED, claim=ours.claim)
        case "in doubt":
            fenced = change(ctx, ours, State.HANDING_OVER, Reason.FENCED, claim=ours.claim)
            change(ctx, fenced, State.UNCERTAIN, Reason.PROCESS_DIED, claim=ours.claim)
            return fenced
        case "expired":
            assert ours.claim
            return attrs.evolve(ours, claim=attrs.evolve(ours.claim, lease_until=ctx.now))
    return ours


def requests_in(ctx: UnitContext, batch: Sequence[Case]) -> list[tuple[Invitation, Case]]:
    """Store what a batch begins with, and return each invitation as we know it."""
    shops = shops_in(ctx)
    requests = [(claimed(ctx, case, shops[case.shop], serial), case) for serial, case in enumerate(batch, start=1)]
    requests = [(happened(ctx, ours, case), case) for ours, case in requests]
    return [request for request in requests for _ in range(1 + request[1].again)]


def snapshot(setting: Setting, number: int) -> HighWaterMarkSnapshot | None:
    if setting.host is None:
        return None
    mark = HighWaterMark(host=setting.host, number=number)
    return HighWaterMarkSnapshot(mark=mark, recall=lambda: RecordedHandOvers(mark=mark), one_host=True)


def stored(ctx: UnitContext, requests: Sequence[tuple[Invitation, Case]]) -> object:
    """Return all rows that the requests may have changed."""
    shops = {ours.shop_number for ours, _ in requests}
    rows = [
        each
        for shop in sorted(shops)
        for each in ctx.store.invitations.of_shop(shop, before=None, order_number=None, limit=99)
    ]
    suppressions = [ctx.store.suppressions.of_address(an_address_hash(name)) for name in NAMES]
    return [(each, ctx.store.invitations.history(each)) for each in rows], ctx.store.hosts.every(), suppressions


def asked_of(requests: Sequence[tuple[Invitation, Case]], mark: int) -> Sequence[FenceRequest]:
    return [FenceRequest(item=ours, high_water_mark=snapshot(Setting(), mark)) for ours, _ in requests]


def fences(batch: Sequence[Case], setting: Setting, *, together: bool) -> Callable[[UnitContext], object]:
    def example(ctx: UnitContext) -> object:
        if setting.registered:
            ctx.store.hosts.register("here")
            ctx.store.hosts.raise_fence("here", 2)
        if setting.other_ahead:
            ctx.store.hosts.note_ahead(Ahead(host="there", number=5))
        requests = requests_in(ctx, batch)
        asked = [FenceRequest(item=ours, high_water_mark=snapshot(setting, case.mark)) for ours, case in requests]
        fenced = fence_all(ctx, asked) if together else [one for each in asked for one in fence_all(ctx, [each])]
        return [_comparable(each) for each in fenced], stored(ctx, requests)

    return example


def _comparable(fenced: Fenced) -> object:
    return fenced.item, fenced.number, repr(fenced.trouble)


def answers(batch: Sequence[Case], *, together: bool) -> Callable[[UnitContext], object]:
    def example(ctx: UnitContext) -> object:
        requests = requests_in(ctx, batch)
        asked = [(ours, case.answer) for ours, case in requests]
        recorded = record_all(ctx, asked) if together else [one for each in asked for one in record_all(ctx, [each])]
        return recorded, stored(ctx, requests)

    return example


FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FEW
@given(batches, settings_of_all)
def test_a_batch_of_fences_is_as_one_after_the_other(
    harness: AppHarness, batch: Sequence[Case], setting: Setting
) -> None:
    assert undone(harness, fences(batch, setting, together=True)) == undone(
        harness, fences(batch, setting, together=False)
    )


@FEW
@given(batches)
def test_a_batch_of_answers_is_as_one_after_the_other(harness: AppHarness, batch: Sequence[Case]) -> None:
    assert undone(harness, answers(batch, together=True)) == undone(harness, answers(batch, together=False))


def test_each_that_passes_has_the_next_number_of_its_host(harness: AppHarness) -> None:
    cases = [Case(name=name) for name in ("anna", "zoe", "bert", "anna")]  # zoe is suppressed

    def example(ctx: UnitContext) -> Sequence[int | None]:
        ctx.store.hosts.register("here")
        ctx.store.hosts.raise_fence("here", 41)
        fenced = fence_all(ctx, asked_of(requests_in(ctx, cases), 41))
        assert [each.fence for each in ctx.store.hosts.every() if each.host == "here"] == [44]
        return [each.number for each in fenced]

    assert undone(harness, example) == [42, None, 43, 44]


def test_of_two_for_one_recipient_the_frequency_rule_lets_the_first_pass(harness: AppHarness) -> None:
    cases = [Case(shop=1, name=name) for name in ("anna", "bert", "anna")]

    def example(ctx: UnitContext) -> Sequence[State]:
        ctx.store.hosts.register("here")
        fenced = fence_all(ctx, asked_of(requests_in(ctx, cases), 0))
        return [each.item.state for each in fenced]

    assert undone(harness, example) == [State.HANDING_OVER, State.HANDING_OVER, State.SUPPRESSED]
