"""Of two people who change the same thing, the second is refused, and nothing of the first is lost. Spec: §10.4."""

from __future__ import annotations

from tests.core.usecases.harness import AppHarness, review_of
from tests.links import token_of
from tests.members import add_member, member_id_of

from reviewinvite_core import NewReply, ReviewDraft, Role, ShopChanges, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.values import BadgeChanges, ChangedMeanwhile, MemberUnknown

SITE = "bakkerij-1"


def test_settings_that_were_changed_meanwhile_stay(harness: AppHarness) -> None:
    seen = accepted(harness.app.shops.show(SITE))
    accepted(harness.app.shops.update(SITE, ShopChanges(delay_days=9, language="en"), seen))
    assert harness.app.shops.update(SITE, ShopChanges(delay_days=1, frequency_days=7), seen) == ChangedMeanwhile()
    accepted(harness.app.shops.update(SITE, ShopChanges(frequency_days=7, name="Zon"), seen))
    shop = accepted(harness.app.shops.show(SITE))
    assert (shop.delay_days.days, shop.language, shop.frequency_days, shop.name) == (9, "en", 7, "Zon")
    accepted(harness.app.shops.update(SITE, ShopChanges(delay_days=1)))


def test_a_badge_that_was_changed_meanwhile_stays(harness: AppHarness) -> None:
    seen = accepted(harness.app.shops.show(SITE)).badge
    accepted(harness.app.badges.configure(SITE, BadgeChanges(theme="dark"), seen))
    assert harness.app.badges.configure(SITE, BadgeChanges(theme="light"), seen) == ChangedMeanwhile()
    assert accepted(harness.app.shops.show(SITE)).badge.theme == "dark"


def test_a_reply_that_was_changed_meanwhile_stays(harness: AppHarness) -> None:
    invite_id = harness.report_due()
    harness.deliver()
    token = token_of(harness.app, invite_id, Purpose.REVIEW)
    seen = review_of(harness.write_review(token, ReviewDraft(rating=4)))
    reply = harness.app.reviews.reply
    first = accepted(reply(harness.caller, seen.review_id, NewReply(text="Dank!"), seen)).review
    assert reply(harness.caller, seen.review_id, NewReply(text="Bedankt!"), seen) == ChangedMeanwhile()
    assert reply(harness.caller, seen.review_id, NewReply(text=""), seen) == ChangedMeanwhile()
    second = accepted(reply(harness.caller, seen.review_id, NewReply(text="Bedankt!"), first)).review
    assert second.reply is not None
    assert second.reply.text == "Bedankt!"


def test_a_member_whose_role_was_changed_meanwhile_stays_so(harness: AppHarness) -> None:
    members = harness.app.members
    add_member(harness.app, "anna@example.com", role=Role.OWNER)
    add_member(harness.app, "bert@example.com", role=Role.STAFF)
    bert = member_id_of(harness.app, "bert@example.com")
    accepted(members.set_role(SITE, bert, Role.OWNER, Role.STAFF))
    for role in Role:
        assert members.set_role(SITE, bert, role, Role.STAFF) == ChangedMeanwhile()
    assert members.remove(SITE, bert, Role.STAFF) == ChangedMeanwhile()
    assert [each.role for each in accepted(members.list(SITE))] == [Role.OWNER, Role.OWNER]
    accepted(members.remove(SITE, bert, Role.OWNER))
    assert members.set_role(SITE, bert, Role.STAFF, Role.OWNER) == MemberUnknown()
