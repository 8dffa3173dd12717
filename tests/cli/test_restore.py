"""A restored database sends nothing again: the whole story, with real processes."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.cli.orders import ORDERS, report_due, sent_invitations, write_order_file
from tests.reporting import report_order
from tests.smtp_server import smtp_server_apart
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core.testing.smtp_server import logged


def ready(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - our own server
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def listed(installation: Installation, state: str) -> set[str]:
    found = installation.json("invitation", "list", "--state", state, "--limit", "2000")
    return {one["inviteId"] for one in found}


def test_what_was_sent_after_the_backup_is_not_sent_again(molen: Installation, as_process: AsProcess) -> None:
    key = molen.json("key", "create", "molen")["key"]
    write_order_file(molen.folder / "orders.csv", 0)
    with as_process(molen).serving("--no-worker") as (_, address):
        before = report_due(molen, "before")
        molen.ok("worker", "--once")
        molen.ok("order", "import", "molen", "orders.csv")
        molen.ok("db", "backup", "backup.db")
        molen.ok("worker", "--once")
        assert not report_order(address, key, "later@example.com").duplicate
    gone = sent_invitations(molen)
    assert len(set(gone)) == len(gone) == ORDERS + 1

    ended = molen.run("db", "restore", "--yes", "backup.db")
    assert ended.code == 0
    assert "deliveries are paused until you run `reviewinvite db reconcile`" in ended.err
    checked = molen.run("db", "check")
    assert (checked.code, "db reconcile" in checked.out) == (1, True)
    for worker in (("worker",), ("worker", "--once")):
        assert "db reconcile" in as_process(molen).refused(3, *worker)
    assert sent_invitations(molen) == gone

    with as_process(molen).serving() as (_, address):
        meanwhile = report_order(address, key, "meanwhile@example.com")
        assert not meanwhile.duplicate
        wait_until(lambda: "paused" in ready(address)[1])
        assert len(listed(molen, "scheduled")) == ORDERS + 1
        assert sent_invitations(molen) == gone

        said = molen.json("db", "reconcile", "--yes")
        assert (said["pause"], said["uncertain"]) == ("mark_ahead", ORDERS)
        wait_until(lambda: "paused" not in ready(address)[1])
        assert listed(molen, "uncertain") == {*gone} - {before}
        after = report_order(address, key, "after@example.com", delay_days=0)
        wait_until(lambda: molen.json("invitation", "show", after.invite_id)["state"] == "sent")
        molen.ok("invitation", "send-now", meanwhile.invite_id)
        wait_until(lambda: molen.json("invitation", "show", meanwhile.invite_id)["state"] == "sent")
    assert sorted(sent_invitations(molen)) == sorted([*gone, after.invite_id, meanwhile.invite_id])
    assert molen.json("db", "check") == {"problems": []}


@pytest.mark.full
def test_500_sent_by_workers_to_a_mail_server_since_the_backup_are_not_sent_again(
    molen: Installation, as_process: AsProcess, tmp_path: Path
) -> None:
    log = tmp_path / "accepted"
    with smtp_server_apart(log) as mail_url:
        molen.variables["REVIEWINVITE_MAIL_URL"] = mail_url
        report_due(molen, "before")
        molen.ok("worker", "--once")
        write_order_file(molen.folder / "orders.csv", 0)
        molen.ok("order", "import", "molen", "orders.csv")
        molen.ok("db", "backup", "backup.db")
        workers = [as_process(molen).start("worker", "--once") for _ in range(2)]
        for worker in workers:
            worker.communicate(timeout=TIMEOUT_SECONDS)
        gone = logged(log)
        assert len(set(gone)) == len(gone) == ORDERS + 1

        molen.ok("db", "restore", "--yes", "backup.db")
        assert "db reconcile" in as_process(molen).refused(3, "worker")
        assert logged(log) == gone
        assert molen.json("db", "reconcile", "--yes")["uncertain"] == ORDERS
        report_due(molen, "after")
        molen.ok("worker", "--once")
        assert logged(log)[: len(gone)] == gone
        assert len(set(logged(log))) == len(logged(log)) == ORDERS + 2


def test_where_nothing_was_sent_since_a_restore_pauses_nothing(molen: Installation) -> None:
    invite_id = report_due(molen)
    molen.ok("db", "backup", "backup.db")
    ended = molen.run("db", "restore", "--yes", "backup.db")
    assert (ended.code, "paused" in ended.err) == (0, False)
    ended = molen.run("db", "reconcile", "--yes")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("Nothing to reconcile")
    assert json.loads(molen.ok("worker", "--once"))["inviteId"] == invite_id
    assert molen.json("db", "reconcile", "--yes") == {"pause": None, "uncertain": 0}


def test_many_that_became_uncertain_are_resolved_by_the_command_that_is_named(molen: Installation) -> None:
    report_due(molen, "1")
    report_due(molen, "2")
    molen.ok("db", "backup", "backup.db")
    molen.ok("worker", "--once")
    molen.ok("db", "restore", "--yes", "backup.db")
    told = molen.run("db", "reconcile", "--yes").err
    assert told.startswith("2 invitations may already have been sent")
    [named] = re.findall("`reviewinvite (invitation resolve --all [^`]+)`", told)
    assert molen.ok(*named.split()) == "Resolved as sent: 2.\n"


def test_a_mark_that_is_damaged_is_told_and_mended_with_what_is_told(
    molen: Installation, as_process: AsProcess
) -> None:
    report_due(molen)
    molen.ok("worker", "--once")
    mark = molen.folder / "reviewinvite.db.mark"
    mark.write_bytes(mark.read_bytes()[:-3])
    checked = molen.run("db", "check")
    assert checked.code == 1
    assert "is damaged" in checked.out
    assert "reviewinvite.db.mark" in as_process(molen).refused(3, "worker", "--once")
    mark.unlink()
    assert "missing" in molen.run("db", "check").out
    assert "missing" in as_process(molen).refused(3, "worker", "--once")
    reconciled = molen.run("db", "reconcile", "--yes").err
    assert reconciled.startswith("No invitation became uncertain. Deliveries are no longer paused.\n")
    assert molen.json("db", "check") == {"problems": []}
    assert molen.ok("worker", "--once") == ""
