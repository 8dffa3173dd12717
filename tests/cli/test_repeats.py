"""Repeated log lines are counted: one line at once, then one for each kind and minute. Spec: §1."""

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


def test_a_burst_is_one_line_at_once_and_one_for_each_minute(log: Any, clock: Clock) -> None:
    for number in range(11_839):
        log.warning("storage unavailable", route="/v1/orders", requestId=str(number), seconds=number / 7, cause="full")
    assert told(log) == [("storage unavailable", None)]
    clock.seconds = 61
    log.info("listening")
    assert told(log)[1:] == [("listening", None), ("storage unavailable", 11_838)]
    summary = lines(log)[-1]
    assert (summary["route"], summary["cause"], summary["level"]) == ("/v1/orders", "full", "warning")
    assert not {"requestId", "seconds"} & set(summary)


def test_the_end_has_a_last_summary(log: Any) -> None:
    for _ in range(3):
        log.error("internal error", exception="ValueError\n")
    logging.getLogger().handlers[0].close()
    assert told(log) == [("internal error", None), ("internal error", 2)]


def test_a_fault_that_goes_on_is_one_line_a_minute_and_is_new_after_a_quiet_one(log: Any, clock: Clock) -> None:
    for second in range(200):
        clock.seconds = float(second)
        log.warning("storage unavailable")
    assert [repeated for _, repeated in told(log)] == [None, 60, 60, 60]
    clock.seconds = 400.0
    log.info("quiet")
    clock.seconds = 500.0
    log.info("quiet")
    log.warning("storage unavailable")
    assert told(log)[-1] == ("storage unavailable", None)


def test_refused_requests_are_counted_by_route_status_and_code(log: Any) -> None:
    for number in range(20):
        for status in (401, 404):
            log.info("request refused", route="/v1/orders", status=status, method="POST", requestId=str(number))
    assert [line["status"] for line in lines(log)] == [401, 404]


def test_lines_about_one_thing_and_ordinary_lines_are_all_written(log: Any) -> None:
    for number in range(5):
        log.warning("invitation_changed", inviteId=str(number), state="uncertain")
        log.warning("invitation_changed", inviteId="same", state="uncertain")
        log.info("stopped")
    assert len(lines(log)) == 15


def test_kinds_take_bounded_memory(log: Any) -> None:
    for number in range(1_000):
        log.warning("domain_changed", host=f"{number}.example")
    assert [line.get("host") for line in lines(log)] == ["0.example", "1.example", "2.example", "3.example"]
    logging.getLogger().handlers[0].close()
    assert told(log)[-1] == ("more lines, of too many kinds to count each", 996)


def test_lines_of_other_libraries_are_counted_as_well(log: Any) -> None:
    for number in range(4):
        logging.getLogger("uvicorn.error").warning("Invalid %s", number)
    logging.getLogger().handlers[0].close()
    assert told(log)[-1] == ("Invalid 0", 3)
    assert lines(log)[-1]["logger"] == "uvicorn.error"


def test_a_timer_writes_the_summary_if_no_line_follows() -> None:
    with unconfigured_logging():
        stream, written = io.StringIO(), logging.getLogger()
        logger = log_to(stream, repeats=Repeats(__import__("time").monotonic, seconds=0.05))
        for _ in range(3):
            logger.warning("storage unavailable")
        from tests.waiting import wait_until

        wait_until(lambda: "repeated" in stream.getvalue())
        written.handlers[0].close()
