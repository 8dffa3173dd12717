"""How a start finds PostgreSQL: it waits for one that is away, and says at once what waiting will not mend."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from psycopg import sql
from structlog.testing import capture_logs

from reviewinvite_core import (
    ConfigurationError,
    Settings,
    StorageUnavailable,
    build,
    check_database,
    migrate_database,
)
from reviewinvite_core.adapters.sql.postgres import PostgresStorage, migrate
from reviewinvite_core.domain.errors import SecretMissing, SecretWrong
from reviewinvite_core.ports import Store
from reviewinvite_core.testing.builders import a_shop

SECRET = "a secret that is long enough, and used in tests only"
PASSWORD = "geheim-en-lang"

Use = Callable[[Settings], object]


@pytest.fixture
def nobody() -> Iterator[str]:
    """The address of a server that does not run."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, so that nobody else takes it, but not listening
        yield f"postgresql://shop:{PASSWORD}@127.0.0.1:{taken.getsockname()[1]}/reviews"


@pytest.fixture
def with_password(postgres_server: str) -> Iterator[str]:
    """The name of a user of whom the server asks a password."""
    name = "asked_for_a_password"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), sql.Literal(PASSWORD))
        )
        row = connection.execute("SHOW hba_file").fetchone()
        assert row
        rules = Path(row[0])
        before = rules.read_text() if rules.exists() else None  # a server elsewhere is taken to ask everybody
        if before is not None:
            lines = "".join(
                f"{kind} all {name} {where} scram-sha-256\n" for kind, where in (("local", ""), ("host", "all"))
            )
            rules.write_text(lines + before)
            connection.execute("SELECT pg_reload_conf()")
        yield name
        if before is not None:
            rules.write_text(before)
            connection.execute("SELECT pg_reload_conf()")
        connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def as_user(url: str, name: str, password: str = "") -> str:
    """The same address, for another user."""
    parts = urlsplit(url)
    where = parts.netloc.rpartition("@")[2]
    who = f"{name}:{quote(password)}" if password else name
    return parts._replace(netloc=f"{who}@{where}").geturl()


def test_a_server_that_stays_away_is_given_up_when_the_time_is_over(nobody: str) -> None:
    begun = time.monotonic()
    with capture_logs() as logs, pytest.raises(StorageUnavailable, match=r"did not answer within 0\.6 seconds") as told:
        PostgresStorage(nobody, wait_seconds=0.6)
    assert 0.6 <= time.monotonic() - begun < 5
    assert [line["event"] for line in logs] == ["waiting for the database"]
    assert logs[0]["seconds"] == 0.6
    assert "refused" in logs[0]["cause"]
    assert PASSWORD not in f"{logs} {told.value}"


def test_a_migration_waits_as_well(nobody: str) -> None:
    with capture_logs() as logs, pytest.raises(StorageUnavailable, match="did not answer"):
        migrate(nobody, wait_seconds=0.1)
    assert [line["event"] for line in logs] == ["waiting for the database"]


