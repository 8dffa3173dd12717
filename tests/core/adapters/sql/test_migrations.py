"""From one schema to the next, on each engine: what is stored stays, all of a migration is applied or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import pytest
from tests.builders import a_dedup_key, a_suppression, added, an_api_key, an_invitation, scheduled
from tests.core.adapters.sql.copying import connection_to
from tests.core.adapters.sql.raw import connection_of
from tests.postgres import durable
from tests.waiting import run_concurrently

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.postgres import migrate as postgres_migrate, storage as postgres
from reviewinvite_core.adapters.sql.sqlite import migrate as sqlite_migrate, storage as sqlite
from reviewinvite_core.domain.errors import SchemaTooNew, SchemaTooOld, SecretWrong
from reviewinvite_core.domain.identifiers import id_bytes
from reviewinvite_core.domain.invitation_figures import ANY_WEEK
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

NEXT = Migration(
    "m9998_next",
    (
        "ALTER TABLE invitations ADD COLUMN opened_at BIGINT",
        "UPDATE invitations SET opened_at = reported_at + 1",
        "CREATE TABLE notes (shop BIGINT NOT NULL, note {blob} NOT NULL, PRIMARY KEY (shop, note)) {clustered}",
        "INSERT INTO notes (shop, note) SELECT number, hash FROM shops JOIN api_keys ON api_keys.shop = shops.number",
    ),
)
BROKEN = Migration("m9999_broken", ("CREATE TABLE half_done (id BIGINT)", "INSERT INTO no_such_table VALUES (1)"))
WITH_NEXT = (*MIGRATIONS, NEXT)

SIXTY_DAYS, TICK = timedelta(days=60), timedelta(microseconds=1)

Migrations: TypeAlias = Sequence[Migration]


@attrs.frozen
class Engine:
    """A database, and the two ways to reach it as another release would."""

    url: str
    open: Callable[[Migrations], Storage]
    migrate: Callable[..., Sequence[str]]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows that the statement finds, over a connection of the test's own."""
        with connection_to(self.url) as connection:
            return [tuple(row) for row in connection.execute(statement).fetchall()]


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "sqlite":
        path = tmp_path / "test.db"
        return Engine(
            f"sqlite:///{path}",
            lambda migrations: sqlite.SqliteStorage(path, migrations=migrations),
            lambda migrations, **options: sqlite_migrate.migrate(path, migrations=migrations, **options),
        )
    url: str = request.getfixturevalue("postgres_url")
    return Engine(
        url,
        lambda migrations: postgres.PostgresStorage(url, migrations=migrations),
        lambda migrations, **options: postgres_migrate.migrate(url, migrations=migrations, **options),
    )


@pytest.fixture
def with_data(engine: Engine) -> Iterator[list[object]]:
    """What is stored in a database of this release."""
    storage = engine.open(MIGRATIONS)
    shop = added(storage, a_shop())
    storage.run(lambda store: store.api_keys.add(an_api_key(shop)))
    storage.run(lambda store: store.keep_key_ring(b"ring"))
    storage.run(lambda store: store.rate_limit_log.admit([LimitKey(shop.number, "s")], NOON))
    for serial in range(30):
        scheduled(storage, an_invitation(shop, serial))
    yield storage.read(everything)
    storage.close()


def everything(store: Store) -> list[object]:
    shops = store.shops.every()
    return [
        shops,
        [store.api_keys.of_shop(shop.number) for shop in shops],
        [store.rate_limit_log.nth_newest([LimitKey(shop.number, "s")], 1) for shop in shops],
        store.invitations.newest(shop=None, state=None, limit=100),
        store.sealed_key_ring(),
    ]


def test_what_is_stored_stays_and_the_migration_has_worked_on_it(engine: Engine, with_data: list[object]) -> None:
    assert engine.migrate(WITH_NEXT) == [NEXT.name]
    storage = engine.open(WITH_NEXT)
    assert storage.read(everything) == with_data
    assert len(storage.read(lambda store: store.invitations.newest(shop=None, state=None, limit=100))) == 30
    assert engine.rows("SELECT COUNT(*), MIN(opened_at - reported_at) FROM invitations") == [(30, 1)]
    [(_, note)] = engine.rows("SELECT shop, note FROM notes")
    assert bytes(note) == an_api_key(a_shop().numbered(1)).hash
    storage.close()
    assert engine.migrate(WITH_NEXT) == []


