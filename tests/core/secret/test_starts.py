"""Processes that are started while the secret is being changed: each finds the secret that opens the ring."""

from __future__ import annotations

import threading
from contextlib import closing, suppress
from typing import Any

import pytest
from tests.core.secret.rotation_harness import REPORT, SITE, Installation

from reviewinvite_core import accepted, build
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.admin import SecretBusy, check_database, migrate_database, rotate_secret

ROTATIONS = 15


class Interrupted:
    """Storage that changes the secret during the n-th read, before it returns what it read."""

    def __init__(self, installation: Installation, reads: int) -> None:
        self._inner = SqliteStorage(installation.folder / "r.db")
        self._installation = installation
        self.reads_left = reads

    def read(self, unit: Any) -> Any:
        found = self._inner.read(unit)
        self.reads_left -= 1
        if self.reads_left == 0:
            rotate_secret(self._installation.settings)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.mark.parametrize("reads", [1, 2])
def test_a_change_between_two_looks_of_a_start_is_noticed(installation: Installation, reads: int) -> None:
    ring, storage = installation.ring(), Interrupted(installation, reads)
    with closing(build(installation.settings, storage=storage)) as app:
        assert storage.reads_left < 1
        assert accepted(app.orders.report(accepted(app.shops.act_for(SITE)), REPORT)).duplicate
    assert installation.ring() == ring


def test_starts_and_changes_at_the_same_time_disturb_one_another_in_nothing(installation: Installation) -> None:
    ring, faults, over = installation.ring(), [], threading.Event()

    def start_again_and_again() -> None:
        try:
            while not over.is_set():
                assert installation.works()
                migrate_database(installation.settings)
                assert check_database(installation.settings) == []
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=start_again_and_again) for _ in range(3)]
    for thread in threads:
        thread.start()
    changed = 0
    while changed < ROTATIONS and not faults:
        with suppress(SecretBusy):  # a start that saw the new secret wait has looked whether that is half done
            rotate_secret(installation.settings)
            changed += 1
    over.set()
    for thread in threads:
        thread.join()
    assert faults == []
    assert installation.ring() == ring
