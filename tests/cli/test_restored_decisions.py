"""What people decided after the backup holds in what is restored of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from tests.cli.applications import application_of
from tests.cli.harness import Installation
from tests.cli.orders import report_due
from tests.links import token_of
from tests.members import add_member, member_id_of, signed_in_as

from reviewinvite_core import OPERATOR, Application, NewReply, ReviewDraft, Role, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.values import Distribution, HideReason, ReviewLink


def report(molen: Installation, address: str) -> str:
    return str(molen.json("order", "report", "molen", address, "--order-number", address)["inviteId"])


def test_opt_outs_erasures_withdrawals_and_revocations_since_the_backup_are_carried_over(molen: Installation) -> None:
    key = molen.json("key", "create", "molen")
    molen.ok("suppression", "add", "early@example.com")
    withdrawn, opted_out, erased = (report(molen, f"{name}@example.com") for name in ("withdrawn", "out", "erased"))
    kept = report(molen, "kept@example.com")
    molen.ok("shop", "add", "kaas", "--name", "Kaas")
    molen.ok("db", "backup", "backup.db")
    molen.ok("invitation", "cancel", withdrawn)
    molen.ok("suppression", "add", "out@example.com", "--site", "molen")
    molen.ok("suppression", "add", "everywhere@example.com")
    molen.ok("privacy", "erase", "--yes", "erased@example.com")
    molen.ok("key", "revoke", "--yes", key["keyId"])
    molen.ok("shop", "deactivate", "kaas")
    before = {one: molen.json("invitation", "show", one) for one in (withdrawn, opted_out, erased, kept)}

    said = molen.json("db", "restore", "--yes", "backup.db")
    assert said["carriedOver"]["suppressions"] == 2
    assert said["carriedOver"]["keysRevoked"] == 1
    assert said["carriedOver"]["shopsDeactivated"] == 1
    assert said["carriedOver"]["erased"] >= 1
    assert said["carriedOver"]["withdrawn"] >= 2
    assert {one: molen.json("invitation", "show", one) for one in before} == before
    assert before[withdrawn]["state"] == "cancelled"
    assert len(molen.json("suppression", "list")) == 3
    assert molen.json("key", "list", "molen")[0]["revokedAt"]
    assert {shop["siteId"]: shop["active"] for shop in molen.json("shop", "list")} == {"molen": True, "kaas": False}
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        ((left,),) = connection.execute("SELECT COUNT(*) FROM invitations WHERE sealed_address IS NOT NULL")
    assert left == len(before) - 1
    assert molen.json("db", "check") == {"problems": []}
    assert not list(molen.folder.glob("*.partial*"))


def test_the_stricter_of_two_frequency_rules_holds_after_a_restore(molen: Installation) -> None:
    before_and_since = {"molen": (0, 30), "tightened": (7, 30), "loosened": (30, 7), "ended": (30, 0)}
    for site_id in ("tightened", "loosened", "ended"):
        molen.ok("shop", "add", site_id, "--name", "Kaas")
    for site_id, (before, _) in before_and_since.items():
        molen.ok("shop", "set", site_id, "--frequency-days", str(before))
    molen.ok("db", "backup", "backup.db")
    for site_id, (_, since) in before_and_since.items():
        molen.ok("shop", "set", site_id, "--frequency-days", str(since))

    ended = molen.run("db", "restore", "--yes", "backup.db")
    assert "Carried over from it: frequency rules tightened (2)." in " ".join(ended.err.split())
    assert {shop["siteId"]: shop["frequencyDays"] for shop in molen.json("shop", "list")} == dict.fromkeys(
        before_and_since, 30
    )
    for number in ("1", "2"):
        report_due(molen, number)
    molen.ok("worker", "--once")
    states = {(each["state"], each["reason"]) for each in molen.json("invitation", "list")}
    assert states == {("sent", "accepted"), ("suppressed", "recently_invited")}
    assert molen.json("db", "restore", "--yes", "backup.db")["carriedOver"]["frequenciesTightened"] == 2


def written(app: Application, token: str, draft: ReviewDraft) -> str:
    """Write a review; return its id."""
    link = app.reviews.write(token, draft)
    assert isinstance(link, ReviewLink)
    assert link.review
    return link.review.review_id


def verified(molen: Installation) -> dict[tuple[str, str], bool]:
    """Each host of the two shops, and whether it is verified."""
    shops = ("molen", "kaas")
    return {(shop, one["host"]): one["verified"] for shop in shops for one in molen.json("domain", "list", shop)}


def test_a_domain_that_was_let_go_or_lost_since_the_backup_does_not_come_back_verified(molen: Installation) -> None:
    molen.ok("shop", "add", "kaas", "--name", "Kaas")
    hosts = ("kept", "removed", "lost", "moved", "proved")
    for name in hosts:
        molen.ok("domain", "add", "molen", f"{name}.example.nl", "--assume-verified")
    molen.ok("domain", "add", "kaas", "later.example.nl")
    molen.ok("db", "backup", "backup.db")
    for name in ("removed", "moved", "proved"):
        molen.ok("domain", "remove", "--yes", "molen", f"{name}.example.nl")
    molen.ok("domain", "add", "kaas", "moved.example.nl", "--assume-verified")
    molen.ok("domain", "add", "kaas", "later.example.nl", "--assume-verified")
    proved = molen.json("domain", "add", "molen", "proved.example.nl")
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection, connection:
        connection.execute("UPDATE domains SET verified_at = NULL, lost_at = 1 WHERE host = 'lost.example.nl'")
        connection.execute("UPDATE domains SET verified_at = 1 WHERE host = 'proved.example.nl'")

    assert molen.json("db", "restore", "--yes", "backup.db")["carriedOver"]["domainsUnverified"] == 4
    assert verified(molen) == {
        ("molen", "kept.example.nl"): True,
        ("molen", "lost.example.nl"): False,
        ("molen", "proved.example.nl"): True,
        ("kaas", "later.example.nl"): False,  # what opens a door is not carried over
    }
    now = {one["host"]: one for one in molen.json("domain", "list", "molen")}
    assert now["lost.example.nl"]["standing"] == "lost"
    assert now["proved.example.nl"]["standing"] == "verified", "nobody vouches for it any more"
    assert now["proved.example.nl"]["proof"] == proved["proof"]
    assert molen.json("db", "check") == {"problems": []}


def test_nothing_but_decisions_is_carried_over(molen: Installation) -> None:
    molen.ok("db", "backup", "backup.db")
    report_due(molen)
    molen.ok("shop", "set", "molen", "--name", "Another")
    ended = molen.run("db", "restore", "--yes", "backup.db")
    assert "no decisions were made since the backup" in ended.err
    assert molen.json("invitation", "list") == []
    assert molen.json("shop", "show", "molen")["name"] == "Bakkerij De Molen"


def test_that_nothing_could_be_carried_over_is_told(molen: Installation) -> None:
    molen.ok("db", "backup", "backup.db")
    database = molen.folder / "reviewinvite.db"
    with database.open("r+b") as opened:
        opened.seek(4096 * 2)
        opened.write(b"\xff" * 4096 * 6)
    ended = molen.run("db", "restore", "--yes", "backup.db")
    assert ended.code == 0
    assert "Warning: nothing was carried over, because the replaced database is damaged" in ended.err
    assert molen.json("shop", "list")[0]["siteId"] == "molen"


def test_reviews_that_were_hidden_withdrawn_or_erased_since_the_backup_are_so_again(molen: Installation) -> None:
    shown, hidden, withdrawn, erased, nameless = (
        report(molen, f"{name}@example.com") for name in ("shown", "hidden", "withdrawn", "erased", "nameless")
    )
    with application_of(molen) as app:
        tokens = {one: token_of(app, one, Purpose.REVIEW) for one in (shown, hidden, withdrawn, erased, nameless)}
        ids = {
            one: written(app, token, ReviewDraft(rating=4, text="Lekker!", author="Anna"))
            for one, token in tokens.items()
        }
    molen.ok("db", "backup", "backup.db")
    with application_of(molen) as app:
        app.reviews.hide(ids[hidden], HideReason.SPAM)
        app.reviews.hide(ids[withdrawn], HideReason.SPAM)
        app.reviews.withdraw(tokens[withdrawn])
        app.privacy.erase_address("erased@example.com")
        app.privacy.erase_address("nameless@example.com", keep_reviews=True)
        app.reviews.reply(accepted(app.shops.act_for("molen")), ids[shown], NewReply(text="Dank u!"))
        before = {one: app.reviews.show(OPERATOR, ids[one]) for one in (hidden, withdrawn, erased, nameless)}

    assert molen.json("db", "restore", "--yes", "backup.db")["carriedOver"]["reviews"] == 4

    with application_of(molen) as app:
        assert {one: app.reviews.show(OPERATOR, ids[one]) for one in before} == before
        assert (
            accepted(app.reviews.show(OPERATOR, ids[shown])).review.reply is None
        )  # what the shop said since is lost with the rest
        assert accepted(app.reviews.show_public("molen", None)).all_time == Distribution.of(4, 2)
    assert molen.json("db", "check") == {"problems": []}


def test_what_was_taken_back_since_the_backup_does_not_return_where_something_else_was_written(
    molen: Installation,
) -> None:
    invitations = [report(molen, f"{name}@example.com") for name in ("withdrew", "erased", "renamed", "changed")]
    with application_of(molen) as app:
        tokens = [token_of(app, each, Purpose.REVIEW) for each in invitations]
        ids = [written(app, token, ReviewDraft(rating=1, text="Too frank.", author="Anna")) for token in tokens]
    molen.ok("db", "backup", "backup.db")
    with application_of(molen) as app:
        app.reviews.withdraw(tokens[0])
        app.privacy.erase_address("erased@example.com")
        app.privacy.erase_address("renamed@example.com", keep_reviews=True)
        for token in tokens:
            app.reviews.write(token, ReviewDraft(rating=4, text="Better.", author="A."))
        before = [app.reviews.show(OPERATOR, each) for each in ids]

    assert molen.json("db", "restore", "--yes", "backup.db")["carriedOver"]["reviews"] == 4

    with application_of(molen) as app:
        assert [app.reviews.show(OPERATOR, each) for each in ids] == before
        assert accepted(app.reviews.show_public("molen", None)).all_time == Distribution.of(4, 4)
    assert molen.json("db", "check") == {"problems": []}


def test_a_removed_member_stays_removed_and_one_who_became_staff_stays_staff(molen: Installation) -> None:
    with application_of(molen) as app:
        for email in ("anna@example.com", "bert@example.com", "cees@example.com", "dora@example.com"):
            add_member(app, email, site_id="molen")
    molen.ok("db", "backup", "backup.db")
    with application_of(molen) as app:
        accepted(app.members.remove("molen", member_id_of(app, "anna@example.com", "molen")))
        accepted(app.members.set_role("molen", member_id_of(app, "bert@example.com", "molen"), Role.STAFF))
        accepted(app.members.remove("molen", member_id_of(app, "dora@example.com", "molen")))
        assert app.privacy.erase_address("dora@example.com").erased
        add_member(app, "later@example.com", site_id="molen")

    carried = molen.json("db", "restore", "--yes", "backup.db")["carriedOver"]
    assert (carried["membersRemoved"], carried["rolesLowered"]) == (2, 1)
    with application_of(molen) as app:
        roles = {each.email: each.role for each in accepted(app.members.list("molen"))}
        assert roles == {"bert@example.com": Role.STAFF, "cees@example.com": Role.OWNER}
        former = app.privacy.export("anna@example.com").member
        assert former is not None
        assert former.left_at
        assert app.privacy.export("dora@example.com").member is None
    assert molen.json("db", "check") == {"problems": []}


@pytest.mark.parametrize("is_replaced", [True, False])
def test_what_signs_in_is_void_after_a_restore_whatever_was_there(molen: Installation, is_replaced: bool) -> None:
    with application_of(molen) as app:
        waiting = add_member(app, "anna@example.com", site_id="molen")
        add_member(app, "bert@example.com", site_id="molen")
        session = signed_in_as(app, "bert@example.com", site_id="molen")
    molen.ok("db", "backup", "backup.db")
    if not is_replaced:
        (molen.folder / "reviewinvite.db").unlink()
    molen.ok("db", "restore", "--yes", "backup.db")
    with application_of(molen) as app:
        assert app.sign_in.show_link(waiting) is None
        assert app.sign_in.resume(session.secret.text) is None
        assert app.sign_in.resume(signed_in_as(app, "bert@example.com", site_id="molen").secret.text)
