"""Each row that a command prints is explained, and can be measured."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.__main__ import MORE, TABLE, claims_of, measured
from benchmarks.against import EARLIER
from benchmarks.measure import Claim, Group, Row, Sizes, bounded

from benchmarks import commits

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
AGAINST = (EARLIER, *(claim for claims in commits.CLAIMS.values() for claim in claims.values()))
"""Rows that are printed by commands of their own, against an earlier commit."""
KEYS = [claim.key for claim in (*claims_of([*TABLE, *MORE]), *AGAINST)]
ROW = re.compile(r"`([^`]+)` *\|$", re.MULTILINE)


def test_each_row_is_explained_once_and_nothing_else_is() -> None:
    assert Counter(re.findall(r"\*\*`([^`]+)`\*\*", PAGE)) == Counter(KEYS)


def test_the_page_shows_no_row_that_no_command_prints() -> None:
    shown = ROW.findall(PAGE)
    assert shown
    assert set(shown) <= set(KEYS)


def test_each_row_of_the_page_has_the_goals_of_the_code() -> None:
    goals = {claim.key: claim.goals for claim in (*claims_of([*TABLE, *MORE]), *AGAINST)}
    shown = {key: line.split(" | ")[4].strip() for line in PAGE.splitlines() for key in ROW.findall(line)}
    assert shown == {key: goals[key] for key in shown}


def test_a_group_that_fails_does_not_keep_the_next_from_being_measured() -> None:
    claims = [Claim(key=key, what=key) for key in ("broken", "sound", "sound-too")]

    def fail(_: Sizes) -> Iterator[Row]:
        message = "no such peer"
        raise RuntimeError(message)

    def measure(_: Sizes) -> Iterator[Row]:
        yield from (bounded(claim, 1) for claim in claims[1:])

    groups = [Group(claims[:1], fail), Group(claims[1:], measure)]
    failures: list[str] = []
    assert [row.claim.key for row in measured(groups, [], Sizes(), failures)] == ["sound", "sound-too"]
    assert [failure.splitlines()[-1] for failure in failures] == ["RuntimeError: no such peer"]
    assert [row.claim.key for row in measured(groups, ["sound-"], Sizes(), failures)] == ["sound-too"]


@pytest.mark.full
def test_the_command_prints_every_row_of_its_table() -> None:
    """With tiny sizes, whose figures mean nothing; `nox -s full` installs the peers."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert ROW.findall(done.stdout) == [claim.key for claim in claims_of(TABLE)]
