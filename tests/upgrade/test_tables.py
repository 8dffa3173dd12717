"""Each table is known to copy, backup, check, rotation, erasure and export, and they do with it as `tables` says."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

import attrs
import pytest
from tests.data.answers import ask, go_on
from tests.data.contents import MOLEN, TEA
from tests.data.editions import Edition, copied_sqlite, loaded_postgres
from tests.data.installation import Installation, opened
from tests.data.make import SECRET_TEXT, asked
from tests.messages import queue
from tests.postgres import durable
from tests.upgrade.database import Present, Row, all_rows, columns_with, damage_page, holds, run, tables_of
from tests.upgrade.tables import HANDLING, BackedUp, Copied, Exported, Handling, Impersonal, Rotated, Withheld

from reviewinvite_core import (
    ClientAddress,
    ConfigurationError,
    NewMember,
    NewReply,
    OrderReport,
    ReviewDraft,
    SiteId,
    SnippetReport,
    StorageUnavailable,
    accepted,
    build,
)
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.adapters.sql.postgres import migrate as postgres_migrate
from reviewinvite_core.adapters.sql.sqlite import migrate as sqlite_migrate
from reviewinvite_core.admin import backup_database, check_database, copy_database, restore_database, rotate_secret
from reviewinvite_core.bootstrap.adapter_factory import is_postgres, sqlite_path
from reviewinvite_core.domain.errors import SecretWrong
from reviewinvite_core.domain.orders import address_hash, dedup_key
from reviewinvite_core.domain.sealing import KeyRing, Secret
from reviewinvite_core.values import EmailAddress, HeldAddress, Reach, ReviewLink

NOTES = Migration("m9999_notes", ("CREATE TABLE notes (shop BIGINT NOT NULL, note {blob}, PRIMARY KEY (shop))",))


@pytest.fixture(params=["sqlite", "postgres"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database on each engine."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'new.db'}"
    address: str = request.getfixturevalue("postgres_url")
    return address


def require_known(url: str) -> None:
    """Raise unless each table of a database is known to all six commands."""
    tables = tables_of(url)
    assert tables == set(HANDLING), f"tests/upgrade/tables.py has to say what becomes of {tables ^ set(HANDLING)}"
    copied = {table.name for table in TABLES}
    assert tables == copied, f"migrations/tables.py, and so `db copy`, has to know {tables ^ copied}"


def migrate(url: str, migrations: Sequence[Migration]) -> None:
    if is_postgres(url):
        postgres_migrate.migrate(url, migrations=migrations)
    else:
        sqlite_migrate.migrate(sqlite_path(url), migrations=migrations)


def test_every_table_is_known_to_all_six(new_database: str) -> None:
    migrate(new_database, MIGRATIONS)
    require_known(new_database)


def test_a_table_that_a_migration_adds_in_silence_is_found(new_database: str) -> None:
    migrate(new_database, (*MIGRATIONS, NOTES))
    with pytest.raises(AssertionError, match=r"what becomes of \{'notes'\}"):
        require_known(new_database)


def test_a_table_without_an_answer_for_each_of_the_six_cannot_be_said_to_be_known() -> None:
    full = attrs.asdict(HANDLING["shops"], recurse=False)
    for command in ("copy", "backup", "check", "rotate", "erase", "export"):
        with pytest.raises(TypeError, match=command):
            Handling(**{name: value for name, value in full.items() if name != command})


def test_what_the_claims_are_shown_with_has_rows_in_every_table(present: Present) -> None:
    rows = all_rows(present.url)
    assert {table for table, those in rows.items() if not those} == set()


def pause(url: str) -> None:
    """Fill the columns that hold something only from the discovery of an older copy to `db reconcile`."""
    named = f"CAST('an invitation' AS {'BYTEA' if is_postgres(url) else 'BLOB'})"
    run(url, f"UPDATE hosts SET ahead = fence + 1, horizon = 1, named = {named}")


def test_what_the_claims_are_shown_with_has_a_value_in_every_column(present: Present) -> None:
    """A column that holds nothing but NULL and 0 would pass every comparison of rows, wherever it were forgotten."""
    pause(present.url)
    rows = all_rows(present.url)
    places = {(table, column) for table, those in rows.items() for row in those for column in row}
    filled = {(table, column) for table, those in rows.items() for row in those for column in row if row[column]}
    assert places - filled == set()


def require_rows(url: str, before: Mapping[str, list[Row]], kept: Mapping[str, bool]) -> None:
    """Raise unless these tables hold what they held before, or nothing where it is not kept."""
    after = all_rows(url)
    for table, is_kept in kept.items():
        assert after[table] == (before[table] if is_kept else []), table


def test_a_copy_to_the_other_engine_has_every_row(
    request: pytest.FixtureRequest, present: Present, tmp_path: Path
) -> None:
    to_file = is_postgres(present.url)
    target = f"sqlite:///{tmp_path / 'target.db'}" if to_file else request.getfixturevalue("postgres_url")
    pause(present.url)
    before = all_rows(present.url)
    assert copy_database(present.url, target).is_good
    require_rows(target, before, {table: each.copy is Copied.ROWS for table, each in HANDLING.items()})


@pytest.fixture
def file(made_file: Edition, tmp_path: Path) -> Present:
    """A copy of the database on SQLite, for what differs from engine to engine."""
    return Present(copied_sqlite(made_file.folder, tmp_path), made_file)


@pytest.fixture
def server(made_dump: Edition, tmp_path: Path, postgres_url: str) -> Present:
    """A copy of it on PostgreSQL."""
    return Present(loaded_postgres(made_dump.folder, tmp_path, postgres_url), made_dump)


def test_a_backup_and_what_is_restored_of_it_have_every_row(file: Present, tmp_path: Path) -> None:
    kept = {table: each.backup is BackedUp.ROWS for table, each in HANDLING.items()}
    pause(file.url)
    before = all_rows(file.url)
    backup_database(file.settings, tmp_path / "backup.db")
    require_rows(f"sqlite:///{tmp_path / 'backup.db'}", before, dict.fromkeys(kept, True))
    sqlite_path(file.url).unlink()
    restore_database(file.settings, tmp_path / "backup.db")
    require_rows(file.url, before, kept)


def require_noticed(present: Present) -> None:
    """Raise unless `db check` reports something, or refuses the database."""
    with durable(present.url), suppress(ConfigurationError, StorageUnavailable):
        assert check_database(present.settings)


def test_the_check_reports_nothing_before_anything_is_damaged(present: Present) -> None:
    with durable(present.url):
        assert check_database(present.settings) == []


@pytest.mark.parametrize("table", [table for table, each in HANDLING.items() if isinstance(each.check.sqlite, str)])
def test_the_check_reports_damaged_rows_of_a_file(file: Present, table: str) -> None:
    damage = HANDLING[table].check.sqlite
    assert isinstance(damage, str)
    run(file.url, damage)
    require_noticed(file)


@pytest.mark.parametrize("table", [table for table, each in HANDLING.items() if isinstance(each.check.postgres, str)])
def test_the_check_reports_damaged_rows_on_a_server(server: Present, table: str) -> None:
    damage = HANDLING[table].check.postgres
    assert isinstance(damage, str)
    run(server.url, damage)
    require_noticed(server)


@pytest.mark.parametrize("table", HANDLING)
def test_the_check_reports_damaged_pages_of_a_file(file: Present, table: str) -> None:
    damage_page(sqlite_path(file.url), table)
    require_noticed(file)


def test_a_rotated_secret_changes_what_is_sealed_under_it_and_nothing_else(present: Present) -> None:
    settings, made, before = present.settings, present.made, all_rows(present.url)
    rotated = rotate_secret(settings)
    assert rotated.old_file
    after = all_rows(present.url)
    changed = {table for table, rows in after.items() if rows != before[table]}
    assert changed == {table for table, each in HANDLING.items() if each.rotate is Rotated.RESEALED}
    with pytest.raises(SecretWrong):
        build(attrs.evolve(settings, secret_file=rotated.old_file))
    assert asked(settings, made.at, ask, made.given) == made.answers  # so every statement is signed, every link known
    assert asked(settings, made.at, go_on, made.given)["sent"]  # so addresses are read


@attrs.frozen(kw_only=True)
class Person:
    """A customer of whom every table holds something that may."""

    address: EmailAddress
    orders: Sequence[tuple[str, OrderReport]]
    invite_ids: Sequence[str]
    review_ids: Sequence[str]
    message_ids: Sequence[str]
    words: Sequence[str]

    def hashes(self, rows: Mapping[str, list[Row]]) -> set[bytes]:
        """Return the keyed hashes by which the person's rows are found."""
        ring = KeyRing.opened(rows["key_ring"][0]["sealed"], Secret.parse(SECRET_TEXT))
        orders = {dedup_key(ring.dedup, SiteId.parse(site_id), order).hash for site_id, order in self.orders}
        return {address_hash(ring.address, self.address), *orders}

    def content(self, rows: Mapping[str, list[Row]]) -> set[bytes]:
        """Return what tells who the person is, or what the person wrote or was told."""
        sealed = {row["sealed_address"] for row in self.rows_of(rows["invitations"])} - {None}
        sealed |= {row["sealed"] for row in self.rows_of(rows["messages"])} - {None}
        return {self.address.text.encode(), *(word.encode() for word in self.words), *sealed}

    def rows_of(self, those: list[Row]) -> list[Row]:
        """Return the rows that are about one of the person's invitations, reviews or messages."""
        ids = {uuid.UUID(each).bytes for each in (*self.invite_ids, *self.review_ids, *self.message_ids)}
        return [row for row in those if not ids.isdisjoint(value for value in row.values() if isinstance(value, bytes))]


