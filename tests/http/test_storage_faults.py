"""Storage that is missing, locked, full or another: 503, nothing half-written, and well again by itself. Spec: §7."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
from tests import disks
from tests.http.service import SITE, Answer, Service, an_order, http_request, is_root, report
from tests.http.serving import serving
from tests.links import token_of
from tests.logs import captured_logs
from tests.tools import unavailable
from tests.waiting import run_concurrently

from reviewinvite_core import OPERATOR, InvitationQuery, ReviewQuery, Settings, StorageUnavailable, accepted, build
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.admin import check_database
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import a_shop, an_order_report

BUSY_SECONDS = 0.2


@contextmanager
def serving_from(database: Path, busy_seconds: float = BUSY_SECONDS) -> Iterator[Service]:
    """Serve from this file; unless told otherwise wait for a lock for a fifth of a second only."""
    with serving(
        database_url=f"sqlite:///{database}",
        secret=None,
        orders_per_minute=0,
        storage=SqliteStorage(database, busy_seconds=busy_seconds),
    ) as service:
        service.app.shops.add(a_shop(SITE))
        yield service


@pytest.fixture
def database(sqlite_file: Path) -> Path:
    return sqlite_file


@pytest.fixture
def service(database: Path) -> Iterator[Service]:
    with serving_from(database) as service:
        yield service


def is_away(answer: Answer) -> bool:
    assert (answer.status, answer.code) == (503, "storage_unavailable")
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    return True


def is_alive(service: Service) -> bool:
    return http_request(service.address, "GET", "/healthz").json == {"status": "ok"}


def is_ready(service: Service) -> bool:
    answer = http_request(service.address, "GET", "/readyz")
    return answer.status == 200 or not is_away(answer)


def is_sound(database: Path) -> bool:
    return not check_database(Settings(database_url=f"sqlite:///{database}"))


def order_numbers(service: Service) -> list[str]:
    found = accepted(service.app.invitations.list(OPERATOR, InvitationQuery(limit=100_000))).invitations
    return sorted(str(record.invitation.order_number) for record in found)


def move(database: Path, to: Path) -> None:
    """Move a database that is in use, with the log that belongs to it."""
    for suffix in ("", "-wal", "-shm"):
        source = database.with_name(database.name + suffix)
        if source.exists():
            source.rename(to.with_name(to.name + suffix))


def test_a_database_that_is_moved_away_is_503_until_it_is_back(service: Service, database: Path) -> None:
    key = service.a_key()
    assert report(service.address, key, an_order(orderNumber="1")).status == 201
    elsewhere = database.with_name("elsewhere.db")
    move(database, elsewhere)
    with captured_logs() as logs:
        assert is_away(report(service.address, key, an_order(orderNumber="2")))
        assert is_away(report(service.address, key, an_order(orderNumber="1")))
        assert not is_ready(service)
        assert is_alive(service)
    assert {line["event"] for line in logs} == {"storage unavailable"}
    assert not database.exists()  # no new one was made in its place
    move(elsewhere, database)
    assert is_ready(service)
    assert report(service.address, key, an_order(orderNumber="1")).status == 200
    assert report(service.address, key, an_order(orderNumber="2")).status == 201
    assert order_numbers(service) == ["1", "2"]
    assert is_sound(database)


LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
connection.execute("DELETE FROM invitations")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked_by_another_process(database: Path) -> Iterator[None]:
    """Another process holds the write lock, and in the end takes back what it did."""
    command = [sys.executable, "-c", LOCK, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        yield


def test_to_look_at_a_review_page_writes_nothing_and_so_waits_for_nobody(service: Service, database: Path) -> None:
    reported = accepted(service.app.orders.report(accepted(service.app.shops.act_for(SITE)), an_order_report()))
    path = f"/r/{token_of(service.app, reported.invite_id, Purpose.REVIEW)}"
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert http_request(service.address, "GET", path).status == 200
        assert http_request(service.address, "POST", path, b"rating=6", **form).status == 422
        refused = http_request(service.address, "POST", path, b"rating=5", **form)
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert "Tijdelijk niet beschikbaar" in refused.body.decode()
    assert service.app.reviews.list(ReviewQuery()) == []
    assert http_request(service.address, "POST", path, b"rating=5", **form).status == 303


def test_a_review_page_is_there_also_where_it_cannot_be_noted_that_its_link_was_opened(
    service: Service, database: Path
) -> None:
    invite_id = accepted(
        service.app.orders.report(accepted(service.app.shops.act_for(SITE)), an_order_report())
    ).invite_id
    path = f"/r/{token_of(service.app, invite_id, Purpose.REVIEW)}"
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    with closing(sqlite3.connect(database)) as other, other:
        other.execute("UPDATE invitations SET state = 'uncertain'")
    with captured_logs() as logs, closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert http_request(service.address, "GET", path).status == 200
        assert http_request(service.address, "HEAD", path).status == 200
        assert http_request(service.address, "POST", path, b"rating=6", **form).status == 422
    assert [line["event"] for line in logs] == ["could not record an opened link"] * 3
    assert path.removeprefix("/r/") not in str(logs)
    assert accepted(service.app.invitations.show(OPERATOR, invite_id)).invitation.state == "uncertain"
    assert http_request(service.address, "GET", path).status == 200
    assert accepted(service.app.invitations.show(OPERATOR, invite_id)).invitation.state == "sent"


def has_no_badge_and_no_error(service: Service) -> bool:
    answer = http_request(service.address, "GET", f"/w/{SITE}.js", Referer="https://elsewhere.example.com/")
    assert (answer.status, answer.body, answer.headers["Cache-Control"]) == (200, b"", "no-store")
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    answer = http_request(service.address, "GET", f"/w/{SITE}.js", Accept_Encoding="gzip", If_None_Match="*")
    return (answer.status, answer.body, answer.headers["Cache-Control"]) == (200, b"", "no-store")


def views(service: Service) -> int:
    return accepted(service.app.badges.show_views(SITE)).counted


def test_without_its_database_there_is_no_badge_and_no_error_and_nothing_is_counted(
    service: Service, database: Path
) -> None:
    assert http_request(service.address, "GET", f"/w/{SITE}.js").body
    elsewhere = database.with_name("elsewhere.db")
    move(database, elsewhere)
    assert has_no_badge_and_no_error(service)
    assert is_away(http_request(service.address, "GET", f"/v1/verify/{SITE}"))
    move(elsewhere, database)
    with locked_by_another_process(database):
        assert has_no_badge_and_no_error(service)
        answers = run_concurrently(8, lambda _: http_request(service.address, "GET", f"/w/{SITE}.js"))
        assert {(answer.status, answer.body) for answer in answers} == {(200, b"")}
        assert is_away(http_request(service.address, "GET", f"/v1/verify/{SITE}"))
    with read_only(database):
        assert has_no_badge_and_no_error(service)
    assert views(service) == 1
    assert http_request(service.address, "GET", f"/w/{SITE}.js").body
    assert http_request(service.address, "GET", f"/v1/verify/{SITE}").status == 200
    assert views(service) == 3
    assert is_sound(database)


def test_a_full_disk_shows_no_badge_and_counts_none(small_disk: Path) -> None:
    with serving_from(small_disk / "reviewinvite.db") as service:
        assert http_request(service.address, "GET", f"/w/{SITE}.js").body
        ballast = disks.fill(small_disk)
        seen, refused = 1, 0
        for _ in range(400):  # a view still fits whenever the log is written from its start again
            answer = http_request(service.address, "GET", f"/w/{SITE}.js")
            if answer.body:
                seen += 1
                continue
            assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
            assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
            refused += 1
            if refused == 3:
                break
        assert refused == 3
        answer = http_request(service.address, "GET", f"/v1/verify/{SITE}")
        seen += answer.status == 200
        assert answer.status == 200 or is_away(answer)
        ballast.unlink()
        assert views(service) == seen
        assert http_request(service.address, "GET", f"/w/{SITE}.js").body
    assert is_sound(small_disk / "reviewinvite.db")


def test_a_full_disk_is_503_and_well_again_when_there_is_room(small_disk: Path) -> None:
    database = small_disk / "reviewinvite.db"
    with serving_from(database) as service:
        key = service.a_key()
        assert report(service.address, key, an_order(orderNumber="before")).status == 201
        ballast = disks.fill(small_disk)
        acknowledged: dict[str, str] = {}
        refused: list[str] = []
        for number in range(400):
            answer = report(service.address, key, an_order(orderNumber=f"full-{number}"))
            if answer.status == 201:
                acknowledged[f"full-{number}"] = answer.json["inviteId"]
            else:
                assert is_away(answer)
                refused.append(f"full-{number}")
                if len(refused) == 3:
                    break
        assert len(refused) == 3
        assert is_alive(service)
        assert order_numbers(service) == sorted(["before", *acknowledged])
        ballast.unlink()
        for order_number in refused:
            assert report(service.address, key, an_order(orderNumber=order_number)).status == 201
            assert report(service.address, key, an_order(orderNumber=order_number)).status == 200
        for order_number, invite_id in acknowledged.items():
            again = report(service.address, key, an_order(orderNumber=order_number))
            assert (again.status, again.json["inviteId"]) == (200, invite_id)
        assert order_numbers(service) == sorted(["before", *acknowledged, *refused])
    assert is_sound(database)


def report_of_batch(address: str, key: str, batch: int, number: int) -> Answer:
    return report(address, key, an_order(orderNumber=f"{batch}-{number}"))


def test_a_full_disk_under_load_acknowledges_nothing_that_it_does_not_keep(small_disk: Path) -> None:
    database = small_disk / "reviewinvite.db"
    with serving_from(database) as service:
        key = service.a_key()
        disks.fill(small_disk, leaving=200_000)
        batches = [run_concurrently(16, partial(report_of_batch, service.address, key, batch)) for batch in range(12)]
        answers = {f"{b}-{n}": answer for b, batch in enumerate(batches) for n, answer in enumerate(batch)}
        assert {answer.status for answer in answers.values()} == {201, 503}
        kept = sorted(number for number, answer in answers.items() if answer.status == 201)
        assert order_numbers(service) == kept


@contextmanager
def read_only(database: Path) -> Iterator[None]:
    """Nobody may write to the database's folder; for root, whom no permission stops, by a mount that forbids it."""
    folder = str(database.parent)
    if not is_root():
        database.chmod(0o400)
        yield
        database.chmod(0o600)
        return
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        unavailable("mount", "this machine does not let root mount a file system")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_a_database_that_another_release_has_migrated_is_not_ready(sqlite_file: Path) -> None:
    app = build(Settings(database_url=f"sqlite:///{sqlite_file}", mail_url="recording:"))
    assert app.check_ready().engine == "sqlite"
    with sqlite3.connect(sqlite_file) as newer:
        newer.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('reviewinvite', 'm9999_next', '')"
        )
    newer.close()
    with pytest.raises(StorageUnavailable, match="newer release"):
        app.check_ready()
    app.close()
