"""The service as a library: shops, customers and visitors are calls in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from features.drivers.base import VISITOR, Driver
from features.drivers.library_browser import LibraryBrowser
from features.drivers.review_page import ReviewPage, review_page_of
from features.drivers.values import (
    Acknowledged,
    BrowserPage,
    DisplayedBadge,
    DisplayedReview,
    DisplayedScore,
    MerchantReview,
    Order,
    Rejected,
    ReportResult,
    Scheduled,
    ShopPage,
    SignedStatement,
)

from reviewinvite_core import (
    Invalid,
    InvitationQuery,
    MerchantReviewQuery,
    NewReply,
    OrderReport,
    Reported,
    ReviewDraft,
    SecretKey,
    ShopChanges,
    SiteId,
    SnippetReport,
    State,
    StorageUnavailable,
    accepted,
    values,
)
from reviewinvite_core.domain.signing import jwk_set
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.values import (
    BadgeHidden,
    BadgeLook,
    BadgeShown,
    Bookmark,
    CountMode,
    Domain,
    DomainCheck,
    DomainUnknown,
    Form,
    InvitationRecord,
    InvitationUnknown,
    KeyRefused,
    LimitReached,
    MerchantReviews,
    OriginForeign,
    Reach,
    Review,
    ReviewRecord,
    ReviewStateConflict,
    ReviewUnknown,
    Score,
    Shop,
    ShopInactive,
    ShopReviews,
    SignatureRefused,
    SignatureUnseen,
    SnippetOff,
    SnippetSignature,
    Subscription,
    TooLate,
    Verified,
)
from reviewinvite_core.wire.shape import json_name

T = TypeVar("T")


class LibraryDriver(Driver):
    """An installation that is used by calling it."""

    def new_browser(self, device: str) -> LibraryBrowser:
        return LibraryBrowser(device, lambda: self.app, self.clock)

    def report(self, order: Order, key: str) -> ReportResult:
        """Report an order, with the same checks in the same order as over HTTP."""
        secret = SecretKey.parse(key)
        try:
            answer = (
                self.app.orders.report(secret, _as_report(order)) if secret else self.app.api_keys.authenticate(key)
            )
        except StorageUnavailable:
            return Rejected(code="storage_unavailable")
        return _report_result(answer)

    def report_and_lose_response(self, order: Order, key: str) -> None:
        self.report(order, key)

    def report_embedded(self, shop: str, order: Order) -> ReportResult:
        """Report an order as a program that embeds the service and acts for the shop, without a key."""
        report = _as_report(order)
        assert isinstance(report, OrderReport)
        return _report_result(self.app.orders.report(accepted(self.app.shops.act_for(shop)), report))

    def report_from_page(self, page: BrowserPage, shop: str, order: Order) -> ReportResult:
        report = _as_report(order)
        signature = order.signature and SnippetSignature(
            value=order.signature, site_id=shop, email=order.email, order_number=order.number or ""
        )
        snippet = (
            report
            if isinstance(report, Invalid)
            else SnippetReport(site_id=SiteId(shop), order=report, signature=signature or None)
        )
        client = self.app.proxies.client(page.address)
        return _report_result(self.app.orders.report_from_snippet(client, page.origin, snippet))

    def view_badge(self, shop: str, page: str | None, address: str = VISITOR) -> DisplayedBadge | None:
        answer = self.app.badges.show(shop, page, CountMode.COUNT, self.app.proxies.client(address))
        assert isinstance(answer, BadgeShown | BadgeHidden)
        return DisplayedBadge(answer.badge.status) if isinstance(answer, BadgeShown) else None

    def open_shop_page(self, shop: str, after: str | None = None) -> ShopPage | None:
        found = self.app.reviews.show_public(shop, Bookmark.parse(after) if after else None)
        if not isinstance(found, ShopReviews):
            return None
        return ShopPage(
            name=found.shop.name,
            mark=found.shop.status,
            recent=_displayed_score(found.last_12_months),
            verified=found.last_12_months.confirmed if found.last_12_months.count else None,
            all_time=_displayed_score(found.all_time.score),
            by_rating=found.all_time.counts,
            reviews=tuple(_displayed_review(each) for each in found.reviews),
            shares=(found.shares.cancelled, found.shares.members, found.shares.website_cancelled),
            older=found.next.text if found.next else None,
        )

    def fetch_statement(self, shop: str, address: str = VISITOR) -> SignedStatement | Rejected:
        answer = self.app.trust_marks.verify(shop, Form.JSON, CountMode.COUNT, self.app.proxies.client(address))
        match answer:
            case Verified():
                return SignedStatement(answer.document, json.loads(answer.document)["statement"])
            case LimitReached():
                return Rejected(code="limit_reached", wait_seconds=answer.retry_after_seconds)
            case _:
                return Rejected(code="shop_unknown")

    def public_keys(self) -> bytes:
        return jwk_set(self.app.signing_keys.published())

    def open_opt_out_page(self, token: str) -> Subscription | None:
        return self.app.privacy.show_subscription(token)

    def opt_out(self, token: str, reach: Reach) -> Subscription | None:
        return self.app.privacy.unsubscribe(token, reach)

    def resubscribe(self, token: str) -> Subscription | None:
        return self.app.privacy.resubscribe(token)

    def open_review_page(self, token: str) -> ReviewPage | None:
        self.app.reviews.note_opened(token)
        return review_page_of(self.app.reviews.show_link(token))

    def write_review(self, token: str, rating: int | None, text: str, author: str) -> ReviewPage | Rejected | None:
        try:
            return review_page_of(self.app.reviews.write(token, ReviewDraft(rating=rating, text=text, author=author)))
        except Invalid as invalid:
            return Rejected(code=invalid.problem.value, field=_in_json(invalid.field))

    def withdraw_review(self, token: str) -> ReviewPage | None:
        return review_page_of(self.app.reviews.withdraw(token))

    def read_reviews(self, key: str) -> Sequence[MerchantReview] | Rejected:
        answer = self.app.reviews.list_changes(_secret(key), MerchantReviewQuery(after=Bookmark.since(EPOCH)))
        return (
            [_merchant_review(each) for each in answer.reviews]
            if isinstance(answer, MerchantReviews)
            else _rejected(answer)
        )

    def reply(self, key: str, review_id: str, text: str) -> Rejected | None:
        answer = self.app.reviews.reply(_secret(key), review_id, NewReply(text=text))
        return None if isinstance(answer, ReviewRecord) else _rejected(answer)

    def cancel(self, key: str, invite_id: str) -> Rejected | None:
        answer = self.app.invitations.cancel(_secret(key), invite_id)
        return None if isinstance(answer, InvitationRecord) else _rejected(answer)

    def order_numbers_in(self, key: str, state: str) -> Sequence[str | None]:
        page = accepted(self.app.invitations.list(_secret(key), InvitationQuery(state=State(state))))
        return [each.invitation.order_number for each in page.invitations]

    def change_settings(self, key: str, **settings: object) -> Rejected | None:
        names = {"delayDays": "delay_days", "replyTo": "reply_to"}
        changes = _made(ShopChanges, **{names.get(name, name): value for name, value in settings.items()})
        return _refusal(self.app.shops.update(_secret(key), changes))

    def set_badge(self, key: str, theme: str, size: str) -> Rejected | None:
        return _refusal(self.app.badges.configure(_secret(key), _made(BadgeLook, theme=theme, size=size)))

    def add_domain(self, key: str, host: str) -> Rejected | None:
        return _refusal(self.app.domains.add(_secret(key), host))

    def check_domain(self, key: str, host: str) -> Rejected | None:
        return _refusal(self.app.domains.check(_secret(key), host))


def _made(of: Callable[..., T], **values: object) -> T | Invalid:
    """Return what these values make, or what is wrong with them."""
    try:
        return of(**values)
    except Invalid as invalid:
        return invalid


def _in_json(field: str | None) -> str | None:
    """Return the name by which the scenarios call a field, which is that of the HTTP API."""
    return field and json_name(field)


def _refusal(answer: object) -> Rejected | None:
    """Return why a change of a shop was rejected, or None if it was not."""
    if isinstance(answer, Shop | Domain | DomainCheck):
        return None
    return Rejected(code=answer.problem) if isinstance(answer, Invalid) else _rejected(answer)


def _displayed_score(score: Score) -> DisplayedScore | None:
    return DisplayedScore(mean=score.mean, count=score.count) if score.mean else None


def _displayed_review(review: Review) -> DisplayedReview:
    assert review.rating is not None
    return DisplayedReview(
        rating=review.rating,
        text=review.text,
        author=review.author,
        day=review.written_at.date().isoformat(),
        is_verified=review.confirmed,
        reply=review.reply.text if review.reply else None,
    )


def _as_report(order: Order) -> OrderReport | Invalid:
    try:
        return OrderReport(
            email=order.email, order_number=order.number, language=order.language, delay_days=order.delay_days
        )
    except Invalid as invalid:
        return invalid


def _secret(key: str) -> SecretKey:
    secret = SecretKey.parse(key)
    assert secret is not None
    return secret


def _merchant_review(record: ReviewRecord) -> MerchantReview:
    one = record.review
    return MerchantReview(
        order_number=record.order_number,
        state=one.state,
        rating=one.rating,
        text=one.text,
        author=one.author,
        reply=one.reply.text if one.reply else None,
    )


def _rejected(answer: object) -> Rejected:
    """Why a shop's own reviews and invitations are not told, answered or withdrawn."""
    codes: dict[type, str] = {
        SignatureUnseen: "signature_unseen",
        ReviewUnknown: "review_unknown",
        InvitationUnknown: "invitation_unknown",
    }
    codes |= {ReviewStateConflict: "review_stands", TooLate: "too_late", DomainUnknown: "domain_unknown"}

    return Rejected(code=codes[type(answer)])


def _report_result(answer: object) -> ReportResult:
    match answer:
        case values.Acknowledged():
            return Acknowledged()
        case OriginForeign():
            return Rejected(code="origin_refused")
        case SnippetOff():
            return Rejected(code="snippet_off")
        case SignatureRefused():
            return Rejected(code="signature_refused")
        case Reported():
            return Scheduled(invite_id=answer.invite_id, scheduled_for=answer.scheduled_for, duplicate=answer.duplicate)
        case KeyRefused():
            return Rejected(code="key_invalid" if answer.presented else "key_missing")
        case ShopInactive():
            return Rejected(code="shop_inactive")
        case LimitReached():
            return Rejected(code="limit_reached", wait_seconds=answer.retry_after_seconds)
        case Invalid(problem, field):
            return Rejected(code=problem.value, field=_in_json(field))
    message = f"unexpected result of a report: {answer!r}"
    raise AssertionError(message)
