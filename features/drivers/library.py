"""The service as a library: the scenario calls it in this process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

import attrs
import psycopg
from features.drivers.answers import (
    Acknowledged,
    Answer,
    Order,
    Page,
    ReadReview,
    Refused,
    Scheduled,
    Scored,
    Seen,
    ShopPage,
    ShownReview,
    Told,
)
from features.drivers.review_page import ReviewPage, page_of
from tests.links import token_of

import reviewinvite_core
from reviewinvite_core import (
    Application,
    BadgeHidden,
    BadgeShown,
    Bookmark,
    Domain,
    Done,
    Form,
    HideReason,
    Invalid,
    InvitationQuery,
    InvitationRecord,
    InvitationUnknown,
    KeyRefused,
    LimitReached,
    Look,
    Looking,
    NewReply,
    OrderReport,
    OriginForeign,
    OwnReviews,
    ProofWay,
    Reach,
    Reported,
    Review,
    ReviewDraft,
    ReviewQuery,
    ReviewRecord,
    ReviewsAsked,
    ReviewStands,
    ReviewUnknown,
    Score,
    SecretKey,
    Settings,
    ShopInactive,
    ShopReviews,
    ShopUnknown,
    SiteId,
    SnippetReport,
    Statement,
    StatementRefused,
    StorageUnavailable,
    Subscription,
    TooLate,
    Verified,
    backup_database,
    build,
    restore_database,
    verify_statement,
)
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.postgres import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite import SqliteStorage
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.signing import jwk_set
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import AnswerLost, Message, Staged, Storage
from reviewinvite_core.testing.builders import ManualClock

SECRET = "a secret that all machines share"


class MailServer(RecordingMailer):
    """Takes every message; `before_the_end` happens when all of one but its end is transmitted.

    Where it does not answer, nobody knows that it took a message.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answers = True
        self.before_the_end: Callable[[], object] = lambda: None

    def stage(self, message: Message) -> Staged:
        staged = super().stage(message)
        self.before_the_end()
        return staged if self.answers else Unanswered(staged)


@attrs.frozen
class Unanswered:
    """A message whose end is transmitted, and no answer comes."""

    staged: Staged

    def commit(self) -> AnswerLost:
        self.staged.commit()
        return AnswerLost()

    def abandon(self) -> None:
        self.staged.abandon()


class Internet:
    """Where shops publish proofs, in the DNS and in files; each look is noted."""

    def __init__(self) -> None:
        self.published: dict[tuple[str, str], ProofWay] = {}
        self.looks: list[str] = []

    def look(self, domain: Domain) -> Look:
        self.looks.append(domain.host.text)
        return Look(found=self.published.get((domain.host.text, domain.proof)))


