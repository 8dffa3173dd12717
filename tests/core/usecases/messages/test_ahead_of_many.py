"""While 100,000 invitations are due, a sign-in link is the next message that a free session hands over."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest
from tests.budgets import others_in_full
from tests.messages import queue
from tests.waiting import wait_until

from reviewinvite_core import Application, OrderReport, Settings, accepted, build
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.ports import Accepted, Message
from reviewinvite_core.testing.builders import a_shop

SESSIONS = 4
DUE = 100_000
CUSTOMER, MEMBER = "customer@example.com", "member@example.com"
COPY = """
WITH RECURSIVE serial (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM serial WHERE number < {count})
INSERT INTO invitations ({columns})
SELECT {values} FROM serial CROSS JOIN (SELECT * FROM invitations LIMIT 1) AS first
"""
NEW_ID = {
    "sqlite": "CAST(substr(first.invite_id, 1, 8) || printf('%08x', number) AS BLOB)",
    "postgres": "substring(first.invite_id FROM 1 FOR 8) || convert_to(lpad(to_hex(number), 8, '0'), 'UTF8')",
}


@attrs.define
class HeldMailer:
    """A mail server that answers the end of a message only when it may; `ends` are those it has had."""

    ends: list[str] = attrs.field(factory=list)
    answered: int = 0
    allowed: int = 0

    async def stage(self, message: Message) -> HeldMessage:
        return HeldMessage(self, message.recipient)

    async def close(self) -> None:
        """Keep no connection."""


@attrs.frozen
class HeldMessage:
    _mailer: HeldMailer
    _recipient: str

    async def commit(self) -> Accepted:
        self._mailer.ends.append(self._recipient)
        while self._mailer.answered >= self._mailer.allowed:
            await asyncio.sleep(0.001)
        self._mailer.answered += 1
        return Accepted("250")

    def abandon(self) -> None:
        """Send nothing."""


@pytest.fixture(params=others_in_full(NEW_ID, "sqlite"))
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Those of a database in which 100,000 invitations are due."""
    path = tmp_path / "many.db"
    url = f"sqlite:///{path}" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    made = Settings(database_url=url, secret="a secret for tests, long enough", mail_connections=SESSIONS)
    with closing(build(made)) as app:
        app.shops.add(a_shop())
        caller = accepted(app.shops.act_for("bakkerij-1"))
        accepted(app.orders.report(caller, OrderReport(email=CUSTOMER, delay_days=0)))
    connection: Any = sqlite3.connect(path) if request.param == "sqlite" else psycopg.connect(url)
    with closing(connection):
        columns = [row[0] for row in connection.execute("SELECT * FROM invitations LIMIT 1").description]
        values = [NEW_ID[request.param] if column == "invite_id" else f"first.{column}" for column in columns]
        connection.execute(COPY.format(columns=", ".join(columns), values=", ".join(values), count=DUE - 1))
        connection.execute("ANALYZE")  # the tests' PostgreSQL has no autovacuum, which would do it
        connection.commit()
    return made


@pytest.fixture
def mailer(settings: Settings) -> Iterator[HeldMailer]:
    """A mail server to which all sessions are handing over an invitation."""
    held, stop = HeldMailer(), threading.Event()
    app = build(settings, mailer=held)
    assert app._storage.read(lambda store: store.invitations.count_due(app.now(), 2 * DUE)) == DUE
    worker = threading.Thread(target=app.delivery.continually, args=(stop,))
    worker.start()
    wait_until(lambda: len(held.ends) == SESSIONS)
    yield held
    stop.set()
    held.allowed = 10 * DUE
    worker.join()
    app.close()


def is_claimed(app: Application, message_id: str) -> bool:
    message = app._storage.read(lambda store: store.notices.find(message_id))
    return message is not None and message.state is not State.SCHEDULED


def test_a_link_that_another_process_queues_is_the_next_that_a_free_session_hands_over(
    settings: Settings, mailer: HeldMailer
) -> None:
    with closing(build(settings)) as app:
        links = [queue(app, to=f"{number}.{MEMBER}") for number in range(2)]
        for link in links:
            wait_until(lambda link=link: is_claimed(app, link.message_id))  # type: ignore[misc]
    assert mailer.ends == [CUSTOMER] * SESSIONS
    for number, expected in enumerate([*(f"{number}.{MEMBER}" for number in range(2)), CUSTOMER], start=1):
        mailer.allowed += 1
        wait_until(lambda number=number: len(mailer.ends) == SESSIONS + number)  # type: ignore[misc]
        assert mailer.ends[-1] == expected
