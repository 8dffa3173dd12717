"""What an installation answers, as JSON with names of its own, so that renamed fields change nothing in a record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from ipaddress import ip_address
from typing import Any, TypeAlias

from tests.data.contents import BIKES, MOLEN, NEW, TEA, Given
from tests.data.installation import Installation

from reviewinvite_core import (
    OPERATOR,
    Actor,
    Application,
    ClientAddress,
    InvitationQuery,
    MerchantReviewQuery,
    OrderReport,
    Reported,
    ReviewDraft,
    ReviewQuery,
    SecretKey,
    SiteId,
    SnippetReport,
    StatementRefused,
    accepted,
    verify_statement,
)
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.signing import jwk_set
from reviewinvite_core.values import (
    ApiKey,
    BadgeShown,
    Bookmark,
    Change,
    CountMode,
    Domain,
    Form,
    Invitation,
    InvitationRecord,
    LimitReached,
    Review,
    ReviewChange,
    ReviewLink,
    ReviewRecord,
    Shop,
    SigningKey,
    Statement,
    SuppressionRecord,
)

Json: TypeAlias = Any

ALL = 100_000
PAGE = 7
SHOPS = (MOLEN, TEA, BIKES, NEW)


def ask(installation: Installation, given: Given) -> Json:
    """Return all that the installation answers without changing anything."""
    app = installation.app
    keys = jwk_set(app.signing_keys.published())
    now = installation.clock.now()
    return {
        "shops": [_shop_with_its_own(app, shop) for shop in app.shops.list()],
        "keys": {label: _holder(app, text) for label, text in given.keys.items()},
        "invitations": {
            listed.invitation.invite_id: _record(accepted(app.invitations.show(OPERATOR, listed.invitation.invite_id)))
            for listed in accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=ALL))).invitations
        },
        "newestInvitations": _ids(accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=PAGE))).invitations),
        "invitationsOfShops": {site_id: _own_invitations(installation, site_id) for site_id in SHOPS},
        "reviews": {
            listed.review.review_id: _review_record(accepted(app.reviews.show(OPERATOR, listed.review.review_id)))
            for listed in accepted(app.reviews.list(ReviewQuery(limit=ALL)))
        },
        "reviewsOfShops": {site_id: _own_reviews(installation, site_id) for site_id in SHOPS},
        "pages": {site_id: _page(app, site_id) for site_id in SHOPS},
        "badges": {site_id: _badge(app, site_id) for site_id in SHOPS},
        "reviewLinks": {
            invite_id: _review_link(app.reviews.show_link(token)) for invite_id, token in given.review_tokens.items()
        },
        "unsubscribeLinks": {
            invite_id: _subscription(app, token) for invite_id, token in given.unsubscribe_tokens.items()
        },
        "suppressions": [_suppression(each) for each in app.privacy.list_suppressions(ALL)],
        "held": {address: _held(app, address) for address in given.addresses},
        "signingKeys": [_signing_key(key) for key in app.signing_keys.list()],
        "publishedKeys": json.loads(keys),
        "statements": {site_id: _statement(app, site_id, keys, now) for site_id in SHOPS},
        "earlierStatements": [_verified(verify_statement(each.encode(), keys, now=now)) for each in given.statements],
        "paused": app.delivery.paused(),
    }


def go_on(installation: Installation, given: Given) -> Json:
    """Let the installation work on, and return what came of it."""
    app = installation.app
    known = _ids(accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=ALL))).invitations)
    repeats = {
        "by number": OrderReport(email="sent@example.com", order_number="№ 1 / 2024"),
        "erased": OrderReport(email="erased-while-waiting@example.com", order_number="S-5"),
        "of a browser": OrderReport(email="by-snippet@example.com", order_number="1010"),
        "without a number": OrderReport(email="read-me-too@example.com"),
    }
    caller = installation.caller(MOLEN)
    repeated = {what: _reported(accepted(app.orders.report(caller, order))) for what, order in repeats.items()}
    sent_before = len(installation.mailer.sent)
    installation.deliver()
    key, client = SecretKey.parse(given.keys["web shop"]), ClientAddress.of(ip_address("192.0.2.7"))
    assert key is not None
    orders = [OrderReport(email="after@example.com", order_number=number) for number in ("2001", "2002", "2003")]
    by_key = [not isinstance(app.orders.report(key, order), LimitReached) for order in orders[:2]]
    origin, report = "https://www.molen.example.nl", SnippetReport(site_id=SiteId.parse(MOLEN), order=orders[2])
    by_snippet = [
        not isinstance(app.orders.report_from_snippet(client, origin, report), LimitReached) for _ in range(2)
    ]
    open_links = [
        invite_id
        for invite_id, token in given.review_tokens.items()
        if (link := app.reviews.show_link(token)) and link.state == "open"
    ]
    draft = ReviewDraft(rating=1, text="Later geschreven.", author="Cees")
    for invite_id in open_links:
        assert isinstance(app.reviews.write(given.review_tokens[invite_id], draft), ReviewLink)
    installation.proof.published = {"www.molen.example.nl"}
    rechecked = [(each.site_id, each.after.host.text) for each in app.domain_rechecker.once()]
    installation.wait(days=8)
    rechecked += [(each.site_id, each.after.host.text) for each in app.domain_rechecker.once()]
    installation.deliver()
    sent = installation.mailer.sent[sent_before:]
    return {
        "repeated": repeated,
        "sent": sorted([recipient, invite_id] for recipient, invite_id in sent if invite_id in known),
        "admittedByKey": by_key,
        "admittedBySnippet": by_snippet,
        "reviewed": open_links,
        "rechecked": rechecked,
        "domains": {
            site_id: [[each.host.text, each.status] for each in accepted(app.domains.list(site_id))]
            for site_id in SHOPS
        },
        "states": {
            invite_id: [each.invitation.state, each.invitation.reason]
            for invite_id in known
            for each in [accepted(app.invitations.show(OPERATOR, invite_id))]
        },
        "pages": {site_id: _counts(app, site_id) for site_id in SHOPS},
        "unmendedFigures": list(app.reviews.recount()),
    }


def _instant(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _shop(shop: Shop) -> Json:
    return {
        "siteId": shop.site_id.text,
        "name": shop.name,
        "language": shop.language,
        "delayMs": shop.delay_days.milliseconds,
        "active": shop.active,
        "replyTo": shop.reply_to,
        "trustMark": shop.trust_mark,
        "status": shop.status,
        "badge": {"theme": shop.badge.theme, "size": shop.badge.size, "language": shop.badge.language},
    }


def _shop_with_its_own(app: Application, shop: Shop) -> Json:
    site_id = shop.site_id.text
    views = accepted(app.badges.show_views(site_id))
    return {
        **_shop(shop),
        "keys": [_api_key(key) for key in accepted(app.api_keys.list(site_id))],
        "domains": [_domain(domain) for domain in accepted(app.domains.list(site_id))],
        "views": {"counted": views.counted, "limit": views.limit},
    }


def _api_key(key: ApiKey) -> Json:
    return {
        "keyId": key.key_id,
        "lastFour": key.last_four,
        "label": key.label,
        "createdAt": _instant(key.created_at),
        "revokedAt": _instant(key.revoked_at),
    }


def _domain(domain: Domain) -> Json:
    return {
        "host": domain.host.text,
        "proof": domain.proof,
        "standing": domain.status,
        "addedAt": _instant(domain.added_at),
        "verifiedAt": _instant(domain.verified_at),
        "checkedAt": _instant(domain.checked_at),
        "missingSince": _instant(domain.missing_since),
        "lostAt": _instant(domain.lost_at),
        "reason": domain.reason,
    }


def _holder(app: Application, text: str) -> Json:
    """Return whose key it is, or why it is refused."""
    answer = app.api_keys.authenticate(text)
    return answer.site_id.text if isinstance(answer, Actor) else "refused"


def _invitation(invitation: Invitation) -> Json:
    return {
        "inviteId": invitation.invite_id,
        "orderNumber": invitation.order_number,
        "language": invitation.language,
        "hasAddress": invitation.sealed_address is not None,
        "reportedAt": _instant(invitation.reported_at),
        "scheduledFor": _instant(invitation.scheduled_for),
        "dueAt": _instant(invitation.due_at),
        "state": invitation.state,
        "reason": invitation.reason,
        "changedAt": _instant(invitation.changed_at),
        "reply": invitation.reply,
        "attempts": invitation.attempts,
        "firstTriedAt": _instant(invitation.first_tried_at),
        "leaseUntil": _instant(invitation.claim.lease_until if invitation.claim else None),
        "bySnippet": invitation.provenance.source is Source.SNIPPET,
    }


def _change(change: Change) -> Json:
    return [change.state, change.reason, _instant(change.at), change.reply]


def _record(record: InvitationRecord) -> Json:
    return {
        **_invitation(record.invitation),
        "shop": record.shop.site_id.text,
        "history": [_change(each) for each in record.history],
    }


def _ids(records: Sequence[InvitationRecord]) -> list[str]:
    return [each.invitation.invite_id for each in records]


def _own_invitations(installation: Installation, site_id: str) -> Json:
    """Return a shop's invitations page by page, and those of one order number."""
    app, caller = installation.app, installation.caller(site_id)
    pages, before = [], None
    while True:
        page = accepted(app.invitations.list(caller, InvitationQuery(before=before, limit=PAGE)))
        pages.append(_ids(page.invitations))
        before = page.next
        if before is None:
            break
    numbered = accepted(app.invitations.list(caller, InvitationQuery(order_number="1001", limit=PAGE)))
    return {"pages": pages, "numbered 1001": _ids(numbered.invitations)}


