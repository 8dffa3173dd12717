from __future__ import annotations

from tools.public_api import FILE, lines


def test_public_names_and_signatures_are_those_on_record() -> None:
    """After a change that is meant, run `python -m tools.public_api`, and tell embedding teams in the changelog."""
    assert FILE.read_text(encoding="utf-8").splitlines() == list(lines())
