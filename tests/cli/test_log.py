"""The log of `serve` and `worker`: its two forms, lines of other libraries, and a stream that fails."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.logs import unconfigured_logging

from reviewinvite_cli.log import log_to
from reviewinvite_core import Settings

STAMP = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z"


class Failing(io.StringIO):
    """A stream whose `method`, `write` or `flush`, finds the disk full until it is set to None."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method: str | None = method

    def write(self, text: str) -> int:
        if self.method == "write":
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)

    def flush(self) -> None:
        if self.method == "flush":
            raise OSError(errno.ENOSPC, "No space left on device")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    with unconfigured_logging():
        yield


def line(stream: io.StringIO) -> dict[str, Any]:
    """Return the only line there is."""
    (only,) = stream.getvalue().splitlines()
    logged: dict[str, Any] = json.loads(only)
    return logged


@pytest.mark.parametrize("method", ["write", "flush"])
def test_what_cannot_be_written_stops_nobody_and_later_lines_are_written_again(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = Failing(method)
    log = log_to(stream)
    log.info("lost")
    stream.method = None
    log.info("found")
    assert '"event":"found"' in stream.getvalue().replace(" ", "")
    assert capsys.readouterr() == ("", "")


def test_elsewhere_than_on_a_terminal_a_line_is_a_json_object_with_its_facts_first() -> None:
    stream = io.StringIO()
    log_to(stream).warning("café closed", siteId="molen", limit=5, worker=True, reply=None)
    assert re.fullmatch(
        r'\{"siteId": "molen", "limit": 5, "worker": true, "reply": null, "event": "café closed", '
        rf'"timestamp": "{STAMP}", "level": "warning"\}}\n',
        stream.getvalue(),
    )


def test_on_a_terminal_a_line_is_key_and_value_unless_json_is_asked_for() -> None:
    stream = Terminal()
    log_to(stream).info("changed", reply="250 2.0.0", state="sent", inviteId="1", worker=True, left=False)
    assert re.fullmatch(
        rf'timestamp={STAMP} level=info event=changed inviteId=1 state=sent reply="250 2.0.0" worker=yes left=no\n',
        stream.getvalue(),
    )
    stream = Terminal()
    log_to(stream, json=True).info("changed")
    assert line(stream)["event"] == "changed"


@pytest.mark.parametrize("stream_type", [io.StringIO, Terminal])
@pytest.mark.parametrize("character", ["\x1b", "\x00", "\x07", "\x7f", "\x9b", "\u061c", "\u202e", "\u2066", "\u2028"])
def test_no_character_that_controls_a_terminal_is_written(stream_type: type[io.StringIO], character: str) -> None:
    stream = stream_type()
    log = log_to(stream)
    log.warning(f"event {character}[2J", path=f"/v1/{character}]0;title")
    logging.getLogger("uvicorn.error").warning("a request %s", character)
    assert stream.getvalue().count("\n") == 2
    assert character not in stream.getvalue()
    if stream_type is io.StringIO:
        first = json.loads(stream.getvalue().splitlines()[0])
        assert (first["event"], first["path"]) == (f"event {character}[2J", f"/v1/{character}]0;title")


def test_a_later_stream_takes_the_place_of_the_one_before() -> None:
    before, after = io.StringIO(), io.StringIO()
    log_to(before)
    log_to(after).info("here")
    assert before.getvalue() == ""
    assert line(after)["event"] == "here"


@pytest.mark.parametrize("name", ["uvicorn.error", "asyncio", "litestar"])
def test_another_librarys_warning_comes_out_in_the_same_form_and_its_chatter_does_not(name: str) -> None:
    stream = io.StringIO()
    log_to(stream)
    logging.getLogger(name).info("Started server process [%d]", 1, extra={"color_message": "x"})
    logging.getLogger(name).warning("%d%% of it", 90, extra={"color_message": "x"})
    logged = line(stream)
    del logged["timestamp"]
    assert list(logged.items()) == [("logger", name), ("event", "90% of it"), ("level", "warning")]


def test_of_another_librarys_exception_only_the_name_is_written() -> None:
    stream = io.StringIO()
    log_to(stream)
    try:
        raise ValueError("anna@example.com")
    except ValueError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application")
    logged = line(stream)
    assert (logged["cause"], logged["event"], logged["level"]) == (
        "ValueError",
        "Exception in ASGI application",
        "error",
    )
    assert "anna" not in stream.getvalue()


def test_what_an_event_loop_has_to_say_is_in_the_log() -> None:
    stream = io.StringIO()
    log_to(stream)
    loop = asyncio.new_event_loop()
    loop.call_exception_handler({"message": "a task was never awaited"})
    loop.close()
    assert (line(stream)["logger"], line(stream)["event"]) == ("asyncio", "a task was never awaited")


@pytest.mark.parametrize(("level", "shown"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_the_level_is_a_setting(level: str, shown: int) -> None:
    stream = io.StringIO()
    log = log_to(stream, Settings(log_level=level))
    for name in ("debug", "info", "warning", "error"):
        getattr(log, name)(name)
    logging.getLogger("uvicorn.error").info("of another library")
    assert len(stream.getvalue().splitlines()) == shown


@pytest.mark.parametrize(
    ("form", "stream", "is_json"),
    [
        ("auto", io.StringIO(), True),
        ("auto", Terminal(), False),
        ("json", Terminal(), True),
        ("logfmt", io.StringIO(), False),
    ],
)
def test_the_format_is_a_setting(form: str, stream: io.StringIO, is_json: bool) -> None:
    log_to(stream, Settings(log_format=form)).info("changed", state="sent")
    assert stream.getvalue().startswith("{") is is_json
    assert ("state=sent" in stream.getvalue()) is not is_json
