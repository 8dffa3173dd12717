"""Key, shop and limit come before whatever a shop calls, in one order; who is trusted passes them by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeAlias

import pytest
from tests.core.usecases.harness import AppHarness, done, review_of
from tests.links import token_of
from tests.members import add_member, member_id_of

from reviewinvite_core import (
    OPERATOR,
    Actor,
    Application,
    Credential,
    Invalid,
    InvitationQuery,
    MerchantReviewQuery,
    NewMember,
    NewReply,
    OrderReport,
    Reason,
    Reported,
    ReviewDraft,
    Role,
    SecretKey,
    ShopChanges,
    SiteId,
    State,
    accepted,
)
from reviewinvite_core.application.units import unit_of
from reviewinvite_core.domain import permissions
from reviewinvite_core.domain.api_key import ENTROPY_BYTES
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.orders.report import report_order
from reviewinvite_core.values import (
    ActivityQuery,
    BadgeChanges,
    Bookmark,
    DayOfSnippets,
    DayOfViews,
    Domain,
    DomainUnknown,
    HideReason,
    InvitationPage,
    InvitationRecord,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    LimitReached,
    MerchantReviews,
    Permission,
    Problem,
    ReviewUnknown,
    Shop,
    ShopInactive,
    ShopUnknown,
)

SITE = "bakkerij-1"
UNKNOWN = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"
UNKNOWN_KEY = SecretKey.make(b"\x07" * ENTROPY_BYTES)
INVALID = Invalid(Problem.MALFORMED, "query")

Call: TypeAlias = Callable[[AppHarness, Actor | Credential], object]
"""A call of a shop, with what an unlimited one answers."""

CHANGES: dict[str, tuple[Call, object]] = {
    "report an order": (lambda harness, who: type(harness.app.orders.report(who, an_order_report())), Reported),
    "cancel": (lambda harness, who: harness.app.invitations.cancel(who, UNKNOWN), InvitationUnknown(UNKNOWN)),
    "reply": (lambda harness, who: harness.app.reviews.reply(who, UNKNOWN, NewReply(text="x")), ReviewUnknown(UNKNOWN)),
    "send now": (lambda harness, who: harness.app.invitations.send_now(who, UNKNOWN), InvitationUnknown(UNKNOWN)),
    "change the shop": (lambda harness, who: type(harness.app.shops.update(who, ShopChanges(language="en"))), Shop),
    "change the badge": (
        lambda harness, who: type(harness.app.badges.configure(who, BadgeChanges(size="small"))),
        Shop,
    ),
    "add a domain": (lambda harness, who: type(harness.app.domains.add(who, "example.nl")), Domain),
    "check a domain": (lambda harness, who: harness.app.domains.check(who, "no host"), DomainUnknown("no host")),
}
READS: dict[str, tuple[Call, object]] = {
    "list": (lambda harness, who: type(harness.app.invitations.list(who, InvitationQuery())), InvitationPage),
    "show": (lambda harness, who: harness.app.invitations.show(who, UNKNOWN), InvitationUnknown(UNKNOWN)),
    "list changes": (
        lambda harness, who: type(
            harness.app.reviews.list_changes(who, MerchantReviewQuery(after=Bookmark.since(EPOCH)))
        ),
        MerchantReviews,
    ),
    "show a review": (lambda harness, who: harness.app.reviews.show(who, UNKNOWN), ReviewUnknown(UNKNOWN)),
    "show the shop": (lambda harness, who: type(harness.app.shops.show(who)), Shop),
    "show views": (lambda harness, who: type(harness.app.badges.show_views(who)), DayOfViews),
    "show snippets": (lambda harness, who: type(harness.app.orders.show_snippets(who)), DayOfSnippets),
    "list domains": (lambda harness, who: harness.app.domains.list(who), []),
}
INVALID_CALLS: dict[str, Call] = {
    "report an order": lambda harness, who: harness.app.orders.report(who, INVALID),
    "cancel": lambda harness, who: harness.app.invitations.cancel(who, INVALID),
    "reply": lambda harness, who: harness.app.reviews.reply(who, UNKNOWN, INVALID),
    "list": lambda harness, who: harness.app.invitations.list(who, INVALID),
    "list changes": lambda harness, who: harness.app.reviews.list_changes(who, INVALID),
    "change the shop": lambda harness, who: harness.app.shops.update(who, INVALID),
    "change the badge": lambda harness, who: harness.app.badges.configure(who, INVALID),
    "add a domain": lambda harness, who: harness.app.domains.add(who, INVALID),
}
LIMITED: dict[str, Any] = {"orders_per_minute": 2, "reads_per_minute": 2}


def limit_reached(harness: AppHarness, answer: object) -> bool:
    """Return whether an answer, or its type, is that of a used-up limit."""
    return answer is LimitReached or isinstance(answer, LimitReached)


@pytest.mark.parametrize("call", [*CHANGES, *READS])
def test_an_unknown_key_is_refused_before_all_else(call: str) -> None:
    harness = AppHarness()
    answer = {**CHANGES, **READS}[call][0](harness, UNKNOWN_KEY)
    assert answer in (KeyRefused, KeyRefused(presented=True))


@pytest.mark.parametrize("call", CHANGES)
def test_an_inactive_shop_changes_nothing_with_a_key_or_without(call: str) -> None:
    harness = AppHarness(**LIMITED)
    harness.app.shops.update(SITE, ShopChanges(active=False))
    for _ in range(3):  # which takes nothing from the limit
        for who in (harness.key, harness.caller):
            assert CHANGES[call][0](harness, who) in (ShopInactive, ShopInactive())


@pytest.mark.parametrize("call", READS)
def test_an_inactive_shop_may_read_what_is_its_own(call: str) -> None:
    harness = AppHarness()
    harness.app.shops.update(SITE, ShopChanges(active=False))
    ask, expected = READS[call]
    assert ask(harness, harness.key) == ask(harness, harness.caller) == expected


@pytest.mark.parametrize("call", [*CHANGES, *READS])
def test_a_key_is_under_its_limit_and_a_caller_is_not(call: str) -> None:
    harness = AppHarness(**LIMITED)
    ask, expected = {**CHANGES, **READS}[call]
    assert [ask(harness, harness.key) for _ in range(2)] == [expected] * 2
    assert limit_reached(harness, ask(harness, harness.key))
    assert [ask(harness, harness.caller) for _ in range(5)] == [expected] * 5
    harness.clock.advance(timedelta(minutes=1))
    assert ask(harness, harness.key) == expected


@pytest.mark.parametrize("call", INVALID_CALLS)
def test_what_is_invalid_is_charged_and_then_refused(call: str) -> None:
    harness = AppHarness(**LIMITED)
    assert [INVALID_CALLS[call](harness, harness.key) for _ in range(2)] == [INVALID] * 2
    assert limit_reached(harness, INVALID_CALLS[call](harness, harness.key))
    assert INVALID_CALLS[call](harness, harness.caller) == INVALID


def test_orders_changes_and_reads_are_counted_separately() -> None:
    harness = AppHarness(orders_per_minute=1, reads_per_minute=1)
    for ask, expected in (CHANGES["report an order"], CHANGES["reply"], READS["list"]):
        assert ask(harness, harness.key) == expected
    assert limit_reached(harness, CHANGES["cancel"][0](harness, harness.key))  # a change like the reply
    assert limit_reached(harness, READS["list changes"][0](harness, harness.key))


def test_keys_and_callers_are_answered_in_one_batch() -> None:
    harness = AppHarness(orders_per_minute=1)
    harness.app.shops.add(a_shop("other"))
    other = harness.caller_of("other")
    harness.app.shops.update("other", ShopChanges(active=False))
    requests: list[tuple[Actor | Credential, OrderReport | Invalid]] = [
        (harness.key, an_order_report("a@example.com")),
        (UNKNOWN_KEY, an_order_report("b@example.com")),
        (harness.caller, an_order_report("c@example.com")),
        (other, an_order_report("d@example.com")),
        (harness.caller, INVALID),
        (harness.key, an_order_report("e@example.com")),
    ]
    units = [unit_of(harness.app, report_order, who, order) for who, order in requests]
    answers = [type(done(outcome)) for outcome in harness.storage.run_all(units)]
    assert answers == [Reported, KeyRefused, Reported, ShopInactive, Invalid, LimitReached]


def test_the_operator_acts_for_every_shop_and_a_shop_for_itself() -> None:
    harness = AppHarness(**LIMITED)
    harness.app.shops.add(a_shop("other"))
    other = harness.caller_of("other")
    invite_id = harness.report_due()
    invitations = harness.app.invitations
    for who in (OPERATOR, harness.caller):
        assert accepted(invitations.show(who, invite_id)).invitation.invite_id == invite_id
        assert [
            each.invitation.invite_id for each in accepted(invitations.list(who, InvitationQuery())).invitations
        ] == [invite_id]
    assert invitations.show(other, invite_id) == invitations.cancel(other, invite_id) == InvitationUnknown(invite_id)
    assert accepted(invitations.list(other, InvitationQuery())).invitations == []
    assert invitations.list(other, InvitationQuery(site_id=SITE)) == ShopUnknown(SITE)
    assert invitations.list(OPERATOR, InvitationQuery(site_id="none")) == ShopUnknown("none")
    assert len(accepted(invitations.list(harness.caller, InvitationQuery(site_id=SITE))).invitations) == 1
    harness.app.shops.update(SITE, ShopChanges(active=False))
    assert invitations.cancel(harness.caller, invite_id) == ShopInactive()
    cancelled = invitations.cancel(OPERATOR, invite_id)
    assert isinstance(cancelled, InvitationRecord)
    assert cancelled.invitation.state is State.CANCELLED
    assert [change.state for change in cancelled.history] == [State.SCHEDULED, State.CANCELLED]


def test_a_page_leads_to_the_next_for_the_operator_as_for_a_shop() -> None:
    harness = AppHarness()
    ids: list[str] = []
    for number in range(5):
        ids.insert(0, harness.report(f"c{number}@example.com", order_number=str(number)).invite_id)
        harness.clock.advance(timedelta(seconds=1))
    for who in (OPERATOR, harness.caller):
        seen: list[str] = []
        page = accepted(harness.app.invitations.list(who, InvitationQuery(limit=2)))
        seen += [each.invitation.invite_id for each in page.invitations]
        while page.next:
            page = accepted(harness.app.invitations.list(who, InvitationQuery(before=page.next, limit=2)))
            seen += [each.invitation.invite_id for each in page.invitations]
        assert seen == ids
        numbered = accepted(harness.app.invitations.list(who, InvitationQuery(order_number="3")))
        assert [each.invitation.order_number for each in numbered.invitations] == ["3"]
        assert accepted(harness.app.invitations.list(who, InvitationQuery(state=State.CANCELLED))).invitations == []


@pytest.mark.parametrize("text", ["", "nobody", "\0", UNKNOWN + "0"])
def test_a_place_that_is_no_id_is_invalid(text: str) -> None:
    with pytest.raises(Invalid, match="before: malformed"):
        InvitationQuery(before=text)


def test_a_caller_of_another_database_acts_for_no_shop() -> None:
    harness = AppHarness()
    stranger = Actor(shop_number=99, site_id=SiteId.parse("other"))
    assert harness.app.orders.report(stranger, an_order_report()) == ShopInactive()
    assert harness.app.orders.import_many(stranger, [an_order_report()]) == [ShopInactive()]
    assert harness.app.invitations.list(stranger, InvitationQuery()) == KeyRefused(presented=True)
    assert harness.app.shops.show(stranger) == KeyRefused(presented=True)


def test_a_caller_reaches_its_own_shop_only() -> None:
    harness = AppHarness()
    app = harness.app
    app.shops.add(a_shop("other"))
    other = harness.caller_of("other")
    invite_id = harness.report().invite_id
    own = accepted(app.api_keys.create(harness.caller, "own")).api_key
    app.domains.add(harness.caller, "example.nl")

    assert accepted(app.shops.show(other)).site_id == "other"
    assert app.api_keys.list(other) == app.domains.list(other) == []
    assert app.invitations.send_now(other, invite_id) == InvitationUnknown(invite_id)
    assert app.api_keys.revoke(own.key_id, other) == KeyUnknown(own.key_id)
    assert app.domains.check(other, "example.nl") == app.domains.remove(other, "example.nl")
    assert app.domains.remove(other, "example.nl") == DomainUnknown("example.nl")
    assert [key.revoked_at for key in accepted(app.api_keys.list(harness.caller))] == [None, None]
    assert accepted(app.invitations.send_now(harness.caller, invite_id)).reason is Reason.OPERATOR


def test_an_inactive_shop_may_still_close_what_it_opened() -> None:
    harness = AppHarness()
    app = harness.app
    key = accepted(app.api_keys.create(harness.caller, "")).api_key
    app.domains.add(harness.caller, "example.nl")
    app.shops.update(SITE, ShopChanges(active=False))
    assert app.api_keys.create(harness.caller, "") == ShopInactive()
    assert accepted(app.api_keys.revoke(key.key_id, harness.caller)).revoked_at is not None
    assert accepted(app.domains.remove(harness.caller, "example.nl")).host.text == "example.nl"
    assert app.domains.list(harness.caller) == []


@pytest.mark.parametrize("host", ["co.uk", "127.0.0.1"])
def test_a_host_that_cannot_be_added_is_refused_and_charged(host: str) -> None:
    harness = AppHarness(**LIMITED)
    for _ in range(2):
        assert isinstance(harness.app.domains.add(harness.key, host), Invalid)
    assert limit_reached(harness, harness.app.domains.add(harness.key, host))
    assert isinstance(harness.app.domains.add(harness.caller, host), Invalid)


def test_a_shop_sees_its_hidden_review_without_its_text() -> None:
    harness = AppHarness()
    invite_id = harness.report_due()
    harness.deliver()
    token = token_of(harness.app, invite_id, Purpose.REVIEW)
    review = review_of(harness.write_review(token, ReviewDraft(rating=1, text="Terrible")))
    harness.app.reviews.hide(review.review_id, HideReason.OTHER)
    assert accepted(harness.app.reviews.show(OPERATOR, review.review_id)).review.text == review.text
    assert accepted(harness.app.reviews.show(harness.caller, review.review_id)).review.text is None


ANNA, BERT = "anna@example.com", "bert@example.com"
UNKNOWN_ID = "0"
BY_HOLDER: Mapping[str, Callable[[Application, Actor], object]] = {
    "SEE_OVERVIEW": lambda app, key: app.shops.overview(key),
    "REPORT_ORDERS": lambda app, key: app.orders.report(key, an_order_report()),
    "SEE_INVITATIONS": lambda app, key: app.invitations.list(key, InvitationQuery()),
    "CANCEL_INVITATIONS": lambda app, key: app.invitations.cancel(key, UNKNOWN_ID),
    "SEND_INVITATIONS_NOW": lambda app, key: app.invitations.send_now(key, UNKNOWN_ID),
    "SEE_REVIEWS": lambda app, key: app.reviews.list_changes(key, MerchantReviewQuery(after=Bookmark.since(EPOCH))),
    "REPLY_TO_REVIEWS": lambda app, key: app.reviews.reply(key, UNKNOWN_ID, NewReply(text="Thank you")),
    "SEE_KEYS": lambda app, key: app.api_keys.list(key),
    "MAKE_KEYS": lambda app, key: app.api_keys.create(key, "one more"),
    "REVOKE_KEYS": lambda app, key: app.api_keys.revoke(key.key_id or "", key),
    "SEE_DOMAINS": lambda app, key: app.domains.list(key),
    "ADD_DOMAINS": lambda app, key: app.domains.add(key, "other.example.nl"),
    "CHECK_DOMAINS": lambda app, key: app.domains.check(key, "example.nl"),
    "REMOVE_DOMAINS": lambda app, key: app.domains.remove(key, "example.nl"),
    "SET_SNIPPET": lambda app, key: app.shops.update(key, ShopChanges(snippet="off")),
    "SEE_SNIPPET_SECRET": lambda app, key: app.shops.snippet_secret(key),
    "SET_BADGE": lambda app, key: app.badges.configure(key, BadgeChanges(theme="dark")),
    "SEE_SETTINGS": lambda app, key: app.shops.show(key),
    "CHANGE_SETTINGS": lambda app, key: app.shops.update(key, ShopChanges(language="en")),
    "CHANGE_NAME": lambda app, key: app.shops.update(key, ShopChanges(name="Mine")),
    "CHANGE_REPLY_TO": lambda app, key: app.shops.update(key, ShopChanges(reply_to="thief@example.com")),
    "SEE_MEMBERS": lambda app, key: app.members.list(key),
    "ADD_STAFF": lambda app, key: app.members.add(key, NewMember(email="thief@example.com")),
    "ADD_OWNERS": lambda app, key: app.members.add(key, NewMember(email="thief@example.com", role=Role.OWNER)),
    "CHANGE_ROLES": lambda app, key: app.members.set_role(key, member_id_of(app, BERT), Role.OWNER),
    "REMOVE_STAFF": lambda app, key: app.members.remove(key, member_id_of(app, BERT)),
    "REMOVE_OWNERS": lambda app, key: app.members.remove(key, member_id_of(app, ANNA)),
    "SEE_ACTIVITY": lambda app, key: app.members.list_activity(key, ActivityQuery()),
}
"""What the holder of a key does with each permission."""


def test_every_permission_is_tried_with_a_key() -> None:
    assert list(BY_HOLDER) == [name for name, value in vars(permissions).items() if isinstance(value, Permission)]


@pytest.mark.parametrize("name", BY_HOLDER)
def test_a_key_does_what_the_table_of_permissions_says(name: str) -> None:
    app = (harness := AppHarness()).app
    add_member(app, ANNA, role=Role.OWNER)
    add_member(app, BERT, role=Role.STAFF)
    app.domains.add(SITE, "example.nl")
    answer = BY_HOLDER[name](app, accepted(app.api_keys.authenticate(harness.key.text)))
    allowed: Permission = getattr(permissions, name)
    assert isinstance(answer, KeyRefused | Invalid) is not allowed.key


def test_no_key_deactivates_a_shop(harness: AppHarness) -> None:
    holder = accepted(harness.app.api_keys.authenticate(harness.key.text))
    assert isinstance(harness.app.shops.update(holder, ShopChanges(active=False)), Invalid)
