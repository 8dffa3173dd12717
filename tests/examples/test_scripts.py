"""The plain script and the asyncio program."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.examples.conftest import Start
from tests.examples.programs import mails, recipients
from tests.waiting import TIMEOUT_SECONDS, wait_until


def test_the_plain_script_reports_a_file_and_sends_once(start_program: Start, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("number,email\n1001,anna@example.com\n1002,nobody\n1003,bert@example.com\n")
    first = start_program("plain_script.py", "orders.csv")
    assert first.ended() == 1, first.printed()
    assert "order 1002: email: invalid_address" in first.printed()
    assert {"order 1001: sent", "order 1003: sent"} <= set(first.printed().splitlines())

    again = start_program("plain_script.py", "orders.csv")
    assert again.ended() == 1
    assert again.printed().count(", reported before") == 2
    assert "sent" not in again.printed()
    assert recipients(tmp_path) == ["anna@example.com", "bert@example.com"]


def test_the_asyncio_program_sends_while_it_reads_and_ends_with_its_input(start_program: Start, tmp_path: Path) -> None:
    numbers = [str(number) for number in range(1001, 1021)]
    program = start_program("asyncio_program.py")
    assert program.process.stdin is not None
    program.process.stdin.write("not JSON\n")
    for number in numbers:
        program.process.stdin.write(json.dumps({"number": number, "email": f"{number}@example.com"}) + "\n")
    program.process.stdin.flush()
    wait_until(lambda: len(mails(tmp_path)) == len(numbers))
    assert program.ended() == 0, program.printed()
    assert recipients(tmp_path) == [f"{number}@example.com" for number in numbers]
    assert "an order was not reported" in program.printed()
    assert all(f"order {number}: invitation " in program.printed() for number in numbers)


def test_the_asyncio_program_ends_on_ctrl_c_while_it_waits_for_input(start_program: Start, tmp_path: Path) -> None:
    program = start_program("asyncio_program.py")
    assert program.process.stdin is not None
    program.process.stdin.write(json.dumps({"number": "1001", "email": "anna@example.com"}) + "\n")
    program.process.stdin.flush()
    wait_until(lambda: mails(tmp_path))
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(TIMEOUT_SECONDS) == 0, program.printed()  # its input is still open
    assert "Traceback" not in program.printed()
    assert recipients(tmp_path) == ["anna@example.com"]
