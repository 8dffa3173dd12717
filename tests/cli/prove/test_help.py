"""The help page of `prove`."""

from __future__ import annotations

from tests.cli.harness import Installation


def test_its_help_shows_what_an_operator_needs_and_no_more(empty: Installation) -> None:
    page = empty.ok("prove", "--help")
    assert "--quick" in page
    assert "--seconds" not in page
