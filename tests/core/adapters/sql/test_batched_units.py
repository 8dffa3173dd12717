"""Units of one kind that share no lock run as one: what many ask is asked of the database together (ADR-3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.execution import locks_in_order
from reviewinvite_core.ports import Batchable, Done, LockedUnit, Storage, Store, UnitOfWork


@pytest.fixture(params=["sqlite", "postgres"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "sqlite":
        opened: Storage = SqliteStorage(tmp_path / "test.db")
    else:
        opened = PostgresStorage(request.getfixturevalue("postgres_url"))
    yield opened
    opened.close()


class Kind:
    """A kind of unit that notes with which others each was run."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def unit(self, name: str, *locks: int, shared: frozenset[int] = frozenset()) -> LockedUnit[str]:
        joint = Batchable(self.run, name, shared)
        return LockedUnit(lambda store: self.run(store, [name])[0], frozenset(locks) | shared, joint)

    def run(self, _: Store, asked: Sequence[str]) -> Sequence[str]:
        self.runs.append(list(asked))
        return [name.upper() for name in asked]


def test_units_of_one_kind_run_as_one_until_two_have_a_lock_in_common(storage: Storage) -> None:
    kind = Kind()
    outcomes = storage.run_all([kind.unit("a", 1, 2), kind.unit("b", 3), kind.unit("c", 2), kind.unit("d", 4)])
    assert outcomes == [Done("A"), Done("B"), Done("C"), Done("D")]
    assert kind.runs == [["a", "b"], ["c", "d"]]


def test_units_of_another_kind_and_plain_ones_run_between_them_in_their_order(storage: Storage) -> None:
    kind, other = Kind(), Kind()
    ran: list[str] = []

    def plain(_: Store) -> None:
        ran.extend(kind.runs[0])

    units: list[UnitOfWork[object]] = [kind.unit("a", 1), plain, kind.unit("b", 2), other.unit("c", 3)]
    assert storage.run_all(units)[2:] == [Done("B"), Done("C")]
    assert ran == ["a"]
    assert (kind.runs, other.runs) == ([["a"], ["b"]], [["c"]])


def test_units_that_have_but_a_shared_lock_in_common_run_as_one(storage: Storage) -> None:
    kind, shop = Kind(), frozenset({9})
    units = [kind.unit("a", 1, shared=shop), kind.unit("b", 2, shared=shop), kind.unit("c", 1, shared=shop)]
    assert storage.run_all(units) == [Done("A"), Done("B"), Done("C")]
    assert kind.runs == [["a", "b"], ["c"]]


def test_a_shared_lock_is_taken_as_any_other_and_keeps_out_what_is_of_another_kind(storage: Storage) -> None:
    kind, other, shop = Kind(), Kind(), frozenset({9})
    units = [kind.unit("a", 1, shared=shop), other.unit("b", 9), kind.unit("c", 2, shared=shop)]
    assert storage.run_all(units) == [Done("A"), Done("B"), Done("C")]
    assert (kind.runs, other.runs) == ([["a"], ["c"]], [["b"]])
    assert locks_in_order(units) == [1, 2, 9]
