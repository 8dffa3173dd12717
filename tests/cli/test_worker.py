"""`worker`."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from email import message_from_bytes, policy
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.budgets import in_full
from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.cli.orders import report_due
from tests.ports import free_port
from tests.waiting import TIMEOUT_SECONDS, wait_until


def test_once_delivers_what_is_due_and_ends(molen: Installation) -> None:
    invite_id = report_due(molen)
    later = molen.json("order", "report", "molen", "customer@example.com", "--order-number", "2")["inviteId"]
    (line,) = molen.ok("worker", "--once").splitlines()
    said = json.loads(line)
    assert (said["inviteId"], said["state"], said["reason"]) == (invite_id, "sent", "accepted")
    (file,) = (molen.folder / "outbox" / "new").iterdir()
    message = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert message["To"] == "customer@example.com"
    assert message["Message-ID"] == f"<{invite_id}@localhost>"
    assert molen.json("invitation", "show", later)["state"] == "scheduled"
    assert molen.ok("worker", "--once") == ""


def test_on_a_terminal_lines_are_key_and_value_unless_json_is_asked_for(
    molen: Installation, as_process: AsProcess
) -> None:
    invite_id = report_due(molen)
    shown = as_process(molen).on_terminal("worker", "--once")
    assert f"inviteId={invite_id} state=sent reason=accepted" in shown
    invite_id = report_due(molen, "2")
    shown = as_process(molen).on_terminal("worker", "--once", "--json")
    assert json.loads(shown.splitlines()[-1])["inviteId"] == invite_id


def test_no_line_holds_an_address(molen: Installation) -> None:
    report_due(molen)
    ended = molen.run("worker", "--once")
    assert "invitation_changed" in ended.out
    assert "customer@" not in ended.out + ended.err


def test_a_mail_server_that_is_away_puts_the_invitation_back(molen: Installation) -> None:
    invite_id = report_due(molen)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        mail_url = f"smtp://127.0.0.1:{unused.getsockname()[1]}"
        ended = molen.run("worker", "--once", REVIEWINVITE_MAIL_URL=mail_url)
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith("Error: The mail server cannot be reached: check MAIL_URL. ")
    said = json.loads(ended.out)
    assert (said["inviteId"], said["state"], said["reason"]) == (invite_id, "scheduled", "unreachable")


def test_what_could_not_be_sent_is_counted_with_the_messages(molen: Installation) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        mail_url = f"smtp://127.0.0.1:{unused.getsockname()[1]}"
        molen.ok("member", "add", "molen", "eva@example.com")
        ended = molen.run("worker", "--once", REVIEWINVITE_MAIL_URL=mail_url)
        assert ended.code == 1
        assert ended.err.endswith("check MAIL_URL. 1 other message will be tried again.\n")
        said = json.loads(ended.out)
        assert (said["event"], said["kind"], said["reason"]) == ("message_changed", "sign_in_link", "unreachable")
        report_due(molen)
        report_due(molen, "2")
        molen.ok("member", "add", "molen", "sam@example.com")  # who gets a link, and the other owner a notice
        ended = molen.run("worker", "--once", REVIEWINVITE_MAIL_URL=mail_url)
    assert ended.err.endswith(" 2 invitations and 2 other messages will be tried again.\n")


def verified_long_ago(molen: Installation, host: str = "shop.invalid") -> None:
    """A host, under which nothing ever is, with a proof that was last looked for long ago."""
    molen.ok("domain", "add", "molen", host)
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection, connection:
        connection.execute("UPDATE domains SET verified_at = added_at, checked_at = 1")


def is_due(molen: Installation) -> bool:
    """Whether nobody has taken it to look at."""
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        return connection.execute("SELECT checked_at FROM domains").fetchall() == [(1,)]


def test_proofs_of_domains_are_looked_for_again_until_the_worker_is_told_to_stop(
    molen: Installation, as_process: AsProcess
) -> None:
    verified_long_ago(molen)
    with as_process(molen).start("worker") as worker:
        wait_until(lambda: not is_due(molen))
        worker.send_signal(signal.SIGTERM)
        out, err = worker.communicate(timeout=TIMEOUT_SECONDS)
    assert worker.returncode == 0
    assert {json.loads(line)["event"] for line in out.splitlines()} <= {"domain_changed"}  # if the look came to its end
    assert "Traceback" not in err


def test_once_looks_for_no_proof(molen: Installation) -> None:
    verified_long_ago(molen)
    assert molen.ok("worker", "--once") == ""
    assert is_due(molen)


def make_unwritable(mark: Path) -> None:
    """Let nobody write to this file: no process that this thread starts from now on, though it may be root's."""
    mark.chmod(0o444)
    if os.getuid() == 0:
        drop_from_bounding_set, to_write_against_permissions = 24, 1
        assert ctypes.CDLL(None).prctl(drop_from_bounding_set, to_write_against_permissions, 0, 0, 0) == 0