def test_a_server_that_comes_while_we_wait_is_found(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        name = urlsplit(postgres_url).path[1:]
        connection.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT 0").format(sql.Identifier(name)))
        connection.execute("CREATE ROLE comes_later LOGIN")
        connection.execute("GRANT ALL ON SCHEMA public TO comes_later")
        again = sql.SQL("ALTER DATABASE {} CONNECTION LIMIT -1").format(sql.Identifier(name))
        timer = threading.Timer(1.0, lambda: connection.execute(again))
        timer.start()
        try:
            with capture_logs() as logs:
                storage = PostgresStorage(as_user(postgres_url, "comes_later"), wait_seconds=20)
            storage.close()
        finally:
            timer.join()
            connection.execute("DROP OWNED BY comes_later")
            connection.execute("DROP ROLE comes_later")
    assert [line["event"] for line in logs] == ["waiting for the database", "the database answers"]


def test_a_server_that_is_there_is_not_spoken_of(postgres_url: str) -> None:
    with capture_logs() as logs:
        PostgresStorage(postgres_url).close()
    assert logs == []


def test_an_unknown_database_is_refused_at_once(postgres_url: str) -> None:
    with capture_logs() as logs, pytest.raises(ConfigurationError, match="no such database"):
        PostgresStorage(postgres_url.replace("/test_", "/no_test_"))
    assert logs == []


def test_an_unknown_user_is_refused_at_once(postgres_url: str) -> None:
    with pytest.raises(ConfigurationError, match="refuses the user or the password"):
        PostgresStorage(as_user(postgres_url, "nobody_we_know"))


def test_a_wrong_password_is_refused_at_once_and_not_repeated(postgres_url: str, with_password: str) -> None:
    with capture_logs() as logs, pytest.raises(ConfigurationError, match="refuses the user or the password") as told:
        PostgresStorage(as_user(postgres_url, with_password, "not-the-password"))
    assert "not-the-password" not in str(told.value)
    assert logs == []


def test_a_missing_password_is_told(postgres_url: str, with_password: str) -> None:
    with pytest.raises(ConfigurationError, match="asks for a password"):
        PostgresStorage(as_user(postgres_url, with_password))


def test_a_user_who_may_not_use_the_database_is_told(postgres_url: str, with_password: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        name = sql.Identifier(urlsplit(postgres_url).path[1:])
        connection.execute(sql.SQL("REVOKE CONNECT ON DATABASE {} FROM PUBLIC").format(name))
    with pytest.raises(ConfigurationError, match="may not use this database"):
        PostgresStorage(as_user(postgres_url, with_password, PASSWORD))


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://shop:{PASSWORD}@[half/reviews",
        f"postgresql://shop:{PASSWORD}@127.0.0.1/reviews?no_such_option=1",
        f"postgresql://shop:{PASSWORD}@{PASSWORD}@127.0.0.1/reviews",
        f"postgresql://shop:{PASSWORD}/reviews",  # the host was forgotten
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError, match="database_url") as told:
        PostgresStorage(url)
    assert PASSWORD not in str(told.value)


@pytest.mark.parametrize(
    "password",
    [
        "pa/ss",  # libpq: host shop, port pa, database ss@127.0.0.1/reviews
        "5432/ss",
        "/ss",
        "pa/ss@word",
        "pa@ss/word",
        "pa@ss",
        "pa@ss:word",
        "pa@ss,word:1",
        "pa%ss",
        "pa%4",
        "pa ss",
        "54/s?word",
        "54/s?word=1",
    ],
)
@pytest.mark.parametrize("options", ["", "?sslmode=disable"])
def test_a_password_that_is_not_encoded_is_refused_at_once_and_not_repeated(password: str, options: str) -> None:
    with capture_logs() as logs, pytest.raises(ConfigurationError, match="in a password as") as told:
        PostgresStorage(f"postgresql://shop:{password}@127.0.0.1/reviews{options}")
    assert logs == []  # of waiting, in which libpq would repeat what it takes for a port
    said = str(told.value).replace("write % / @ : ? # and spaces in a password", "").lower()
    assert not [part for part in re.split(r"[/@:?,= ]", password) if part in said.split()]


@pytest.mark.parametrize("password", ["pa#ss", "pa?ss", "pa:ss", "pa&ss", "pa=ss", "pa%2Fss%40%25", "pa[ss]"])
@pytest.mark.parametrize("place", ["127.0.0.1:{port}", "127.0.0.1:{port},127.0.0.1:{port}", "[::1]:{port}"])
def test_a_password_that_libpq_reads_as_it_is_meant_is_taken(nobody: str, password: str, place: str) -> None:
    where = place.format(port=urlsplit(nobody).port)
    with capture_logs() as logs, pytest.raises(StorageUnavailable, match="did not answer") as told:
        migrate(f"postgresql://shop:{password}@{where}/reviews", wait_seconds=0)
    assert password not in f"{logs} {told.value}"


def test_the_password_is_not_in_the_settings_as_they_are_shown(nobody: str) -> None:
    assert PASSWORD not in repr(Settings(database_url=nobody))


@pytest.mark.parametrize("use", [build, migrate_database, check_database])
def test_a_missing_secret_is_noticed_before_anything_is_asked_of_the_server(nobody: str, use: Use) -> None:
    begun = time.monotonic()
    with capture_logs() as logs, pytest.raises(SecretMissing, match="the secret must be given"):
        use(Settings(database_url=nobody))
    assert time.monotonic() - begun < 1
    assert logs == []


@pytest.mark.parametrize("use", [build, migrate_database, check_database])
def test_a_wrong_secret_is_refused(postgres_url: str, use: Use) -> None:
    build(Settings(database_url=postgres_url, secret=SECRET)).close()
    with pytest.raises(SecretWrong, match="the secret does not open this database"):
        use(Settings(database_url=postgres_url, secret=SECRET + " and another"))


def test_a_newer_schema_is_refused_by_a_start_and_by_a_migration(postgres_url: str) -> None:
    settings = Settings(database_url=postgres_url, secret=SECRET)
    assert migrate_database(settings)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("INSERT INTO reviewinvite_migrations (name) VALUES ('m9999_later')")
    with pytest.raises(ConfigurationError, match="newer release"):
        build(settings)
    with pytest.raises(ConfigurationError, match="newer release"):
        migrate_database(settings)


def test_the_condition_counts_the_pools_connections(postgres_url: str) -> None:
    storage = PostgresStorage(postgres_url)
    try:
        condition = storage.read(lambda _: storage.condition())
        assert condition.engine == "postgresql"
        assert condition.connections
        assert condition.connections.in_use == 1
        assert condition.connections.open >= 1
        assert condition.connections.waiting == 0
        pool = storage.condition().connections
        assert pool
        assert pool.in_use == 0
    finally:
        storage.close()


def test_a_server_with_stricter_transactions_makes_no_difference(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        name = sql.Identifier(urlsplit(postgres_url).path[1:])
        for setting in ("default_transaction_isolation = 'serializable'", "default_transaction_read_only = on"):
            connection.execute(sql.SQL("ALTER DATABASE {} SET " + setting).format(name))  # type: ignore[arg-type]
    storage = PostgresStorage(postgres_url)
    try:
        level = storage.run(lambda store: _ask(store, "SHOW transaction_isolation"))
        assert level == "read committed"
        assert storage.run(lambda store: store.shops.add(a_shop("molen")))
    finally:
        storage.close()


def _ask(store: Store, question: str) -> object:
    return store._connection.execute(question).fetchone()[0]  # type: ignore[attr-defined]
