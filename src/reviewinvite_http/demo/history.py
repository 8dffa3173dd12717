"""Live through the year before the demo: the same use cases as ever, at the times when they would have run.

The orders of the last eight weeks are here, with what customers and the shop wrote about them; those before are in
`earlier.csv`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

import attrs

from reviewinvite_core import (
    OPERATOR,
    Actor,
    Application,
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


@attrs.frozen(kw_only=True)
class PastReview:
    """What a customer wrote, some days after the invitation, and what became of it."""

    rating: int
    text: str | None = None
    after_days: int = 1
    language: Language = Language.EN
    is_anonymous: bool = False
    reply: str | None = None
    edited: str | None = None
    hidden_for: HideReason | None = None
    is_withdrawn: bool = False


@attrs.frozen
class PastOrder:
    """An order by a customer with this first name; without a review, the customer never answered the invitation."""

    days_ago: int
    name: str
    review: PastReview | None = None

    @property
    def email(self) -> str:
        """The customer's address, in a domain that is reserved for examples."""
        return f"{self.name.lower()}@example.com"

    @property
    def language(self) -> Language | None:
        """The language in which the customer ordered; None for that of the shop."""
        return self.review.language if self.review else None


OPTED_OUT = "Kees"
"""A customer who unsubscribed after the first invitation, so the second order is not invited."""

CANCELLED = "Wout"
"""A customer whose invitation the shop cancelled."""

_NL = Language.NL

_LATEST: Sequence[PastOrder] = (
    PastOrder(
        57, "Anna", PastReview(rating=5, text="Great bread, and it was still warm. The crust is exactly as promised.")
    ),
    PastOrder(56, "Bram", PastReview(rating=4, text="Good rye. Delivered a little later than the hour I had chosen.")),
    PastOrder(55, "Kees"),
    PastOrder(54, "Femke", PastReview(rating=5, text="Snel geleverd. Lekker brood!", language=_NL)),
    PastOrder(52, "Joris"),
    PastOrder(
        51,
        "Sofie",
        PastReview(
            rating=2,
            text="Two of the six rolls were missing from the box.",
            reply="You are right, Sofie, and we are sorry. The two rolls are on their way, with a loaf from us.",
        ),
    ),
    PastOrder(50, "Daan", PastReview(rating=5)),
    PastOrder(48, "Lotte", PastReview(rating=5, text="The apple tart was gone before the coffee was ready.")),
    PastOrder(46, "Ruben"),
    PastOrder(45, "Noor", PastReview(rating=4, text="Prima desem, iets te donker naar mijn smaak.", language=_NL)),
    PastOrder(44, "Tess"),
    PastOrder(
        42,
        "Milan",
        PastReview(
            rating=3,
            text="The loaf was fine. The box was wet on one side.",
            after_days=2,
            edited="The loaf was fine, the box was wet on one side. They sent another the next morning.",
            reply="Thank you for telling us. We have changed to a coated box.",
        ),
    ),
    PastOrder(41, "Eva", PastReview(rating=5, text="My order every Saturday. Never once disappointed.")),
    PastOrder(39, "Joost"),
    PastOrder(38, "Yara", PastReview(rating=5, text="Best croissants in town, even by post.", is_anonymous=True)),
    PastOrder(36, "Sem"),
    PastOrder(35, "Fleur", PastReview(rating=4, text="Lovely packaging. I would have liked a choice of slices.")),
    PastOrder(33, "Thijs", PastReview(rating=5, after_days=3)),
    PastOrder(
        32,
        "Roos",
        PastReview(
            rating=1,
            text="The courier left it with the neighbours at 14 Mill Lane, second floor, and told nobody.",
            hidden_for=HideReason.PERSONAL_DATA,
        ),
    ),
    PastOrder(30, "Gijs"),
    PastOrder(
        29,
        "Vera",
        PastReview(rating=4, text="Heerlijke spelt. De bezorger belde netjes van tevoren.", after_days=2, language=_NL),
    ),
    PastOrder(27, "Luuk", PastReview(rating=5, text="Ordered at nine in the evening, at the door at seven.")),
    PastOrder(26, "Isa"),
    PastOrder(
        25,
        "Pim",
        PastReview(
            rating=1,
            text="It arrived a day late, and by then it was stale.",
            reply="That should not happen, Pim. Your money is on its way back to you.",
        ),
    ),
    PastOrder(23, "Nina", PastReview(rating=5, text="The sourdough keeps for days. So good with salted butter.")),
    PastOrder(22, "Kees"),
    PastOrder(21, "Hugo"),
    PastOrder(20, "Saar", PastReview(rating=5, text="Friendly answer to my question about nuts, within the hour.")),
    PastOrder(18, "Mees", PastReview(rating=3, text="Nice bread, but the delivery costs as much as the loaf.")),
    PastOrder(17, "Olga", PastReview(rating=2, text="Not for me.", is_withdrawn=True)),
    PastOrder(16, "Teun"),
    PastOrder(15, "Liv", PastReview(rating=5, text="Alweer raak. De krentenbollen zijn een aanrader.", language=_NL)),
    PastOrder(13, "Jip", PastReview(rating=4)),
    PastOrder(12, "Wout"),
    PastOrder(11, "Maud", PastReview(rating=5, text="A birthday cake by post: not a crumb out of place.")),
    PastOrder(9, "Cas"),
    PastOrder(8, "Anna", PastReview(rating=5, text="Second order, same crust. This is my baker now.")),
    PastOrder(7, "Stijn", PastReview(rating=4, text="Everything as ordered.", after_days=2)),
    PastOrder(6, "Bo"),
    PastOrder(5, "Elin", PastReview(rating=5, text="The seeded loaf is the best I have had outside Copenhagen.")),
    PastOrder(
        4, "Hidde", PastReview(rating=2, text="I asked for sliced bread and it came whole. Good bread, wrong order.")
    ),
    PastOrder(3, "Jet", PastReview(rating=5, text="Warm, quick and friendly.")),
    PastOrder(2, "Abel"),
    PastOrder(1, "Puck", PastReview(rating=4, text="Good bread. Will try the rye next.", after_days=0)),
)


def _earlier() -> Iterator[PastOrder]:
    text = files(__package__).joinpath("earlier.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        language = Language(row["language"] or Language.EN)
        rating = row["rating"]
        review = PastReview(rating=int(rating), text=row["text"] or None, language=language) if rating else None
        yield PastOrder(int(row["days_ago"]), row["name"], review)


ORDERS: Sequence[PastOrder] = (*_earlier(), *_LATEST)


SITE_ID = "bakkerij-de-molen"
OWNER = "owner@example.com"
COLLEAGUE = "colleague@example.com"
"""The addresses of the shop's two members."""

SHOP = NewShop(site_id=SITE_ID, name="Bakkerij De Molen", language="en", delay_days=0)
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
    _caller: Actor
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
        order = OrderReport(email=email, order_number=number, delay_days=delay_days, language=language)
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
