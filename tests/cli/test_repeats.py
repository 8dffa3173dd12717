"""Repeated log lines: the first of each kind and minute are written, the others counted. Spec: §1."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from tests.logs import unconfigured_logging

from reviewinvite_cli.log import log_to
from reviewinvite_cli.repeats import Repeats
from reviewinvite_core import Settings


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(clock: Clock) -> Iterator[Any]:
    with unconfigured_logging():
        stream = io.StringIO()
        logger: Any = log_to(stream, repeats=Repeats(clock, most_kinds=3))
        logger.stream = stream
        yield logger
        logging.getLogger().handlers[0].close()


def lines(log: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.stream.getvalue().splitlines()]


def told(log: Any) -> list[tuple[str, int | None]]:
    return [(line["event"], line.get("repeated")) for line in lines(log)]


def test_a_burst_is_twenty_lines_and_one_with_the_number_of_the_others(log: Any, clock: Clock) -> None:
    for number in range(11_839):
        log.warning("storage unavailable", route="/v1/orders", requestId=str(number), seconds=number / 7, cause="full")
    assert [line["requestId"] for line in lines(log)] == [str(number) for number in range(20)]
    clock.seconds = 61
    log.info("listening")
    assert told(log)[20:] == [("storage unavailable", 11_819), ("listening", None)]
    summary = lines(log)[20]
    assert (summary["route"], summary["cause"], summary["level"]) == ("/v1/orders", "full", "warning")
    assert not {"requestId", "seconds"} & set(summary)


def test_the_end_has_a_last_summary(log: Any) -> None:
    for _ in range(23):
        log.error("internal error", exception="ValueError\n")
    logging.getLogger().handlers[0].close()
    assert told(log) == 20 * [("internal error", None)] + [("internal error", 3)]


def test_each_minute_has_its_own_first_lines_and_number(log: Any, clock: Clock) -> None:
    for second in range(150):
        clock.seconds = float(second)
        log.warning("storage unavailable")
    first = 20 * [None]
    assert [repeated for _, repeated in told(log)] == [*first, 40, *first, 40, *first]


def test_refused_requests_are_counted_by_route_status_and_code(log: Any) -> None:
    for number in range(30):
        for status in (401, 404):
            log.info("request refused", route="/v1/orders", status=status, method="POST", requestId=str(number))
    assert [line["status"] for line in lines(log)] == 20 * [401, 404]


def test_the_level_debug_writes_every_line() -> None:
    with unconfigured_logging():
        stream = io.StringIO()
        logger = log_to(stream, Settings(log_level="debug"))
        for number in range(50):
            logger.info("request refused", requestId=str(number))
        logging.getLogger().handlers[0].close()
    assert [json.loads(line)["requestId"] for line in stream.getvalue().splitlines()] == [str(n) for n in range(50)]


def test_lines_about_one_thing_and_ordinary_lines_are_all_written(log: Any) -> None:
    for number in range(25):
        log.warning("invitation_changed", inviteId=str(number), state="uncertain", reason="answer_lost")
        log.warning("invitation_changed", inviteId="same", state="expired", reason="unreachable")
        log.info("stopped")
    assert len(lines(log)) == 75


def test_a_mail_server_that_is_away_is_counted_by_its_reply(log: Any) -> None:
    waits = {"state": "scheduled", "reason": "unreachable"}
    for number in range(10_000):
        log.warning("invitation_changed", inviteId=str(number), **waits, reply="connection refused")
        log.info("message_changed", messageId=str(number), kind="sign_in", **waits)
    assert len(lines(log)) == 40
    logging.getLogger().handlers[0].close()
    counted = [(line["event"], line.get("reply"), line["repeated"]) for line in lines(log)[40:]]
    assert counted == [("invitation_changed", "connection refused", 9_980), ("message_changed", None, 9_980)]
    assert not any({"inviteId", "messageId"} & set(line) for line in lines(log)[40:])


def test_kinds_take_bounded_memory(log: Any) -> None:
    for number in range(1_000):
        log.warning("domain_changed", host=f"{number}.example")
    assert [line.get("host") for line in lines(log)] == [f"{number}.example" for number in range(23)]
    logging.getLogger().handlers[0].close()
    assert told(log)[-1] == ("more lines, of too many kinds to count each", 977)


def test_lines_of_other_libraries_are_counted_as_well(log: Any) -> None:
    for number in range(23):
        logging.getLogger("uvicorn.error").warning("Invalid %s", number)
    logging.getLogger().handlers[0].close()
    assert told(log)[-1] == ("Invalid 0", 3)
    assert lines(log)[-1]["logger"] == "uvicorn.error"


def test_a_timer_writes_the_summary_if_no_line_follows() -> None:
    with unconfigured_logging():
        stream, written = io.StringIO(), logging.getLogger()
        logger = log_to(stream, repeats=Repeats(__import__("time").monotonic, seconds=0.05))
        for _ in range(23):
            logger.warning("storage unavailable")
        from tests.waiting import wait_until

        wait_until(lambda: "repeated" in stream.getvalue())
        written.handlers[0].close()
