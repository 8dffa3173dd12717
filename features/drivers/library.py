"""The service as a library: the scenario calls it in this process."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

import attrs
import psycopg
from features.drivers.answers import Answer, Order, Refused, Scheduled
from tests.links import token_of

from reviewinvite_core import (
    Application,
    Invalid,
    InvitationQuery,
    InvitationRecord,
    KeyRefused,
    LimitReached,
    OrderReport,
    Reach,
    Reported,
    SecretKey,
    Settings,
    ShopInactive,
    StorageUnavailable,
    Subscription,
    backup_database,
    build,
    restore_database,
)
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.postgres import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite import SqliteStorage
from reviewinvite_core.ports import AnswerLost, Message, Staged, Storage
from reviewinvite_core.testing.builders import ManualClock

BUSY_SECONDS = 1.0  # four workers wait for one another, also on a busy machine
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


class Library:
    """An installation whose clock and mail are in our hands; it starts when it is first used.

    Its database is a file in its folder, unless `database_url` names another.
    """

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        self.clock = ManualClock()
        self.mailer = MailServer()
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
            return PostgresStorage(self.database_url, busy_seconds=BUSY_SECONDS)
        if self._elsewhere:
            return MemoryStorage()
        return SqliteStorage(self.database, busy_seconds=BUSY_SECONDS)

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


def _as_report(order: Order) -> OrderReport | Invalid:
    try:
        return OrderReport(
            email=order.email, order_number=order.number, language=order.language, delay=order.delay_days
        )
    except Invalid as invalid:
        return invalid


def _in_plain_values(answer: object) -> Answer:
    match answer:
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
