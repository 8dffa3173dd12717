"""Signing in by links, sessions and what a signed-in member may do."""

from __future__ import annotations

from datetime import timedelta

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
)

from reviewinvite_core import Actor, Language, Role, accepted
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.values import Permission

MINUTE, HOUR, TICK = timedelta(minutes=1), timedelta(hours=1), timedelta(microseconds=1)


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


def test_the_secrets_of_links_and_sessions_are_not_each_others(member: AppHarness) -> None:
    token, session = requested(member), signed_in_as(member.app)
    assert member.app.sign_in.resume(token) is None
    assert member.app.sign_in.use_link(session.secret.text, DEVICE) is None


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


def test_limits_last_no_longer_if_the_clock_was_ahead(member: AppHarness) -> None:
    member.clock.advance(timedelta(days=30))
    for _ in range(5):
        requested(member)
    member.deliver()
    member.clock.advance(-timedelta(days=30))
    assert requested(member)


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


BY_STAFF, BY_OWNER, BY_RECENT_OWNER = (
    Permission(Role.STAFF),
    Permission(Role.OWNER),
    Permission(Role.OWNER, recent=True),
)


def test_a_caller_acts_as_its_member(member: AppHarness) -> None:
    signed_in = resumed(member.app, signed_in_as(member.app))
    caller = signed_in.actor(SITE, Permission(Role.OWNER), member.clock.now())
    assert isinstance(caller, Actor)
    assert caller == attrs.evolve(member.caller, member_id=signed_in.member.member_id, role=Role.OWNER)


def test_neither_a_link_nor_a_session_can_be_read_from_storage(member: AppHarness) -> None:
    token, session = requested(member), signed_in_as(member.app)
    shown = (repr(session), repr(session.secret), str(session.secret), repr(resumed(member.app, session)))
    assert not any(session.secret.text in each for each in shown)
    assert token not in repr(member.app.sign_in.show_link(token))
