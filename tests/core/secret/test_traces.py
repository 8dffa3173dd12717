"""After a change of the secret no file of a SQLite database holds the ring as the old secret sealed it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.core.secret.test_kills import House, on_sqlite, with_an_order

from reviewinvite_core import build, rotate_secret
from reviewinvite_core.adapters.secret_file import read_secret
from reviewinvite_core.domain.sealing import NAME_BYTES
from reviewinvite_core.testing.builders import a_shop

PIECE = 16  # bytes: of what is sealed, any piece is random


@pytest.fixture
def house(tmp_path: Path) -> House:
    return with_an_order(on_sqlite(tmp_path / "house"))


def pieces_of(sealed: bytes) -> set[bytes]:
    box = sealed[NAME_BYTES:]
    return {box[at : at + PIECE] for at in range(0, len(box) - PIECE + 1, PIECE)}


def found(pieces: set[bytes], house: House) -> set[bytes]:
    contents = [file.read_bytes() for file in house.folder.glob("r.db*")]
    return {piece for piece in pieces if any(piece in content for content in contents)}


def test_no_file_holds_the_ring_as_it_was(house: House) -> None:
    old = pieces_of(house.sealed())
    assert found(old, house) == old
    assert rotate_secret(house.settings).traces is None
    assert found(old, house) == set()
    assert found(pieces_of(house.sealed()), house)


def test_nor_does_one_while_others_have_the_database_open_and_go_on(house: House) -> None:
    old = pieces_of(house.sealed())
    with closing(build(house.settings)) as app:
        app.add_shop(a_shop("second"))
        assert found(old, house) == old
        assert rotate_secret(house.settings).traces is None
        assert found(old, house) == set()
        app.add_shop(a_shop("third"))
        assert len(app.list_shops()) == 3
        assert found(old, house) == set()


def test_nor_of_a_ring_that_had_no_name(house: House) -> None:
    nameless = house.sealed()[NAME_BYTES:]
    with closing(sqlite3.connect(house.folder / "r.db")) as connection, connection:
        connection.execute("UPDATE key_ring SET sealed = ?", (nameless,))
    old = {nameless[at : at + PIECE] for at in range(0, len(nameless) - PIECE + 1, PIECE)}
    assert found(old, house) == old
    ring = house.ring()
    rotate_secret(house.settings)
    assert found(old, house) == set()
    assert house.ring() == ring


def test_who_reads_all_the_while_is_in_the_way_and_a_purge_does_it_later(house: House) -> None:
    first, old = read_secret(house.file), pieces_of(house.sealed())
    with closing(sqlite3.connect(house.folder / "r.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM shops").fetchone() == (1,)
        traces = rotate_secret(house.settings).traces
        assert traces
        assert "another process is busy" in traces
        assert read_secret(house.file) != first
        assert house.works()
        assert found(old, house)
        reader.execute("ROLLBACK")
    with closing(build(house.settings)) as app:
        for _ in app.purge():
            pass
        assert found(old, house) == set()
