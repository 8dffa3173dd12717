"""`order report`."""

from __future__ import annotations

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation

REPORT = ("order", "report", "molen")


def test_people_are_told_when_and_whether_it_was_known(shared: Installation) -> None:
    first = shared.ok(*REPORT, "people@example.com", "--delay-days", "0.5")
    assert "Scheduled for" in first
    assert first.endswith("Duplicate      no\n")
    assert "yes, the order was reported before" in shared.ok(*REPORT, "people@example.com")


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        (("no address",), "EMAIL"),
        (("a@b@example.com",), "EMAIL"),
        (("line\nbreak@example.com",), "EMAIL"),
        ((f"{'x' * 65}@example.com",), "EMAIL"),
        (("customer@[127.0.0.1]",), "EMAIL"),
        (("c@example.com", "--order-number", "x" * 129), "--order-number"),
        (("c@example.com", "--order-number", "a\u202eb"), "--order-number"),
        (("c@example.com", "--language", "de"), "--language"),
        (("c@example.com", "--delay-days", "inf"), "--delay-days"),
        ((), "EMAIL"),
    ],
)
def test_bad_input_is_wrong_usage_and_nothing_is_kept(
    shared: Installation, arguments: tuple[str, ...], parameter: str
) -> None:
    before = shared.json("invitation", "list")
    said = shared.refused(2, *REPORT, *arguments)
    assert parameter in said
    assert "example.com" not in said
    assert shared.json("invitation", "list") == before


def test_bytes_that_are_no_text_are_wrong_usage(shared: Installation, as_process: AsProcess) -> None:
    for arguments in ((*REPORT, b"\xff@example.com"), ("shop", "show", b"\xff")):
        ended = as_process(shared).run(*arguments)
        assert (ended.code, ended.out) == (2, "")
        assert "not valid UTF-8" in ended.err


def test_no_address_is_ever_shown(shared: Installation) -> None:
    invite_id = shared.json(*REPORT, "hidden.person@example.com")["inviteId"]
    for command in (("invitation", "list"), ("invitation", "show", invite_id), (*REPORT, "hidden.person@example.com")):
        for ended in (shared.run(*command), shared.run(*command, "--json")):
            assert ended.code == 0
            assert invite_id in ended.out
            assert "hidden.person" not in ended.out + ended.err
