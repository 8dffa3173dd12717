"""An installation with one order, whose secret is changed and whose processes are killed meanwhile."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import attrs
import psycopg
from tests.core.secret.crashing_rotation import Act, Job, settings_of

from reviewinvite_core import Settings, accepted, build
from reviewinvite_core.adapters.secret_file import read_secret
from reviewinvite_core.domain.errors import SecretWrong
from reviewinvite_core.domain.sealing import KeyRing, Secret
from reviewinvite_core.testing.builders import a_shop, an_order_report

REPORT = an_order_report(order_number="7")
SITE = "bakkerij-1"

OLD, PREPARED, SEALED, NEW = "old", "prepared", "sealed", "new"
"""What a kill may leave: nothing done; the new secret beside the old one; the ring sealed under it; all done."""


@attrs.frozen
class Installation:
    """An installation with one order, and its secret in a file."""

    folder: Path
    database_url: str

    @property
    def settings(self) -> Settings:
        return settings_of(self.database_url, self.file)

    @property
    def file(self) -> Path:
        return self.folder / "secret"

    def job(self, act: Act, line: int, new_secret_file: Path | None = None) -> Job:
        """Return the job of a process that dies at this line."""
        return Job(
            act=act,
            database_url=self.database_url,
            secret_file=str(self.file),
            line=line,
            new_secret_file=str(new_secret_file) if new_secret_file else None,
        )

    def sealed(self) -> bytes:
        """Return the key ring as it is stored."""
        statement = "SELECT sealed FROM key_ring"
        if self.database_url.startswith("postgresql"):
            with psycopg.connect(self.database_url) as there:
                return bytes(there.execute(statement).fetchall()[0][0])
        with closing(sqlite3.connect(self.folder / "r.db")) as here:
            return bytes(here.execute(statement).fetchone()[0])

    def ring(self) -> KeyRing:
        """Return the key ring, opened with nothing but the secret's file."""
        return KeyRing.opened(self.sealed(), self.secret())

    def secret(self) -> Secret:
        """Return the secret in its file."""
        secret = read_secret(self.file)
        assert secret
        return secret

    def copied(self, name: str) -> Installation:
        return on_sqlite(Path(shutil.copytree(self.folder, self.folder.with_name(name))))

    def state(self, first: Secret) -> str:
        """Return what was done; only for a copy, since SQLite recovers a database that is opened."""
        waiting = read_secret(self.file.with_name("secret.next"))
        if waiting:
            assert read_secret(self.file) == first
            return SEALED if opens(self.sealed(), waiting) else PREPARED
        return OLD if read_secret(self.file) == first else NEW

    def secrets(self) -> list[Secret | None]:
        """Return all secrets that an operator can find."""
        return [read_secret(file) for file in self.folder.glob("secret*") if not file.name.endswith(".draft")]

    def works(self) -> bool:
        """Return whether it starts and knows its order."""
        with closing(build(self.settings)) as app:
            return accepted(app.orders.report(accepted(app.shops.act_for(SITE)), REPORT)).duplicate


def on_sqlite(folder: Path) -> Installation:
    return Installation(folder, f"sqlite:///{folder / 'r.db'}")


def opens(sealed: bytes, secret: Secret) -> bool:
    """Return whether the secret opens this key ring."""
    try:
        return bool(KeyRing.opened(sealed, secret))
    except SecretWrong:
        return False


def with_an_order(installation: Installation) -> Installation:
    """Set it up, and report one order."""
    installation.folder.mkdir(exist_ok=True)
    installation.file.write_text("the first secret, which is long enough\n")
    with closing(build(installation.settings)) as app:
        app.shops.add(a_shop(SITE))
        accepted(app.orders.report(accepted(app.shops.act_for(SITE)), REPORT))
    return installation


def state_of(installation: Installation, first: Secret) -> str:
    """Return what was done, read from a copy."""
    copy = installation.copied("copy")
    try:
        return copy.state(first)
    finally:
        shutil.rmtree(copy.folder)
