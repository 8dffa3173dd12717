"""Each row that a command prints is explained, and can be measured."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.__main__ import MORE, TABLE, claims_of
from benchmarks.against import EARLIER

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
KEYS = [claim.key for claim in (*claims_of([*TABLE, *MORE]), EARLIER)]
ROW = re.compile(r"`([^`]+)` *\|$", re.MULTILINE)


def test_each_row_is_explained_once_and_nothing_else_is() -> None:
    assert Counter(re.findall(r"\*\*`([^`]+)`\*\*", PAGE)) == Counter(KEYS)


def test_the_page_shows_no_row_that_no_command_prints() -> None:
    shown = ROW.findall(PAGE)
    assert shown
    assert set(shown) <= set(KEYS)


def test_each_row_of_the_page_has_the_goals_of_the_code() -> None:
    goals = {claim.key: claim.goals for claim in (*claims_of([*TABLE, *MORE]), EARLIER)}
    shown = {key: line.split(" | ")[4].strip() for line in PAGE.splitlines() for key in ROW.findall(line)}
    assert shown == {key: goals[key] for key in shown}


@pytest.mark.full
def test_the_command_prints_every_row_of_its_table() -> None:
    """With tiny sizes, whose figures mean nothing; `nox -s full` installs the peers."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert ROW.findall(done.stdout) == [claim.key for claim in claims_of(TABLE)]
