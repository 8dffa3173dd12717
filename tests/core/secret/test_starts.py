"""Processes that are started while the secret is being changed: each finds the secret that opens the ring."""

from __future__ import annotations

import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.core.secret.test_kills import REPORT, House, on_sqlite, with_an_order

from reviewinvite_core import SecretBusy, build, check_database, migrate_database, rotate_secret
from reviewinvite_core.adapters.sql.sqlite import SqliteStorage

ROTATIONS = 15


@pytest.fixture
def house(tmp_path: Path) -> House:
    return with_an_order(on_sqlite(tmp_path / "house"))


class Interrupted:
    """Storage that, once it was read so many times, has the secret changed before it gives what it read."""

    def __init__(self, house: House, reads: int) -> None:
        self._inner = SqliteStorage(house.folder / "r.db")
        self._house = house
        self.reads_left = reads

    def read(self, unit: Any) -> Any:
        found = self._inner.read(unit)
        self.reads_left -= 1
        if self.reads_left == 0:
            rotate_secret(self._house.settings)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.mark.parametrize("reads", [1, 2])
def test_a_change_between_two_looks_of_a_start_is_noticed(house: House, reads: int) -> None:
    ring, storage = house.ring(), Interrupted(house, reads)
    with closing(build(house.settings, storage=storage)) as app:  # type: ignore[arg-type]
        assert storage.reads_left < 1
        assert app.report_order(app.act_for("bakkerij-1"), REPORT).duplicate
    assert house.ring() == ring


def test_starts_and_changes_at_the_same_time_disturb_one_another_in_nothing(house: House) -> None:
    ring, faults, over = house.ring(), [], threading.Event()

    def start_again_and_again() -> None:
        try:
            while not over.is_set():
                assert house.works()
                migrate_database(house.settings)
                assert check_database(house.settings) == []
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=start_again_and_again) for _ in range(3)]
    for thread in threads:
        thread.start()
    changed = 0
    while changed < ROTATIONS and not faults:
        with suppress(SecretBusy):  # a start that saw the new secret wait has looked whether that is half done
            rotate_secret(house.settings)
            changed += 1
    over.set()
    for thread in threads:
        thread.join()
    assert faults == []
    assert house.ring() == ring
