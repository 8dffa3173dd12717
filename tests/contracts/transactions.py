"""Contract tests for units of work: all or nothing, and nothing visible to others before the end."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import pytest
from tests.builders import a_dedup_key, added, an_api_key, an_invitation, scheduled
from tests.contracts.invitations import cancelled

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import Batchable, Done, Failed, LockedUnit, Storage, Store, UnitOfWork
from reviewinvite_core.testing.builders import NOON, a_shop

LoseTransaction: TypeAlias = Callable[[Store], object]
PATIENCE_SECONDS = 60.0


class UnitBroken(Exception):
    """Exception that a unit raises here."""


class BrokenOff(BaseException):
    """Exception that breaks off a whole batch, like an interrupt."""


class TransactionsContract:
    """Part of `StorageContract`: units of work."""

    @pytest.fixture
    def lose_transaction(self) -> LoseTransaction | None:
        """Return a callable that makes the engine roll back the whole transaction; None if it never does by itself."""
        return None

    def test_a_trial_to_write_changes_nothing(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        scheduled(storage, an_invitation(shop))
        before = _everything(storage, shop)
        storage.try_writing()
        storage.try_writing()
        assert _everything(storage, shop) == before
        assert not storage.last_write_failed

    def test_a_unit_that_raises_is_no_write_that_storage_failed(self, storage: Storage) -> None:
        def broken(_: Store) -> None:
            raise UnitBroken

        with pytest.raises(UnitBroken):
            storage.run(broken)
        assert not storage.last_write_failed

    def test_a_unit_that_raises_keeps_nothing(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        known = scheduled(storage, an_invitation(shop))
        storage.run(lambda store: store.keep_key_ring(b"ring"))
        storage.run(lambda store: store.rate_limit_log.admit([LimitKey(shop.number, "s")], NOON))
        before = _everything(storage, shop)

        def change_all_and_break(store: Store) -> None:
            store.shops.add(a_shop("second"))
            store.shops.change(a_shop(name="Changed").numbered(shop.number))
            store.api_keys.add(an_api_key(shop))
            store.keep_key_ring(b"other")
            store.rate_limit_log.admit([LimitKey(shop.number, "s")], NOON, replacing_nth=1)
            store.rate_limit_log.sweep(NOON, 100)
            store.invitations.change(known, cancelled(known))
            store.invitations.schedule([(an_invitation(shop, 2), a_dedup_key("second"))])
            raise UnitBroken

        with pytest.raises(UnitBroken):
            storage.run(change_all_and_break)
        assert _everything(storage, shop) == before
        assert scheduled(storage, an_invitation(shop, 3), a_dedup_key("second")) == an_invitation(shop, 3)

    def test_a_unit_gives_its_result(self, storage: Storage) -> None:
        assert storage.run(lambda _: 42) == 42
        assert storage.read(lambda _: "read") == "read"

    def test_a_storage_works_on_after_a_unit_that_raised(self, storage: Storage) -> None:
        for run in (storage.run, storage.read):
            with pytest.raises(UnitBroken):
                run(_broken)
        assert added(storage, a_shop()).site_id.text == "bakkerij-1"

    def test_a_batch_gives_its_outcomes_in_order(self, storage: Storage) -> None:
        outcomes = storage.run_all([_adding(name) for name in "cab"])
        assert [_site_id(outcome) for outcome in outcomes] == ["c", "a", "b"]
        assert _site_ids(storage) == ["a", "b", "c"]

    def test_an_empty_batch_has_no_outcomes(self, storage: Storage) -> None:
        assert list(storage.run_all([])) == []

    def test_a_unit_that_raises_harms_no_other_of_its_batch(self, storage: Storage) -> None:
        def half_done(store: Store) -> None:
            store.shops.add(a_shop("half"))
            raise UnitBroken

        outcomes = storage.run_all([_adding("a"), half_done, _adding("b"), _broken, _adding("c")])
        assert [type(outcome) for outcome in outcomes] == [Done, Failed, Done, Failed, Done]
        assert isinstance(outcomes[1], Failed)
        assert isinstance(outcomes[1].error, UnitBroken)
        assert _site_ids(storage) == ["a", "b", "c"]

    def test_a_unit_that_may_run_as_one_with_others_and_raises_harms_none_of_them(self, storage: Storage) -> None:
        def add(store: Store, name: str) -> str:
            store.shops.add(a_shop(name))
            if name == "bad":
                raise UnitBroken
            return name

        def add_all(store: Store, names: Sequence[str]) -> Sequence[str]:
            return [add(store, name) for name in names]

        names = ("a", "bad", "b")
        outcomes = storage.run_all(
            [
                LockedUnit(partial(add, name=name), frozenset({number}), Batchable(add_all, name))
                for number, name in enumerate(names, start=1)
            ]
        )
        assert [type(outcome) for outcome in outcomes] == [Done, Failed, Done]
        assert (outcomes[0], outcomes[2]) == (Done("a"), Done("b"))
        assert _site_ids(storage) == ["a", "b"]

    def test_a_unit_sees_what_the_units_before_it_in_its_batch_have_changed(self, storage: Storage) -> None:
        outcomes = storage.run_all([_adding("a"), _listing])
        assert outcomes[1] == Done(["a"])

    def test_a_unit_sees_nothing_of_one_before_it_that_raised(self, storage: Storage) -> None:
        def half_done(store: Store) -> None:
            store.shops.add(a_shop("half"))
            raise UnitBroken

        assert storage.run_all([half_done, _listing])[1] == Done([])

    def test_a_batch_whose_transaction_is_lost_keeps_nothing_and_acknowledges_nothing(
        self, storage: Storage, lose_transaction: LoseTransaction | None
    ) -> None:
        if lose_transaction is None:  # then only the end of the process can break off a batch
            with pytest.raises(BrokenOff):
                storage.run_all([_adding("a"), _breaking_off, _adding("b")])
        else:
            outcomes = storage.run_all([_adding("a"), lose_transaction, _adding("b")])
            assert len(outcomes) == 3
            for outcome in outcomes:
                assert isinstance(outcome, Failed)
                assert isinstance(outcome.error, StorageUnavailable)
        assert _site_ids(storage) == []
        assert [_site_id(outcome) for outcome in storage.run_all([_adding("c")])] == ["c"]

    def test_a_lost_transaction_is_noticed_even_when_its_unit_hides_it(
        self, storage: Storage, lose_transaction: LoseTransaction | None
    ) -> None:
        def hide(store: Store) -> None:
            store.shops.add(a_shop("hidden"))
            with contextlib.suppress(Exception):
                (lose_transaction or _broken)(store)
            if lose_transaction is None:
                raise UnitBroken

        for outcome in storage.run_all([hide]):
            assert isinstance(outcome, Failed)
        with pytest.raises((StorageUnavailable, UnitBroken)):
            storage.run(hide)
        assert _site_ids(storage) == []

    def test_a_reader_never_sees_what_is_not_committed(self, storage: Storage) -> None:
        seen: list[list[str]] = []
        reader = threading.Thread(target=lambda: seen.append(_site_ids(storage)))

        def add_then_break(store: Store) -> None:
            store.shops.add(a_shop("ghost"))
            reader.start()
            reader.join(0.3)  # a reader may wait for the end of this unit, but need not
            raise UnitBroken

        with pytest.raises(UnitBroken):
            storage.run(add_then_break)
        reader.join(PATIENCE_SECONDS)
        assert seen == [[]]

    def test_a_reader_sees_storage_as_it_was_at_one_moment(self, storage: Storage) -> None:
        writer = threading.Thread(target=lambda: added(storage, a_shop("later")))

        def read_twice(store: Store) -> tuple[list[str], list[str]]:
            first = _listing(store)
            writer.start()
            writer.join(0.3)  # a writer may wait for the end of this unit, but need not
            return first, _listing(store)

        assert storage.read(read_twice) == ([], [])
        writer.join(PATIENCE_SECONDS)
        assert _site_ids(storage) == ["later"]

    def test_what_a_reading_unit_changes_is_not_kept(self, storage: Storage) -> None:
        with contextlib.suppress(Exception):  # a storage may refuse it, but need not
            storage.read(_adding("written"))
        assert _site_ids(storage) == []

    def test_units_of_many_threads_run_one_after_the_other(self, storage: Storage) -> None:
        limit_key = LimitKey(1, "count")

        def count_up(store: Store) -> int:
            count = 0
            while store.rate_limit_log.nth_newest([limit_key], count + 1):
                count += 1
            store.rate_limit_log.admit([limit_key], NOON)
            return count

        counts: list[int] = []
        threads = [threading.Thread(target=lambda: counts.append(storage.run(count_up))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        assert sorted(counts) == list(range(8))

    def test_many_threads_read_at_once(self, storage: Storage) -> None:
        added(storage, a_shop("a"))
        seen: list[list[str]] = []

        def read_often() -> None:
            seen.extend(_site_ids(storage) for _ in range(50))

        threads = [threading.Thread(target=read_often) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        assert seen == [["a"]] * 400

    def test_a_sound_storage_has_no_problems(self, storage: Storage) -> None:
        scheduled(storage, an_invitation(added(storage, a_shop())))
        assert list(storage.problems()) == []

    def test_a_storage_can_be_closed_twice(self, storage: Storage) -> None:
        added(storage, a_shop())
        storage.close()
        storage.close()


def _adding(site_id: str) -> UnitOfWork[object]:
    return lambda store: store.shops.add(a_shop(site_id))


def _broken(_: Store) -> None:
    raise UnitBroken


def _breaking_off(store: Store) -> None:
    store.shops.add(a_shop("broken-off"))
    raise BrokenOff


def _listing(store: Store) -> list[str]:
    return [shop.site_id.text for shop in store.shops.every()]


def _site_ids(storage: Storage) -> list[str]:
    return storage.read(_listing)


def _site_id(outcome: Done | Failed) -> str:
    assert isinstance(outcome, Done)
    assert isinstance(outcome.result, Shop)
    return outcome.result.site_id.text


def _everything(storage: Storage, shop: Shop) -> Sequence[object]:
    def read_all(store: Store) -> Sequence[object]:
        newest = store.invitations.newest(shop=None, state=None, limit=99)
        return [
            list(store.shops.every()),
            list(store.api_keys.of_shop(shop.number)),
            store.sealed_key_ring(),
            [store.rate_limit_log.nth_newest([LimitKey(shop.number, "s")], count) for count in (1, 2)],
            list(newest),
            [list(store.invitations.history(invitation)) for _, invitation in newest],
        ]

    return storage.read(read_all)
