"""A copy is not alone: another copy begins, the source is written to, somebody opens the target."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from tests.core.adapters.sql.copying import SECRET, all_rows, break_off_after, connection_to, fill, run, settings
from tests.waiting import wait_until

from reviewinvite_core import ConfigurationError, OrderReport, Settings, StorageUnavailable, accepted, build
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.sql.copy import sqlite_endpoint as sqlite_end
from reviewinvite_core.adapters.sql.copy.postgres_endpoint import opened
from reviewinvite_core.adapters.system import SystemEntropy
from reviewinvite_core.admin import CopyReport, copy_database, migrate_database
from reviewinvite_core.bootstrap.adapter_factory import sqlite_path
from reviewinvite_core.domain.errors import CopyTakenOver, CopyUnfinished
from reviewinvite_core.ports import Entropy


def once_after(batches: int, act: Callable[[], None]) -> Callable[[int, int], None]:
    """Return a progress callback that calls `act` after that many batches."""
    left = batches

    def progress(_done: int, _total: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            act()

    return progress


def second_name(source: str, folder: Path) -> str:
    """Another name for a source: a file is copied, since each freezes its own; a server may be asked twice."""
    if source.startswith("postgresql:"):
        return source
    shutil.copy(sqlite_path(source), folder / "again.db")
    return f"sqlite:///{folder / 'again.db'}"


# 2 batches: in the middle of the copying. 17: all is copied, and being compared.
@pytest.mark.parametrize("batches", [2, 17])
def test_of_two_copies_the_later_ends_and_the_earlier_writes_nothing_any_more(
    source: str, target: str, tmp_path: Path, batches: int
) -> None:
    fill(source)
    again = second_name(source, tmp_path)
    served: dict[str, set[tuple[object, ...]]] = {}

    def copy_again_and_serve() -> None:
        assert copy_database(again, target).is_good
        app = build(settings(target), mailer=RecordingMailer())
        try:
            app.orders.report(accepted(app.shops.act_for("molen")), OrderReport(email="new@example.com"))
            assert next(iter(app.delivery.once())).state == "sent"
        finally:
            app.close()
        served.update(all_rows(target))

    for each in {source, again}:
        run(each, f"UPDATE invitations SET due_at = {time.time_ns() // 1000} WHERE state = 'scheduled'")
    with pytest.raises(CopyTakenOver, match="another `db copy` into TO"):
        copy_database(source, target, progress=once_after(batches, copy_again_and_serve))
    assert served
    assert all_rows(target) == served
    build(settings(target)).close()


def test_the_earlier_of_two_copies_says_so_also_while_the_later_still_goes_on(
    files: tuple[str, str], tmp_path: Path
) -> None:
    source, target = files
    again = second_name(source, tmp_path)

    def begin_again() -> None:
        with pytest.raises(KeyboardInterrupt):
            copy_database(again, target, progress=break_off_after(3))

    with pytest.raises(CopyTakenOver):
        copy_database(source, target, progress=once_after(2, begin_again))
    with pytest.raises(CopyUnfinished):
        build(settings(target))
    assert copy_database(source, target).is_good


def test_two_copies_of_one_file_do_not_go_on_at_once(tmp_path: Path) -> None:
    fill(f"sqlite:///{tmp_path / 'source.db'}", 1)
    with ExitStack() as stack:
        ends = [
            stack.enter_context(sqlite_end.opened(tmp_path / "source.db", as_target=False, busy_seconds=0.05))
            for _ in range(2)
        ]
        stack.enter_context(ends[0].frozen())
        with pytest.raises(StorageUnavailable, match="FROM is being written to, or copied already"):
            stack.enter_context(ends[1].frozen())


def test_a_server_of_whom_others_hold_a_table_all_the_time_is_refused(postgres_url: str) -> None:
    migrate_database(settings(postgres_url))
    with connection_to(postgres_url) as other, opened(postgres_url, busy_seconds=0.05) as end:
        other.execute("BEGIN")
        other.execute("DELETE FROM changes")
        with pytest.raises(StorageUnavailable, match="FROM is constantly being written to"), end.frozen():
            pass
        with pytest.raises(StorageUnavailable, match="TO is in use"), end.alone():
            pass
        other.execute("ROLLBACK")
        with end.frozen():
            pass


@pytest.mark.parametrize("batches", [1, 6, 17])
def test_nobody_can_write_to_the_source_of_a_copy(source: str, target: str, batches: int) -> None:
    fill(source)

    def write() -> None:
        with connection_to(source) as connection:
            refusal: type[Exception] = psycopg.errors.LockNotAvailable
            if isinstance(connection, psycopg.Connection):
                connection.execute("SET lock_timeout = '50ms'")
            else:
                connection.execute("PRAGMA busy_timeout = 50")
                refusal = sqlite3.OperationalError
            for table in ("shops", "invitations", "changes"):
                with pytest.raises(refusal, match="lock"):
                    connection.execute(f"DELETE FROM {table}")
            assert connection.execute("SELECT COUNT(*) FROM shops").fetchone() == (2,)  # to read is allowed
        tried.append(True)

    tried: list[bool] = []
    assert copy_database(source, target, progress=once_after(batches, write)).is_good
    assert tried
    assert all_rows(target) == all_rows(source)
    run(source, "DELETE FROM admissions")  # it is let go of in the end


def test_what_is_committed_while_the_copy_waits_for_it_is_copied(postgres_url: str, tmp_path: Path) -> None:
    fill(postgres_url, 1)
    target = f"sqlite:///{tmp_path / 'target.db'}"
    reports: list[CopyReport] = []
    with connection_to(postgres_url) as writer, connection_to(postgres_url) as watcher:
        writer.execute("BEGIN")
        writer.execute("UPDATE shops SET name = 'Changed late' WHERE number = 1")
        copying = threading.Thread(target=lambda: reports.append(copy_database(postgres_url, target)))
        copying.start()
        wait_until(lambda: watcher.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall())
        writer.execute("COMMIT")
        copying.join()
    assert reports[0].is_good
    assert any("Changed late" in row for row in all_rows(target)["shops"])
    assert all_rows(target) == all_rows(postgres_url)


def test_a_copy_that_finds_another_one_in_the_midst_of_a_batch_waits_for_it(
    files: tuple[str, str], postgres_url: str
) -> None:
    source, _ = files
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, postgres_url, progress=break_off_after(6))
    ((mark,),) = marks(postgres_url)
    reports: list[CopyReport] = []
    with opened(postgres_url) as other, connection_to(postgres_url) as watcher:
        copying = threading.Thread(target=lambda: reports.append(copy_database(source, postgres_url)))
        with other.writing():
            assert other.has_marker(mark)
            copying.start()
            wait_until(lambda: watcher.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall())
            assert marks(postgres_url) == [(mark,)]
            other.change("UPDATE shops SET name = :name", [{"name": "Written by the first"}])
        copying.join()
        with other.writing():
            assert not other.has_marker(mark)
    assert reports[0].is_good
    assert all_rows(postgres_url) == all_rows(source)


def marks(url: str) -> list[tuple[str]]:
    with connection_to(url) as connection:
        found: list[tuple[str]] = connection.execute(
            "SELECT name FROM reviewinvite_migrations WHERE name LIKE 'copy-of-%'"
        ).fetchall()
        return found


def test_a_machine_that_is_lost_without_a_word_keeps_no_lock_for_ever(postgres_url: str) -> None:
    migrate_database(settings(postgres_url))
    with opened(postgres_url) as end:
        for transaction in (end.frozen, end.writing, end.alone):
            with transaction():
                assert end.rows("SHOW idle_in_transaction_session_timeout", {}) != [("0",)]


def test_an_empty_target_is_marked_at_once_when_it_is_set_up(target: str, tmp_path: Path) -> None:
    on_server = target.startswith("postgresql:")
    with opened(target) if on_server else sqlite_end.opened(sqlite_path(target), as_target=True) as end:
        end.set_up("copy-of-one")
        first = end.applied()
        assert "copy-of-one" in first
        end.set_up("copy-of-another")  # which comes too late
        assert end.applied() == first
    with pytest.raises(CopyUnfinished):
        build(settings(target))


def test_a_target_that_was_changed_meanwhile_is_not_given_free(files: tuple[str, str], target: str) -> None:
    source, _ = files
    report = copy_database(source, target, progress=once_after(7, lambda: run(target, "DELETE FROM orders")))
    assert {difference.what for difference in report.differences} == {"missing in TO"}
    assert not report.is_good
    with pytest.raises(CopyUnfinished):
        build(settings(target))
    assert copy_database(source, target).is_good
    build(settings(target)).close()


class CopyingEntropy:
    """Entropy that begins a copy into the database for whose key ring it is asked."""

    def __init__(self, source: str, target: str) -> None:
        self._source, self._target = source, target
        self._begun = False

    def draw(self, size: int) -> bytes:
        if not self._begun:
            self._begun = True
            with pytest.raises(KeyboardInterrupt):
                copy_database(self._source, self._target, progress=break_off_after(1))
        return SystemEntropy().draw(size)


def test_who_opens_the_target_just_before_the_copy_begins_is_refused(files: tuple[str, str], target: str) -> None:
    source, _ = files
    entropy: Entropy = CopyingEntropy(source, target)
    with pytest.raises(CopyUnfinished):
        build(Settings(database_url=target, secret=SECRET), entropy=entropy)
    assert copy_database(source, target).is_good
    assert all_rows(target) == all_rows(source)


def test_a_copy_into_a_database_that_has_its_schema_and_nothing_else_is_welcome(
    files: tuple[str, str], target: str
) -> None:
    source, _ = files
    migrate_database(settings(target))
    assert copy_database(source, target).is_good


def test_what_an_earlier_run_copied_is_not_in_the_way_of_what_has_its_place_now(
    files: tuple[str, str], target: str
) -> None:
    source, _ = files
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, target, progress=break_off_after(3))
    run(source, "PRAGMA foreign_keys = OFF")
    run(source, "DELETE FROM api_keys WHERE shop = 2")
    run(source, "DELETE FROM activity WHERE shop = 2")
    run(source, "UPDATE shops SET number = 3 WHERE number = 2")  # the same site id, which is unique, in another row
    assert copy_database(source, target).is_good
    assert all_rows(target) == all_rows(source)


def test_the_strangers_of_a_target_are_taken_away_page_by_page(files: tuple[str, str], target: str) -> None:
    source, _ = files
    with pytest.raises(KeyboardInterrupt):
        copy_database(source, target, progress=break_off_after(7))
    assert len(all_rows(target)["orders"]) > 500
    run(source, "DELETE FROM changes")
    run(source, "DELETE FROM orders")
    with pytest.raises(ConfigurationError):
        build(settings(target))
    assert copy_database(source, target).is_good
    assert all_rows(target) == all_rows(source)
