"""Killed at any instant, a change of the secret leaves a database that opens with a secret that is on disk."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest
from structlog.testing import capture_logs
from tests.core.secret.crashing_rotation import KILLED, SURVIVED, Nursery, Order, nursery

from reviewinvite_core import Settings, Settled, build, is_secret_changing, rotate_secret
from reviewinvite_core.adapters.secret_file import read_secret
from reviewinvite_core.domain.errors import SecretWrong
from reviewinvite_core.domain.sealing import KeyRing, Secret
from reviewinvite_core.testing.builders import a_shop, an_order_report

REPORT = an_order_report(order_number="7")
SUPPLIED = "a secret that the operator keeps"

OLD, PREPARED, SEALED, NEW = "old", "prepared", "sealed", "new"
"""What a kill may leave: nothing done; the new secret beside the old one; the ring sealed under it; all done."""

TOLD = {OLD: [], PREPARED: ["undone"], SEALED: ["finished"], NEW: []}
EARLIER = {OLD: Settled.NOTHING, PREPARED: Settled.UNDONE, SEALED: Settled.FINISHED, NEW: Settled.NOTHING}


@pytest.fixture(scope="module")
def doomed() -> Iterator[Nursery]:
    with nursery() as born:
        yield born


@attrs.frozen
class House:
    """An installation with one order, and its secret in a file."""

    folder: Path
    database_url: str

    @property
    def values(self) -> Mapping[str, Any]:
        return {"database_url": self.database_url, "mail_url": "recording:", "secret_file": str(self.file)}

    @property
    def settings(self) -> Settings:
        return Settings(**{**self.values, "secret_file": self.file})

    @property
    def file(self) -> Path:
        return self.folder / "secret"

    def sealed(self) -> bytes:
        statement = "SELECT sealed FROM key_ring"
        if self.database_url.startswith("postgresql"):
            with psycopg.connect(self.database_url) as there:
                return bytes(there.execute(statement).fetchall()[0][0])
        with closing(sqlite3.connect(self.folder / "r.db")) as here:
            return bytes(here.execute(statement).fetchone()[0])

    def ring(self) -> KeyRing:
        """The ring, opened with what is in the secret's file and nothing else."""
        secret = read_secret(self.file)
        assert secret
        return KeyRing.opened(self.sealed(), secret)

    def copied(self, name: str) -> House:
        return on_sqlite(Path(shutil.copytree(self.folder, self.folder.with_name(name))))

    def state(self, first: Secret) -> str:
        """What was done; to be asked of a copy, since to look into a database is to put its log in order."""
        waiting = read_secret(self.file.with_name("secret.next"))
        if waiting:
            assert read_secret(self.file) == first
            return SEALED if opens(self.sealed(), waiting) else PREPARED
        return OLD if read_secret(self.file) == first else NEW

    def secrets(self) -> list[Secret | None]:
        """All that an operator can find."""
        return [read_secret(file) for file in self.folder.glob("secret*") if not file.name.endswith(".draft")]

    def works(self) -> bool:
        """Whether it starts, and knows its order."""
        with closing(build(self.settings)) as app:
            return app.report_order(app.act_for("bakkerij-1"), REPORT).duplicate  # type: ignore[union-attr, arg-type]


def on_sqlite(folder: Path) -> House:
    return House(folder, f"sqlite:///{folder / 'r.db'}")


def opens(sealed: bytes, secret: Secret) -> bool:
    try:
        return bool(KeyRing.opened(sealed, secret))
    except SecretWrong:
        return False


def with_an_order(house: House) -> House:
    house.folder.mkdir(exist_ok=True)
    house.file.write_text("the first secret, which is long enough\n")
    with closing(build(house.settings)) as app:
        app.add_shop(a_shop())
        app.report_order(app.act_for("bakkerij-1"), REPORT)  # type: ignore[arg-type]
    return house


@pytest.fixture
def house(tmp_path: Path) -> House:
    return with_an_order(on_sqlite(tmp_path / "house"))


def killed_at_every_line(house: House, act: str, doomed: Nursery, *, step: int = 1) -> Generator[House, None, None]:
    """A copy of the house for each line (or each so many) of what is done in it, killed there; the last survives."""
    for line in range(1, 100_000, step):
        killed = house.copied("killed")
        status = doomed.run(Order(act=act, settings=killed.values, line=line))
        assert status in (KILLED, SURVIVED)
        yield killed
        shutil.rmtree(killed.folder)
        if status == SURVIVED:
            return


