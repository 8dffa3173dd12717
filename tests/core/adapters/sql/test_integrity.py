"""What `db check` finds beyond damaged pages, and what it counts: the same on both engines."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import attrs
import pytest
from tests.builders import (
    a_member,
    a_message,
    a_review,
    a_sign_in_link,
    added,
    an_address_hash,
    an_api_key,
    an_invitation,
    scheduled,
)
from tests.core.adapters.sql.copying import connection_to

from reviewinvite_core import ConfigurationError, Settings
from reviewinvite_core.adapters.sql.integrity import missing
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.adapters.sql.sqlite.maintenance import expected_schema
from reviewinvite_core.admin import DatabaseStatistics, database_statistics
from reviewinvite_core.bootstrap.adapter_factory import is_postgres, open_storage
from reviewinvite_core.domain.reviews import Review
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import a_shop


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with three orders, each with a review, and a key."""
    url: str = (
        f"sqlite:///{tmp_path / 'test.db'}" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    )
    with closing(open_storage(url)) as storage:
        shop = added(storage, a_shop())
        storage.run(lambda store: store.api_keys.add(an_api_key(shop)))
        for serial in range(3):
            invitation = an_invitation(shop, serial)
            scheduled(storage, invitation)
            assert storage.run(partial(add_review, a_review(invitation)))
    run(
        url,
        "INSERT INTO changes (shop, invite_id, seq, state, reason, changed_at)"
        " SELECT shop, invite_id, 1, state, reason, changed_at FROM invitations",
    )
    return url


def add_review(review: Review, store: Store) -> bool:
    return store.reviews.add(review)


def run(url: str, *statements: str) -> None:
    """Change a database as no use case would, with no reference enforced."""
    with connection_to(url) as connection:
        if is_postgres(url):
            connection.execute("SET session_replication_role = replica")
        for statement in statements:
            connection.execute(statement)


def found(url: str) -> list[str]:
    """Return what a check reports, but for the settings of the server, which is set as tests need it."""
    with closing(open_storage(url)) as storage:
        return of_data(storage)


def of_data(storage: Storage) -> list[str]:
    return [problem for problem in storage.problems() if not problem.startswith("the server")]


def test_nothing_is_missing_of_a_database_as_it_is_made(url: str) -> None:
    assert found(url) == []


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("DELETE FROM changes", []),
        ("DELETE FROM review_changes", []),
        (
            "DELETE FROM invitations",
            [
                "3 orders refer to a missing invitation",
                "3 changes belong to a missing invitation",
                "3 reviews belong to a missing invitation",
            ],
        ),
        ("DELETE FROM orders", ["3 invitations have no order, so their address does not find them"]),
        ("UPDATE orders SET address_hash = dedup_hash", ["3 orders refer to a missing invitation"]),
        ("DELETE FROM reviews", ["3 changes of reviews belong to a missing review"]),
        (
            "DELETE FROM shops",
            [
                "1 row of api_keys refers to a missing shop",
                "3 invitations belong to a missing shop",
                "2 rows of review_figures refer to a missing shop",
            ],
        ),
        (
            "UPDATE orders SET shop = shop + 1 WHERE dedup_hash = (SELECT MIN(dedup_hash) FROM orders)",
            ["1 order refers to a missing invitation"],
        ),
        (
            "UPDATE review_changes SET shop = shop + 1 WHERE review_id = (SELECT MIN(review_id) FROM reviews)",
            ["1 change of a review belongs to a missing review"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_rows_without_their_owner_are_counted(url: str, damage: str, expected: list[str]) -> None:
    run(url, damage)
    assert found(url) == expected


def test_links_of_nobody_and_messages_about_no_shop_are_no_problem(url: str) -> None:
    with closing(open_storage(url)) as storage:
        storage.run(lambda store: store.sign_in_links.put(a_sign_in_link(None, client_hash=an_address_hash())))
        storage.run(lambda store: store.notices.add(a_message()))
    assert found(url) == []


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("UPDATE sign_in_links SET member_id = 'mem_9'", "1 sign-in link belongs to a missing member"),
        ("UPDATE messages SET shop = 99", "1 message refers to a missing shop"),
        (
            "UPDATE review_figures SET shop = 99 WHERE span = 'month'",
            "1 row of review_figures refers to a missing shop",
        ),
        ("UPDATE invitation_figures SET shop = 99", "1 row of invitation_figures refers to a missing shop"),
    ],
)
def test_a_row_that_names_a_missing_member_or_shop_is_reported(url: str, damage: str, expected: str) -> None:
    with closing(open_storage(url)) as storage:
        storage.run(lambda store: store.members.add(a_member()))
        storage.run(lambda store: store.sign_in_links.put(a_sign_in_link()))
        storage.run(lambda store: store.notices.add(a_message(shop_number=1)))
    run(url, "INSERT INTO invitation_figures (shop, week, state, counted) VALUES (1, 739000, 'sent', 3)")
    assert found(url) == []
    run(url, damage)
    assert found(url) == [expected]


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("DROP INDEX invitations_due", ["the index invitations_due of invitations is missing"]),
        ("ALTER TABLE shops DROP COLUMN reply_to", ["the column shops.reply_to is missing"]),
        ("DROP TABLE review_figures", ["the table review_figures is missing"]),
    ],
)
def test_what_the_migrations_made_and_is_gone_is_named(url: str, damage: str, expected: list[str]) -> None:
    with closing(open_storage(url)) as storage:
        run(url, damage)
        assert of_data(storage) == expected