def _review(review: Review) -> Json:
    return {
        "reviewId": review.review_id,
        "inviteId": review.invite_id,
        "rating": review.rating,
        "text": review.text,
        "author": review.author,
        "language": review.language,
        "writtenAt": _instant(review.written_at),
        "editedAt": _instant(review.edited_at),
        "changedAt": _instant(review.changed_at),
        "state": review.state,
        "hiddenFor": review.hidden_for,
        "reply": [review.reply.text, _instant(review.reply.replied_at)] if review.reply else None,
    }


def _review_change(change: ReviewChange) -> Json:
    return [change.act, change.state, _instant(change.at), change.hidden_for]


def _review_record(record: ReviewRecord) -> Json:
    return {
        **_review(record.review),
        "shop": record.shop.site_id.text,
        "orderNumber": record.order_number,
        "history": [_review_change(each) for each in record.history],
    }


def _own_reviews(installation: Installation, site_id: str) -> Json:
    """Return what changed of a shop's reviews as the shop sees it, page by page."""
    caller = installation.caller(site_id)
    pages, after, more = [], Bookmark.since(datetime.fromisoformat("2024-01-01T00:00:00+00:00")), True
    while more:
        asked = MerchantReviewQuery(after=after, limit=PAGE)
        page = accepted(installation.app.reviews.list_changes(caller, asked))
        pages.append([[each.review.review_id, each.review.text, each.order_number] for each in page.reviews])
        after, more = page.next, page.more
    return pages