SHOP_OF_THE_FIRST = (
    "INSERT INTO shops (number, site_id, name, language, delay_ms, active) VALUES (1, 'molen', 'Molen', 'en', 5, 0)"
)
INVITATION_OF_THE_FIRST = """
INSERT INTO invitations (
    shop, invite_id, address_hash, sealed_address, language, reported_at, scheduled_for, due_at,
    state, reason, changed_at, attempts
) VALUES (1, :invite_id, :address_hash, :sealed, 'en', 5, 6, 7, 'scheduled', 'reported', 5, 0)
"""


def test_what_the_first_schema_held_is_there_in_the_last(engine: Engine) -> None:
    first, *later = MIGRATIONS
    storage = engine.open([first])
    expected = an_invitation(a_shop().numbered(1))

    def fill(store: Store) -> None:
        connection = connection_of(store)
        connection.execute(SHOP_OF_THE_FIRST, {})
        identity = {"invite_id": id_bytes(expected.invite_id), "address_hash": expected.address_hash}
        connection.execute(INVITATION_OF_THE_FIRST, {**identity, "sealed": expected.sealed_address})

    storage.run(fill)
    storage.close()

    assert engine.migrate(MIGRATIONS) == [migration.name for migration in later]

    storage = engine.open(MIGRATIONS)
    shop = storage.read(lambda store: store.shops.by_number(1))
    assert shop
    assert (shop.site_id.text, shop.active, shop.reply_to) == ("molen", False, None)
    found = storage.read(lambda store: store.invitations.find(1, expected.invite_id))
    assert found
    assert (found.address_hash, found.sealed_address) == (expected.address_hash, expected.sealed_address)
    storage.run(lambda store: store.suppressions.add(a_suppression(1)))
    assert storage.read(lambda store: store.suppressions.covers(1, expected.address_hash, NOON))
    storage.close()


ORDERS_OF_THE_SEVENTH = """
INSERT INTO orders (shop, dedup_hash, invite_id, first_reported_at) VALUES (1, :dedup, :invite_id, :reported_at)
"""


def test_an_order_that_became_a_new_one_finds_all_its_invitations_by_their_address(engine: Engine) -> None:
    before = MIGRATIONS[:7]
    shop = a_shop().numbered(1)
    unnumbered = a_dedup_key(numbered=False)
    old, new = (an_invitation(shop, each, reported_at=NOON + each * SIXTY_DAYS) for each in range(2))
    numbered = an_invitation(shop, 2)
    storage = engine.open(before)

    def fill(store: Store) -> None:
        """Store what that release stored: the order has the later of its invitations."""
        connection = connection_of(store)
        connection.execute(SHOP_OF_THE_FIRST, {})
        for invitation in (old, new, numbered):
            identity = {"invite_id": id_bytes(invitation.invite_id), "address_hash": invitation.address_hash}
            connection.execute(INVITATION_OF_THE_FIRST, {**identity, "sealed": invitation.sealed_address})
        for dedup, invitation in ((unnumbered, new), (a_dedup_key("numbered"), numbered)):
            reported_at = to_microseconds(invitation.reported_at)
            row = {"dedup": dedup.hash, "invite_id": id_bytes(invitation.invite_id), "reported_at": reported_at}
            connection.execute(ORDERS_OF_THE_SEVENTH, row)

    storage.run(fill)
    storage.close()
    assert engine.migrate(MIGRATIONS) == [migration.name for migration in MIGRATIONS[7:]]

    storage = engine.open(MIGRATIONS)
    with durable(engine.url):
        assert storage.problems() == []
    found = storage.read(lambda store: store.invitations.of_address(old.address_hash, shop_number=1))
    assert [each.invite_id for each in found] == [old.invite_id, numbered.invite_id, new.invite_id]
    again = an_invitation(shop, 3, reported_at=new.reported_at + SIXTY_DAYS - TICK)
    assert scheduled(storage, again, unnumbered).invite_id == new.invite_id
    assert scheduled(storage, again, a_dedup_key("numbered")).invite_id == numbered.invite_id
    later = an_invitation(shop, 4, reported_at=new.reported_at + SIXTY_DAYS)
    assert scheduled(storage, later, unnumbered) == later
    found = storage.read(lambda store: store.invitations.of_address(old.address_hash, shop_number=1))
    assert {each.invite_id for each in found} == {each.invite_id for each in (old, new, numbered, later)}
    storage.close()


