"""Behind a real PgBouncer that gives each transaction another connection of the server. ADR-46."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.core.adapters.sql.raw import ask
from tests.logs import captured_logs
from tests.pgbouncer import pooler
from tests.postgres import with_option
from tests.waiting import run_concurrently

from reviewinvite_core import ConfigurationError, NewShop, Settings, accepted, build
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.admin import copy_database
from reviewinvite_core.ports import Store
from reviewinvite_core.testing.builders import an_order_report

SECRET = "a secret that is long enough, and used in tests only"
PREPARED = "SELECT COUNT(*) FROM pg_prepared_statements"
PROCESS = "SELECT pg_backend_pid()"
OFTEN = 20  # more executions on a connection than psycopg waits for before it prepares a statement


@pytest.fixture
def pooled_url(postgres_url: str) -> Iterator[str]:
    """The URL of an empty database behind PgBouncer."""
    with pooler(postgres_url) as url:
        yield url


def test_statements_are_not_prepared_behind_a_pooler(pooled_url: str) -> None:
    storage, other = PostgresStorage(pooled_url), PostgresStorage(pooled_url)
    seen: set[object] = set()

    def use(store: Store) -> None:
        for _ in range(OFTEN):
            store.shops.every()
        seen.add(ask(store, PROCESS))
        assert ask(store, PREPARED) == 0

    try:
        storage.read(lambda _: other.read(use))  # two at the same time, so it opens two connections to the server
        for _ in range(OFTEN):
            storage.read(use)
        assert len(seen) > 1  # else there would be nothing to mix up
    finally:
        storage.close()
        other.close()


def test_several_processes_share_its_connections_without_an_option(pooled_url: str) -> None:
    settings = Settings(database_url=pooled_url, secret=SECRET, mail_url="recording:")
    with build(settings) as one, build(settings) as other, captured_logs() as logs:
        one.shops.add(NewShop(site_id="molen", name="Molen"))

        def report(client: int) -> list[str]:
            app = (one, other)[client % 2]
            caller = accepted(app.shops.act_for("molen"))
            orders = [an_order_report(order_number=f"{client}-{number}") for number in range(OFTEN)]
            return [accepted(app.orders.report(caller, order)).invite_id for order in orders]

        assert len({invite_id for ids in run_concurrently(8, report) for invite_id in ids}) == 8 * OFTEN
        assert [line for line in logs if line["log_level"] != "info"] == []


def test_a_copy_into_it_prepares_nothing_either(pooled_url: str, sqlite_folder: Path) -> None:
    source = f"sqlite:///{sqlite_folder}/source.db"
    with build(Settings(database_url=source, mail_url="recording:")) as app:
        for number in range(OFTEN):
            app.shops.add(NewShop(site_id=f"shop-{number}", name="Molen"))
    assert copy_database(source, pooled_url).is_good


def test_options_in_the_url_are_refused_at_once(pooled_url: str) -> None:
    with captured_logs() as logs, pytest.raises(ConfigurationError, match="PgBouncer rejects options= in database_url"):
        PostgresStorage(with_option(pooled_url, "options=-csearch_path%3Dreviews"))
    assert logs == []


def test_a_database_that_it_does_not_know_is_refused_at_once(pooled_url: str) -> None:
    with captured_logs() as logs, pytest.raises(ConfigurationError, match="no such database"):
        PostgresStorage(pooled_url.replace("/test_", "/no_test_"))
    assert logs == []