def _page(app: Application, site_id: str) -> Json:
    """Return a shop's public page, and the pages after it."""
    pages: list[Json] = []
    before: Bookmark | None = None
    while True:
        shown = accepted(app.reviews.show_public(site_id, before))
        pages.append([each.review_id for each in shown.reviews])
        before = shown.next
        if before is None:
            break
    return {**_counts(app, site_id), "hosts": list(shown.hosts), "reviews": pages}


def _counts(app: Application, site_id: str) -> Json:
    shown = accepted(app.reviews.show_public(site_id, None))
    last = shown.last_12_months
    return {"ever": list(shown.all_time.counts), "last12Months": {"count": last.count, "mean": last.mean}}


def _badge(app: Application, site_id: str) -> Json:
    answer = app.badges.show(site_id, None, CountMode.DRY_RUN)
    if not isinstance(answer, BadgeShown):
        return {"hidden": answer.why}
    badge = answer.badge
    return {
        "name": badge.name,
        "hosts": list(badge.hosts),
        "status": badge.status,
        "mean": badge.score.mean,
        "look": [badge.theme, badge.size, badge.language],
    }


def _review_link(link: ReviewLink | None) -> Json:
    assert link is not None
    return {
        "shop": link.shop.site_id.text,
        "orderNumber": link.order_number,
        "language": link.language,
        "state": link.state,
        "review": link.review.review_id if link.review else None,
        "endsAt": _instant(link.ends_at),
        "inDoubt": link.in_doubt,
    }


def _subscription(app: Application, token: str) -> Json:
    subscription = app.privacy.show_subscription(token)
    assert subscription is not None
    return {
        "shopName": subscription.shop_name,
        "language": subscription.language,
        "stopped": subscription.stopped,
        "stoppedEverywhere": subscription.stopped_everywhere,
    }


def _suppression(record: SuppressionRecord) -> Json:
    return {
        "shop": record.shop.site_id.text if record.shop else None,
        "shortHash": record.suppression.short_hash,
        "by": record.suppression.by,
        "at": _instant(record.suppression.suppressed_at),
    }


def _held(app: Application, address: str) -> Json:
    """Return all that is held about an address."""
    held = app.privacy.export(address)
    return {
        "invitations": _ids(held.invitations),
        "reviews": [each.review.review_id for each in held.reviews],
        "suppressions": [_suppression(each) for each in held.suppressions],
    }


def _signing_key(key: SigningKey) -> Json:
    return {
        "keyId": key.key_id,
        "state": key.state,
        "announcedAt": _instant(key.announced_at),
        "signingSince": _instant(key.signing_since),
        "endedAt": _instant(key.ended_at),
    }


def _statement(app: Application, site_id: str, keys: bytes, now: datetime) -> Json:
    """Return what the published keys say of a shop's statement in both forms, which must be the same."""
    documents = [accepted(app.trust_marks.verify(site_id, form, CountMode.DRY_RUN)).document for form in Form]
    first, second = (_verified(verify_statement(each, keys, now=now, site_id=site_id)) for each in documents)
    assert first == second
    return first


def _verified(statement: Statement | StatementRefused) -> Json:
    """Return the claims of a statement, or the flaw for which it is refused."""
    return statement.claims if isinstance(statement, Statement) else {"flaw": statement.reason}


def _reported(reported: Reported) -> Json:
    return {"inviteId": reported.invite_id, "duplicate": reported.duplicate}
