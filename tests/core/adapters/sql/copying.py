"""Databases to copy, and ways to look at them from outside."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
from tests.builders import (
    a_domain,
    a_member,
    a_message,
    a_review,
    a_session,
    a_sign_in_link,
    a_signing_key,
    a_suppression,
    an_activity,
)

from reviewinvite_core import OPERATOR, InvitationQuery, OrderReport, Settings, accepted, build
from reviewinvite_core.adapters.sql.copy.table import ROWS_IN_A_BATCH
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.bootstrap.adapter_factory import open_storage, sqlite_path
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.members import Membership, Role
from reviewinvite_core.domain.relay import Relay
from reviewinvite_core.ports import Store
from reviewinvite_core.testing.builders import NOON, a_shop

SECRET = "a secret that is long enough, and used in tests only"
ORDERS = ROWS_IN_A_BATCH + 3


@contextmanager
def connection_to(url: str) -> Iterator[Any]:
    """Open an autocommit connection of the test's own."""
    if url.startswith("postgresql:"):
        with psycopg.connect(url, autocommit=True) as connection:
            yield connection
    else:
        with closing(sqlite3.connect(sqlite_path(url), isolation_level=None)) as opened:
            yield opened


def settings(url: str) -> Settings:
    """Of one host: its mark, in the current directory, goes along with what it copies."""
    return Settings(database_url=url, secret=SECRET, handover_mark=Path("host.mark"))


def fill(url: str, orders: int = ORDERS) -> None:
    """Give a database something in every table: letters beyond ASCII, nulls, a history, a revoked key."""
    app = build(settings(url))
    try:
        app.shops.add(a_shop("molen", name="Bäckerij De Mólen 🍞"))
        app.shops.add(a_shop("kaas"))
        caller = accepted(app.shops.act_for("molen"))
        reports = [OrderReport(email=f"c{n}@example.com", order_number=f"n-{n}") for n in range(orders)]
        app.orders.import_many(caller, [*reports, OrderReport(email="anna@example.com")])
        key = accepted(app.api_keys.create("molen", "label"))
        app.orders.report(key.secret, OrderReport(email="bert@example.com"))
        app.api_keys.create("kaas", "")
        app.api_keys.revoke(key.api_key.key_id)
        (newest,) = accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=1))).invitations
        app.invitations.cancel(OPERATOR, newest.invitation.invite_id)
        list(app.delivery.once())  # nothing is due: the host is known from now on, and has its mark
    finally:
        app.close()
    with closing(open_storage(url)) as storage:
        storage.run(lambda store: [store.suppressions.add(a_suppression(shop)) for shop in (None, 1)])
        storage.run(lambda store: store.signing_keys.add(a_signing_key()))
        storage.run(lambda store: store.notices.add(a_message(expires_after=timedelta(days=36_500))))
        storage.run(lambda store: store.domains.add(a_domain(1, verified_at=NOON)))
        storage.run(lambda store: store.reviews.add(a_review(newest.invitation)))
        storage.run(lambda store: store.daily_counters.count({LimitKey(1, "views"): 7}, NOON.date()))
        storage.run(lambda store: store.snippet_reports.count([(1, bytes(16))], NOON))
        storage.run(refuse_mail)
        storage.run(add_member)


def refuse_mail(store: Store) -> None:
    """Note that the mail server has refused mail of the shop."""
    store.relay.lock()
    store.relay.keep(Relay(epoch=1))
    store.relay.note_mail({(1, bytes(16))}, NOON)


def add_member(store: Store) -> None:
    """Give the shop a member with a link, a session and an entry in the activity log."""
    shop = store.shops.by_site_id("molen")
    assert shop is not None
    store.members.add(a_member())
    store.members.join(Membership(member_id="mem_1", shop_number=shop.number, role=Role.OWNER))
    store.sign_in_links.put(a_sign_in_link())
    store.sessions.add(a_session())
    store.activity.add(an_activity(shop))
    store.workers.beat(b"a worker", "host", NOON)


def all_rows(url: str) -> dict[str, set[tuple[Any, ...]]]:
    """Everything in a database, by table."""
    rows = {}
    with connection_to(url) as connection:
        for table in TABLES:
            cursor = connection.execute(f"SELECT * FROM {table.name} LIMIT 0")
            columns = ", ".join(sorted(column[0] for column in cursor.description))
            rows[table.name] = set(connection.execute(f"SELECT {columns} FROM {table.name}").fetchall())
    return rows


def run(url: str, statement: str) -> None:
    with connection_to(url) as connection:
        connection.execute(statement)


def break_off_after(batches: int) -> Callable[[int, int], None]:
    """A progress that breaks the copy off, as a kill would between two transactions."""
    left = batches

    def progress(_done: int, _total: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    return progress
