"""How admissions are laid out in rows: few of them, none of which grows without end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.core.adapters.sql.raw import connection_of

from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.rate_limit_log import RUN_LENGTH
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON

KEY = LimitKey(1, "orders:key_1")
ADMISSIONS_OF_EACH_ROW = "SELECT 1 + LENGTH(later) / 8 FROM admissions ORDER BY seq"
OF_EARLIER_LAYOUT = "INSERT INTO admissions (shop, subject, seq, admitted_at) VALUES (1, :subject, :seq, :at)"


def admit(storage: Storage, instants: Sequence[datetime], *, count: int) -> None:
    """Record admissions as a limit of `count` does."""
    for instant in instants:
        full = KEY in storage.read(lambda store: store.rate_limit_log.nth_newest([KEY], count))
        replacing = count if full else None
        storage.run(lambda store, at=instant, nth=replacing: store.rate_limit_log.admit([KEY], at, replacing_nth=nth))  # type: ignore[misc]


def rows(storage: Storage, statement: str) -> list[tuple[Any, ...]]:
    """Return the rows that a statement finds."""
    return storage.read(lambda store: connection_of(store).execute(statement, {}).fetchall())


@pytest.mark.parametrize("count", [1, 31, 32, 33, 120])
@pytest.mark.parametrize("gap", [timedelta(milliseconds=100), timedelta(seconds=59), timedelta(seconds=61)])
def test_a_full_key_keeps_a_bounded_number_of_rows(sqlite_folder: Path, count: int, gap: timedelta) -> None:
    storage = SqliteStorage(sqlite_folder / "test.db")
    admit(storage, [NOON + place * gap for place in range(2 * count + 3 * RUN_LENGTH)], count=count)
    lengths = [length for (length,) in rows(storage, ADMISSIONS_OF_EACH_ROW)]
    assert max(lengths) <= RUN_LENGTH
    assert count <= sum(lengths) <= count + 2 * RUN_LENGTH
    storage.close()


def test_rows_of_one_admission_each_count_on(sqlite_folder: Path) -> None:
    storage = SqliteStorage(sqlite_folder / "test.db")
    first = [NOON + timedelta(seconds=place) for place in range(3)]
    for seq, instant in enumerate(first, start=1):
        row = {"subject": KEY.name, "seq": seq, "at": to_microseconds(instant)}
        storage.run(lambda store, row=row: connection_of(store).execute(OF_EARLIER_LAYOUT, row))  # type: ignore[misc]
    later = [NOON + timedelta(seconds=61 + place) for place in range(3)]
    for known in range(3):
        found = [
            storage.read(lambda store, nth=nth: store.rate_limit_log.nth_newest([KEY], nth)).get(KEY)  # type: ignore[misc]
            for nth in (1, 2, 3)
        ]
        assert found == [*first, *later[:known]][:-4:-1]
        admit(storage, [later[known]], count=3)
    storage.close()


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_the_use_of_a_high_limit_is_exact(engine: str, request: pytest.FixtureRequest) -> None:
    """Compared with counting: 10,000 admissions of a minute, at an uneven pace, some at the same instant."""
    uneven = [NOON + timedelta(microseconds=place * place * 7_919 % 60_000_000) for place in range(9_000)]
    instants = sorted([*uneven, *uneven[::9]])
    storage: Storage = (
        SqliteStorage(request.getfixturevalue("sqlite_folder") / "test.db")
        if engine == "sqlite"
        else PostgresStorage(request.getfixturevalue("postgres_url"))
    )

    def admit_all(store: Store) -> None:
        for instant in instants:
            store.rate_limit_log.admit([KEY], instant)

    storage.run(admit_all)
    for after in (NOON - timedelta(seconds=1), *instants[::251], instants[-1]):
        within = [instant for instant in instants if instant > after]
        for count in (120, 10_000, 10_001):
            usage = storage.read(lambda store, n=count, at=after: store.rate_limit_log.usage([KEY], n, after=at))[KEY]  # type: ignore[misc]
            assert usage.admitted == len(within)
            assert usage.oldest == (within[0] if within else None)
            assert usage.nth_newest == (instants[-count] if count <= len(instants) else None)
    storage.close()
