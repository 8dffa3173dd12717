"""The members of a shop: who may be added, changed and removed, and what becomes of those who go."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.core.usecases.harness import AppHarness
from tests.members import (
    OWNER,
    SITE,
    STAFF,
    add_member,
    links_to,
    mails_to,
    member_id_of,
    resumed,
    signed_in_as,
    token_of,
)

from reviewinvite_core import Actor, Invalid, Language, NewMember, Role, accepted
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.policy import FORMER_MEMBERS_KEPT_FOR
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import ActivityQuery, LimitReached, MemberUnknown, Permission, Problem

OTHER = "kaashandel"


@pytest.fixture
def shops(harness: AppHarness) -> AppHarness:
    """An application with two shops; the first has an owner and one of the staff."""
    accepted(harness.app.shops.add(a_shop(OTHER, language="en")))
    add_member(harness.app, OWNER)
    add_member(harness.app, STAFF, role=Role.STAFF)
    return harness


def caller_for(harness: AppHarness, email: str) -> Actor:
    """Return a member's right to act for the first shop."""
    signed_in = resumed(harness.app, signed_in_as(harness.app, email))
    caller = signed_in.actor(SITE, Permission(Role.STAFF), harness.clock.now())
    assert isinstance(caller, Actor)
    return caller


def roles(harness: AppHarness, site_id: str = SITE) -> dict[str, Role]:
    return {each.email: each.role for each in accepted(harness.app.members.list(site_id))}


def test_a_new_member_has_the_shops_language_unless_another_is_given(shops: AppHarness) -> None:
    add_member(shops.app, "a@example.com", site_id=OTHER)
    add_member(shops.app, "b@example.com", site_id=OTHER, language="nl")
    languages = [each.language for each in accepted(shops.app.members.list(OTHER))]
    assert sorted(languages) == [Language.EN, Language.NL]


@pytest.mark.parametrize(
    ("fields", "invalid"),
    [
        ({"email": "nobody"}, Invalid(Problem.INVALID_ADDRESS, "email")),
        ({"email": OWNER, "role": "boss"}, Invalid(Problem.MALFORMED, "role")),
        ({"email": OWNER, "role": 1}, Invalid(Problem.WRONG_TYPE, "role")),
        ({"email": OWNER, "language": "xx"}, Invalid(Problem.UNKNOWN_LANGUAGE, "language")),
    ],
)
def test_a_member_needs_an_address_and_a_known_role(fields: dict[str, str], invalid: Invalid) -> None:
    with pytest.raises(Invalid) as raised:
        NewMember(**fields)
    assert raised.value == invalid


def test_the_link_of_a_new_member_is_mailed_and_shown_to_the_operator_only(shops: AppHarness) -> None:
    by_operator = accepted(shops.app.members.add(SITE, NewMember(email="new@example.com")))
    assert by_operator.link
    assert links_to(shops.app, "new@example.com") == [token_of(by_operator.link)]
    by_owner = accepted(shops.app.members.add(caller_for(shops, OWNER), NewMember(email="next@example.com")))
    assert by_owner.link is None
    [mail] = mails_to(shops.app, "next@example.com")
    assert (mail.values["hours"], mail.values["shop"]) == ("72", "Bakkerij De Molen")
    assert shops.app.sign_in.show_link(mail.token)


def test_a_person_who_has_signed_in_elsewhere_gets_a_short_link(shops: AppHarness) -> None:
    signed_in_as(shops.app, OWNER)
    token = add_member(shops.app, OWNER, site_id=OTHER)
    shops.clock.advance(timedelta(minutes=15))
    assert shops.app.sign_in.show_link(token) is None


def test_the_owners_are_told_of_a_new_member_and_nobody_else_is(shops: AppHarness) -> None:
    accepted(shops.app.members.add(caller_for(shops, OWNER), NewMember(email="new@example.com", role=Role.OWNER)))
    [notice] = [each for each in mails_to(shops.app, OWNER, NoticeKind.MEMBER_ADDED) if "new" in each.values["added"]]
    assert notice.values == {
        "shop": "Bakkerij De Molen",
        "added": "new@example.com",
        "role": "owner",
        "by": OWNER,
        "when": shops.clock.now().isoformat(),
        "link": f"http://127.0.0.1:8000/dashboard/{SITE}/members",
    }
    for email in (STAFF, "new@example.com"):
        assert mails_to(shops.app, email, NoticeKind.MEMBER_ADDED) == []


def test_a_clock_that_is_set_back_admits_no_more(shops: AppHarness) -> None:
    owner, new = caller_for(shops, OWNER), NewMember(email="new@example.com")
    for _ in range(5):
        accepted(shops.app.members.remove(owner, accepted(shops.app.members.add(owner, new)).member.member_id))
    shops.clock.advance(timedelta(minutes=-30))
    assert isinstance(shops.app.members.add(owner, new), LimitReached)


def test_who_comes_back_begins_anew_as_the_same_member(shops: AppHarness) -> None:
    signed_in_as(shops.app, STAFF)
    member_id = member_id_of(shops.app, STAFF)
    accepted(shops.app.members.remove(SITE, member_id))
    token = add_member(shops.app, STAFF, role=Role.STAFF)
    shops.clock.advance(timedelta(hours=71))
    new = shops.app.sign_in.use_link(token, "a device")
    assert new is not None
    assert resumed(shops.app, new).member.member_id == member_id


def test_another_shops_member_is_unknown(shops: AppHarness) -> None:
    add_member(shops.app, "other@example.com", site_id=OTHER)
    member_id = member_id_of(shops.app, "other@example.com", OTHER)
    caller = caller_for(shops, OWNER)
    for unknown in (member_id, "mem_0000000000000000", "", "\0"):
        assert shops.app.members.remove(caller, unknown) == MemberUnknown()
        assert shops.app.members.set_role(caller, unknown, Role.OWNER) == MemberUnknown()
    assert shops.app.members.link(SITE, "other@example.com") == MemberUnknown()
    assert roles(shops, OTHER) == {"other@example.com": Role.OWNER}


def test_former_members_and_old_entries_are_deleted_after_a_year(shops: AppHarness) -> None:
    accepted(shops.app.members.remove(SITE, member_id_of(shops.app, STAFF)))
    shops.clock.advance(FORMER_MEMBERS_KEPT_FOR)
    accepted(shops.app.members.set_role(SITE, member_id_of(shops.app, OWNER), Role.OWNER))
    shops.deliver()
    assert len(accepted(shops.app.members.list_activity(SITE, ActivityQuery())).entries) == 3
    shops.clock.advance(timedelta(seconds=1))
    shops.deliver()
    assert accepted(shops.app.members.list_activity(SITE, ActivityQuery())).entries == []
    assert roles(shops) == {OWNER: Role.OWNER}


def test_an_erasure_deletes_who_is_a_member_no_more_and_leaves_who_is(shops: AppHarness) -> None:
    member_id = member_id_of(shops.app, STAFF)
    shops.app.privacy.erase_address(STAFF)
    assert roles(shops)[STAFF] is Role.STAFF
    accepted(shops.app.members.remove(SITE, member_id))
    shops.app.privacy.erase_address(STAFF)
    assert shops.app.privacy.export(STAFF).member is None
    entries = accepted(shops.app.members.list_activity(SITE, ActivityQuery())).entries
    assert {each.subject for each in entries} == {OWNER, ""}