def test_a_reference_that_is_not_enforced_any_more_is_named(url: str) -> None:
    if is_postgres(url):
        run(url, "ALTER TABLE api_keys DROP CONSTRAINT api_keys_shop_fkey")
    else:
        run(
            url,
            "ALTER TABLE api_keys RENAME TO before",
            "CREATE TABLE api_keys AS SELECT * FROM before",
            "DROP TABLE before",
        )
    assert found(url) == ["api_keys.shop no longer references shops"]


def test_what_an_operator_has_added_is_no_problem(url: str) -> None:
    run(
        url,
        "CREATE TABLE notes (id BIGINT)",
        "ALTER TABLE shops ADD COLUMN note TEXT",
        "CREATE INDEX by_name ON shops (name)",
    )
    assert found(url) == []


def test_every_reference_that_is_declared_is_looked_at() -> None:
    schema = expected_schema(MIGRATIONS)
    declared = {(name, owner) for name, table in schema.items() for _, owner in table.references}
    assert declared == {
        *(("api_keys", "shops"), ("domains", "shops"), ("invitations", "shops")),
        *(("memberships", "shops"), ("memberships", "members"), ("sessions", "members"), ("activity", "shops")),
        ("sign_in_links", "members"),
        ("reviews", "shops"),  # seen as that of its invitation
    }


def test_an_older_schema_is_part_of_a_later_one() -> None:
    schema = expected_schema(MIGRATIONS)
    assert list(missing(expected_schema(MIGRATIONS[:1]), schema)) == []
    without = {**schema, "orders": attrs.evolve(schema["orders"], columns=frozenset({"shop"}))}
    assert list(missing(schema, without)) == [
        f"the column orders.{name} is missing"
        for name in ("address_hash", "dedup_hash", "first_reported_at", "invite_id")
    ]


def test_statistics_count_rows_and_bytes(url: str) -> None:
    counted = database_statistics(Settings(database_url=url))
    assert counted.engine == ("postgresql" if is_postgres(url) else "sqlite")
    assert {table: rows for table, rows in counted.rows.items() if rows} == {
        **dict.fromkeys(("shops", "api_keys"), 1),
        **dict.fromkeys(("orders", "invitations", "changes", "reviews", "review_changes"), 3),
        "review_figures": counted.rows["review_figures"],
    }
    assert list(counted.rows) == [table.name for table in TABLES]
    assert counted.bytes > 10_000


def test_a_file_tells_what_a_purge_would_free(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'test.db'}")

    def counted() -> DatabaseStatistics:
        return database_statistics(settings)

    with closing(open_storage(settings.database_url)) as storage:
        storage.compact()  # what the migrations left is no ring's
        storage.run(lambda store: store.keep_key_ring(bytes(1_000_000)))
        full = counted()
        storage.run(lambda store: store.keep_key_ring(b"ring"))
        after = counted()
        assert (full.free_bytes, after.bytes) == (0, full.bytes)
        assert after.free_bytes
        assert after.free_bytes > 950_000  # what was in its first page stays with the table
        storage.compact()
        purged = counted()
    assert (purged.bytes, purged.free_bytes) == (full.bytes - after.free_bytes, 0)
    assert purged.bytes == (tmp_path / "test.db").stat().st_size


def test_memory_has_no_statistics() -> None:
    with pytest.raises(ConfigurationError, match="in memory"):
        database_statistics(Settings(database_url="memory:"))