def live(installation: Installation) -> Person:
    """Have a person order by key, snippet and import, review one order, opt out at one shop and at all, and wait.

    The person is to get a sign-in link, too.
    """
    app, clock = installation.app, installation.clock
    address = EmailAddress.parse("very.private@example.com")
    orders = [
        *((MOLEN, OrderReport(email=address, order_number=number, delay_days=0)) for number in ("P-1", "P-2")),
        (MOLEN, OrderReport(email=address, delay_days=9)),
        (TEA, OrderReport(email=address, order_number="P-3", delay_days=9)),
    ]
    ids = [accepted(app.orders.report(installation.caller(site_id), order)).invite_id for site_id, order in orders]
    by_browser = OrderReport(email=address, order_number="P-4")
    client = ClientAddress.of(ip_address("192.0.2.99"))
    report = SnippetReport(site_id=SiteId.parse(MOLEN), order=by_browser)
    accepted(app.orders.report_from_snippet(client, "https://www.molen.example.nl", report))
    ids.append(accepted(app.orders.report(installation.caller(MOLEN), by_browser)).invite_id)
    installation.deliver()
    links = installation.mailer.links[ids[0]]
    words = ("Woorden van deze mens.", "Een eigen naam", "Antwoord aan deze mens.")
    written = app.reviews.write(links.review, ReviewDraft(rating=2, text=words[0], author=words[1]))
    assert isinstance(written, ReviewLink)
    assert written.review is not None
    clock.advance(timedelta(minutes=1))
    accepted(app.reviews.reply(installation.caller(MOLEN), written.review.review_id, NewReply(text=words[2])))
    for reach in Reach:
        assert app.privacy.unsubscribe(links.unsubscribe, reach)
    link = accepted(app.members.add(MOLEN, NewMember(email=address))).link
    session = app.sign_in.use_link((link or "").rpartition("/")[2], "Firefox, Linux")
    signed_in = app.sign_in.resume(session.secret.text) if session else None
    assert signed_in
    app.sign_in.note_opened(signed_in, MOLEN)
    return Person(
        address=address,
        orders=[*orders, (MOLEN, by_browser)],
        invite_ids=ids,
        review_ids=[written.review.review_id],
        message_ids=[queue(app, to=address.text).message_id],
        words=words,
    )


