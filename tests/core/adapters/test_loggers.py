"""The library's lines in an embedder's own logging: silent unless asked for, readable by any formatter."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from subprocess import CompletedProcess, run

import pytest
import structlog
from tests.logs import ROOT, captured_logs, unconfigured_logging

from reviewinvite_core.adapters.loggers import get_logger

log = get_logger("reviewinvite.tests")


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What an embedder with a plain formatter sees, who asked for everything."""
    written = io.StringIO()
    with unconfigured_logging():
        logging.basicConfig(
            stream=written, level=logging.INFO, format="%(levelname)s %(name)s %(funcName)s %(message)s"
        )
        yield written


def test_a_plain_formatter_shows_the_event_its_facts_and_where_it_was_logged(stream: io.StringIO) -> None:
    log.warning("storage unavailable", cause='disk "a" is full\nand slow', requestId="7", worker=True, left=None)
    log.info("stopped")
    assert stream.getvalue().splitlines() == [
        "WARNING reviewinvite.tests test_a_plain_formatter_shows_the_event_its_facts_and_where_it_was_logged"
        r' storage unavailable cause="disk \"a\" is full\nand slow" requestId=7 worker=true left=',
        "INFO reviewinvite.tests test_a_plain_formatter_shows_the_event_its_facts_and_where_it_was_logged stopped",
    ]


def test_a_plain_line_controls_no_terminal(stream: io.StringIO) -> None:
    log.warning("storage unavailable \x1b[2J", cause="\x9b31m \x7f \u202e")
    said = r'storage unavailable \u001b[2J cause="\u009b31m \u007f \u202e"'
    assert stream.getvalue().endswith(f"{said}\n")


def test_a_formatter_that_writes_json_finds_the_facts_as_they_are() -> None:
    with captured_logs() as lines:
        log.info("share used up", percent=50, limit=2)
    assert lines == [{"event": "share used up", "log_level": "info", "percent": 50, "limit": 2}]


def test_a_per_cent_sign_is_text(stream: io.StringIO) -> None:
    log.warning("90 %s", host="100%d")
    assert stream.getvalue().endswith("90 %s host=100%d\n")


@pytest.mark.parametrize(("level", "shown"), [(logging.INFO, 2), (logging.WARNING, 1), (logging.CRITICAL, 0)])
def test_an_embedders_level_decides(stream: io.StringIO, level: int, shown: int) -> None:
    ROOT.setLevel(level)
    log.info("one")
    log.warning("two")
    assert len(stream.getvalue().splitlines()) == shown


def test_an_embedders_structlog_is_neither_changed_nor_used(stream: io.StringIO) -> None:
    seen: list[str] = []

    def note(_: object, __: str, facts: structlog.typing.EventDict) -> structlog.typing.EventDict:
        seen.append(str(facts["event"]))
        raise structlog.DropEvent

    structlog.configure(processors=[note])
    try:
        log.warning("ours")
        structlog.get_logger().warning("theirs")
    finally:
        structlog.reset_defaults()
    assert seen == ["theirs"]
    assert stream.getvalue().endswith(" ours\n")


DELIVERY = """
import sys, threading, structlog
from reviewinvite_core import OPERATOR, InvitationQuery, NewShop, OrderReport, Settings, build

if sys.argv[1:]:
    import logging
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
app = build(Settings(database_url="memory:", mail_url="smtp://127.0.0.1:1"))
app.shops.add(NewShop(site_id="molen", name="Molen"))
app.orders.report(app.shops.act_for("molen"), OrderReport(email="customer@example.com", delay_days=0))
stop = threading.Event()

def end_after_one_try(progress):
    (record,) = app.invitations.list(OPERATOR, InvitationQuery()).invitations
    if record.invitation.reason == "unreachable":
        stop.set()

app.delivery.continually(stop, on_progress=end_after_one_try)
app.close()
assert not structlog.is_configured()
"""


def deliver(*arguments: str) -> CompletedProcess[str]:
    """Run the deliveries of an embedder in a process of its own; with an argument, it has configured its logging."""
    return run([sys.executable, "-c", DELIVERY, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.process
def test_the_library_prints_nothing_until_handlers_are_configured() -> None:
    silent = deliver()
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    heard = deliver("with handlers")
    assert (heard.returncode, heard.stderr) == (0, "")
    assert heard.stdout.startswith("invitation_changed inviteId=")
    assert "state=scheduled reason=unreachable" in heard.stdout
