"""After a change of the secret no file of a SQLite database holds the ring as the old secret sealed it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tests.core.secret.rotation_harness import Installation

from reviewinvite_core import build
from reviewinvite_core.adapters.secret_file import read_secret
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.admin import rotate_secret
from reviewinvite_core.domain.sealing import NAME_BYTES
from reviewinvite_core.testing.builders import a_shop

IMPATIENT = 0.05
PIECE = 16  # bytes: of what is sealed, any piece is random


def pieces_of(sealed: bytes) -> set[bytes]:
    box = sealed[NAME_BYTES:]
    return {box[at : at + PIECE] for at in range(0, len(box) - PIECE + 1, PIECE)}


def found(pieces: set[bytes], installation: Installation) -> set[bytes]:
    contents = [file.read_bytes() for file in installation.folder.glob("r.db*")]
    return {piece for piece in pieces if any(piece in content for content in contents)}


def test_no_file_holds_the_ring_as_it_was(installation: Installation) -> None:
    old = pieces_of(installation.sealed())
    assert found(old, installation) == old
    assert rotate_secret(installation.settings).traces is None
    assert found(old, installation) == set()
    assert found(pieces_of(installation.sealed()), installation)


def test_nor_does_one_while_others_have_the_database_open_and_go_on(installation: Installation) -> None:
    old = pieces_of(installation.sealed())
    with closing(build(installation.settings)) as app:
        app.shops.add(a_shop("second"))
        assert found(old, installation) == old
        assert rotate_secret(installation.settings).traces is None
        assert found(old, installation) == set()
        app.shops.add(a_shop("third"))
        assert len(app.shops.list()) == 3
        assert found(old, installation) == set()


def test_nor_of_a_ring_that_had_no_name(installation: Installation) -> None:
    nameless = installation.sealed()[NAME_BYTES:]
    with closing(sqlite3.connect(installation.folder / "r.db")) as connection, connection:
        connection.execute("UPDATE key_ring SET sealed = ?", (nameless,))
    old = {nameless[at : at + PIECE] for at in range(0, len(nameless) - PIECE + 1, PIECE)}
    assert found(old, installation) == old
    ring = installation.ring()
    rotate_secret(installation.settings)
    assert found(old, installation) == set()
    assert installation.ring() == ring


def test_who_reads_all_the_while_is_in_the_way_and_a_purge_does_it_later(installation: Installation) -> None:
    first, old = read_secret(installation.file), pieces_of(installation.sealed())
    with closing(sqlite3.connect(installation.folder / "r.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM shops").fetchone() == (1,)
        with closing(SqliteStorage(installation.folder / "r.db", busy_seconds=IMPATIENT)) as storage:
            traces = rotate_secret(installation.settings, storage=storage).traces
        assert traces
        assert "another process is busy" in traces
        assert read_secret(installation.file) != first
        assert installation.works()
        assert found(old, installation)
        reader.execute("ROLLBACK")
    with closing(build(installation.settings)) as app:
        for _ in app.privacy.purge():
            pass
        assert found(old, installation) == set()
