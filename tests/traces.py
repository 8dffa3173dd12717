"""Pieces of sealed addresses, looked for in the files of a database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

PIECE = 8  # bytes of a sealed address that say whose it is: its nonce and its seal are random


class Traces:
    """Pieces of sealed addresses, to be looked for in files."""

    def __init__(self, database: Path) -> None:
        with closing(sqlite3.connect(database)) as connection:
            sealed = [row[0] for row in connection.execute("SELECT sealed_address FROM invitations") if row[0]]
        self.count = len(sealed)
        self.some = sealed[:: max(1, len(sealed) // 100)]
        self._pieces = {one[at : at + PIECE] for one in sealed for at in (0, 32, len(one) - PIECE)}

    def are_all_in(self, folder: Path) -> bool:
        """Whether all of a hundred are there, as they were before the purge: or there would be nothing to look for."""
        content = b"".join(files(folder))
        return all(one in content for one in self.some)

    def found(self, folder: Path) -> int:
        """How many pieces are in the files of the database, as they are on disk."""
        pieces, found = self._pieces, 0
        for content in files(folder):
            found += content.count(b"@example.com")
            found += sum(content[at : at + PIECE] in pieces for at in range(len(content) - PIECE + 1))
        return found


def files(folder: Path) -> list[bytes]:
    """The database, and the files that SQLite keeps beside it."""
    return [file.read_bytes() for file in folder.glob("reviewinvite.db*")]
