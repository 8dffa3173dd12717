"""`signing-key` and `trustmark`: what an operator sees and does, and that no seed is ever seen."""

from __future__ import annotations

import base64
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.applications import application_of, settings_of
from tests.cli.harness import Installation

from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.bootstrap.key_ring import open_key_ring
from reviewinvite_core.testing.builders import CountingEntropy


def use(installation: Installation) -> list[str]:
    """Have the keys made, as the first request does; their ids, that of the signing one first."""
    with application_of(installation) as application:
        keys = application.signing_keys.published()
    return [key.key_id for key in sorted(keys, key=lambda key: key.state, reverse=True)]


def states(installation: Installation) -> dict[str, str]:
    return {key["keyId"]: key["state"] for key in installation.json("signing-key", "list")}


def seeds_in(installation: Installation) -> list[bytes]:
    """The private seeds of the keys that have theirs still."""
    with application_of(installation) as application:
        sealed = [key.sealed_seed for key in application.signing_keys.list() if key.sealed_seed]
    with closing(SqliteStorage(installation.folder / "reviewinvite.db")) as storage:
        ring = open_key_ring(storage, settings_of(installation), CountingEntropy(), None)
    return [ring.open_seed(each) for each in sealed]


def test_there_are_no_keys_before_the_first_use(molen: Installation) -> None:
    ended = molen.run("signing-key", "list")
    assert (ended.code, ended.out) == (0, "")
    assert "There are no signing keys yet." in ended.err
    assert molen.json("signing-key", "list") == []


def test_keys_are_listed_with_their_states_and_times(molen: Installation) -> None:
    signing, standby = use(molen)
    [first, second] = sorted(molen.json("signing-key", "list"), key=lambda key: key["state"], reverse=True)
    assert set(first) == {"keyId", "state", "announcedAt", "signingSince", "endedAt"}
    assert (first["keyId"], first["state"], first["signingSince"]) == (signing, "signing", first["announcedAt"])
    assert (second["keyId"], second["state"], second["signingSince"]) == (standby, "announced", None)
    assert first["endedAt"] is None
    shown = molen.ok("signing-key", "list")
    assert re.search(rf"^{signing}  signing +\d{{4}}-", shown, re.MULTILINE)


def test_a_compromised_key_is_withdrawn_at_once(molen: Installation) -> None:
    signing, standby = use(molen)
    published = molen.json("signing-key", "compromised", "--yes", signing)
    assert [key["state"] for key in published] == ["signing", "announced"]
    assert published[0]["keyId"] == standby
    assert states(molen)[signing] == "compromised"
    assert molen.refused(1, "signing-key", "compromised", "--yes", signing).endswith("has already been revoked.")


def test_a_key_id_may_begin_with_a_dash_and_hold_the_letter_of_an_option(molen: Installation) -> None:
    key_id = "-h" + "x" * 41
    for arguments in ((key_id,), ("--json", key_id), (key_id, "--json")):
        said = molen.refused(1, "signing-key", "compromised", "--yes", *arguments)
        assert f"there is no signing key {key_id}" in said.lower().replace(key_id.lower(), key_id)


def test_no_file_log_or_output_holds_a_seed(molen: Installation) -> None:
    use(molen)
    molen.ok("db", "backup", "backup.db")
    outputs = [molen.run("signing-key", "list"), molen.run("signing-key", "list", "--json")]
    seeds = seeds_in(molen)
    outputs += [molen.run("signing-key", "rotate", "--now"), molen.run("signing-key", "rotate", "--now", "--json")]
    seeds += seeds_in(molen)
    assert len(seeds) == 4
    files = [path.read_bytes() for path in molen.folder.rglob("*") if path.is_file()]
    assert any(b"signing_keys" in content for content in files), "the database was not found"
    everything = [*files, *((ended.out + ended.err).encode() for ended in outputs)]
    for seed in seeds:
        assert len(seed) == 32
        forms = (seed, seed.hex().encode(), base64.b64encode(seed)[:42], base64.urlsafe_b64encode(seed)[:42])
        assert not any(form in content for form in forms for content in everything)


def sealed_seeds(file: Path) -> dict[str, tuple[str, bool]]:
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT key_id, state, sealed_seed IS NOT NULL FROM signing_keys").fetchall()
    return {key_id: (state, bool(sealed)) for key_id, state, sealed in rows}


def test_a_backup_brings_no_revoked_mark_and_no_compromised_key_back(molen: Installation) -> None:
    molen.ok("shop", "add", "kaas", "--name", "Kaas")
    for site in ("molen", "kaas"):
        molen.ok("trustmark", "grant", site)
    signing, standby = use(molen)
    molen.ok("db", "backup", "backup.db")
    molen.ok("trustmark", "revoke", "molen")
    molen.ok("signing-key", "compromised", "--yes", signing)

    carried = molen.json("db", "restore", "--yes", "backup.db")["carriedOver"]
    assert (carried["marksRevoked"], carried["signingKeysWithdrawn"]) == (1, 1)
    assert molen.json("shop", "show", "molen")["trustMark"] == "revoked"
    assert molen.json("shop", "show", "kaas")["trustMark"] == "granted"
    assert sealed_seeds(molen.folder / "reviewinvite.db")[signing] == ("compromised", False)
    assert use(molen)[0] == standby
    assert states(molen)[standby] == "signing"
    assert molen.json("db", "check") == {"problems": []}


def test_a_backup_opens_no_door_a_mark_or_key_that_came_later_is_not_carried_over(molen: Installation) -> None:
    before = use(molen)
    molen.ok("db", "backup", "backup.db")
    molen.ok("trustmark", "grant", "molen")
    molen.ok("signing-key", "rotate", "--now")
    carried = molen.json("db", "restore", "--yes", "backup.db")["carriedOver"]
    assert (carried["marksRevoked"], carried["signingKeysWithdrawn"]) == (0, 0)
    assert molen.json("shop", "show", "molen")["trustMark"] == "absent"
    assert use(molen) == before
