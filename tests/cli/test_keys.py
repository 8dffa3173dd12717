"""`key`."""

from __future__ import annotations

import re

from tests.cli.harness import Installation

from reviewinvite_core import SecretKey


def test_a_new_key_is_printed_once_and_is_well_formed(shared: Installation) -> None:
    made = shared.json("key", "create", "molen", "--label", "web shop")
    assert set(made) == {"keyId", "key"}
    assert SecretKey.parse(made["key"]) is not None
    listed = shared.ok("key", "list", "molen") + shared.ok("key", "list", "molen", "--json")
    assert made["keyId"] in listed
    assert made["key"] not in listed


def test_the_key_is_data_and_the_advice_is_not(shared: Installation) -> None:
    ended = shared.run("key", "create", "molen")
    assert re.search(r"^Key +rvi_[0-9A-Za-z]{36}$", ended.out, re.MULTILINE)
    assert "won't be shown again" in ended.err
    assert "rvi_" not in ended.err


def test_keys_are_listed_the_oldest_first_with_what_they_are_known_by(molen: Installation) -> None:
    made = [molen.json("key", "create", "molen", "--label", label) for label in ("first", "second")]
    listed = molen.json("key", "list", "molen")
    assert [key["keyId"] for key in listed] == [key["keyId"] for key in made]
    assert [key["lastFour"] for key in listed] == [key["key"][-4:] for key in made]
    assert [key["label"] for key in listed] == ["first", "second"]
    assert all(key["siteId"] == "molen" and key["revokedAt"] is None for key in listed)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", listed[0]["createdAt"])


def test_a_revoked_key_stays_listed_as_revoked(molen: Installation) -> None:
    key_id = molen.json("key", "create", "molen")["keyId"]
    revoked = molen.json("key", "revoke", "--yes", key_id)
    assert revoked["keyId"] == key_id
    assert revoked["revokedAt"]
    assert molen.json("key", "revoke", "--yes", key_id)["revokedAt"] == revoked["revokedAt"]
    assert molen.json("key", "list", "molen")[0]["revokedAt"] == revoked["revokedAt"]
    assert "Revoked" in molen.ok("key", "revoke", "--yes", key_id)


def test_unknown_keys_are_refused(molen: Installation) -> None:
    key_id = molen.json("key", "create", "molen")["keyId"]
    for other in ("key_0", key_id.upper()):
        said = molen.refused(1, "key", "revoke", "--yes", other)
        assert said == f"Error: There is no key {other}. List them: reviewinvite key list SITE_ID"


def test_a_label_that_is_too_long_is_wrong_usage(molen: Installation) -> None:
    assert "--label" in molen.refused(2, "key", "create", "molen", "--label", "x" * 101)
    assert molen.json("key", "list", "molen") == []


def test_a_shop_without_keys_is_told_how_to_make_one(molen: Installation) -> None:
    ended = molen.run("key", "list", "molen")
    assert (ended.code, ended.out) == (0, "")
    assert "reviewinvite key create molen" in ended.err
