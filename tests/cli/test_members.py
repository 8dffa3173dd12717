"""`member`: who may use the dashboard for a shop; and a name that waits for `shop approve`."""

from __future__ import annotations

import re

import attrs
import pytest
from tests.cli.applications import application_of
from tests.cli.harness import Installation

from reviewinvite_core import ShopChanges, accepted

EVA, TOM = "eva@example.com", "tom@example.com"
LINK = re.compile(r"http://127\.0\.0\.1:8000/dashboard/sign-in/[\w-]{43}")


def test_a_new_member_gets_a_link_that_signs_in(molen: Installation) -> None:
    made = molen.json("member", "add", "molen", EVA)
    assert LINK.fullmatch(made.pop("url"))
    assert (made.pop("memberId").startswith("mem_"), made) == (True, {"email": EVA, "role": "owner"})
    shown = molen.ok("member", "add", "molen", TOM, "--role", "staff", "--language", "en")
    [link] = LINK.findall(shown)
    assert re.fullmatch(rf"Member +{TOM}\nRole +staff\nLink +\S+\n", shown)
    with application_of(molen) as application:
        new = application.sign_in.use_link(link.rpartition("/")[2], "a test")
        assert new
        signed_in = application.sign_in.resume(new.secret.text)
    assert signed_in
    assert (signed_in.member.email, signed_in.member.language) == (TOM, "en")


def test_members_are_listed_with_their_latest_sign_in(molen: Installation) -> None:
    assert molen.run("member", "list", "molen").err.startswith("The shop has no members. Add one: ")
    molen.ok("member", "add", "molen", EVA)
    [member] = molen.json("member", "list", "molen")
    assert list(member) == ["memberId", "email", "role", "language", "createdAt", "signedInAt"]
    assert (member["email"], member["role"], member["language"], member["signedInAt"]) == (EVA, "owner", "nl", None)
    heading, line = molen.ok("member", "list", "molen").splitlines()
    assert heading.split("  ")[0] == "ADDRESS"
    assert line.split() == [EVA, "owner", "-", member["memberId"]]


def test_the_operator_makes_further_links(molen: Installation) -> None:
    first = molen.json("member", "add", "molen", EVA)
    second = molen.json("member", "link", "molen", "Eva@EXAMPLE.com")
    assert second.keys() == first.keys()
    assert second["url"] != first["url"]
    assert second["memberId"] == first["memberId"]


@pytest.mark.parametrize(
    ("code", "arguments", "says"),
    [
        (1, ("link", "molen", EVA), "The shop has no such member. List them: reviewinvite member list SITE_ID"),
        (2, ("add", "molen", "eva"), "EMAIL is not a valid e-mail address."),
        (2, ("link", "molen", "eva"), "EMAIL is not a valid e-mail address."),
        (2, ("remove", "molen", "eva", "--yes"), "EMAIL is not a valid e-mail address."),
        (2, ("add", "molen", EVA, "--role", "boss"), "--role must be owner or staff."),
        (2, ("add", "molen", EVA, "--language", "xx"), "--language must be one of: "),
    ],
)
def test_what_cannot_be_is_refused(shared: Installation, code: int, arguments: tuple[str, ...], says: str) -> None:
    assert says in shared.refused(code, "member", *arguments)


def test_a_name_waits_for_the_operator_if_the_shop_has_the_trust_mark(molen: Installation) -> None:
    assert molen.json("shop", "show", "molen")["requestedName"] is None
    assert molen.refused(1, "shop", "approve", "molen") == "Error: No name waits for approval."
    molen.ok("trustmark", "grant", "molen")
    member_id = molen.json("member", "add", "molen", EVA)["memberId"]
    with application_of(molen) as application:
        caller = accepted(application.shops.act_for("molen"))
        member = attrs.evolve(caller, member_id=member_id)
        accepted(application.shops.update(member, ShopChanges(name="De Gouden Molen")))
    shown = molen.json("shop", "show", "molen")
    assert (shown["name"], shown["requestedName"]) == ("Bakkerij De Molen", "De Gouden Molen")
    assert "New name     De Gouden Molen (waits for `shop approve`)" in molen.ok("shop", "show", "molen")
    assert [each["requestedName"] for each in molen.json("shop", "list")] == ["De Gouden Molen"]
    listed = molen.run("shop", "list")
    assert [line.split("  ")[-1].strip() for line in listed.out.splitlines()] == ["NEW NAME", "De Gouden Molen"]
    assert listed.err == "The new name of molen waits. Approve it: reviewinvite shop approve molen\n"
    assert molen.json("shop", "approve", "molen")["name"] == "De Gouden Molen"
    assert (molen.run("shop", "list").err, molen.json("shop", "list")[0]["requestedName"]) == ("", None)
    assert molen.json("shop", "show", "molen")["requestedName"] is None
