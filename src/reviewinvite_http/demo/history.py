"""Live through the year before the demo: the same use cases as ever, at the times when they would have run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import attrs

from reviewinvite_core import (
    OPERATOR,
    Application,
    Caller,
    Language,
    NewMember,
    NewReply,
    NewShop,
    OrderReport,
    ReviewDraft,
    Role,
    Settings,
    accepted,
    build,
)
from reviewinvite_core.values import AddedMember, HideReason, Reach, ReviewLink
from reviewinvite_http.demo.hosts import SHOP_HOST
from reviewinvite_http.demo.inbox import Inbox
from reviewinvite_http.demo.past import CANCELLED, OPTED_OUT, ORDERS, PastOrder, PastReview

SITE_ID = "bakkerij-de-molen"
OWNER = "owner@example.com"
COLLEAGUE = "colleague@example.com"
"""The addresses of the shop's two members."""

SHOP = NewShop(site_id=SITE_ID, name="Bakkerij De Molen", language="en", delay=0)
NEW_SHOP = NewShop(site_id="lunchroom-de-molen", name="Lunchroom De Molen", language="en")
"""The owner's second shop, added when the demo begins: nothing in it is set up."""

REPORTED_NUMBER = "2026-0193"
"""The number of the order that the command reports when the past is over."""

_WAITING_DAYS = (2, 4, 5)  # delays of the orders whose invitations are still to come
FIRST_FREE_NUMBER = 194 + len(_WAITING_DAYS)
_STEP = timedelta(hours=3)
_PAGE = f"https://{SHOP_HOST}/"
_VIEWS_TODAY = 37


@attrs.define
class PastClock:
    """A clock that shows what the demo's past has reached. Implements `ports.Clock`."""

    at: datetime

    def now(self) -> datetime:
        """Return the instant it was set to."""
        return self.at


def live_through(settings: Settings, outbox: Path, now: datetime) -> None:
    """Add the demo's shops, one with a verified host and a past up to `now`; then the database is ready for `build`.

    Raises: as `build`; `Refused` never, as the past is made up to be accepted.
    """
    clock = PastClock(now - timedelta(days=364))
    app = build(settings, clock=clock)
    try:
        accepted(app.shops.add(SHOP))
        accepted(app.domains.add(SITE_ID, SHOP_HOST, assume_verified=True))
        accepted(app.trust_marks.grant(SITE_ID))
        owner = _add_owner(app, SITE_ID)
        accepted(app.members.add(SITE_ID, NewMember(email=COLLEAGUE, role=Role.STAFF, language=Language.EN)))
        app.badges.show(SITE_ID, _PAGE)
        caller = attrs.evolve(accepted(app.shops.act_for(SITE_ID)), member_id=owner.member.member_id)
        past = _Past(app, Inbox(outbox), caller, clock)
        past.run(now)
        for _ in range(_VIEWS_TODAY):
            app.badges.show(SITE_ID, _PAGE)
        accepted(app.shops.add(NEW_SHOP))
        _add_owner(app, NEW_SHOP.site_id)
    finally:
        app.close()


def _add_owner(app: Application, site_id: str) -> AddedMember:
    return accepted(app.members.add(site_id, NewMember(email=OWNER, role=Role.OWNER, language=Language.EN)))


@attrs.frozen
class _Past:
    """What happened, as events in the order of their time."""

    _app: Application
    _inbox: Inbox
    _caller: Caller
    _clock: PastClock
    _invitations: dict[str, str] = attrs.field(factory=dict)  # ids, by order number
    _reviews: dict[str, str] = attrs.field(factory=dict)

    def run(self, now: datetime) -> None:
        """Let everything happen that did before `now`."""
        numbered = enumerate(ORDERS, 193 - len(ORDERS))
        events = [event for number, order in numbered for event in self._events(order, f"2026-{number:04}", now)]
        for at, happen in sorted(events, key=lambda event: event[0]):
            self._clock.at = at
            happen()
        self._clock.at = now
        for nth, days in enumerate(_WAITING_DAYS, 194):
            self._report(f"2026-{nth:04}", "customer@example.com", days)

    def _events(self, order: PastOrder, number: str, now: datetime) -> Iterator[tuple[datetime, Callable[[], object]]]:
        """Return what happened to an order, each with its time."""
        at = now - timedelta(days=order.days_ago) - _STEP * (int(number[-2:]) % 3)
        yield at, lambda: self._order(number, order)
        review = order.review
        if review is None:
            return
        written = at + timedelta(days=review.after_days, minutes=47)
        yield written, lambda: self._write(number, order, review, review.text)
        if review.reply is not None:
            yield written + _STEP, lambda: self._reply(number, review.reply)
        if review.edited is not None:
            yield written + 8 * _STEP, lambda: self._write(number, order, review, review.edited)
        if review.hidden_for is not None:
            yield written + 4 * _STEP, lambda: self._hide(number, review)
        if review.is_withdrawn:
            yield written + 8 * _STEP, lambda: self._app.reviews.withdraw(self._token(number))

    def _order(self, number: str, order: PastOrder) -> None:
        invite_id = self._report(number, order.email, 0, order.language)
        if order.name == CANCELLED:
            accepted(self._app.invitations.cancel(OPERATOR, invite_id))
        sent = self._app.delivery.once()
        if order.name == OPTED_OUT and sent:
            self._app.privacy.unsubscribe(self._token(number, "u"), Reach.THIS_SHOP)

    def _report(self, number: str, email: str, delay_days: float, language: Language | None = None) -> str:
        order = OrderReport(email=email, order_number=number, delay=delay_days, language=language)
        invite_id = accepted(self._app.orders.report(self._caller, order)).invite_id
        self._invitations[number] = invite_id
        return invite_id

    def _token(self, number: str, kind: str = "r") -> str:
        """Return the token of a link in the order's invitation."""
        mail = self._inbox.of_invitation(self._invitations[number])
        return mail.token(kind) if mail else ""

    def _write(self, number: str, order: PastOrder, review: PastReview, text: str | None) -> None:
        author = None if review.is_anonymous else order.name
        draft = ReviewDraft(rating=review.rating, text=text, author=author, language=review.language)
        link = self._app.reviews.write(self._token(number), draft)
        assert isinstance(link, ReviewLink), f"the review of order {number} was refused"  # noqa: S101 - a bug of ours
        if link.review:
            self._reviews[number] = link.review.review_id

    def _reply(self, number: str, text: str | None) -> None:
        accepted(self._app.reviews.reply(self._caller, self._reviews[number], NewReply(text=text)))

    def _hide(self, number: str, review: PastReview) -> None:
        accepted(self._app.reviews.hide(self._reviews[number], review.hidden_for or HideReason.OTHER))
