"""The secret in its file."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.processes_at_once import run_at_once

from reviewinvite_core.adapters.secret_file import make_secret, read_secret
from reviewinvite_core.adapters.system import SystemEntropy
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.sealing import Secret

ENTROPY, OTHER = bytes(range(32)), bytes(32)
SUPPOSED_SECRET = "only-a-few-characters"


def test_a_new_secret_is_read_back_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "test.db.secret"
    before = os.umask(0)
    try:
        made = make_secret(path, ENTROPY)
    finally:
        os.umask(before)
    assert read_secret(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(made.text) >= 43  # all of the 256 bits
    assert list(tmp_path.iterdir()) == [path]


def test_another_draw_gives_another_secret(tmp_path: Path) -> None:
    assert make_secret(tmp_path / "one", ENTROPY) != make_secret(tmp_path / "two", OTHER)


def test_a_secret_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    first = make_secret(path, ENTROPY)
    assert make_secret(path, OTHER) == first == read_secret(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_secret_of_the_operators_own_is_read_without_the_blanks_around_it(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("  my own secret, long enough\r\n\n", encoding="utf-8")
    assert read_secret(path) == Secret("my own secret, long enough")


def test_where_there_is_no_file_there_is_no_secret(tmp_path: Path) -> None:
    assert read_secret(tmp_path / "secret") is None


@pytest.mark.parametrize("content", [b"", b"\n", SUPPOSED_SECRET.encode(), b"\xff" * 40])
def test_a_file_that_holds_no_secret_is_refused_and_not_shown(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        read_secret(path)
    assert SUPPOSED_SECRET not in str(caught.value)
    with pytest.raises(ConfigurationError):
        make_secret(path, ENTROPY)
    assert path.read_bytes() == content


def test_a_folder_is_no_secret(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        read_secret(tmp_path)


def test_where_no_file_can_be_made_it_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        make_secret(tmp_path / "nowhere" / "secret", ENTROPY)


@pytest.mark.parametrize("processes", [2, in_full(6)])
def test_many_processes_that_make_it_at_once_get_the_same(tmp_path: Path, processes: int) -> None:
    program = """
import os, sys
from pathlib import Path
from reviewinvite_core.adapters.secret_file import make_secret
print("ready", flush=True)
sys.stdin.readline()
print(make_secret(Path(sys.argv[1]), os.urandom(32)).text)
"""
    path = tmp_path / "secret"
    made = set(run_at_once([sys.executable, "-c", program, str(path)] for _ in range(processes)))
    found = read_secret(path)
    assert found
    assert made == {found.text}
    assert list(tmp_path.iterdir()) == [path]


def test_the_systems_entropy_does_not_repeat() -> None:
    drawn = {SystemEntropy().draw(16) for _ in range(100)}
    assert len(drawn) == 100
    assert {len(each) for each in drawn} == {16}