def test_the_figures_of_overviews_are_filled_from_what_is_stored(engine: Engine) -> None:
    before = [each for each in MIGRATIONS if each.name < "m0012"]
    shop = a_shop().numbered(1)
    ends = [
        *((State.SENT, NOON), (State.SENT, NOON + timedelta(days=6)), (State.SENT, NOON + timedelta(days=7))),
        *((State.UNCERTAIN, NOON), (State.REJECTED, NOON - timedelta(days=1)), (State.SCHEDULED, NOON)),
    ]
    storage = engine.open(before)

    def fill(store: Store) -> None:
        connection = connection_of(store)
        connection.execute(SHOP_OF_THE_FIRST, {})
        for serial, (state, at) in enumerate(ends):
            invitation = an_invitation(shop, serial)
            key = {"invite_id": id_bytes(invitation.invite_id)}
            identity = {**key, "address_hash": invitation.address_hash, "sealed": invitation.sealed_address}
            connection.execute(INVITATION_OF_THE_FIRST, identity)
            end = {**key, "state": state.value, "at": to_microseconds(at)}
            connection.execute(
                "UPDATE invitations SET state = :state, changed_at = :at WHERE invite_id = :invite_id", end
            )

    storage.run(fill)
    storage.close()
    engine.migrate(MIGRATIONS)
    storage = engine.open(MIGRATIONS)
    figures = storage.read(lambda store: store.invitation_figures.figures(1))
    monday = NOON.date()
    assert figures == {
        (State.SENT, monday): 2,
        (State.SENT, monday + timedelta(days=7)): 1,
        (State.REJECTED, monday - timedelta(days=7)): 1,
        (State.UNCERTAIN, ANY_WEEK): 1,
    }
    assert storage.read(lambda store: store.invitation_figures.recount(1)) == figures
    storage.close()


def test_a_migrated_database_works_on(engine: Engine, with_data: list[object]) -> None:
    engine.migrate(WITH_NEXT)
    storage = engine.open(WITH_NEXT)
    shop = added(storage, a_shop("another"))
    new = scheduled(storage, an_invitation(shop, 77))
    assert storage.read(lambda store: store.invitations.find(shop.number, new.invite_id)) == new
    storage.close()


def test_a_database_of_the_release_before_is_refused_with_the_command_that_mends_it(
    engine: Engine, with_data: list[object]
) -> None:
    with pytest.raises(SchemaTooOld, match=r"lacks m9998_next: run `reviewinvite db migrate`"):
        engine.open(WITH_NEXT)
    untouched = engine.open(MIGRATIONS)
    assert untouched.read(everything) == with_data
    untouched.close()


def test_a_database_of_a_later_release_is_refused_and_left_as_it_is(engine: Engine, with_data: list[object]) -> None:
    engine.migrate(WITH_NEXT)
    for enter in (engine.open, engine.migrate):
        with pytest.raises(SchemaTooNew, match="m9998_next"):
            enter(MIGRATIONS)
    storage = engine.open(WITH_NEXT)
    assert storage.read(everything) == with_data
    storage.close()


def test_a_migration_that_fails_leaves_nothing_of_itself_nor_of_those_applied_with_it(
    engine: Engine, with_data: list[object]
) -> None:
    with pytest.raises(Exception, match="no_such_table"):
        engine.migrate((*WITH_NEXT, BROKEN))
    storage = engine.open(MIGRATIONS)
    assert storage.read(everything) == with_data
    storage.close()
    assert engine.migrate(WITH_NEXT) == [NEXT.name]


def test_eight_that_migrate_at_once_apply_it_once(engine: Engine, with_data: list[object]) -> None:
    applied = run_concurrently(8, lambda _: engine.migrate(WITH_NEXT))
    assert sorted(applied, key=len) == [[]] * 7 + [[NEXT.name]]


def test_a_new_database_gets_all_of_them_in_order(engine: Engine) -> None:
    assert engine.migrate(WITH_NEXT) == [*(migration.name for migration in MIGRATIONS), NEXT.name]


def test_a_ring_that_the_secret_does_not_open_keeps_a_migration_from_being_applied(
    engine: Engine, with_data: list[object]
) -> None:
    tried: list[bytes | None] = []

    def refuse(sealed: bytes | None) -> None:
        tried.append(sealed)
        raise SecretWrong

    with pytest.raises(SecretWrong):
        engine.migrate(WITH_NEXT, try_ring=refuse)
    assert tried == [b"ring"]
    storage = engine.open(MIGRATIONS)  # which a database with the next one would refuse
    assert storage.read(everything) == with_data
    storage.close()


def test_a_new_database_has_no_ring_to_be_tried(engine: Engine) -> None:
    tried: list[bytes | None] = []
    assert engine.migrate(MIGRATIONS, try_ring=tried.append) == [one.name for one in MIGRATIONS]
    assert tried == []
