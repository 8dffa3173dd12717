"""The mail server of the tests keeps its word: what it accepted is in its log, and faults come when they should."""

from __future__ import annotations

import smtplib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.smtp_server import smtp_server, smtp_server_apart

from reviewinvite_core.testing.smtp_server import Fault, logged

MESSAGE = "Message-ID: <{}@example.com>\r\nSubject: x\r\n\r\n.a dot\r\n.\r\nend\r\n"


def send(port: int, *names: str) -> list[str]:
    """Send these messages in one session; return the names of those that were accepted."""
    accepted = []
    with smtplib.SMTP("127.0.0.1", port) as session:
        for name in names:
            try:
                session.sendmail("shop@example.com", ["anna@example.com"], MESSAGE.format(name))
            except smtplib.SMTPException:
                continue
            accepted.append(name)
    return accepted


def test_what_is_accepted_is_logged_and_kept(tmp_path: Path) -> None:
    with smtp_server(tmp_path / "log") as server:
        send(server.address[1], "one", "two")
        assert server.logged() == ["<one@example.com>", "<two@example.com>"]
        assert server.messages == [MESSAGE.format(name).encode() for name in ("one", "two")]
        assert server.recipients == ["anna@example.com"] * 2
        assert server.commands[0].upper().startswith("EHLO ")
        assert server.sessions == 1


def test_a_log_goes_on_where_an_earlier_server_left_it(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with smtp_server(tmp_path / "log") as server:
            send(server.address[1], name)
    assert logged(tmp_path / "log") == ["<one@example.com>", "<two@example.com>"]


def test_a_server_apart_does_the_same(tmp_path: Path) -> None:
    refusal = {"at": "rcpt", "do": "reply", "with": "550 5.1.1 no", "times": 1}
    with smtp_server_apart(tmp_path / "log", [refusal], "--extension", "SIZE 10000") as url:
        assert send(urlsplit(url).port or 0, "one", "two") == ["two"]
    assert logged(tmp_path / "log") == ["<two@example.com>"]


def test_faults_strike_as_often_as_the_script_says() -> None:
    described = {"at": "mail", "do": "drop", "after": 2, "times": 3}
    fault = Fault.parse(described)
    assert [fault.strikes() for _ in range(7)] == [False, False, True, True, True, False, False]


def test_a_fault_of_used_sessions_strikes_none_that_has_carried_nothing(tmp_path: Path) -> None:
    refusal = {"at": "mail", "do": "reply", "with": "451 4.3.0 no", "used": True}
    with smtp_server(tmp_path / "log", [refusal]) as server:
        assert [send(server.address[1], "one", "two") for _ in range(2)] == [["one"]] * 2


def test_faults_by_chance_are_the_same_for_the_same_seed() -> None:
    def strikes(seed: int) -> list[bool]:
        fault = Fault.parse({"at": "mail", "do": "drop", "chance": 0.3, "seed": seed})
        return [fault.strikes() for _ in range(200)]

    assert strikes(1) == strikes(1) != strikes(2)
    assert 30 < sum(strikes(1)) < 90


@pytest.mark.parametrize(("at", "kept"), [("dot", []), ("logged", ["<one@example.com>"])])
def test_a_message_is_lost_or_kept_as_the_connection_drops_before_or_after_the_log(
    tmp_path: Path, at: str, kept: list[str]
) -> None:
    with smtp_server(tmp_path / "log", [{"at": at, "do": "drop"}]) as server:
        with pytest.raises(smtplib.SMTPServerDisconnected):
            send_raw(server.address[1])
        assert server.logged() == kept


def send_raw(port: int) -> None:
    session = smtplib.SMTP("127.0.0.1", port)
    try:
        session.sendmail("shop@example.com", ["anna@example.com"], MESSAGE.format("one"))
    finally:
        session.close()


@pytest.mark.parametrize(
    "described",
    [{"at": "nowhere", "do": "drop"}, {"at": "mail", "do": "nothing"}, {"at": "mail", "do": "drop", "when": 1}],
)
def test_a_script_that_means_nothing_is_refused(described: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Fault.parse(described)
