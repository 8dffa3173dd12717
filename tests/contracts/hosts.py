"""Contract tests for the storage of hosts that deliver (ADR-20)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from reviewinvite_core.domain.handovers import Ahead, DeliveryHost
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON


class HostBroken(Exception):
    """Exception that a unit raises here."""


class HostsContract:
    """Part of `StorageContract`: hosts that deliver."""

    def test_a_host_is_registered_once_and_has_let_nothing_out(self, storage: Storage) -> None:
        assert _every(storage) == []
        for _ in range(2):
            storage.run(lambda store: store.hosts.register("b"))
        storage.run(lambda store: store.hosts.register("a"))
        assert _every(storage) == [DeliveryHost(host="a", fence=0), DeliveryHost(host="b", fence=0)]

    def test_registering_a_host_again_leaves_its_number(self, storage: Storage) -> None:
        _register(storage, "a", fences=2)
        storage.run(lambda store: store.hosts.register("a"))
        assert _every(storage) == [DeliveryHost(host="a", fence=2)]

    def test_each_fence_of_a_host_has_the_next_number(self, storage: Storage) -> None:
        _register(storage, "a", "b")
        numbers = [storage.run(lambda store: store.hosts.raise_fence("a")) for _ in range(3)]
        assert numbers == [(1, False), (2, False), (3, False)]
        assert storage.run(lambda store: store.hosts.raise_fence("b")) == (1, False)

    def test_a_unit_that_fails_raises_no_number(self, storage: Storage) -> None:
        _register(storage, "a")

        def raise_and_fail(store: Store) -> None:
            store.hosts.raise_fence("a")
            store.hosts.note_ahead(Ahead(host="a", number=9, horizon=NOON))
            store.hosts.register("b")
            raise HostBroken

        with pytest.raises(HostBroken):
            storage.run(raise_and_fail)
        assert _every(storage) == [DeliveryHost(host="a", fence=0)]

    def test_a_mark_that_is_ahead_is_noted_also_of_a_host_that_is_not_known(self, storage: Storage) -> None:
        _register(storage, "a", fences=2)
        storage.run(lambda store: store.hosts.note_ahead(Ahead(host="a", number=5, horizon=NOON)))
        storage.run(lambda store: store.hosts.note_ahead(Ahead(host="b", number=7)))
        noted = [DeliveryHost(host="a", fence=2, ahead=5, horizon=NOON), DeliveryHost(host="b", fence=0, ahead=7)]
        assert _every(storage) == noted

    def test_what_a_mark_names_is_noted_and_gone_once_the_host_has_caught_up(self, storage: Storage) -> None:
        _register(storage, "a")
        named = tuple((shop, uuid7(NOON, shop.to_bytes(10, "big"))) for shop in (2, 1, 3))
        storage.run(lambda store: store.hosts.note_ahead(Ahead(host="a", number=5, named=named)))
        assert _every(storage) == [DeliveryHost(host="a", fence=0, ahead=5, named=named)]
        assert _of_host(storage, "a") == _every(storage)
        storage.run(lambda store: store.hosts.note_ahead(Ahead(host="a", number=6, named=named[:1])))
        assert _every(storage) == [DeliveryHost(host="a", fence=0, ahead=6, named=named[:1])]
        storage.run(lambda store: store.hosts.catch_up("a", 6))
        assert _every(storage) == [DeliveryHost(host="a", fence=6)]

    def test_standing_are_the_host_itself_and_all_that_are_ahead(self, storage: Storage) -> None:
        _register(storage, "a", "b", "c")
        storage.run(lambda store: store.hosts.note_ahead(Ahead(host="c", number=5)))
        ahead = DeliveryHost(host="c", fence=0, ahead=5)
        assert _of_host(storage, "a") == [DeliveryHost(host="a", fence=0), ahead]
        assert _of_host(storage, "none") == [ahead]

    @pytest.mark.parametrize(("number", "fence"), [(5, 5), (1, 2)])
    def test_a_host_that_has_caught_up_is_not_ahead_and_its_number_never_sinks(
        self, storage: Storage, number: int, fence: int
    ) -> None:
        _register(storage, "a", fences=2)
        _register(storage, "b")
        storage.run(lambda store: store.hosts.note_ahead(Ahead(host="a", number=number, horizon=NOON)))
        storage.run(lambda store: store.hosts.catch_up("a", number))
        assert _every(storage) == [DeliveryHost(host="a", fence=fence), DeliveryHost(host="b", fence=0)]


def _register(storage: Storage, *hosts: str, fences: int = 0) -> None:
    for host in hosts:
        storage.run(lambda store, host=host: store.hosts.register(host))  # type: ignore[misc]
        for _ in range(fences):
            storage.run(lambda store, host=host: store.hosts.raise_fence(host))  # type: ignore[misc]


def _every(storage: Storage) -> Sequence[DeliveryHost]:
    return list(storage.read(lambda store: store.hosts.every()))


def _of_host(storage: Storage, host: str) -> Sequence[DeliveryHost]:
    return list(storage.read(lambda store: store.hosts.with_all_ahead(host)))
