"""The file of the secret, and how another secret takes its place."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from reviewinvite_core.adapters.secret_file import (
    ExternalSecret,
    SecretFile,
    earlier_secrets,
    read_secret,
    successor_path,
)
from reviewinvite_core.domain.errors import ConfigurationError, SecretBusy, SecretMissing
from reviewinvite_core.domain.sealing import Secret
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock

FIRST = Secret.parse("the first secret, which is long enough")
AT_NOON = "20260302T120000Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "secret"
    path.write_text(FIRST.text)
    path.chmod(0o600)
    return path


def place(path: Path, seed: int = 0) -> SecretFile:
    return SecretFile(path, CountingEntropy(seed), ManualClock())


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_successor_is_made_beside_the_secret_and_takes_its_place_and_the_old_one_is_kept(path: Path) -> None:
    there = place(path)
    made = there.stage()
    assert len(made.text) >= 43  # all of the 256 bits
    assert there.successor() == made == read_secret(path.with_name("secret.next"))
    assert there.current() == FIRST
    kept = there.promote()
    assert kept
    assert read_secret(kept) == FIRST
    assert there.current() == made
    assert there.successor() is None
    assert names(path) == ["secret", kept.name]
    assert earlier_secrets(path) == [kept]


def test_a_successor_that_is_withdrawn_leaves_all_as_it_was(path: Path) -> None:
    there = place(path)
    there.stage()
    path.with_name("secret.next.draft").write_text("of one that was killed")
    assert there.discard()
    assert names(path) == ["secret"]
    assert there.discard()
    assert there.current() == FIRST


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o400])
def test_who_may_read_the_secret_may_read_the_successor_and_nobody_else(path: Path, permissions: int) -> None:
    path.chmod(permissions)
    before = os.umask(0)
    try:
        place(path).stage()
    finally:
        os.umask(before)
    assert mode(successor_path(path)) == permissions
    kept = place(path).promote()
    assert kept
    assert mode(path) == mode(kept) == permissions


@pytest.mark.skipif(os.geteuid() != 0, reason="cannot exist here: only root can give files away")
def test_a_successor_made_by_root_belongs_to_the_owner_of_the_secret(path: Path) -> None:
    os.chown(path, 1234, 2345)
    there = place(path)
    there.stage()
    there.promote()
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_a_link_to_the_secret_stays_one(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path)
    there = place(link)
    made = there.stage()
    assert successor_path(link).parent == path.parent
    there.promote()
    assert link.is_symlink()
    assert read_secret(link) == read_secret(path) == made
    assert len(earlier_secrets(link)) == 1


def test_two_changes_in_one_second_keep_both_secrets(path: Path) -> None:
    first = place(path, 1).stage()
    place(path).promote()
    place(path, 2).stage()
    place(path).promote()
    assert [read_secret(kept) for kept in earlier_secrets(path)] == [first, FIRST]


def test_a_secret_that_was_kept_before_a_kill_is_not_kept_twice(path: Path) -> None:
    there = place(path)
    there.stage()
    path.with_name("secret.before-rotate-earlier").hardlink_to(path)
    there.promote()
    assert names(path) == ["secret", "secret.before-rotate-earlier"]


def test_what_a_killed_process_left_half_written_is_written_over(path: Path) -> None:
    path.with_name("secret.next.draft").write_text("half")
    assert place(path).stage() == place(path).successor()
    assert names(path) == ["secret", "secret.next"]


def test_one_process_at_a_time_and_the_lock_goes_with_it(path: Path, interpreter: str) -> None:
    program = """
import sys
from pathlib import Path
from reviewinvite_core.adapters.secret_file import SecretFile
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock
with SecretFile(Path(sys.argv[1]), CountingEntropy(), ManualClock()).alone():
    print("alone", flush=True)
    sys.stdin.readline()
"""
    command = [interpreter, "-c", program, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "alone\n"
        with pytest.raises(SecretBusy), place(path).alone():
            pass
        other.kill()
    with place(path).alone():
        pass


def test_who_waited_for_a_file_that_was_replaced_meanwhile_locks_the_one_that_is_there_now(path: Path) -> None:
    there = place(path)
    with there.alone():
        there.stage()
        there.promote()
        # the lock is on the file that was replaced, and nothing is done under it any more
        with place(path).alone(), pytest.raises(SecretBusy), place(path).alone():
            pass


def test_without_a_secret_there_is_nothing_to_change(path: Path) -> None:
    path.unlink()
    with pytest.raises(SecretMissing, match="secret"), place(path).alone():
        pass
    with pytest.raises(SecretMissing, match="secret"):
        place(path).current()


def test_what_cannot_be_is_not_taken_for_a_successor(path: Path) -> None:
    successor_path(path).write_text("short")
    with pytest.raises(ConfigurationError):
        place(path).successor()


def handed(file: Path) -> ExternalSecret:
    return ExternalSecret(FIRST, file, CountingEntropy())


def test_a_secret_that_is_handed_over_is_taken_as_it_is_and_nothing_is_touched(tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("my own secret, long enough\n")
    there = handed(file)
    with there.alone():
        assert there.stage() == there.successor() == Secret("my own secret, long enough")
        assert there.current() == FIRST
        assert there.promote() is None
        assert there.discard() is False
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
    assert file.read_text() == "my own secret, long enough\n"


def test_where_the_file_is_not_there_it_is_made_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "mine"
    assert handed(file).successor() is None
    assert handed(file).stage() == read_secret(file)
    assert mode(file) == 0o600


def test_the_same_secret_a_short_one_and_a_pipe_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine"
    for content, words in ((FIRST.text + "\n", "already in use"), ("too short", "24 characters")):
        file.write_text(content)
        with pytest.raises(ConfigurationError, match=words) as caught:
            handed(file).stage()
        assert content.strip() not in str(caught.value)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ConfigurationError, match="not a regular file"):
        handed(file).stage()
