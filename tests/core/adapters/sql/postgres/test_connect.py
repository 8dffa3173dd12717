"""How a start finds PostgreSQL: it waits for one that is away, and says at once what waiting will not mend."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from psycopg import sql
from tests import postgres
from tests.core.adapters.sql.raw import ask, execute
from tests.logs import captured_logs
from tests.postgres import with_option
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import ConfigurationError, Settings, StorageUnavailable, build
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.postgres.connect import parameters_of, prepares_if_direct
from reviewinvite_core.adapters.sql.postgres.migrate import LOCK_SCHEMA, migrate
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.admin import check_database, copy_database, migrate_database
from reviewinvite_core.domain.errors import SecretMissing, SecretWrong
from reviewinvite_core.ports import Failed, Store
from reviewinvite_core.testing.builders import a_shop

SECRET = "a secret that is long enough, and used in tests only"
PASSWORD = "geheim-en-lang"
LONG = 20.0  # far from for ever, on a busy machine too, and less than a start waits by default

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
    with (
        captured_logs() as logs,
        pytest.raises(StorageUnavailable, match=r"did not answer within 0\.6 seconds") as told,
    ):
        PostgresStorage(nobody, wait_seconds=0.6)
    assert 0.6 <= time.monotonic() - begun < LONG
    assert [line["event"] for line in logs] == ["waiting for the database"]
    assert logs[0]["seconds"] == 0.6
    assert "refused" in logs[0]["cause"]
    assert PASSWORD not in f"{logs} {told.value}"


def test_a_migration_waits_as_well(nobody: str) -> None:
    with captured_logs() as logs, pytest.raises(StorageUnavailable, match="did not answer"):
        migrate(nobody, wait_seconds=0.1)
    assert [line["event"] for line in logs] == ["waiting for the database"]


def test_a_server_that_comes_while_we_wait_is_found(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        name = urlsplit(postgres_url).path[1:]
        connection.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT 0").format(sql.Identifier(name)))
        connection.execute("CREATE ROLE comes_later LOGIN")
        connection.execute("GRANT ALL ON SCHEMA public TO comes_later")
        again = sql.SQL("ALTER DATABASE {} CONNECTION LIMIT -1").format(sql.Identifier(name))
        try:
            with captured_logs() as logs, ThreadPoolExecutor(1) as threads:
                starting = threads.submit(PostgresStorage, as_user(postgres_url, "comes_later"), wait_seconds=60)
                wait_until(lambda: logs or starting.done())
                connection.execute(again)
                starting.result().close()
        finally:
            connection.execute("DROP OWNED BY comes_later")
            connection.execute("DROP ROLE comes_later")
    assert [line["event"] for line in logs] == ["waiting for the database", "the database answers"]


@pytest.mark.parametrize(
    "option", ["options=-cnosuch%3Dx", "options=-cwork_mem%3Dx", "options=-zzz", "sslmode=x", "target_session_attrs=x"]
)
def test_an_option_that_is_not_valid_is_refused_at_once(postgres_url: str, option: str) -> None:
    with captured_logs() as logs, pytest.raises(ConfigurationError, match="an option in database_url is not valid"):
        PostgresStorage(with_option(postgres_url, option))
    assert logs == []


def test_a_time_to_connect_that_is_no_number_is_refused(nobody: str) -> None:
    with pytest.raises(ConfigurationError, match="connect_timeout in database_url must be a whole number"):
        PostgresStorage(with_option(nobody, "connect_timeout=soon"))


def test_a_server_that_is_there_is_not_spoken_of(postgres_url: str) -> None:
    with captured_logs() as logs:
        PostgresStorage(postgres_url).close()
    assert logs == []


def test_an_unknown_database_is_refused_at_once(postgres_url: str) -> None:
    with captured_logs() as logs, pytest.raises(ConfigurationError, match="no such database"):
        PostgresStorage(postgres_url.replace("/test_", "/no_test_"))
    assert logs == []


def test_an_unknown_user_is_refused_at_once(postgres_url: str) -> None:
    with pytest.raises(ConfigurationError, match="refuses the user or the password"):
        PostgresStorage(as_user(postgres_url, "nobody_we_know"))


def test_a_wrong_password_is_refused_at_once_and_not_repeated(postgres_url: str, with_password: str) -> None:
    with captured_logs() as logs, pytest.raises(ConfigurationError, match="refuses the user or the password") as told:
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
    with captured_logs() as logs, pytest.raises(ConfigurationError, match="in a password as") as told:
        PostgresStorage(f"postgresql://shop:{password}@127.0.0.1/reviews{options}")
    assert logs == []  # of waiting, in which libpq would repeat what it takes for a port
    said = str(told.value).replace("write % / @ : ? # and spaces in a password", "").lower()
    assert not [part for part in re.split(r"[/@:?,= ]", password) if part in said.split()]


@pytest.mark.parametrize("password", ["pa#ss", "pa?ss", "pa:ss", "pa&ss", "pa=ss", "pa%2Fss%40%25", "pa[ss]"])
@pytest.mark.parametrize("place", ["127.0.0.1:{port}", "127.0.0.1:{port},127.0.0.1:{port}", "[::1]:{port}"])
def test_a_password_that_libpq_reads_as_it_is_meant_is_taken(nobody: str, password: str, place: str) -> None:
    where = place.format(port=urlsplit(nobody).port)
    with captured_logs() as logs, pytest.raises(StorageUnavailable, match="did not answer") as told:
        migrate(f"postgresql://shop:{password}@{where}/reviews", wait_seconds=0)
    assert password not in f"{logs} {told.value}"


def test_the_password_is_not_in_the_settings_as_they_are_shown(nobody: str) -> None:
    assert PASSWORD not in repr(Settings(database_url=nobody))


@pytest.mark.parametrize("use", [build, migrate_database, check_database])
def test_a_missing_secret_is_noticed_before_anything_is_asked_of_the_server(nobody: str, use: Use) -> None:
    begun = time.monotonic()
    with captured_logs() as logs, pytest.raises(SecretMissing, match="the secret must be given"):
        use(Settings(database_url=nobody))
    assert time.monotonic() - begun < LONG
    assert logs == []


@pytest.mark.parametrize("use", [build, migrate_database, check_database])
def test_a_wrong_secret_is_refused(postgres_url: str, use: Use) -> None:
    build(Settings(database_url=postgres_url, secret=SECRET)).close()
    with pytest.raises(SecretWrong, match="wrong secret for this database"):
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
            connection.execute(sql.SQL("ALTER DATABASE {} SET " + setting).format(name))
    storage = PostgresStorage(postgres_url)
    try:
        level = storage.run(lambda store: ask(store, "SHOW transaction_isolation"))
        assert level == "read committed"
        assert storage.run(lambda store: store.shops.add(a_shop("molen")))
    finally:
        storage.close()


# --- who else migrates ------------------------------------------------------------------------------------------

ALTER = Migration("m9998_alter", ("ALTER TABLE shops ADD COLUMN colour TEXT",))


@contextmanager
def somebody_migrates(url: str) -> Iterator[None]:
    with psycopg.connect(url) as connection:
        connection.execute(LOCK_SCHEMA.encode())
        yield


def test_a_start_waits_for_another_that_sets_the_database_up_but_not_for_ever(postgres_url: str) -> None:
    begun = time.monotonic()
    with somebody_migrates(postgres_url), pytest.raises(StorageUnavailable, match="another process is migrating"):
        PostgresStorage(postgres_url, wait_seconds=0.3)
    assert 0.3 <= time.monotonic() - begun < LONG


def test_the_wait_for_another_may_be_longer_than_that_for_an_answer(postgres_url: str) -> None:
    with somebody_migrates(postgres_url), pytest.raises(StorageUnavailable, match="another process is migrating"):
        PostgresStorage(postgres_url, wait_seconds=3.0, answer_seconds=2.0)


def test_a_start_without_patience_waits_for_nobody(postgres_url: str) -> None:
    with somebody_migrates(postgres_url), pytest.raises(StorageUnavailable, match="another process is migrating"):
        migrate(postgres_url, wait_seconds=0)


def test_a_start_on_a_database_that_is_set_up_waits_for_nobody(postgres_url: str) -> None:
    migrate(postgres_url)
    with somebody_migrates(postgres_url):
        PostgresStorage(postgres_url, wait_seconds=0.3).close()


def test_a_start_while_another_migrates_sees_what_that_one_has_made(postgres_url: str) -> None:
    waiting = """
        SELECT COUNT(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted
    """
    with psycopg.connect(postgres_url, autocommit=True) as watcher, ThreadPoolExecutor(1) as threads:
        with somebody_migrates(postgres_url):
            starting = threads.submit(migrate, postgres_url, wait_seconds=TIMEOUT_SECONDS)
            wait_until(lambda: watcher.execute(waiting).fetchone() == (1,))
            watcher.execute("CREATE TABLE reviewinvite_migrations (name TEXT PRIMARY KEY)")
            watcher.execute("INSERT INTO reviewinvite_migrations (name) VALUES ('m9999_later')")
        with pytest.raises(ConfigurationError, match="newer release"):
            starting.result(TIMEOUT_SECONDS)


def test_a_migration_of_data_may_take_longer_than_an_answer(postgres_url: str) -> None:
    migrate(postgres_url)
    name = urlsplit(postgres_url).path[1:]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER DATABASE {} SET statement_timeout = '2s'").format(sql.Identifier(name)))
    slow = Migration("m9999_slow", ("SELECT pg_sleep(2.5)",))
    assert migrate(postgres_url, migrations=(*MIGRATIONS, slow), answer_seconds=2.0) == ["m9999_slow"]


def test_a_migration_waits_for_a_table_that_somebody_holds_but_not_for_ever(postgres_url: str) -> None:
    migrate(postgres_url)
    with psycopg.connect(postgres_url) as dump:
        dump.execute("LOCK TABLE shops IN ACCESS SHARE MODE")
        with pytest.raises(StorageUnavailable, match="nothing was applied"):
            migrate(postgres_url, migrations=(*MIGRATIONS, ALTER), wait_seconds=0.3)
    assert migrate(postgres_url, migrations=(*MIGRATIONS, ALTER)) == ["m9998_alter"]


# --- a pooler that does not follow prepared statements ------------------------------------------------------------

PREPARED = "SELECT COUNT(*) FROM pg_prepared_statements"


@pytest.mark.parametrize(
    ("option", "prepares"), [("", True), ("prepared_statements=on", True), ("prepared_statements=off", False)]
)
def test_the_url_says_whether_statements_are_prepared(postgres_url: str, option: str, prepares: bool) -> None:
    url = with_option(postgres_url, option)
    assert migrate(url)
    storage = PostgresStorage(url)
    try:
        for _ in range(10):
            storage.read(lambda store: store.shops.every())
        assert bool(storage.read(lambda store: ask(store, PREPARED))) is prepares
    finally:
        storage.close()


@pytest.mark.parametrize(
    ("url", "host", "threshold"),
    [
        ("postgresql://shop@h/reviews?prepared_statements=off", "h", None),
        ("postgresql://shop@h/reviews?prepared_statements=off&sslmode=require", "h", None),
        ("postgresql://shop@h/reviews?sslmode=require&prepared_statements=off&application_name=x", "h", None),
        ("postgresql://h?prepared_statements=off", "h", None),
        ("postgresql://shop:a?prepared_statements=off@h/reviews", "h", None),  # a password
        ("postgresql://h/reviews?application_name=prepared_statements=off", "h", None),
        ("postgresql://h?prepared_statements=on", "h", 5),
        ("postgresql://h", "h", None),
    ],
)
def test_the_option_is_taken_from_where_libpq_has_options(url: str, host: str, threshold: int | None) -> None:
    parameters = parameters_of(url.replace("=prepared_statements=off", "=prepared_statements%3Doff"))
    assert parameters["prepare_threshold"] == threshold
    assert prepares_if_direct(url) is ("prepared_statements" not in url or "a?prep" in url or "_name=prep" in url)
    assert parameters["host"] == host
    assert "prepared_statements" not in parameters
    assert parameters.get("sslmode") == ("require" if "sslmode" in url else None)
    if "a?prep" in url:
        assert parameters["password"] == "a?prepared_statements=off"


@pytest.mark.parametrize("value", ["", "false", "OFF", "on&prepared_statements=no"])
def test_another_value_of_the_option_is_refused(nobody: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match="prepared_statements in database_url must be on or off") as told:
        PostgresStorage(f"{nobody}?prepared_statements={value}")
    assert PASSWORD not in str(told.value)


def test_both_ends_of_a_copy_take_the_option(postgres_url: str, postgres_server: str) -> None:
    with postgres.database(postgres_server) as other:
        source, target = (with_option(url, "prepared_statements=off") for url in (postgres_url, other))
        build(Settings(database_url=source, secret=SECRET)).close()
        assert copy_database(source, target).is_good


def prepare_twice(store: Store) -> None:
    for _ in range(2):
        execute(store, "PREPARE same AS SELECT 1")


@pytest.mark.parametrize(
    "unit", [lambda store: execute(store, "EXECUTE nothing"), prepare_twice], ids=["lost", "of another"]
)
def test_a_prepared_statement_that_a_pooler_mixed_up_is_unavailable(
    postgres_url: str, unit: Callable[[Store], object]
) -> None:
    storage = PostgresStorage(postgres_url)
    used: list[object] = []

    def mixed_up(store: Store) -> None:
        used.append(ask(store, "SELECT pg_backend_pid()"))
        unit(store)

    try:
        for use in (storage.run, storage.read):
            with pytest.raises(StorageUnavailable, match="leave prepared_statements=on out of database_url"):
                use(mixed_up)
        (outcome,) = storage.run_all([mixed_up])
        assert isinstance(outcome, Failed)
        assert isinstance(outcome.error, StorageUnavailable)
        assert len({*used[:2], storage.read(lambda store: ask(store, "SELECT pg_backend_pid()"))}) == 3
    finally:
        storage.close()
