"""Every change of a shop is in its activity log, with who made it; what customers do is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import attrs
from tests.core.usecases.harness import AppHarness, review_of
from tests.links import token_of
from tests.members import OWNER, SITE, add_member, mails_to, resumed, signed_in_as

from reviewinvite_core import OPERATOR, Actor, NewReply, ReviewDraft, Role, ShopChanges, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.values import Action, ActivityQuery, ActorKind, ActorRef, HideReason, Permission


def log_of(harness: AppHarness) -> list[tuple[Action, ActorRef, str]]:
    """Return the shop's activity log, the oldest entry first."""
    entries = accepted(harness.app.members.list_activity(SITE, ActivityQuery())).entries
    return [(each.action, each.actor, each.subject) for each in reversed(entries)]


def member_of(harness: AppHarness) -> Actor:
    """Add an owner and return the right of that person to act for the shop."""
    add_member(harness.app)
    caller = resumed(harness.app, signed_in_as(harness.app)).actor(SITE, Permission(Role.OWNER), harness.clock.now())
    assert isinstance(caller, Actor)
    return caller


def test_changes_of_one_instant_are_listed_in_their_order_across_pages(concurrent_harness: AppHarness) -> None:
    app, languages = concurrent_harness.app, ("en", "nl")
    for number in range(12):  # some write two entries
        accepted(app.shops.update(SITE, ShopChanges(language=languages[number % 2], name=f"De Molen {number // 3}")))
        accepted(app.domains.add(SITE, f"shop{number}.example.nl"))
    listed: list[tuple[Action, str]] = []
    query = ActivityQuery(limit=5)
    while True:
        page = accepted(app.members.list_activity(SITE, query))
        listed += [(each.action, each.subject) for each in page.entries]
        if page.next is None:
            break
        query = attrs.evolve(query, after=page.next)
    made: list[tuple[Action, str]] = []
    for number in range(12):
        made += [(Action.SHOP_RENAMED, f"De Molen {number // 3}")] if number % 3 == 0 else []
        before, after = languages[(number + 1) % 2], languages[number % 2]
        made += [(Action.SHOP_SETTINGS_CHANGED, f"language={before}:{after}")]
        made += [(Action.DOMAIN_ADDED, f"shop{number}.example.nl")]
    assert listed == made[::-1]


def test_a_key_is_recorded_by_its_label_and_the_owners_are_notified(harness: AppHarness) -> None:
    member = member_of(harness)
    harness.clock.advance(timedelta(seconds=1))
    made = accepted(harness.app.api_keys.create(member, "web shop"))
    harness.clock.advance(timedelta(seconds=1))
    for _ in range(2):
        accepted(harness.app.api_keys.revoke(made.api_key.key_id))
    shown = f"web shop …{made.api_key.last_four}"
    assert log_of(harness)[1:] == [
        (Action.KEY_CREATED, ActorRef(ActorKind.MEMBER, member.member_id), shown),
        (Action.KEY_REVOKED, ActorRef(ActorKind.OPERATOR), shown),
    ]
    (notice,) = mails_to(harness.app, OWNER, NoticeKind.KEY_CREATED)
    assert (notice.values["label"], notice.values["last_four"]) == ("web shop", made.api_key.last_four)
    assert (notice.values["by"], notice.values["link"]) == (
        OWNER,
        f"http://127.0.0.1:8000/dashboard/{SITE}/integrations",
    )
    assert made.secret.text not in str(notice.values)


def test_the_owners_are_notified_of_another_address_for_replies(harness: AppHarness) -> None:
    member = member_of(harness)
    for _ in range(2):
        accepted(harness.app.shops.update(member, ShopChanges(reply_to="shop@example.com")))
    (notice,) = mails_to(harness.app, OWNER, NoticeKind.REPLY_TO_CHANGED)
    assert notice.values["by"] == OWNER
    accepted(harness.app.shops.update(SITE, ShopChanges(reply_to="")))
    assert len(mails_to(harness.app, OWNER, NoticeKind.REPLY_TO_CHANGED)) == 2


def test_a_reply_and_the_operators_word_about_a_review_are_recorded(harness: AppHarness) -> None:
    invite_id = harness.report_due()
    harness.deliver()
    review = review_of(
        harness.write_review(token_of(harness.app, invite_id, Purpose.REVIEW), ReviewDraft(rating=2, text="Mwah."))
    )
    assert log_of(harness) == []  # an order, a delivery and a review are no acts of the shop
    acts: list[Callable[[], object]] = [
        lambda: harness.app.reviews.reply(harness.caller, review.review_id, NewReply(text="Dank u!")),
        lambda: harness.app.reviews.hide(review.review_id, HideReason.SPAM),
        lambda: harness.app.reviews.show_again(review.review_id),
    ]
    for act in acts:
        for _ in range(2):
            accepted(act())
        harness.clock.advance(timedelta(seconds=1))
    operator = ActorRef(ActorKind.OPERATOR)
    actions = (Action.REVIEW_REPLIED, Action.REVIEW_HIDDEN, Action.REVIEW_SHOWN)
    assert log_of(harness) == [(action, operator, review.review_id) for action in actions]


def test_an_invitation_that_is_sent_early_or_cancelled_is_recorded(harness: AppHarness) -> None:
    sooner, never = (harness.report(f"{name}@example.com", delay_days=5).invite_id for name in ("a", "b"))
    for _ in range(2):
        accepted(harness.app.invitations.send_now(harness.caller, sooner))
        harness.clock.advance(timedelta(seconds=1))
        accepted(harness.app.invitations.cancel(OPERATOR, never))
    operator = ActorRef(ActorKind.OPERATOR)
    assert log_of(harness) == [
        (Action.INVITATION_SENT_NOW, operator, sooner),
        (Action.INVITATION_CANCELLED, operator, never),
    ]


def test_the_trust_mark_is_recorded_as_the_operators(harness: AppHarness) -> None:
    for _ in range(2):
        accepted(harness.app.trust_marks.grant(SITE))
    harness.clock.advance(timedelta(seconds=1))
    accepted(harness.app.trust_marks.revoke(SITE))
    operator = ActorRef(ActorKind.OPERATOR)
    assert log_of(harness) == [(Action.TRUST_MARK_GRANTED, operator, ""), (Action.TRUST_MARK_REVOKED, operator, "")]