def test_a_mark_that_cannot_be_written_is_a_wrong_configuration_and_told_with_its_path(
    molen: Installation, as_process: AsProcess
) -> None:
    invite_id = report_due(molen)
    mark = molen.folder / "reviewinvite.db.mark"
    with ThreadPoolExecutor(1) as restricted:
        restricted.submit(make_unwritable, mark).result()
        ended = restricted.submit(as_process(molen).run, "worker", "--once").result()
    assert ended.code == 3
    assert f"Error: The hand-over mark {mark.name} cannot be written: permission denied." in ended.err
    assert "HANDOVER_MARK" in ended.err
    assert json.loads(ended.out)["reason"] == "mark_unwritten"
    assert molen.json("invitation", "show", invite_id)["state"] == "scheduled"


def test_a_worker_that_goes_on_warns_of_a_mark_that_cannot_be_written(
    molen: Installation, as_process: AsProcess
) -> None:
    report_due(molen)
    mark = molen.folder / "reviewinvite.db.mark"
    with ThreadPoolExecutor(1) as restricted:
        restricted.submit(make_unwritable, mark).result()
        process = restricted.submit(as_process(molen).start, "worker").result()
    try:
        assert process.stderr is not None
        warning = next(line for line in process.stderr if "mark" in line)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert warning.startswith(f"Warning: the hand-over mark {mark.name} cannot be written: permission denied")
    assert "HANDOVER_MARK" in warning
    assert process.returncode == 0


@pytest.mark.parametrize("wish", [signal.SIGTERM, in_full(signal.SIGINT)])
def test_the_worker_delivers_until_it_is_told_to_stop_and_ends_with_0(
    molen: Installation, as_process: AsProcess, wish: signal.Signals
) -> None:
    process = as_process(molen).start("worker", REVIEWINVITE_SHUTDOWN_SECONDS="3600")  # of which it needs none
    try:
        invite_id = report_due(molen)
        wait_until(lambda: molen.json("invitation", "show", invite_id)["state"] == "sent")
        process.send_signal(wish)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0
    assert invite_id in out
    assert "Traceback" not in err


def test_a_hand_over_without_an_answer_holds_the_worker_no_longer_than_set(
    molen: Installation, as_process: AsProcess
) -> None:
    invite_id = report_due(molen)
    with a_mail_server_that_never_answers_the_dot() as (mail_url, reached):
        process = as_process(molen).start("worker", REVIEWINVITE_MAIL_URL=mail_url, REVIEWINVITE_SHUTDOWN_SECONDS="1")
        try:
            assert reached.wait(TIMEOUT_SECONDS)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0
    said = json.loads(out.splitlines()[-1])
    assert (said["inviteId"], said["state"], said["reason"]) == (invite_id, "uncertain", "answer_lost")
    assert "ends with its lease" not in err
    assert "Traceback" not in err
    assert molen.json("invitation", "show", invite_id)["state"] == "uncertain"


def test_what_is_staged_is_given_back_at_once_when_the_worker_is_told_to_stop(
    molen: Installation, as_process: AsProcess
) -> None:
    invite_id = report_due(molen)
    with a_mail_server_that_never_answers(b"DATA") as (mail_url, reached):
        process = as_process(molen).start(
            "worker", REVIEWINVITE_MAIL_URL=mail_url, REVIEWINVITE_SHUTDOWN_SECONDS="3600"
        )
        try:
            assert reached.wait(TIMEOUT_SECONDS)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0
    assert (json.loads(out)["state"], json.loads(out)["reason"]) == ("scheduled", "shutdown")
    assert "ends with its lease" not in err
    assert molen.json("invitation", "show", invite_id)["state"] == "scheduled"


def test_a_mark_that_is_missing_or_damaged_ends_the_worker_and_closes_the_database(molen: Installation) -> None:
    """The installation checks after each command that its database is closed."""
    report_due(molen)
    mark = molen.folder / "reviewinvite.db.mark"
    mark.write_bytes(mark.read_bytes().replace(b"0", b"1"))
    assert "reviewinvite.db.mark is damaged" in molen.refused(3, "worker")
    mark.unlink()
    for options in ((), ("--once",)):
        assert "the hand-over mark of this database is missing" in molen.refused(3, "worker", *options)
    assert not (molen.folder / "outbox" / "new").exists()
    assert molen.json("invitation", "list")[0]["state"] == "scheduled"


def test_a_second_ctrl_c_does_not_wait(molen: Installation, as_process: AsProcess) -> None:
    report_due(molen)
    with a_mail_server_that_never_answers_the_dot() as (mail_url, reached):
        process = as_process(molen).start("worker", REVIEWINVITE_MAIL_URL=mail_url)
        try:
            assert reached.wait(TIMEOUT_SECONDS)
            process.send_signal(signal.SIGINT)
            time.sleep(2)  # two signals at once would be one
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err