def all_columns_with(rows: Mapping[str, list[Row]], wanted: set[bytes]) -> set[tuple[str, str]]:
    return {place for each in wanted for place in columns_with(rows, each)}


def test_an_erased_address_is_gone_from_every_table_but_for_its_hash(present: Present) -> None:
    with opened(present.settings, at=present.made.at, seed=2) as installation:
        person = live(installation)
        before = all_rows(present.url)
        emptied = {(table, column) for table, each in HANDLING.items() for column in each.erase.emptied}
        hashed = {(table, column) for table, each in HANDLING.items() for column in each.erase.keeps_hash}
        content = person.content(before)
        assert all_columns_with(before, content) == emptied
        assert all_columns_with(before, person.hashes(before)) == hashed
        installation.app.privacy.erase_address(person.address.text)
        after = all_rows(present.url)
        assert all_columns_with(after, content) == set()
        assert all_columns_with(after, person.hashes(after)) == hashed


def test_an_export_has_every_row_about_an_address(present: Present) -> None:
    with opened(present.settings, at=present.made.at, seed=2) as installation:
        person = live(installation)
        rows = all_rows(present.url)
        held = installation.app.privacy.export(person.address.text)
        assert {each.invitation.invite_id for each in held.invitations} == set(person.invite_ids)
        for table, each in HANDLING.items():
            require_exported(table, each, about(person, rows, table), held)


def about(person: Person, rows: Mapping[str, list[Row]], table: str) -> int:
    """Return how many rows of a table are about a person: by a keyed hash, an invitation or a review."""
    hashes = person.hashes(rows)
    by_hash = [row for row in rows[table] if any(holds(value, each) for value in row.values() for each in hashes)]
    return len({repr(row) for row in (*by_hash, *person.rows_of(rows[table]))})


def require_exported(table: str, handling: Handling, count: int, held: HeldAddress) -> None:
    match handling.export:
        case Exported(counted):
            assert counted(held) == count > 0, table
        case Withheld():
            assert count > 0, table
        case Impersonal.NOTHING:
            assert count == 0, table
