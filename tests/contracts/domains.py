"""Contract tests for the storage of shops' hosts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import attrs
import pytest
from tests.builders import a_domain

from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON, a_shop

HOUR, WEEK = timedelta(hours=1), timedelta(days=7)


def shops(storage: Storage) -> None:
    """Add two shops, numbered 1 and 2."""
    storage.run(lambda store: [store.shops.add(a_shop(name)) for name in ("molen", "kaas")])


def add(storage: Storage, *domains: Domain) -> None:
    """Store these hosts."""
    storage.run(lambda store: [store.domains.add(domain) for domain in domains])


def to_recheck(storage: Storage, limit: int = 10) -> Sequence[str]:
    """Return the hosts last checked before noon, or more than an hour after it, as the storage reports them.

    Also return hosts whose proof had been missing for a week at noon, if last checked before 12:30.
    """
    due = storage.run(
        lambda store: store.domains.to_recheck(
            NOON, NOON + HOUR, limit, missing_before=NOON - WEEK, recently=NOON + HOUR / 2
        )
    )
    return [domain.host.text for domain in due]


class DomainsContract:
    """Part of `StorageContract`: shops' hosts."""

    def test_a_host_comes_back_as_it_was_stored(self, storage: Storage) -> None:
        shops(storage)
        bare = a_domain(1, "bare.example.nl")
        full = a_domain(
            1,
            "xn--bckerei-5wa.example",
            verified_at=NOON,
            vouched=True,
            checked_at=NOON + HOUR,
            missing_since=NOON + 2 * HOUR,
            lost_at=NOON + 3 * HOUR,
            reason="dns:no_record",
        )
        add(storage, full, bare)
        assert storage.read(lambda store: store.domains.of_shop(1)) == [bare, full]
        assert storage.read(lambda store: store.domains.find(1, "bare.example.nl")) == bare
        assert storage.read(lambda store: store.domains.find(2, "bare.example.nl")) is None

    def test_a_host_that_the_shop_has_stays_as_it_is(self, storage: Storage) -> None:
        shops(storage)
        first = a_domain(1)
        add(storage, first)
        again = attrs.evolve(first, added_at=NOON + HOUR, verified_at=NOON)
        assert storage.run(lambda store: store.domains.add(again)) == first
        assert storage.read(lambda store: store.domains.of_shop(1)) == [first]

    def test_only_verified_hosts_have_a_holder(self, storage: Storage) -> None:
        shops(storage)
        add(storage, a_domain(1, "one.example.nl", verified_at=NOON), a_domain(1, "two.example.nl"))
        add(storage, a_domain(2, "one.example.nl"), a_domain(2, "three.example.nl", verified_at=NOON))
        asked = [f"{name}.example.nl" for name in ("one", "two", "three", "four")]
        holders = storage.read(lambda store: store.domains.holders(asked))
        assert holders == {"one.example.nl": 1, "three.example.nl": 2}
        assert storage.read(lambda store: store.domains.holders([])) == {}

    def test_the_verified_hosts_of_many_shops_are_told_at_once(self, storage: Storage) -> None:
        shops(storage)
        add(storage, *(a_domain(1, f"{name}.example.nl", verified_at=NOON) for name in "ba"))
        add(storage, a_domain(1, "c.example.nl"), a_domain(2, "d.example.nl"))
        verified = storage.read(lambda store: store.domains.verified_of([1, 2, 3]))
        assert verified == {1: ["a.example.nl", "b.example.nl"]}
        assert storage.read(lambda store: store.domains.verified_of([])) == {}

    def test_no_two_shops_have_the_same_host_verified(self, storage: Storage) -> None:
        shops(storage)
        first, second = a_domain(1, verified_at=NOON), a_domain(2)
        add(storage, first, second)
        late = attrs.evolve(second, verified_at=NOON)
        with pytest.raises(Exception):  # noqa: B017, PT011 - each engine has its own exception
            storage.run(lambda store: store.domains.change(late))
        assert storage.read(lambda store: store.domains.find(2, first.host.text)) == second

    def test_a_host_that_was_released_can_be_verified_by_another_shop(self, storage: Storage) -> None:
        shops(storage)
        first, second = a_domain(1, verified_at=NOON), a_domain(2)
        add(storage, first, second)
        assert storage.run(lambda store: store.domains.remove(1, first.host.text)) == first
        storage.run(lambda store: store.domains.change(attrs.evolve(second, verified_at=NOON)))
        assert storage.read(lambda store: store.domains.holders([first.host.text])) == {first.host.text: 2}

    def test_a_change_is_kept_and_one_of_a_host_that_is_gone_is_not(self, storage: Storage) -> None:
        shops(storage)
        domain = a_domain(1)
        add(storage, domain)
        changed = attrs.evolve(domain, verified_at=NOON, checked_at=NOON, vouched=True, reason="x", lost_at=NOON)
        storage.run(lambda store: store.domains.change(changed))
        assert storage.read(lambda store: store.domains.of_shop(1)) == [changed]
        storage.run(lambda store: store.domains.remove(1, domain.host.text))
        storage.run(lambda store: store.domains.change(changed))
        assert storage.read(lambda store: store.domains.of_shop(1)) == []
        assert storage.run(lambda store: store.domains.remove(1, domain.host.text)) is None

    def test_proofs_are_looked_for_again_the_longest_ago_first(self, storage: Storage) -> None:
        shops(storage)
        names = ("c", "a", "b")
        add(
            storage,
            *(
                a_domain(1, f"{name}.example.nl", verified_at=NOON, checked_at=NOON - place * HOUR)
                for place, name in enumerate(names, start=1)
            ),
            a_domain(1, "recent.example.nl", verified_at=NOON, checked_at=NOON),
            a_domain(1, "latest.example.nl", verified_at=NOON, checked_at=NOON + HOUR),
            a_domain(1, "ahead.example.nl", verified_at=NOON, checked_at=NOON + 2 * HOUR),
            a_domain(1, "vouched.example.nl", verified_at=NOON, checked_at=NOON - HOUR, vouched=True),
            a_domain(1, "unproved.example.nl", checked_at=NOON - HOUR),
            a_domain(2, "never.example.nl", verified_at=NOON, added_at=NOON - 9 * HOUR),
        )
        assert to_recheck(storage) == [f"{name}.example.nl" for name in ("never", "b", "a", "c", "ahead")]
        assert to_recheck(storage, limit=1) == ["never.example.nl"]

    def test_a_proof_that_has_been_missing_for_long_is_looked_for_sooner(self, storage: Storage) -> None:
        shops(storage)
        add(
            storage,
            *(
                a_domain(1, f"{name}.example.nl", verified_at=NOON, checked_at=checked_at, missing_since=missing_since)
                for name, checked_at, missing_since in (
                    ("long", NOON + HOUR / 4, NOON - WEEK),
                    ("longer", NOON, NOON - 2 * WEEK),
                    ("looked-for", NOON + HOUR / 2, NOON - 2 * WEEK),
                    ("not-long", NOON, NOON - WEEK + HOUR),
                    ("not-long-but-due", NOON - HOUR, NOON - WEEK + HOUR),
                    ("ahead", NOON + 2 * HOUR, NOON - WEEK),
                )
            ),
        )
        assert to_recheck(storage) == [f"{name}.example.nl" for name in ("not-long-but-due", "longer", "long", "ahead")]