def state_of(house: House, first: Secret) -> str:
    looked_at = house.copied("looked-at")
    try:
        return looked_at.state(first)
    finally:
        shutil.rmtree(looked_at.folder)


def test_wherever_it_is_killed_the_next_start_finishes_or_undoes_it_and_says_so(house: House, doomed: Nursery) -> None:
    first, ring = read_secret(house.file), house.ring()
    assert first
    states = []
    for killed in killed_at_every_line(house, "rotate", doomed):
        states.append(state_of(killed, first))
        assert first in killed.secrets()
        with capture_logs() as told:
            assert killed.works()
        assert [line["outcome"] for line in told if "outcome" in line] == TOLD[states[-1]]
        assert not is_secret_changing(killed.settings)
        assert killed.ring() == ring
        assert (read_secret(killed.file) == first) == (states[-1] in {OLD, PREPARED})
        assert first in killed.secrets()
    assert list(dict.fromkeys(states)) == [OLD, PREPARED, SEALED, NEW]


def test_wherever_it_is_killed_it_can_be_run_again_and_changes_the_secret_once(house: House, doomed: Nursery) -> None:
    first, ring = read_secret(house.file), house.ring()
    assert first
    for killed in killed_at_every_line(house, "rotate", doomed, step=3):
        state = state_of(killed, first)
        if state == NEW:
            continue
        assert rotate_secret(killed.settings).earlier is EARLIER[state]
        assert killed.ring() == ring
        assert sorted(file.name.partition("before-rotate-")[0] for file in killed.folder.glob("secret*")) == [
            "secret",
            "secret.",
        ]
        assert first in killed.secrets()


@pytest.mark.parametrize("left", [PREPARED, SEALED])
def test_a_start_that_is_killed_while_it_puts_things_in_order_is_made_good_by_the_next(
    house: House, doomed: Nursery, left: str
) -> None:
    first, ring = read_secret(house.file), house.ring()
    assert first
    sweep = killed_at_every_line(house, "rotate", doomed, step=5)
    base = next(killed for killed in sweep if state_of(killed, first) == left).copied("base")
    sweep.close()
    shutil.rmtree(house.folder.with_name("killed"))
    count = 0
    for killed in killed_at_every_line(base, "start", doomed, step=2):
        count += 1
        assert first in killed.secrets()
        assert killed.works()
        assert not is_secret_changing(killed.settings)
        assert killed.ring() == ring
        assert (read_secret(killed.file) == first) == (left == PREPARED)
    assert count > 20


def test_with_a_secret_of_the_operators_own_either_the_old_or_the_new_one_opens_it(
    house: House, doomed: Nursery
) -> None:
    first, ring = read_secret(house.file), house.ring()
    assert first
    opened_by = set()
    for line in range(1, 100_000, 9):
        killed = house.copied("killed")
        supplied = killed.folder / "supplied"
        if line % 2:
            supplied.write_text(SUPPLIED)
        order = Order(act="rotate", settings=killed.values, line=line, new_secret_file=str(supplied))
        status = doomed.run(order)
        sealed = killed.sealed()
        found = [secret for secret in (first, read_secret(supplied)) if secret and opens(sealed, secret)]
        assert len(found) == 1
        opened_by.add(found[0] == first)
        assert read_secret(killed.file) == first
        rotate_secret(killed.settings, new_secret_file=supplied)
        new = read_secret(supplied)
        assert new
        assert KeyRing.opened(killed.sealed(), new) == ring
        shutil.rmtree(killed.folder)
        if status == SURVIVED:
            break
    assert opened_by == {True, False}


def test_on_postgresql_too(tmp_path: Path, postgres_url: str, doomed: Nursery) -> None:
    house = with_an_order(House(tmp_path / "house", postgres_url))
    ring = house.ring()
    states = set()
    for line in range(1, 100_000, 11):
        before = read_secret(house.file)
        assert before
        status = doomed.run(Order(act="rotate", settings=house.values, line=line))
        states.add(house.state(before))
        assert before in house.secrets()
        assert house.works()
        assert not is_secret_changing(house.settings)
        assert house.ring() == ring
        if status == SURVIVED:
            break
        assert status == KILLED
    assert states == {OLD, PREPARED, SEALED, NEW}