class Library:
    """An installation whose clock and mail are in our hands; it starts when it is first used.

    Its database is a file in its folder, unless `database_url` names another.
    """

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        self.clock = ManualClock()
        self.mailer = MailServer()
        self.internet = Internet()
        self.folder = folder
        self.database = folder / "reviewinvite.db"
        self._elsewhere = database_url
        self._settings: dict[str, int | str] = {}
        self._app: Application | None = None

    @property
    def database_url(self) -> str:
        return self._elsewhere or f"sqlite:///{self.database}"

    @property
    def mark(self) -> Path | None:
        """The hand-over mark; none for what does not outlive the process."""
        return None if self._elsewhere == "memory:" else self.folder / "reviewinvite.db.mark"

    @property
    def settings(self) -> Settings:
        return Settings(database_url=self.database_url, secret=self.secret, handover_mark=self.mark, **self._settings)

    @property
    def app(self) -> Application:
        if self._app is None:
            self._app = build(
                self.settings,
                clock=self.clock,
                storage=self._open_storage(),
                mailer=self.mailer,
                domain_proof=self.internet,
            )
        return self._app

    @property
    def secret(self) -> str | None:
        """To be given for a database that several machines can share; for a file it lies beside it."""
        return SECRET if self._on_postgres else None

    @property
    def _on_postgres(self) -> bool:
        return self.database_url.startswith("postgresql:")

    def _open_storage(self) -> Storage:
        if self._on_postgres:
            return PostgresStorage(self.database_url)
        if self._elsewhere:
            return MemoryStorage()
        return SqliteStorage(self.database)

    def set(self, **settings: int | str) -> None:
        """Settings of the operator's; they are read when the service starts."""
        assert self._app is None, "the service runs already: set it before the first shop is made"
        self._settings.update(settings)

    def report(self, order: Order, key: str) -> Answer:
        """What a program does that shows an API key: the same checks in the same order as over HTTP."""
        secret = SecretKey.parse(key)
        try:
            answer = self.app.receive_order(secret, _as_report(order)) if secret else self.app.authenticate(key)
        except StorageUnavailable:
            return Refused(code="storage_unavailable")
        return _in_plain_values(answer)

    def report_and_lose_the_answer(self, order: Order, key: str) -> None:
        """The report arrives; what is answered does not."""
        self.report(order, key)

    def report_for(self, shop: str, order: Order) -> Answer:
        """What a program does that embeds the service and speaks for the shop itself, without a key."""
        return _in_plain_values(self.app.report_order(self.app.act_for(shop), _as_report(order)))

    def tell_from(self, page: Page, shop: str, order: Order) -> Answer:
        """What becomes of an order that a page tells of in a customer's browser."""
        report = _as_report(order)
        told = report if isinstance(report, Invalid) else SnippetReport(site_id=SiteId(shop), order=report)
        client = self.app.proxies.client(page.address)
        return _in_plain_values(self.app.report_snippet(client, page.origin, told))

    def verify_host(self, shop: str, host: str) -> None:
        """An operator vouches for a host."""
        assert isinstance(self.app.add_domain(shop, host, assume_verified=True), Domain)

    def look_at_badge(self, shop: str, page: str | None) -> Seen | None:
        """What a visitor sees of a badge; None where there is none. The page is where, if the browser says so."""
        return _seen(self.app.show_badge(shop, page, Looking.VIEW))

    def look_at_page(self, shop: str, after: str | None = None) -> ShopPage | None:
        """What the shop's public page tells, with the reviews from this place on; None where there is no such page."""
        found = self.app.show_shop_reviews(shop, Bookmark.parse(after) if after else None)
        if not isinstance(found, ShopReviews):
            return None
        return ShopPage(
            name=found.shop.name,
            mark=found.shop.status,
            recent=_scored(found.last_12_months),
            all_time=_scored(found.all_time.score),
            by_rating=found.all_time.counts,
            reviews=tuple(_shown(each) for each in found.reviews),
            older=found.next.text if found.next else None,
        )

    def look_at_badges(self, shop: str, count: int) -> Sequence[Seen | None]:
        """What so many visitors see."""
        looks = [self.app.show_badge.unit(shop, None, Looking.VIEW)] * count
        outcomes = self.app._storage.run_all(looks)
        return [_seen(outcome.result) if isinstance(outcome, Done) else None for outcome in outcomes]

    def verify(self, shop: str) -> Told | Refused:
        """What a stranger is told of a shop."""
        answer = self.app.verify_trust_mark(shop, Form.JSON, Looking.VIEW)
        match answer:
            case Verified():
                return Told(answer.document, json.loads(answer.document)["statement"])
            case LimitReached():
                return Refused(code="limit_reached", wait_seconds=answer.retry_after_seconds)
            case _:
                return Refused(code="shop_unknown")

    def public_keys(self) -> bytes:
        """The key set as it is published."""
        return jwk_set(self.app.publish_keys())

    def check(self, told: Told) -> Statement | StatementRefused:
        """What a verifier makes of it that has the public keys, and the right time."""
        return verify_statement(told.document, self.public_keys(), now=self.clock.now())

    def invitation(self, invite_id: str) -> InvitationRecord:
        record = self.app.show_invitation(invite_id)
        assert isinstance(record, InvitationRecord), record
        return record

    def invitations(self, shop: str | None = None) -> Sequence[InvitationRecord]:
        return self.app.list_invitations(InvitationQuery(site_id=shop, limit=1000))

    def shop_of(self, invite_id: str) -> str:
        return self.invitation(invite_id).shop.site_id.text

    def link_to_opt_out(self, invite_id: str) -> str:
        """The token in the link of this invitation's e-mail."""
        return token_of(self.app, invite_id)

    def look_at_opting_out(self, link: str) -> Subscription | None:
        """What whoever follows the link gets to see; None where there is no such page."""
        return self.app.show_subscription(link)

    def opt_out(self, link: str, reach: Reach) -> Subscription | None:
        """Press a button there."""
        return self.app.unsubscribe(link, reach)

    def link_to_review(self, invite_id: str) -> str:
        """The token in the link of this invitation's e-mail."""
        return token_of(self.app, invite_id, Purpose.REVIEW)

    def look_at_review(self, link: str) -> ReviewPage | None:
        """What whoever follows the link gets to see; None where there is no such page."""
        self.app.note_opened_link(link)
        return page_of(self.app.show_review_link(link))

    def write_review(self, link: str, rating: int | None, text: str, author: str) -> ReviewPage | Refused | None:
        """Fill in the form there, and send it."""
        try:
            return page_of(self.app.write_review(link, ReviewDraft(rating=rating, text=text, author=author)))
        except Invalid as invalid:
            return Refused(code=invalid.problem.value, field=invalid.field)

    def withdraw_review(self, link: str) -> ReviewPage | None:
        """Take back what was written there."""
        return page_of(self.app.withdraw_review(link))

    def reviews(self) -> Sequence[ReviewRecord]:
        """All reviews, as the operator sees them."""
        found = self.app.list_reviews(ReviewQuery())
        assert not isinstance(found, ShopUnknown)
        return found

    def hide_review(self, review_id: str) -> None:
        """What the operator does with an insult."""
        assert isinstance(self.app.hide_review(review_id, HideReason.INSULT), ReviewRecord)

    def read_reviews(self, key: str) -> Sequence[ReadReview] | Refused:
        """What a program is told that shows an API key and asks for its shop's reviews."""
        answer = self.app.serve_reviews(_secret(key), ReviewsAsked(after=Bookmark.since(EPOCH)))
        return [_as_read(each) for each in answer.reviews] if isinstance(answer, OwnReviews) else _of_shop(answer)

    def reply(self, key: str, review_id: str, text: str) -> Refused | None:
        """What comes of a shop's reply; nothing where it stands."""
        answer = self.app.receive_reply(_secret(key), review_id, NewReply(text=text))
        return None if isinstance(answer, ReviewRecord) else _of_shop(answer)

    def cancel(self, key: str, invite_id: str) -> Refused | None:
        """What comes of a shop's withdrawing an invitation; nothing where it is withdrawn."""
        answer = self.app.receive_cancellation(_secret(key), invite_id, None)
        return None if isinstance(answer, InvitationRecord) else _of_shop(answer)

    def deliver(self) -> None:
        """One round of the worker: all that is due."""
        list(self.app.delivery.once())

    def hold_the_database(self) -> AbstractContextManager[object]:
        """Another program, which writes to the database until it is closed."""
        if self._on_postgres:
            holder = psycopg.connect(self.database_url)
            holder.execute("LOCK TABLE orders IN EXCLUSIVE MODE")
            return closing(holder)
        other = sqlite3.connect(self.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        return closing(other)

    def restart(self) -> None:
        """Stop; the next use starts the service again, on what it has stored."""
        self.close()
        self._app = None

    def back_up(self) -> None:
        backup_database(self.settings, self.folder / "backup.db")

    def restore(self) -> None:
        """Stop, and put the backup in the place of the database."""
        self.restart()
        restore_database(self.settings, self.folder / "backup.db")

    def close(self) -> None:
        if self._app is not None:
            self._app.close()


def _scored(score: Score) -> Scored | None:
    return Scored(mean=score.mean, count=score.count) if score.mean else None


def _shown(review: Review) -> ShownReview:
    assert review.rating is not None
    return ShownReview(
        rating=review.rating,
        text=review.text,
        author=review.author,
        day=review.written_at.date().isoformat(),
        reply=review.reply.text if review.reply else None,
    )


def _seen(answer: BadgeShown | BadgeHidden) -> Seen | None:
    return Seen(answer.badge.status) if isinstance(answer, BadgeShown) else None


def _as_report(order: Order) -> OrderReport | Invalid:
    try:
        return OrderReport(
            email=order.email, order_number=order.number, language=order.language, delay=order.delay_days
        )
    except Invalid as invalid:
        return invalid


def _secret(key: str) -> SecretKey:
    secret = SecretKey.parse(key)
    assert secret is not None
    return secret


def _as_read(record: ReviewRecord) -> ReadReview:
    one = record.review
    return ReadReview(
        order_number=record.order_number,
        state=one.state,
        rating=one.rating,
        text=one.text,
        author=one.author,
        reply=one.reply.text if one.reply else None,
    )


def _of_shop(answer: object) -> Refused:
    """Why a shop's own reviews and invitations are not told, answered or withdrawn."""
    codes = {ReviewUnknown: "review_unknown", InvitationUnknown: "invitation_unknown"}
    codes |= {ReviewStands: "review_stands", TooLate: "too_late"}
    return Refused(code=codes[type(answer)])


def _in_plain_values(answer: object) -> Answer:
    match answer:
        case reviewinvite_core.Acknowledged():
            return Acknowledged()
        case OriginForeign():
            return Refused(code="origin_refused")
        case Reported():
            return Scheduled(invite_id=answer.invite_id, scheduled_for=answer.scheduled_for, duplicate=answer.duplicate)
        case KeyRefused():
            return Refused(code="key_invalid" if answer.presented else "key_missing")
        case ShopInactive():
            return Refused(code="shop_inactive")
        case LimitReached():
            return Refused(code="limit_reached", wait_seconds=answer.retry_after_seconds)
        case Invalid(problem, field):
            return Refused(code=problem.value, field=field)
    message = f"no answer to a report: {answer!r}"
    raise AssertionError(message)
