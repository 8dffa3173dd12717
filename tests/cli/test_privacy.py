"""`privacy`: export and erase what is held about a person."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tests.cli.applications import application_of
from tests.cli.command import AsProcess
from tests.cli.customers import a_review, opt_out
from tests.cli.harness import Installation

from reviewinvite_core.values import Reach

ANNA = "anna@example.com"
PURGED = "Addresses erased: 1, invitations cancelled: 1. Database cleaned up.\n"


def test_an_address_is_exported_erased_and_exported_again(molen: Installation) -> None:
    invite_id = molen.json("order", "report", "molen", ANNA, "--order-number", "1001")["inviteId"]
    molen.json("order", "report", "molen", "bert@example.com")
    opt_out(molen, invite_id, Reach.EVERY_SHOP)
    held = molen.json("privacy", "export", "Anna@Example.com")
    [invitation] = held["invitations"]
    assert (invitation["inviteId"], invitation["siteId"], invitation["orderNumber"]) == (invite_id, "molen", "1001")
    assert [change["state"] for change in invitation["history"]] == ["scheduled", "suppressed"]
    assert invitation["addressKept"]
    assert [(one["siteId"], one["origin"]) for one in held["suppressions"]] == [(None, "customer")]

    assert molen.json("privacy", "erase", "--yes", ANNA) == {"erased": 1, "cancelled": 0, "reviews": 0}

    after = molen.json("privacy", "export", ANNA)
    assert after == {**held, "invitations": [{**invitation, "addressKept": False}]}
    shown = molen.ok("privacy", "export", ANNA)
    assert invite_id in shown
    assert "erased" in shown
    assert "customer" in shown
    assert "example.com" not in shown


def test_what_is_not_known_is_said_so_beside_the_data(shared: Installation) -> None:
    assert shared.run("privacy", "export", ANNA) == (0, "", "Nothing is stored about this address.\n")
    exported = shared.json("privacy", "export", ANNA)
    assert exported == {"invitations": [], "reviews": [], "suppressions": [], "messages": [], "member": None}
    assert shared.run("privacy", "erase", "--yes", ANNA) == (0, "Addresses erased: 0, invitations cancelled: 0\n", "")
    for command in (("export",), ("erase", "--yes")):
        assert "EMAIL is not a valid e-mail address" in shared.refused(2, "privacy", *command, "anna")


def test_a_member_is_exported_with_roles_and_sessions(molen: Installation) -> None:
    link = molen.json("member", "add", "molen", ANNA)
    with application_of(molen) as application:
        assert application.sign_in.use_link(link["url"].rpartition("/")[2], "a test")
    member = molen.json("privacy", "export", ANNA)["member"]
    assert list(member) == ["memberId", "language", "createdAt", "signedInAt", "leftAt", "roles", "sessions"]
    assert (member["memberId"], member["roles"], member["leftAt"]) == (link["memberId"], {"molen": "owner"}, None)
    [session] = member["sessions"]
    assert list(session) == ["device", "signedInAt", "lastSeenAt", "endedAt"]
    assert (session["device"], session["endedAt"]) == ("a test", None)


def test_erasing_says_that_copies_remain_until_a_purge(molen: Installation) -> None:
    molen.json("order", "report", "molen", ANNA)
    ended = molen.run("privacy", "erase", "--yes", ANNA)
    assert (ended.code, ended.out) == (0, "Addresses erased: 1, invitations cancelled: 1\n")
    assert "`reviewinvite privacy purge`" in ended.err
    assert molen.json("invitation", "list")[0]["reason"] == "erased"


def test_a_purge_forgets_what_is_older_than_the_operator_wants(molen: Installation) -> None:
    old, new = (molen.json("order", "report", "molen", email, "--delay-days", "0") for email in (ANNA, "b@example.com"))
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection, connection:
        ten_days = 10 * 86_400 * 1_000_000
        connection.execute(
            "UPDATE invitations SET scheduled_for = scheduled_for - ? WHERE invite_id = ?",
            [ten_days, bytes.fromhex(old["inviteId"].replace("-", ""))],
        )
    assert molen.ok("privacy", "purge") == "Addresses erased: 0, invitations cancelled: 0. Database cleaned up.\n"
    assert molen.ok("privacy", "purge", REVIEWINVITE_RETENTION_DAYS="9") == PURGED
    assert molen.json("privacy", "purge") == {"erased": 0, "cancelled": 0}
    assert molen.json("invitation", "show", old["inviteId"])["reason"] == "erased"
    assert molen.json("invitation", "show", new["inviteId"])["state"] == "scheduled"


def test_a_purge_that_is_in_anothers_way_says_what_to_do(molen: Installation, as_process: AsProcess) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db", isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM shops").fetchall()
        said = as_process(molen).refused(1, "privacy", "purge")
    assert "another process is busy with the database: try again when it is quiet" in said


def test_a_retention_that_cannot_be_is_refused(molen: Installation) -> None:
    for days in ("3", "3651", "-1", "many"):
        said = molen.refused(3, "privacy", "purge", REVIEWINVITE_RETENTION_DAYS=days)
        assert "retention_days must be a whole number" in said


def test_what_a_person_wrote_is_exported_whole_and_erased_with_the_address(molen: Installation) -> None:
    review_id = a_review(molen, "1001", 2, email=ANNA, text="Brood was oud.", author="Anna de V.")
    a_review(molen, "1002", 5, email="bert@example.com", text="Van Bert")
    [written] = molen.json("privacy", "export", ANNA)["reviews"]
    assert written == molen.json("review", "show", review_id)
    assert (written["rating"], written["text"], written["author"]) == (2, "Brood was oud.", "Anna de V.")
    assert review_id in molen.ok("privacy", "export", ANNA)

    assert molen.json("privacy", "erase", "--yes", ANNA) == {"erased": 1, "cancelled": 1, "reviews": 1}

    [left] = molen.json("privacy", "export", ANNA)["reviews"]
    assert [left[name] for name in ("state", "rating", "text", "author")] == ["withdrawn", None, None, None]
    assert [change["act"] for change in left["history"]] == ["written", "erased"]
    assert "Anna de V." not in molen.ok("review", "list", "--json")
    assert "Van Bert" in molen.ok("review", "list", "--json")


def test_what_a_person_wrote_is_kept_without_the_name_where_the_operator_says_so(molen: Installation) -> None:
    review_id = a_review(molen, "1001", 2, email=ANNA, text="Brood was oud.", author="Anna de V.")
    ended = molen.run("privacy", "erase", "--yes", ANNA, "--keep-reviews")
    assert (ended.code, ended.out) == (
        0,
        "Addresses erased: 1, invitations cancelled: 1\nReviews kept without a name: 1\n",
    )
    kept = molen.json("review", "show", review_id)
    assert [kept[name] for name in ("state", "rating", "text", "author")] == ["published", 2, "Brood was oud.", None]
    assert (
        molen.ok("privacy", "erase", "--yes", ANNA, "--keep-reviews")
        == "Addresses erased: 0, invitations cancelled: 0\n"
    )
    assert (
        molen.ok("privacy", "erase", "--yes", ANNA)
        == "Addresses erased: 0, invitations cancelled: 0\nReviews erased: 1\n"
    )
