"""The outbox is a Maildir that any mail reader opens."""

from __future__ import annotations

import mailbox
import os
import resource
import shutil
import stat
import sys
import threading
from functools import partial
from pathlib import Path

import attrs
import pytest
from tests.blocking_mailer import BlockingMailer, staged
from tests.waiting import wait_until

from reviewinvite_core.adapters.mail.outbox import OutboxMailer
from reviewinvite_core.ports import Accepted, RefusedForNow, Unreachable
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract, Trouble, a_message

CLOCK = ManualClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "outbox"


class TestOutboxMailer(MailerContract):
    @pytest.fixture
    def mailer(self, folder: Path) -> OutboxMailer:
        return OutboxMailer(folder, CLOCK)

    @pytest.fixture
    def delivered(self, folder: Path) -> Delivered:
        return lambda: [file.read_bytes() for file in sorted((folder / "new").glob("*"))]

    @pytest.fixture
    def lose_answer(self, monkeypatch: pytest.MonkeyPatch) -> Trouble:
        """Let the disk fail when the folder is synced, after the file was renamed."""

        def fail(_: int) -> None:
            raise OSError

        return lambda: monkeypatch.setattr(os, "fsync", fail)

    @pytest.fixture
    def refuse(self, folder: Path) -> Trouble:
        return (folder / "new").rmdir

    @pytest.fixture
    def disconnect(self, folder: Path) -> Trouble:
        return partial(shutil.rmtree, folder)


def outbox(folder: Path) -> BlockingMailer:
    return BlockingMailer(OutboxMailer(folder, CLOCK))


def test_a_mail_reader_opens_it(folder: Path) -> None:
    for serial in (1, 2):
        staged(outbox(folder), a_message(serial)).commit()
    maildir = mailbox.Maildir(folder, create=False)
    assert sorted(message["X-Serial"] for message in maildir) == ["1", "2"]
    maildir.close()


def test_nobody_else_can_read_it(folder: Path) -> None:
    before = os.umask(0)
    try:
        staged(outbox(folder), a_message()).commit()
    finally:
        os.umask(before)
    (file,) = (folder / "new").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o700


def test_what_is_staged_lies_where_no_reader_looks_and_is_gone_when_it_is_abandoned(folder: Path) -> None:
    waiting = staged(outbox(folder), a_message())
    assert [file.parent.name for file in folder.rglob("*.eml")] == ["tmp"]
    assert next((folder / "tmp").iterdir()).read_bytes() == a_message().content
    waiting.abandon()
    wait_until(lambda: list(folder.rglob("*.eml")) == [])
    waiting.abandon()


def test_closing_waits_until_what_was_abandoned_is_removed_on_another_thread_than_the_event_loop(folder: Path) -> None:
    removing: list[str] = []

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.remove" and str(folder) in str(arguments[0]):
            removing.append(threading.current_thread().name)

    sys.addaudithook(note)  # it cannot be taken away again, so it notes what is in this folder only
    mailer = outbox(folder)
    for waiting in [staged(mailer, a_message(serial)) for serial in range(10)]:
        waiting.abandon()
    mailer.close()
    assert list(folder.rglob("*.eml")) == []
    assert removing == ["blocking-call"] * 10


def test_a_message_handed_over_twice_is_there_once(folder: Path) -> None:
    mailer = outbox(folder)
    for _ in range(2):
        staged(mailer, a_message()).commit()
    assert len(list((folder / "new").iterdir())) == 1


def test_where_no_folder_can_be_made_the_mail_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert outbox(tmp_path / "file").stage(a_message()) == Unreachable("NotADirectoryError")


def test_a_rename_that_fails_is_a_definite_refusal_and_leaves_no_address_behind(folder: Path) -> None:
    mailer = outbox(folder)
    waiting = staged(mailer, a_message())
    (folder / "new").rmdir()
    assert waiting.commit() == RefusedForNow()
    assert [path for path in folder.rglob("*") if path.is_file()] == []
    assert staged(mailer, a_message()).commit() == Accepted()


@pytest.mark.parametrize("message_id", ["<../../etc/x@example.com>", "</etc/x@example.com>", "<a/../b@example.com>"])
def test_no_message_id_leaves_the_outbox(folder: Path, message_id: str) -> None:
    mailer = outbox(folder)
    assert staged(mailer, attrs.evolve(a_message(), message_id=message_id)).commit() == Accepted()
    (file,) = folder.parent.parent.rglob("*.eml")
    assert file.parent == folder / "new"


def test_a_message_staged_twice_is_not_lost_when_one_of_them_is_abandoned(folder: Path) -> None:
    mailer = outbox(folder)
    first, second = staged(mailer, a_message()), staged(mailer, a_message())
    second.abandon()
    assert first.commit() == Accepted()
    assert [file.parent.name for file in folder.rglob("*.eml") if file.parent.name == "new"] == ["new"]


def test_what_was_staged_and_forgotten_is_removed_after_36_hours(folder: Path) -> None:
    (folder / "tmp").mkdir(parents=True)
    now = CLOCK.now().timestamp()
    for name, hours in (("forgotten", 36.1), ("recent", 35.9)):
        (folder / "tmp" / name).write_bytes(b"To: anna@example.com")
        os.utime(folder / "tmp" / name, (now, now - hours * 3600))
    (folder / "new").mkdir()
    (folder / "new" / "unread").write_bytes(b"")
    os.utime(folder / "new" / "unread", (0, 0))
    outbox(folder)
    assert sorted(file.name for file in folder.rglob("*") if file.is_file()) == ["recent", "unread"]


def test_a_message_that_cannot_be_written_whole_leaves_no_address_behind(folder: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))  # as if the disk were full
    try:
        answer = outbox(folder).stage(a_message())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert answer == Unreachable("OSError")
    assert [path for path in folder.rglob("*") if path.is_file()] == []