def test_storage_that_goes_away_is_waited_for_and_told_once(molen: Installation, as_process: AsProcess) -> None:
    database = molen.folder / "reviewinvite.db"
    process = as_process(molen).start("worker")
    assert process.stderr is not None
    try:
        invite_id = report_due(molen)
        wait_until(lambda: molen.json("invitation", "show", invite_id)["state"] == "sent")
        database.rename(molen.folder / "away.db")
        told = [next(line for line in process.stderr if "database unavailable, trying again" in line)]
        time.sleep(2)  # a few tries
        (molen.folder / "away.db").rename(database)
        invite_id = report_due(molen, "2")
        wait_until(lambda: molen.json("invitation", "show", invite_id)["state"] == "sent")
        process.send_signal(signal.SIGTERM)
        told += process.stderr
        process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0
    assert sum("database unavailable" in line for line in told) == 1


def test_a_reader_that_goes_away_does_not_stop_deliveries(molen: Installation, as_process: AsProcess) -> None:
    invitations = [report_due(molen, str(number)) for number in range(3)]
    process = as_process(molen).start("worker", "--once")
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert "Traceback" not in err
    assert "Exception" not in err
    assert all(molen.json("invitation", "show", invite_id)["state"] == "sent" for invite_id in invitations)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "reach no customer"),
        ({"REVIEWINVITE_MAIL_URL": "smtp://127.0.0.1:9"}, "mail_from is invitations@localhost"),
        ({"REVIEWINVITE_MAIL_URL": "smtp://127.0.0.1:9"}, "base_url is http://127.0.0.1:8000"),
        ({"REVIEWINVITE_DATABASE_URL": "memory:"}, "all orders are lost"),
    ],
)
def test_what_looks_unintended_is_told(molen: Installation, variables: dict[str, str], words: str) -> None:
    ended = molen.run("worker", "--once", **variables)
    assert ended.code == 0
    assert words in ended.err
    assert "hidden-word" not in ended.err


def test_a_password_is_never_sent_in_clear_to_another_machine(molen: Installation) -> None:
    ended = molen.run("worker", "--once", REVIEWINVITE_MAIL_URL="smtp://user:hidden-word@mail.example.com")
    assert ended.code == 3
    assert "password in clear" in ended.err
    assert "hidden-word" not in ended.err


def test_settings_that_fit_give_no_warning(molen: Installation) -> None:
    ended = molen.run(
        "worker",
        "--once",
        REVIEWINVITE_MAIL_URL="smtp://user:hidden-word@127.0.0.1:9",
        REVIEWINVITE_MAIL_FROM="reviews@example.com",
        REVIEWINVITE_BASE_URL="https://reviews.example.com",
    )
    assert ended == (0, "", "")


def a_mail_server_that_never_answers_the_dot() -> AbstractContextManager[tuple[str, threading.Event]]:
    """Its mail_url, and an event that is set when it has got a whole message."""
    return a_mail_server_that_never_answers(b".")


@contextmanager
def a_mail_server_that_never_answers(command: bytes) -> Iterator[tuple[str, threading.Event]]:
    """Its mail_url, and an event that is set when it has got this command, DATA or the dot."""
    reached, over = threading.Event(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def converse() -> None:
            try:
                connection, _ = listener.accept()
            except OSError:  # nobody came
                return
            with connection, connection.makefile("rwb", buffering=0) as stream:
                stream.write(b"220 ready\r\n")
                for line in stream:
                    if line.strip().upper() == command:
                        reached.set()
                        break
                    if line.upper().startswith(b"DATA"):
                        stream.write(b"354 go on\r\n")
                        break
                    stream.write(b"250 fine\r\n")
                for line in () if reached.is_set() else stream:
                    if line.strip() == command:
                        reached.set()
                        break
                over.wait()

        thread = threading.Thread(target=converse)
        thread.start()
        try:
            yield f"smtp://127.0.0.1:{listener.getsockname()[1]}", reached
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_the_worker_has_no_need_of_the_web_framework(molen: Installation, as_process: AsProcess) -> None:
    report_due(molen)
    imported = as_process(molen).imported("worker", "--once")
    assert "reviewinvite_core.usecases.delivery.dispatcher" in imported
    assert not [name for name in imported if "litestar" in name or "uvicorn" in name]


def test_a_worker_shows_its_metrics_on_a_port_of_its_own(molen: Installation, as_process: AsProcess) -> None:
    report_due(molen)
    port = free_port()
    molen.variables["REVIEWINVITE_METRICS_PORT"] = str(port)
    with as_process(molen).start("worker") as process:
        wait_until(lambda: 'reviewinvite_deliveries_total{result="sent"} 1.0' in metrics_on(port))
        assert "reviewinvite_worker_running 1.0" in metrics_on(port)
        process.terminate()
        assert process.wait(TIMEOUT_SECONDS) == 0


def metrics_on(port: int) -> list[str]:
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=TIMEOUT_SECONDS) as answer:
            return str(answer.read().decode()).splitlines()
    except OSError:  # it does not listen yet
        return []
