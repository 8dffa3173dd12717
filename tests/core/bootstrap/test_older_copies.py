"""A database that is older than what was sent sends nothing again, however it came there. Spec: §6."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.messages import queue

from reviewinvite_core import OPERATOR, Application, Settings, State, accepted, build
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.admin import backup_database, restore_database
from reviewinvite_core.domain.handovers import DeliveryPaused, Pause
from reviewinvite_core.testing.builders import ManualClock, a_shop, an_order_report
from reviewinvite_core.usecases.invitations.read import InvitationQuery

ORDERS = 30
SECRET = "a secret that is long enough, and used in tests only"


class ShopHarness:
    """One shop on a succession of databases; the mail server, the clock and the mark stay the same."""

    def __init__(self, database_url: str, mark: Path) -> None:
        self.mailer = RecordingMailer()
        self.clock = ManualClock()
        self.settings = Settings(database_url=database_url, secret=SECRET, handover_mark=mark)

    @contextmanager
    def open(self) -> Iterator[Application]:
        app = build(self.settings, clock=self.clock, mailer=self.mailer)
        try:
            yield app
        finally:
            app.close()

    def report(self, app: Application, *numbers: int, **fields: Any) -> None:
        caller = accepted(app.shops.act_for("bakkerij-1"))
        for number in numbers:
            app.orders.report(caller, an_order_report(f"c{number}@example.com", **{"delay_days": 0, **fields}))

    @property
    def sent(self) -> list[str]:
        return [message.message_id for message in self.mailer.messages]


def require_that_nothing_leaves_twice(shop: ShopHarness, pause: Pause) -> None:
    """What has to hold on a database from which `ORDERS` have been sent that it does not know of."""
    gone = shop.sent
    assert len(gone) == ORDERS + 1
    with shop.open() as app:
        assert app.delivery.paused() is pause
        with pytest.raises(DeliveryPaused):
            app.delivery.once()
        shop.report(app, 900, delay_days=5)
        shop.clock.advance(timedelta(days=1))
        with pytest.raises(DeliveryPaused):
            app.delivery.once()
        assert shop.sent == gone
        assert app.delivery.reconcile() == ORDERS
        assert app.delivery.reconcile() == 0
        assert app.delivery.paused() is None
        assert app.delivery.once() == []
        uncertain = accepted(app.invitations.list(OPERATOR, InvitationQuery(state=State.UNCERTAIN))).invitations
        assert {f"<{each.invitation.invite_id}@localhost>" for each in uncertain} == set(gone[1:])
        shop.report(app, 901)
        shop.clock.advance(timedelta(days=30))
        app.delivery.once()
        assert shop.sent[: len(gone)] == gone
        assert len(set(shop.sent)) == len(shop.sent) == len(gone) + 2


def restored(shop: ShopHarness, database: Path) -> None:
    restore_database(shop.settings, database.with_name("backup.db"))


def copied_back_by_hand(_: ShopHarness, database: Path) -> None:
    shutil.copyfile(database.with_name("backup.db"), database)


def copied_back_without_its_mark(shop: ShopHarness, database: Path) -> None:
    copied_back_by_hand(shop, database)
    assert shop.settings.handover_mark
    shop.settings.handover_mark.unlink()


@pytest.mark.parametrize(
    ("put_back", "pause"),
    [
        (restored, Pause.MARK_AHEAD),
        (copied_back_by_hand, Pause.MARK_AHEAD),
        (copied_back_without_its_mark, Pause.MARK_MISSING),
    ],
)
def test_an_older_file_sends_nothing_again(
    tmp_path: Path, put_back: Callable[[ShopHarness, Path], None], pause: Pause
) -> None:
    database = tmp_path / "reviewinvite.db"
    shop = ShopHarness(f"sqlite:///{database}", tmp_path / "mark")
    with shop.open() as app:
        app.shops.add(a_shop())
        shop.report(app, 0)
        app.delivery.once()
        shop.report(app, *range(1, ORDERS + 1))
        backup_database(shop.settings, tmp_path / "backup.db")
        app.delivery.once()
    put_back(shop, database)
    require_that_nothing_leaves_twice(shop, pause)


@pytest.mark.parametrize("put_back", [restored, copied_back_by_hand, copied_back_without_its_mark])
def test_an_older_file_sends_no_sign_in_link_again(
    tmp_path: Path, put_back: Callable[[ShopHarness, Path], None]
) -> None:
    database = tmp_path / "reviewinvite.db"
    shop = ShopHarness(f"sqlite:///{database}", tmp_path / "mark")
    with shop.open() as app:
        queue(app, to="first@example.com")
        app.delivery.once()
        queue(app, to="member@example.com", expires_after=timedelta(days=30))
        backup_database(shop.settings, tmp_path / "backup.db")
        app.delivery.once()
    put_back(shop, database)
    with shop.open() as app:
        with pytest.raises(DeliveryPaused):
            app.delivery.once()
        assert app.delivery.reconcile() == 0
        queue(app, to="later@example.com")
        app.delivery.once()
    sent = [message.recipient for message in shop.mailer.messages]
    assert sent == ["first@example.com", "member@example.com", "later@example.com"]


def test_an_older_replica_sends_nothing_again(postgres_server: str, postgres_url: str, tmp_path: Path) -> None:
    shop = ShopHarness(postgres_url, tmp_path / "mark")
    with shop.open() as app:
        app.shops.add(a_shop())
        shop.report(app, 0)
        app.delivery.once()
        shop.report(app, *range(1, ORDERS + 1))
    name = urlsplit(postgres_url).path.removeprefix("/")
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}_older" TEMPLATE "{name}"'.encode())
        try:
            with shop.open() as app:
                app.delivery.once()
            shop.settings = Settings(
                database_url=urlsplit(postgres_url)._replace(path=f"/{name}_older").geturl(),
                secret=SECRET,
                handover_mark=tmp_path / "mark",
            )
            require_that_nothing_leaves_twice(shop, Pause.MARK_AHEAD)
        finally:
            connection.execute(f'DROP DATABASE "{name}_older" WITH (FORCE)'.encode())
