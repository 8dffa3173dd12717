"""Copying a database into another: all of it, once, whatever their engines, and compared row by row."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.adapters.sql.copying import all_rows, break_off_after, connection_to, fill, run, settings
from tests.postgres import durable

from reviewinvite_core import ConfigurationError, OrderReport, accepted, build
from reviewinvite_core.adapters.sql.copy.copy import MOST_DIFFERENCES
from reviewinvite_core.adapters.sql.copy.table import ROWS_IN_A_BATCH
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.admin import Difference, check_database, copy_database, migrate_database
from reviewinvite_core.bootstrap.adapter_factory import sqlite_path


def test_the_list_of_tables_is_that_of_the_migrations_with_their_keys(tmp_path: Path, postgres_url: str) -> None:
    file = f"sqlite:///{tmp_path / 'new.db'}"
    for url in (file, postgres_url):
        migrate_database(settings(url))
    listed = {table.name: table.key for table in TABLES}
    with connection_to(file) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'"
        )
        keys = {
            name: tuple(
                row[1]
                for row in sorted(connection.execute(f"PRAGMA table_info({name})"), key=lambda row: row[5])
                if row[5]
            )
            for (name,) in names.fetchall()
        }
    assert listed == {name: key for name, key in keys.items() if not name.startswith("sqlite_")}
    with connection_to(postgres_url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert {name for (name,) in found} == {*listed, "reviewinvite_migrations"}


def test_all_of_a_database_is_copied_and_the_same_secret_opens_it(source: str, target: str) -> None:
    fill(source)
    report = copy_database(source, target)
    assert report.is_good
    rows = all_rows(source)
    assert all(rows.values())
    assert all_rows(target) == rows
    assert report.rows == {name: len(found) for name, found in rows.items()}
    assert report.written == sum(map(len, rows.values()))
    with durable(target):
        assert check_database(settings(target)) == []
    app = build(settings(target))
    try:
        caller = accepted(app.shops.act_for("molen"))
        again = accepted(app.orders.report(caller, OrderReport(email="c1@example.com", order_number="n-1")))
    finally:
        app.close()
    assert again.duplicate


def test_an_empty_source_makes_an_empty_target(source: str, target: str) -> None:
    migrate_database(settings(source))
    report = copy_database(source, target)
    assert report.is_good
    assert set(report.rows.values()) == {0}
    build(settings(target)).close()


def test_a_copy_that_was_broken_off_goes_on_and_ends_with_the_same(source: str, target: str) -> None:
    fill(source)
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, target, progress=break_off_after(6))  # in the middle of the orders
    kept = sum(map(len, all_rows(target).values()))
    assert kept > ROWS_IN_A_BATCH
    report = copy_database(source, target)
    assert report.is_good
    assert report.written == sum(report.rows.values()) - kept
    assert all_rows(target) == all_rows(source)


def test_a_copy_that_was_broken_off_is_refused_by_everything_else(source: str, target: str) -> None:
    fill(source, 1)
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, target, progress=break_off_after(3))
    with pytest.raises(ConfigurationError, match="not finished: run `reviewinvite db copy` again"):
        build(settings(target))
    with pytest.raises(ConfigurationError, match="not finished"):
        migrate_database(settings(target))
    with pytest.raises(ConfigurationError, match="not finished"):
        copy_database(target, source)


def test_what_the_source_has_changed_or_lost_since_is_mended_when_the_copy_goes_on(files: tuple[str, str]) -> None:
    source, target = files
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, target, progress=break_off_after(8))  # when nearly all is copied
    run(source, "UPDATE orders SET first_reported_at = first_reported_at + 1")
    run(source, "DELETE FROM admissions")
    report = copy_database(source, target)
    assert report.is_good
    assert all_rows(target) == all_rows(source)


def test_to_copy_again_only_compares(source: str, target: str) -> None:
    fill(source, 1)
    copy_database(source, target)
    report = copy_database(source, target)
    assert (report.is_good, report.written) == (True, 0)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE shops SET name = 'Another' WHERE number = 2", Difference("shops", (2,), "not the same")),
        ("DELETE FROM api_keys WHERE revoked_at IS NULL", Difference("api_keys", ("KEY",), "missing in TO")),
        (
            "INSERT INTO admissions (shop, subject, seq, admitted_at) VALUES (7, 'other', 1, 1)",
            Difference("admissions", (7, "other", 1), "missing in FROM"),
        ),
    ],
)
def test_a_row_that_differs_is_found_and_not_touched(
    files: tuple[str, str], postgres_url: str, statement: str, expected: Difference
) -> None:
    source, _ = files
    copy_database(source, postgres_url)
    run(postgres_url, statement)
    before = all_rows(postgres_url)
    report = copy_database(source, postgres_url)
    assert not report.is_good
    (found,) = report.differences
    assert (found.table, found.what) == (expected.table, expected.what)
    assert found.key == expected.key or expected.key == ("KEY",)
    assert all_rows(postgres_url) == before


def different_from(value: object) -> object:
    """Return another value for a column; sealed bytes are random, and could end with any fixed byte already."""
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    return "!" if isinstance(value, str) else -5


def test_every_column_of_every_table_is_compared(sqlite_folder: Path) -> None:
    source, target = (f"sqlite:///{sqlite_folder / name}" for name in ("source.db", "target.db"))
    fill(source, 1)
    copy_database(source, target)
    for table in TABLES:
        with connection_to(target) as connection:
            cursor = connection.execute(f"SELECT * FROM {table.name} LIMIT 1")
            columns = [column[0] for column in cursor.description]
            key = " AND ".join(f"{name} = ?" for name in table.key)
            row = cursor.fetchone()
            place = [row[columns.index(name)] for name in table.key]
            for column, value in zip(columns, row, strict=True):
                if column in table.key:
                    continue
                change = f"UPDATE {table.name} SET {column} = ? WHERE {key}"
                connection.execute("PRAGMA foreign_keys = OFF")
                connection.execute(change, (different_from(value), *place))
                report = copy_database(source, target)
                assert [(found.table, found.what) for found in report.differences] == [(table.name, "not the same")]
                connection.execute(change, (value, *place))
    assert copy_database(source, target).is_good


def test_no_more_differences_are_listed_than_can_be_read(files: tuple[str, str]) -> None:
    source, target = files
    copy_database(source, target)
    run(target, "UPDATE invitations SET language = 'xx'")
    assert len(copy_database(source, target).differences) == MOST_DIFFERENCES


def test_progress_goes_from_the_first_row_to_the_last(files: tuple[str, str]) -> None:
    told: list[tuple[int, int]] = []
    report = copy_database(*files, progress=lambda done, total: told.append((done, total)))
    total = 2 * sum(report.rows.values())
    assert {of for _, of in told} == {total}
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1][0] == total


def test_a_target_with_data_of_its_own_is_refused_and_left_alone(files: tuple[str, str], target: str) -> None:
    source, _ = files
    fill(target, 1)
    before = all_rows(target)
    with pytest.raises(ConfigurationError, match="TO holds other data"):
        copy_database(source, target)
    assert all_rows(target) == before
    build(settings(target)).close()


def test_part_of_a_copy_of_another_database_is_refused(files: tuple[str, str], tmp_path: Path) -> None:
    source, target = files
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, target, progress=break_off_after(3))
    other = f"sqlite:///{tmp_path / 'other.db'}"
    fill(other, 1)
    with pytest.raises(ConfigurationError, match="part of a copy of another"):
        copy_database(other, target)


def test_another_programs_database_is_refused(files: tuple[str, str], target: str) -> None:
    source, _ = files
    run(target, "CREATE TABLE theirs (x INTEGER)")
    with pytest.raises(ConfigurationError, match="another program"):
        copy_database(source, target)


def test_postgres_with_another_programs_orders_is_not_set_up(postgres_url: str) -> None:
    run(postgres_url, "CREATE TABLE orders (x INTEGER)")
    with pytest.raises(ConfigurationError, match="another program"):
        build(settings(postgres_url))
    run(postgres_url, "SELECT x FROM orders")


def test_a_database_is_not_copied_into_itself(source: str, tmp_path: Path) -> None:
    fill(source, 1)
    before = all_rows(source)
    names = [source]
    if source.startswith("sqlite:"):
        (tmp_path / "link.db").symlink_to(sqlite_path(source))
        names.append(f"sqlite:///{tmp_path / 'link.db'}")
    for name in names:
        with pytest.raises(ConfigurationError, match="the same database"):
            copy_database(source, name)
    assert all_rows(source) == before


def test_a_source_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no database"):
        copy_database(f"sqlite:///{tmp_path / 'no.db'}", f"sqlite:///{tmp_path / 'target.db'}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pair", [("memory:", "sqlite:///x.db"), ("sqlite:///x.db", "mysql://x")])
def test_what_is_no_sql_database_is_refused(files: tuple[str, str], pair: tuple[str, str]) -> None:
    source, target = (files[0] if end == "sqlite:///x.db" else end for end in pair)
    with pytest.raises(ConfigurationError):
        copy_database(source, target)


def test_a_row_that_the_target_cannot_take_is_told_without_its_values(files: tuple[str, str], target: str) -> None:
    source, _ = files
    run(source, "PRAGMA foreign_keys = OFF")
    run(source, "DELETE FROM shops WHERE site_id = 'kaas'")  # its key is still there
    with pytest.raises(ConfigurationError, match="TO rejects a row of FROM") as told:
        copy_database(source, target)
    assert "kaas" not in str(told.value)
