"""Signing in by links, sessions and what a signed-in member may do."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_address

import attrs
import pytest
from tests.core.usecases.harness import AppHarness
from tests.members import (
    CLIENT,
    DEVICE,
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

from reviewinvite_core import Caller, ClientAddress, Invalid, Language, Role, accepted
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.values import Permission, RoleRefused, ShopUnknown, SignInTooOld

MINUTE, HOUR, TICK = timedelta(minutes=1), timedelta(hours=1), timedelta(microseconds=1)
STRANGER = "stranger@example.com"


@pytest.fixture
def member(harness: AppHarness) -> AppHarness:
    """An application whose shop has an owner, who has signed in before."""
    add_member(harness.app, OWNER)
    signed_in_as(harness.app, OWNER)
    return harness


def requested(harness: AppHarness, email: str = OWNER) -> str:
    """Ask for a link for the owner and return the token of the one that waits to be mailed."""
    harness.deliver()
    harness.app.sign_in.request_link(email, CLIENT)
    [new] = links_to(harness.app, OWNER)
    return new


def client(number: int) -> ClientAddress:
    return ClientAddress.of(ip_address(f"198.51.100.{number}"))


def test_a_link_signs_its_member_in_once(member: AppHarness) -> None:
    token = requested(member)
    offer = member.app.sign_in.show_link(token)
    assert offer is not None
    assert (offer.email, offer.language) == (OWNER, Language.NL)
    new = member.app.sign_in.use_link(token, DEVICE)
    assert new is not None
    signed_in = resumed(member.app, new)
    assert (signed_in.member.email, signed_in.session) == (OWNER, new.session)
    assert member.app.sign_in.use_link(token, DEVICE) is None
    assert member.app.sign_in.show_link(token) is None


def test_showing_a_link_does_not_use_it(member: AppHarness) -> None:
    token = requested(member)
    assert [member.app.sign_in.show_link(token) is None for _ in range(3)] == [False] * 3
    assert member.app.sign_in.use_link(token, DEVICE)


def test_a_link_is_valid_for_15_minutes(member: AppHarness) -> None:
    token = requested(member)
    member.clock.advance(15 * MINUTE - TICK)
    assert member.app.sign_in.show_link(token)
    member.clock.advance(TICK)
    assert member.app.sign_in.show_link(token) is None
    assert member.app.sign_in.use_link(token, DEVICE) is None


def test_a_new_members_link_is_valid_for_72_hours(harness: AppHarness) -> None:
    token = add_member(harness.app)
    harness.clock.advance(72 * HOUR - TICK)
    assert harness.app.sign_in.show_link(token)
    harness.clock.advance(TICK)
    assert harness.app.sign_in.show_link(token) is None


def test_a_new_members_link_is_valid_until_the_first_sign_in_by_any_link(harness: AppHarness) -> None:
    welcome = add_member(harness.app)
    assert harness.app.sign_in.use_link(requested(harness), DEVICE)
    assert harness.app.sign_in.show_link(welcome) is None
    assert harness.app.sign_in.use_link(welcome, DEVICE) is None


def test_several_links_are_valid_at_once(member: AppHarness) -> None:
    tokens = [requested(member) for _ in range(3)]
    assert len(set(tokens)) == 3
    assert all(member.app.sign_in.use_link(token, DEVICE) for token in reversed(tokens))


@pytest.mark.parametrize("token", ["", "x", "x" * 43, "x" * 44, "é" * 43, "\0" * 43, "x" * 9999])
def test_a_token_of_nobodys_link_opens_nothing(member: AppHarness, token: str) -> None:
    assert member.app.sign_in.show_link(token) is None
    assert member.app.sign_in.use_link(token, DEVICE) is None
    assert member.app.sign_in.resume(token) is None


def test_the_secrets_of_links_and_sessions_are_not_each_others(member: AppHarness) -> None:
    token, session = requested(member), signed_in_as(member.app)
    assert member.app.sign_in.resume(token) is None
    assert member.app.sign_in.use_link(session.secret.text, DEVICE) is None


def test_a_stranger_is_mailed_nothing(member: AppHarness) -> None:
    before = len(links_to(member.app, OWNER))
    member.app.sign_in.request_link(STRANGER, CLIENT)
    assert mails_to(member.app, STRANGER) == []
    assert len(links_to(member.app, OWNER)) == before
    with pytest.raises(Invalid):
        member.app.sign_in.request_link("nobody", CLIENT)


def test_who_has_left_every_shop_is_a_stranger(member: AppHarness) -> None:
    add_member(member.app, STAFF, role=Role.STAFF)
    accepted(member.app.members.remove(SITE, member_id_of(member.app, STAFF)))
    before = mails_to(member.app, STAFF)
    member.app.sign_in.request_link(STAFF, CLIENT)
    assert mails_to(member.app, STAFF) == before


def test_a_link_is_mailed_in_the_members_language_until_it_expires(member: AppHarness) -> None:
    token = requested(member, email=OWNER.upper())
    [mail] = [each for each in mails_to(member.app, OWNER, NoticeKind.SIGN_IN_LINK) if each.token == token]
    assert mail.values["minutes"] == "15"
    assert mail.values["link"].startswith("http://127.0.0.1:8000/dashboard/sign-in/")
    assert mail.message.language is Language.NL
    assert mail.message.expires_at == member.clock.now() + 15 * MINUTE


def test_links_lead_to_the_dashboards_own_address() -> None:
    harness = AppHarness(dashboard_url="https://dashboard.example.com/")
    link = accepted(harness.app.members.link(SITE, OWNER)).link if add_member(harness.app) else ""
    assert link.startswith("https://dashboard.example.com/dashboard/sign-in/")


def test_a_flood_of_requests_leaves_the_mailed_links_valid(member: AppHarness) -> None:
    token = requested(member)
    for number in range(100):
        member.app.sign_in.request_link(OWNER, client(number))
    assert member.app.sign_in.use_link(token, DEVICE)


def test_the_operators_links_do_not_count(member: AppHarness) -> None:
    for number in range(9):
        member.app.sign_in.request_link(OWNER, client(number))
    assert member.app.sign_in.show_link(token_of(accepted(member.app.members.link(SITE, OWNER)).link))


def test_a_client_that_asked_for_thirty_links_gets_no_further_ones(member: AppHarness) -> None:
    requested(member)
    for _ in range(30):
        member.app.sign_in.request_link(STRANGER, CLIENT)
    member.deliver()
    member.app.sign_in.request_link(OWNER, CLIENT)
    assert links_to(member.app, OWNER) == []
    member.app.sign_in.request_link(OWNER, client(1))
    assert len(links_to(member.app, OWNER)) == 1


def test_limits_last_no_longer_if_the_clock_was_ahead(member: AppHarness) -> None:
    member.clock.advance(timedelta(days=30))
    for _ in range(5):
        requested(member)
    member.deliver()
    member.clock.advance(-timedelta(days=30))
    assert requested(member)


def test_a_session_ends_after_12_hours_without_use(member: AppHarness) -> None:
    session = signed_in_as(member.app)
    for _ in range(3):
        member.clock.advance(12 * HOUR - TICK)
        resumed(member.app, session)
    member.clock.advance(12 * HOUR)
    assert member.app.sign_in.resume(session.secret.text) is None


def test_a_session_ends_30_days_after_the_sign_in_however_it_is_used(member: AppHarness) -> None:
    session = signed_in_as(member.app)
    for _ in range(30 * 3 - 1):
        member.clock.advance(8 * HOUR)
        resumed(member.app, session)
    member.clock.advance(8 * HOUR)
    assert member.app.sign_in.resume(session.secret.text) is None


def test_the_use_of_a_session_is_stored_every_five_minutes(member: AppHarness) -> None:
    session, began = signed_in_as(member.app), member.clock.now()

    def seen_after(by: timedelta) -> timedelta:
        member.clock.advance(by)
        resumed(member.app, session)
        return resumed(member.app, session).session.last_seen_at - began

    assert [seen_after(each) for each in (4 * MINUTE, MINUTE, 4 * MINUTE, MINUTE)] == [
        timedelta(0),
        5 * MINUTE,
        5 * MINUTE,
        10 * MINUTE,
    ]


def test_each_sign_in_begins_a_session_with_a_secret_of_its_own_and_ends_the_browsers_last(member: AppHarness) -> None:
    first, other = signed_in_as(member.app), signed_in_as(member.app, device="another")
    second = member.app.sign_in.use_link(requested(member), DEVICE, first.secret.text)
    assert second is not None
    assert second.secret != first.secret
    assert member.app.sign_in.resume(first.secret.text) is None
    assert resumed(member.app, second).session.signed_in_at == member.clock.now()
    resumed(member.app, other)


def test_signing_out_ends_the_session_and_no_other(member: AppHarness) -> None:
    one, other = signed_in_as(member.app), signed_in_as(member.app)
    for secret in (one.secret.text, one.secret.text, "nonsense"):
        member.app.sign_in.sign_out(secret)
    assert member.app.sign_in.resume(one.secret.text) is None
    resumed(member.app, other)


def test_sessions_are_listed_and_each_can_be_ended(member: AppHarness) -> None:
    sessions = [signed_in_as(member.app, device=device) for device in ("a", "b")]
    member.clock.advance(MINUTE)
    own = resumed(member.app, sessions[0])
    listed = member.app.sign_in.list_sessions(own)
    assert {each.session.session_id for each in sessions} < {each.session_id for each in listed}
    assert member.app.sign_in.end_session(own, sessions[1].session.session_id)
    assert not member.app.sign_in.end_session(own, sessions[1].session.session_id)
    assert member.app.sign_in.resume(sessions[1].secret.text) is None
    remaining = member.app.sign_in.list_sessions(resumed(member.app, sessions[0]))
    assert sessions[1].session.session_id not in {each.session_id for each in remaining}


def test_another_members_session_cannot_be_ended(member: AppHarness) -> None:
    add_member(member.app, STAFF, role=Role.STAFF)
    own, other = signed_in_as(member.app, OWNER), signed_in_as(member.app, STAFF)
    assert not member.app.sign_in.end_session(resumed(member.app, own), other.session.session_id)
    resumed(member.app, other)


def test_a_new_device_is_told_of_and_a_known_one_is_not(harness: AppHarness) -> None:
    add_member(harness.app)

    def notices(device: str) -> int:
        signed_in_as(harness.app, device=device)
        return len(mails_to(harness.app, OWNER, NoticeKind.NEW_DEVICE))

    assert [notices(each) for each in ("phone", "phone", "laptop", "phone")] == [1, 1, 2, 2]
    values = dict(mails_to(harness.app, OWNER, NoticeKind.NEW_DEVICE)[1].values)
    assert values.pop("when").startswith("2026-03-02T12:00:00.")
    assert values == {"device": "laptop", "sessions_link": "http://127.0.0.1:8000/dashboard/sessions"}


def test_a_device_is_known_when_its_session_has_ended(harness: AppHarness) -> None:
    add_member(harness.app)
    harness.app.sign_in.sign_out(signed_in_as(harness.app).secret.text)
    harness.clock.advance(timedelta(days=89))
    harness.deliver()
    signed_in_as(harness.app)
    assert mails_to(harness.app, OWNER, NoticeKind.NEW_DEVICE) == []
    harness.clock.advance(timedelta(days=91))
    harness.deliver()
    signed_in_as(harness.app)
    assert len(mails_to(harness.app, OWNER, NoticeKind.NEW_DEVICE)) == 1


def test_a_device_is_described_on_one_short_line(member: AppHarness) -> None:
    new = signed_in_as(member.app, device="a\r\nBcc: b@example.com\x00\u202e " + "x" * 999)
    assert new.session.device.startswith("aBcc: b@example.com xx")
    assert len(new.session.device) == 300


@pytest.mark.parametrize(
    ("role", "minutes", "allowed"),
    [
        (Role.OWNER, 0, {Permission.ANY_MEMBER, Permission.OWNER, Permission.OWNER_SIGNED_IN_RECENTLY}),
        (Role.OWNER, 15, {Permission.ANY_MEMBER, Permission.OWNER}),
        (Role.STAFF, 0, {Permission.ANY_MEMBER}),
        (Role.STAFF, 15, {Permission.ANY_MEMBER}),
    ],
)
def test_roles_and_the_age_of_the_sign_in_decide_what_a_member_may_do(
    member: AppHarness, role: Role, minutes: int, allowed: set[Permission]
) -> None:
    add_member(member.app, "new@example.com", role=role)
    session = signed_in_as(member.app, "new@example.com")
    member.clock.advance(minutes * MINUTE)
    signed_in, now = resumed(member.app, session), member.clock.now()
    callers = {permission: signed_in.caller(SITE, permission, now) for permission in Permission}
    assert {permission for permission, caller in callers.items() if isinstance(caller, Caller)} == allowed
    refusals = {type(caller) for caller in callers.values() if not isinstance(caller, Caller)}
    assert refusals <= ({SignInTooOld} if role is Role.OWNER else {RoleRefused})
    assert signed_in.caller("nope", Permission.ANY_MEMBER, now) == ShopUnknown("nope")


def test_a_caller_acts_as_its_member(member: AppHarness) -> None:
    signed_in = resumed(member.app, signed_in_as(member.app))
    caller = signed_in.caller(SITE, Permission.OWNER, member.clock.now())
    assert isinstance(caller, Caller)
    assert caller == attrs.evolve(member.caller, member_id=signed_in.member.member_id, role=Role.OWNER)


def test_neither_a_link_nor_a_session_can_be_read_from_storage(member: AppHarness) -> None:
    token, session = requested(member), signed_in_as(member.app)
    shown = (repr(session), repr(session.secret), str(session.secret), repr(resumed(member.app, session)))
    assert not any(session.secret.text in each for each in shown)
    assert token not in repr(member.app.sign_in.show_link(token))
