"""What people decided after the backup holds in what is restored of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tests.cli.command import Installation
from tests.cli.test_worker import report_due


def report(molen: Installation, address: str) -> str:
    return str(molen.json("order", "report", "molen", address, "--order-number", address)["inviteId"])


def test_opt_outs_erasures_withdrawals_and_revocations_since_the_backup_are_carried_over(molen: Installation) -> None:
    key = molen.json("key", "create", "molen")
    molen.ok("suppression", "add", "early@example.com")
    withdrawn, opted_out, erased = (report(molen, f"{name}@example.com") for name in ("withdrawn", "out", "erased"))
    kept = report(molen, "kept@example.com")
    molen.ok("shop", "add", "kaas", "--name", "Kaas")
    molen.ok("db", "backup", "backup.db")
    molen.ok("invitation", "cancel", withdrawn)
    molen.ok("suppression", "add", "out@example.com", "--site", "molen")
    molen.ok("suppression", "add", "everywhere@example.com")
    molen.ok("privacy", "erase", "erased@example.com")
    molen.ok("key", "revoke", key["keyId"])
    molen.ok("shop", "deactivate", "kaas")
    before = {one: molen.json("invitation", "show", one) for one in (withdrawn, opted_out, erased, kept)}

    said = molen.json("db", "restore", "backup.db")
    assert said["carriedOver"]["suppressions"] == 2
    assert said["carriedOver"]["keysRevoked"] == 1
    assert said["carriedOver"]["shopsDeactivated"] == 1
    assert said["carriedOver"]["erased"] >= 1
    assert said["carriedOver"]["withdrawn"] >= 2
    assert {one: molen.json("invitation", "show", one) for one in before} == before
    assert before[withdrawn]["state"] == "cancelled"
    assert len(molen.json("suppression", "list")) == 3
    assert molen.json("key", "list", "molen")[0]["revokedAt"]
    assert {shop["siteId"]: shop["active"] for shop in molen.json("shop", "list")} == {"molen": True, "kaas": False}
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        ((left,),) = connection.execute("SELECT COUNT(*) FROM invitations WHERE sealed_address IS NOT NULL")
    assert left == len(before) - 1
    assert molen.json("db", "check") == {"problems": []}
    assert not list(molen.folder.glob("*.partial*"))


def test_nothing_but_decisions_is_carried_over(molen: Installation) -> None:
    molen.ok("db", "backup", "backup.db")
    report_due(molen)
    molen.ok("shop", "set", "molen", "--name", "Another")
    ended = molen.run("db", "restore", "backup.db")
    assert "nothing was decided since the backup" in ended.err
    assert molen.json("invitation", "list") == []
    assert molen.json("shop", "show", "molen")["name"] == "Bakkerij De Molen"


def test_that_nothing_could_be_carried_over_is_told(molen: Installation) -> None:
    molen.ok("db", "backup", "backup.db")
    database = molen.folder / "reviewinvite.db"
    with database.open("r+b") as opened:
        opened.seek(4096 * 2)
        opened.write(b"\xff" * 4096 * 6)
    ended = molen.run("db", "restore", "backup.db")
    assert ended.code == 0
    assert "Warning: nothing was carried over, as the database that was replaced is damaged" in ended.err
    assert molen.json("shop", "list")[0]["siteId"] == "molen"
