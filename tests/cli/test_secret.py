"""`secret rotate`, as operators meet it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core.domain.sealing import NONCE_BYTES, KeyRing, Secret

FIRST = "the first secret, which is long enough"
ANNA = "customer@example.com"


def secret_file(installation: Installation) -> Path:
    return installation.folder / "reviewinvite.db.secret"


def secret_of(installation: Installation) -> str:
    return secret_file(installation).read_text().strip()


def names(installation: Installation) -> list[str]:
    return sorted(file.name for file in installation.folder.iterdir())


def content_of(installation: Installation) -> bytes:
    """The database, byte for byte, but for what is in its log."""
    return (installation.folder / "reviewinvite.db").read_bytes()


@pytest.fixture
def given(tmp_path: Path) -> Installation:
    """An installation whose secret is in the environment, with a shop."""
    folder = tmp_path / "given"
    folder.mkdir()
    made = Installation(folder, REVIEWINVITE_SECRET=FIRST)
    made.ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    return made


WEAK = "abc" * 8
WARNING = "the secret is easy to guess: change it with `reviewinvite secret rotate`"


def reseal(installation: Installation, secret: str) -> None:
    """Seal the key ring under this secret, as an earlier release would have done with a weak one."""
    with closing(sqlite3.connect(installation.folder / "reviewinvite.db")) as connection:
        ring = KeyRing.opened(connection.execute("SELECT sealed FROM key_ring").fetchone()[0], Secret(FIRST))
        connection.execute("UPDATE key_ring SET sealed = ?", [ring.sealed(Secret(secret), os.urandom(NONCE_BYTES))])
        connection.commit()


def test_a_weak_secret_is_refused_for_a_new_database(empty: Installation) -> None:
    for command in (("shop", "add", "molen", "--name", "M"), ("db", "migrate")):
        assert "the secret is too easy to guess" in empty.refused(3, *command, REVIEWINVITE_SECRET=WEAK).lower()
        assert not list(empty.folder.iterdir())
    empty.ok("shop", "add", "molen", "--name", "M", REVIEWINVITE_SECRET=FIRST)


def test_a_database_sealed_under_a_weak_secret_opens_with_a_warning(given: Installation) -> None:
    assert "guess" not in given.run("shop", "list").err
    reseal(given, WEAK)
    ended = given.run("shop", "list", REVIEWINVITE_SECRET=WEAK)
    assert (ended.code, "molen" in ended.out) == (0, True)
    assert ended.err.count(WARNING) == 1
    assert given.run("db", "check", REVIEWINVITE_SECRET=WEAK).err.count(WARNING) == 1
    assert WEAK not in ended.err


def test_a_rotation_ends_a_weak_secret_and_takes_no_other(given: Installation) -> None:
    reseal(given, WEAK)
    file = given.folder / "new.secret"
    file.write_text("0123456789" * 3)
    options = ("secret", "rotate", "--yes", "--new-secret-file", "new.secret")
    assert (
        "the secret in new.secret is too easy to guess" in given.refused(3, *options, REVIEWINVITE_SECRET=WEAK).lower()
    )
    assert given.run("shop", "list", REVIEWINVITE_SECRET=WEAK).code == 0
    file.unlink()
    given.ok(*options, REVIEWINVITE_SECRET=WEAK)
    assert "guess" not in given.run("shop", "list", REVIEWINVITE_SECRET=file.read_text()).err


def test_a_new_secret_takes_the_place_of_the_old_one_which_is_kept_and_all_stands(molen: Installation) -> None:
    old, invitation = secret_of(molen), molen.json("order", "report", "molen", ANNA, "--order-number", "1")
    ended = molen.run("secret", "rotate", "--yes")
    assert ended.code == 0
    new = secret_of(molen)
    [kept] = [name for name in names(molen) if "before-rotate" in name]
    assert new != old == (molen.folder / kept).read_text().strip()
    assert stat.S_IMODE(secret_file(molen).stat().st_mode) == 0o600
    assert ended.out.splitlines() == ["Secret in      reviewinvite.db.secret", f"Old secret in  {kept}"]
    for words in ("The data it protects is unchanged", "Running processes keep working", "Earlier backups"):
        assert words in ended.err
    assert not any(secret in ended.out + ended.err for secret in (old, new))
    again = molen.json("order", "report", "molen", ANNA, "--order-number", "1")
    assert (again["inviteId"], again["duplicate"]) == (invitation["inviteId"], True)
    assert molen.json("db", "check") == {"problems": []}
    assert "wrong secret" in molen.refused(3, "shop", "list", REVIEWINVITE_SECRET=old).lower()


def test_programs_are_told_the_files_and_never_a_secret(molen: Installation) -> None:
    told = molen.json("secret", "rotate", "--yes")
    assert told == {
        "outcome": "rotated",
        "secretFile": "reviewinvite.db.secret",
        "oldSecretFile": told["oldSecretFile"],
        "oldRingErased": True,
    }
    assert told["oldSecretFile"] in names(molen)
    assert secret_of(molen) not in json.dumps(told)


def test_a_file_that_was_named_is_replaced_where_it_is(molen: Installation) -> None:
    (molen.folder / "etc").mkdir()
    secret_file(molen).rename(molen.folder / "etc" / "secret")
    molen.variables["REVIEWINVITE_SECRET_FILE"] = "etc/secret"
    told = molen.json("secret", "rotate", "--yes")
    assert molen.folder / told["secretFile"] == molen.folder / "etc" / "secret"
    assert (molen.folder / told["oldSecretFile"]).parent == molen.folder / "etc"
    assert "before-rotate-" in told["oldSecretFile"]
    molen.ok("shop", "list")


def test_where_the_secret_is_given_its_keeper_is_asked_for_a_file(given: Installation) -> None:
    said = given.refused(3, "secret", "rotate", "--yes")
    assert "--new-secret-file FILE" in said
    assert FIRST not in said
    given.ok("shop", "list")


def test_what_cannot_be_a_new_secret_is_refused_and_nothing_is_changed(given: Installation) -> None:
    before = content_of(given)
    for content, words in ((FIRST, "already in use"), ("short-but-secret", "at least 24 characters")):
        (given.folder / "mine").write_text(content + "\n")
        said = given.refused(3, "secret", "rotate", "--yes", "--new-secret-file", "mine")
        assert words in said
        assert content not in said
    os.mkfifo(given.folder / "pipe")
    assert "is not a regular file" in given.refused(3, "secret", "rotate", "--yes", "--new-secret-file", "pipe")
    assert "cannot be created" in given.refused(3, "secret", "rotate", "--yes", "--new-secret-file", "nowhere/mine")
    assert content_of(given) == before
    given.ok("shop", "list")


@pytest.mark.parametrize("arguments", [(), ("--new-secret-file", "mine")])
def test_a_wrong_secret_is_refused_before_anything_is_written(molen: Installation, arguments: tuple[str, ...]) -> None:
    right, before = secret_of(molen), content_of(molen)
    secret_file(molen).write_text("not the secret that it was made with\n")
    files = names(molen)
    assert "wrong secret for this database" in molen.refused(3, "secret", "rotate", "--yes", *arguments).lower()
    assert (names(molen), content_of(molen)) == (files, before)
    secret_file(molen).write_text(right)
    molen.ok("shop", "list")


def test_a_lost_secret_cannot_be_changed(molen: Installation) -> None:
    secret_file(molen).unlink()
    for arguments in ((), ("--new-secret-file", "mine")):
        assert "reviewinvite.db.secret" in molen.refused(3, "secret", "rotate", "--yes", *arguments)
    assert "mine" not in names(molen)


def test_where_there_is_no_database_none_is_made(empty: Installation) -> None:
    for url, words in (("sqlite:///none.db", "There is no database none.db"), ("memory:", "no secret to rotate")):
        assert words in empty.refused(3, "secret", "rotate", "--yes", REVIEWINVITE_DATABASE_URL=url)
    assert names(empty) == []


def test_what_was_broken_off_is_settled_by_the_next_command_which_says_so(molen: Installation) -> None:
    (molen.folder / "reviewinvite.db.secret.next").write_text("a new secret that was never used\n")
    ended = molen.run("shop", "list", "--json")
    assert [shop["siteId"] for shop in json.loads(ended.out)] == ["molen"]
    assert "a change of the secret was interrupted" in ended.err
    assert '"outcome": "undone"' in ended.err
    assert "never used" not in ended.err
    assert "reviewinvite.db.secret.next" not in names(molen)
    assert molen.run("shop", "list").err == ""


def test_of_many_at_once_none_leaves_a_database_that_does_not_open(molen: Installation, as_process: AsProcess) -> None:
    running = [as_process(molen).start("secret", "rotate", "--yes") for _ in range(5)]
    ended = [(process.communicate(timeout=TIMEOUT_SECONDS), process.returncode) for process in running]
    assert {code for _, code in ended} <= {0, 1}
    assert any(code == 0 for _, code in ended)
    for (out, err), code in ended:
        assert "Traceback" not in err
        if code:
            assert out == ""
            assert "Nothing was changed." in err or "Every change was made completely or not at all." in err
    molen.ok("shop", "list")
    kept = [name for name in names(molen) if "before-rotate" in name]
    assert len(kept) == sum(code == 0 for _, code in ended)
    assert not [name for name in names(molen) if "next" in name]


def test_a_backup_whose_secret_is_not_there_is_refused_in_general_words(molen: Installation) -> None:
    molen.ok("db", "backup", "before.db")
    (molen.folder / molen.json("secret", "rotate", "--yes")["oldSecretFile"]).unlink()
    assert "Set secret_file to that secret " in molen.refused(3, "db", "restore", "--yes", "before.db")


def test_a_copy_has_the_secret_that_its_source_had_and_each_can_be_changed_by_itself(molen: Installation) -> None:
    molen.ok("secret", "rotate", "--yes")
    copy = ("db", "copy", "sqlite:///reviewinvite.db", "sqlite:///other.db")
    molen.ok(*copy)
    shutil.copyfile(secret_file(molen), molen.folder / "other.db.secret")
    on_copy = {"REVIEWINVITE_DATABASE_URL": "sqlite:///other.db"}
    molen.ok("shop", "list", **on_copy)
    molen.ok("secret", "rotate", "--yes", **on_copy)
    molen.ok("shop", "list", **on_copy)
    molen.ok("shop", "list")
    ended = molen.run(*copy)
    assert ended.code == 1
    assert "key_ring/1: not the same" in ended.err


def test_a_database_that_is_read_all_the_while_keeps_traces_and_the_command_says_so(
    molen: Installation, as_process: AsProcess
) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM shops").fetchone()
        ended = as_process(molen).run("secret", "rotate", "--yes", "--json")
        reader.execute("ROLLBACK")
    assert ended.code == 0
    assert json.loads(ended.out)["oldRingErased"] is False
    assert "privacy purge" in ended.err
    molen.ok("privacy", "purge")


def test_a_database_that_others_write_to_all_the_while_is_told_and_nothing_is_changed(
    molen: Installation, as_process: AsProcess
) -> None:
    before = secret_of(molen)
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        said = as_process(molen).refused(1, "secret", "rotate", "--yes")
        writer.execute("ROLLBACK")
    assert "database is locked" in said
    assert secret_of(molen) == before
    molen.ok("shop", "list")
    assert not [name for name in names(molen) if "next" in name]


def test_on_postgresql_the_secret_is_handed_over_in_a_file(tmp_path: Path, postgres_url: str) -> None:
    here = Installation(tmp_path, REVIEWINVITE_DATABASE_URL=postgres_url, REVIEWINVITE_SECRET=FIRST)
    here.ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    assert "--new-secret-file FILE" in here.refused(3, "secret", "rotate", "--yes")
    wrong = {"REVIEWINVITE_SECRET": "not the secret that it was made with"}
    here.refused(3, "secret", "rotate", "--yes", "--new-secret-file", "mine", **wrong)
    del here.variables["REVIEWINVITE_SECRET"]
    assert "the secret must be given" in here.refused(3, "secret", "rotate", "--yes", "--new-secret-file", "mine")
    assert not (tmp_path / "mine").exists()
    here.variables["REVIEWINVITE_SECRET"] = FIRST
    here.ok("secret", "rotate", "--yes", "--new-secret-file", "mine")
    here.refused(3, "shop", "list")
    del here.variables["REVIEWINVITE_SECRET"]
    here.variables["REVIEWINVITE_SECRET_FILE"] = "mine"
    here.ok("shop", "list")
    assert tmp_path / here.json("secret", "rotate", "--yes")["secretFile"] == tmp_path / "mine"
    here.ok("shop", "list")
