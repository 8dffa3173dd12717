"""An installation that a scenario controls, and what every driver lets shops, customers and visitors do with it."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import attrs
import psycopg
from features.drivers.member_browser import MemberBrowser
from features.drivers.review_page import ReviewPage
from features.drivers.values import (
    BrowserPage,
    DisplayedBadge,
    MerchantReview,
    Order,
    Rejected,
    ReportResult,
    ShopPage,
    SignedStatement,
)
from tests.links import token_of
from tests.units import unit_of

from reviewinvite_core import (
    OPERATOR,
    Application,
    InvitationQuery,
    ReviewQuery,
    Settings,
    StatementRefused,
    accepted,
    build,
    verify_statement,
)
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite.file import BUSY_SECONDS
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.admin import backup_database, restore_database
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.ports import (
    AnswerLost,
    Done,
    Message,
    RefusedForNow,
    Rejected as RejectedMail,
    Staged,
    Storage,
    Telemetry,
    Unreachable,
)
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.usecases.badges import show_badge
from reviewinvite_core.values import (
    BadgeShown,
    CountMode,
    Domain,
    HideReason,
    InvitationRecord,
    ProofWay,
    Reach,
    ReviewRecord,
    Statement,
    Subscription,
    VerificationResult,
)

SECRET = "a secret that all machines share"
VISITOR = "198.51.100.77"


class ScriptedMailer:
    """A mailer that takes every message, and calls `before_commit` when only the end of one is left to transmit.

    While it does not respond, nobody knows that it took a message. While it has a `refusal`, it takes none.
    """

    def __init__(self) -> None:
        self.responds = True
        self.refusal: RejectedMail | Unreachable | None = None
        self.before_commit: Callable[[], object] = lambda: None
        self._recorder = RecordingMailer()

    @property
    def messages(self) -> Sequence[Message]:
        return self._recorder.messages

    def forget(self) -> None:
        """Forget the messages so far."""
        self._recorder.messages.clear()

    async def stage(self, message: Message) -> Staged | RefusedForNow | RejectedMail | Unreachable:
        if self.refusal:
            return self.refusal
        staged = await self._recorder.stage(message)
        self.before_commit()
        if self.responds or isinstance(staged, RefusedForNow | RejectedMail | Unreachable):
            return staged
        return UnansweredMessage(staged)

    async def close(self) -> None:
        await self._recorder.close()


@attrs.frozen
class UnansweredMessage:
    """A message whose end is transmitted, and to which no answer comes."""

    staged: Staged

    async def commit(self) -> AnswerLost:
        await self.staged.commit()
        return AnswerLost()

    def abandon(self) -> None:
        self.staged.abandon()


class PublishedProofs:
    """The proofs that shops have published, in the DNS and in files, and the lookups of them."""

    def __init__(self) -> None:
        self.published: dict[tuple[str, str], ProofWay] = {}
        self.lookups: list[str] = []

    def verify(self, domain: Domain) -> VerificationResult:
        self.lookups.append(domain.host.text)
        return VerificationResult(found=self.published.get((domain.host.text, domain.proof)))


class Driver(ABC):
    """An installation whose clock and mail the scenario controls; it starts when it is first used.

    What its operator does is the same for every driver. What shops, customers and visitors do is abstract here:
    they reach the service in a way that is the driver's own.

    Its database is a file in its folder, unless `database_url` names another.
    """

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        self.clock = ManualClock()
        self.mailer = ScriptedMailer()
        self.proofs = PublishedProofs()
        self.folder = folder
        self.database = folder / "reviewinvite.db"
        self._given_url = database_url
        self._settings: dict[str, Any] = {}
        self._busy_seconds = BUSY_SECONDS
        self._running: tuple[Application, Storage] | None = None

    # --- the installation -------------------------------------------------------------------------------------------

    @property
    def database_url(self) -> str:
        return self._given_url or f"sqlite:///{self.database}"

    @property
    def mark_file(self) -> Path | None:
        """The hand-over mark, or None if the storage does not outlive the process."""
        return None if self._given_url == "memory:" else self.folder / "reviewinvite.db.mark"

    @property
    def settings(self) -> Settings:
        return Settings(
            database_url=self.database_url, secret=self.secret, handover_mark=self.mark_file, **self._settings
        )

    @property
    def app(self) -> Application:
        app, _ = self._started()
        return app

    @property
    def storage(self) -> Storage:
        """The storage that the application works on."""
        _, storage = self._started()
        return storage

    @property
    def secret(self) -> str | None:
        """The secret for a database that several machines can share; for a file it is stored beside the file."""
        return SECRET if self._on_postgres else None

    @property
    def _on_postgres(self) -> bool:
        return self.database_url.startswith("postgresql:")

    def _started(self) -> tuple[Application, Storage]:
        if self._running is None:
            storage = self._open_storage()
            app = build(
                self.settings,
                clock=self.clock,
                storage=storage,
                mailer=self.mailer,
                domain_verifier=self.proofs,
                telemetry=self.telemetry(),
            )
            self._running = app, storage
        return self._running

    def telemetry(self) -> Telemetry | None:
        """Return what the application tells what happens, if anything."""
        return None

    def _open_storage(self) -> Storage:
        if self._on_postgres:
            return PostgresStorage(self.database_url)
        if self._given_url:
            return MemoryStorage()
        return SqliteStorage(self.database, busy_seconds=self._busy_seconds)

    def configure(self, **settings: int | str) -> None:
        """Change settings of the operator's, which are read when the service starts."""
        assert self._running is None, "the service is running: configure it before the first shop is added"
        self._settings.update(settings)

    def lock_database(self) -> AbstractContextManager[object]:
        """Return a connection of another program, which keeps the database locked until it is closed."""
        if self._on_postgres:
            holder = psycopg.connect(self.database_url)
            holder.execute("LOCK TABLE orders IN EXCLUSIVE MODE")
            return closing(holder)
        self.restart()
        self._busy_seconds = 0.1  # nobody else uses the database, so there is nothing to be gained by waiting
        self._started()
        other = sqlite3.connect(self.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        return closing(other)

    def restart(self) -> None:
        """Stop; the next use starts the service again, on what it has stored."""
        self.close()

    def back_up(self) -> None:
        backup_database(self.settings, self.folder / "backup.db")

    def restore(self) -> None:
        """Stop, and replace the database by the backup."""
        self.restart()
        restore_database(self.settings, self.folder / "backup.db")

    def close(self) -> None:
        """Stop the service, if it is running."""
        if self._running is not None:
            app, _ = self._running
            app.close()
            self._running = None

    # --- the operator -----------------------------------------------------------------------------------------------

    def deliver(self) -> None:
        """Run one round of the worker, which delivers all that is due."""
        self.app.delivery.once()

    def verify_host(self, shop: str, host: str) -> None:
        """Vouch for a host."""
        assert isinstance(self.app.domains.add(shop, host, assume_verified=True), Domain)

    def invitation(self, invite_id: str) -> InvitationRecord:
        return accepted(self.app.invitations.show(OPERATOR, invite_id))

    def invitations(self, shop: str | None = None) -> Sequence[InvitationRecord]:
        return accepted(self.app.invitations.list(OPERATOR, InvitationQuery(site_id=shop, limit=1000))).invitations

    def shop_of(self, invite_id: str) -> str:
        return self.invitation(invite_id).shop.site_id.text

    def reviews(self, shop: str | None = None) -> Sequence[ReviewRecord]:
        """List all reviews, withdrawn or not; of one shop, if it is given."""
        return accepted(self.app.reviews.list(ReviewQuery(site_id=shop, limit=1000)))

    def hide_review(self, review_id: str) -> None:
        """Hide a review that is an insult."""
        assert isinstance(self.app.reviews.hide(review_id, HideReason.INSULT), ReviewRecord)

    def opt_out_token(self, invite_id: str) -> str:
        """Return the token in the link to opt out of this invitation's e-mail."""
        return token_of(self.app, invite_id)

    def review_token(self, invite_id: str) -> str:
        """Return the token in the link to the review page of this invitation's e-mail."""
        return token_of(self.app, invite_id, Purpose.REVIEW)

    def use_views(self, shop: str, count: int) -> None:
        """Have this many visitors view a shop's badge, in one batch: a thousand requests would show no more."""
        views = [unit_of(self.app, show_badge, shop, None, CountMode.COUNT, None)] * count
        outcomes = self.storage.run_all(views)
        assert all(isinstance(each, Done) and isinstance(each.result, BadgeShown) for each in outcomes)

    # --- a shop's server --------------------------------------------------------------------------------------------

    @abstractmethod
    def report(self, order: Order, key: str) -> ReportResult:
        """Report an order with an API key."""

    @abstractmethod
    def report_and_lose_response(self, order: Order, key: str) -> None:
        """Report an order; the report arrives, the response does not."""

    @abstractmethod
    def read_reviews(self, key: str) -> Sequence[MerchantReview] | Rejected:
        """List the reviews of the key's shop."""

    @abstractmethod
    def reply(self, key: str, review_id: str, text: str) -> Rejected | None:
        """Reply to a review; return why that was rejected, or None if it was not."""

    @abstractmethod
    def cancel(self, key: str, invite_id: str) -> Rejected | None:
        """Withdraw an invitation; return why that was rejected, or None if it was not."""

    @abstractmethod
    def order_numbers_in(self, key: str, state: str) -> Sequence[str | None]:
        """Return the order numbers of the shop's invitations in this state, the newest first."""

    @abstractmethod
    def change_settings(self, key: str, **settings: object) -> Rejected | None:
        """Change settings of the key's shop, by their names in the API; return why that was rejected, or None."""

    @abstractmethod
    def set_badge(self, key: str, theme: str, size: str) -> Rejected | None:
        """Set what the shop's badge looks like; return why that was rejected, or None if it was not."""

    @abstractmethod
    def add_domain(self, key: str, host: str) -> Rejected | None:
        """Add a domain to the key's shop; return why that was rejected, or None if it was not."""

    @abstractmethod
    def check_domain(self, key: str, host: str) -> Rejected | None:
        """Have the proof of a domain looked for; return why that was rejected, or None if it was not."""

    # --- a member's browser -----------------------------------------------------------------------------------------

    @abstractmethod
    def new_browser(self, device: str) -> MemberBrowser:
        """Return a browser in which nobody is signed in; `device` is how it names itself."""

    # --- a customer's browser ---------------------------------------------------------------------------------------

    @abstractmethod
    def report_from_page(self, page: BrowserPage, shop: str, order: Order) -> ReportResult:
        """Report an order from a page in a customer's browser."""

    @abstractmethod
    def open_opt_out_page(self, token: str) -> Subscription | None:
        """Open the page behind the link to opt out; None if there is no such page."""

    @abstractmethod
    def opt_out(self, token: str, reach: Reach) -> Subscription | None:
        """Press a button of that page, and return the page that follows."""

    @abstractmethod
    def resubscribe(self, token: str) -> Subscription | None:
        """Press the button of that page that undoes an opt-out, and return the page that follows."""

    @abstractmethod
    def open_review_page(self, token: str) -> ReviewPage | None:
        """Open the page behind the link to write a review; None if there is no such page."""

    @abstractmethod
    def write_review(self, token: str, rating: int | None, text: str, author: str) -> ReviewPage | Rejected | None:
        """Fill in and send the form of that page, and return the page that follows."""

    @abstractmethod
    def withdraw_review(self, token: str) -> ReviewPage | None:
        """Withdraw the review on that page, and return the page that follows."""

    # --- visitors and strangers -------------------------------------------------------------------------------------

    @abstractmethod
    def open_shop_page(self, shop: str, after: str | None = None) -> ShopPage | None:
        """Open the shop's public page, with the reviews after this cursor; None if there is no such page."""

    @abstractmethod
    def view_badge(self, shop: str, page: str | None, address: str = VISITOR) -> DisplayedBadge | None:
        """Return the badge that a visitor at this IP address sees, or None; `page` is where, if the browser says so."""

    @abstractmethod
    def fetch_statement(self, shop: str, address: str = VISITOR) -> SignedStatement | Rejected:
        """Ask for the signed statement about a shop, from this IP address."""

    @abstractmethod
    def public_keys(self) -> bytes:
        """Return the key set as it is published."""

    def verify_signature(self, signed: SignedStatement) -> Statement | StatementRefused:
        """Verify a statement with the public keys, at the right time."""
        return verify_statement(signed.document, self.public_keys(), now=self.clock.now())
