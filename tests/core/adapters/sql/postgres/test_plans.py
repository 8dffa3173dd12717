"""On PostgreSQL, too, what runs for every order and every poll finds its rows by an index, however many are stored.

Its planner goes by what is stored, so the database is full and its statistics are new; each statement is looked at
with its values, and as the plan for any values that a prepared statement comes to after a few runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from tests import postgres
from tests.builders import (
    a_dedup_key,
    a_member,
    a_review,
    a_session,
    a_sign_in_link,
    a_suppression,
    an_activity,
    an_invitation,
)

from reviewinvite_core.adapters.sql.connection import Cursor
from reviewinvite_core.adapters.sql.postgres.change_all import change_all
from reviewinvite_core.adapters.sql.postgres.statements import NumberedParams
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.limits import MINUTE, LimitKey
from reviewinvite_core.domain.members import Membership, Role
from reviewinvite_core.domain.reviews import HideReason, ReviewState
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.testing.builders import NOON, a_shop

SHOPS = 29
ROWS = 10_000
BIG = {
    *("invitations", "orders", "changes", "admissions", "api_keys"),
    *("suppressions", "suppressions_everywhere", "day_tallies", "domains"),
    *("reviews", "review_changes", "review_figures", "invitation_figures"),
    *("members", "memberships", "sign_in_links", "sessions", "activity"),
}
SMALL = {"shops_pkey", "shops_site_id_key", "invitations_held", "invitations_uncertain"}
"""Indices that hold little, however much is stored: they may be read from end to end."""

_HASHED = "sha256(convert_to('{} ' || n, 'UTF8'))"
_FILL = (
    f"INSERT INTO shops (number, site_id, name, language, delay_ms, active)"
    f" SELECT n, 'shop-' || n, 'Shop', 'nl', 0, 1 FROM generate_series(1, {SHOPS}) AS n",
    f"INSERT INTO api_keys (key_id, shop, hash, last_four, label, created_at)"
    f" SELECT 'key_' || n, 1 + n % {SHOPS}, {_HASHED.format('key')}, 'wxyz', '', 0"
    f" FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO admissions (shop, subject, seq, admitted_at)"
    f" SELECT 1 + n % 200 % {SHOPS}, 'orders:key-' || n % 200, n / 200, {to_microseconds(NOON)} + n"
    f" FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO orders (shop, address_hash, dedup_hash, invite_id, first_reported_at)"
    f" SELECT 1 + n % {SHOPS}, {_HASHED.format('address')}, {_HASHED.format('order')}, uuid_send(md5(n::text)::uuid), 0"
    f" FROM generate_series(1, {ROWS}) AS n",
    # most were sent long ago, a third is not due yet, some are due; few are in a worker's hands, fewer uncertain
    f"INSERT INTO invitations (shop, invite_id, address_hash, sealed_address, language, reported_at, scheduled_for,"
    f" due_at, state, reason, changed_at, attempts, claim_token, lease_until)"
    f" SELECT 1 + n % {SHOPS}, uuid_send(md5(n::text)::uuid), {_HASHED.format('address')},"
    f" CASE WHEN n % 10 < 4 THEN '\\x00'::bytea END, 'nl', at, at + 1000000 * (n % 40 - 2),"
    f" at + 1000000 * (n % 40 - 2),"
    f" CASE WHEN n % 1000 = 1 THEN 'claimed' WHEN n % 100 = 2 THEN 'uncertain' WHEN n % 10 < 4 THEN 'scheduled'"
    f" ELSE 'sent' END, 'reported', at, 0, CASE WHEN n % 1000 = 1 THEN '\\x00'::bytea END,"
    f" CASE WHEN n % 1000 = 1 THEN at + n END"
    f" FROM generate_series(1, {ROWS}) AS n, (SELECT {to_microseconds(NOON)} AS at) AS noon",
    f"INSERT INTO changes (shop, invite_id, seq, state, reason, changed_at)"
    f" SELECT 1 + n % {SHOPS}, uuid_send(md5(n::text)::uuid), 1, 'sent', 'accepted', 0"
    f" FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO suppressions (shop, address_hash, origin, suppressed_at)"
    f" SELECT 1 + n % {SHOPS}, {_HASHED.format('address')}, 'customer', 0 FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO suppressions_everywhere (address_hash, origin, suppressed_at)"
    f" SELECT {_HASHED.format('address')}, 'customer', 0 FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO day_tallies (shop, subject, day, counted)"
    f" SELECT 1 + n % {SHOPS}, 'views', n, 1 FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO domains (shop, host, token, added_at, verified_at, vouched, checked_at, reason)"
    f" SELECT 1 + n % {SHOPS}, 'shop-' || n || '.example', 'token', 0, 0, 0, 0, ''"
    f" FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO reviews (shop, review_id, invite_id, rating, language, written_at, changed_at, state, act, revision)"
    f" SELECT 1 + n % {SHOPS}, uuid_send(md5(n::text)::uuid), uuid_send(md5(n::text)::uuid), 1 + n % 5, 'nl', n, n,"
    f" CASE WHEN n % 50 = 0 THEN 'hidden' ELSE 'published' END, 'written', 1 FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO review_changes (shop, review_id, seq, act, state, changed_at)"
    f" SELECT 1 + n % {SHOPS}, uuid_send(md5(n::text)::uuid), 1, 'written', 'published', n"
    f" FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO review_figures (shop, span, first_day, ones, twos, threes, fours, fives)"
    f" SELECT 1 + n % {SHOPS}, span, {NOON.toordinal()} - n / {SHOPS}, 1, 0, 0, 0, 2"
    f" FROM generate_series(1, {ROWS}) AS n, (VALUES ('day'), ('month')) AS spans (span)",
    f"INSERT INTO invitation_figures (shop, week, state, counted)"
    f" SELECT 1 + n % {SHOPS}, {NOON.toordinal()} - 7 * (n / {SHOPS}), 'sent', 1 FROM generate_series(1, {ROWS}) AS n",
    f"INSERT INTO members (member_id, address_hash, sealed_address, language, created_at, left_at)"
    f" SELECT 'mem_' || n, {_HASHED.format('address')}, '\\x00', 'nl', n, CASE WHEN n % 100 = 0 THEN n END"
    f" FROM generate_series(2, {ROWS}) AS n",
    f"INSERT INTO memberships (shop, member_id, role)"
    f" SELECT 1 + n % {SHOPS}, 'mem_' || n, 'owner' FROM generate_series(2, {ROWS}) AS n WHERE n % 100 > 0",
    f"INSERT INTO sign_in_links (hash, kind, member_id, client_hash, made_at, expires_at)"
    f" SELECT {_HASHED.format('link')}, 'requested', 'mem_' || n, {_HASHED.format('client')}, n,"
    f" {to_microseconds(NOON)} FROM generate_series(2, {ROWS}) AS n",
    f"INSERT INTO sessions (hash, member_id, signed_in_at, last_seen_at, device)"
    f" SELECT {_HASHED.format('session')}, 'mem_' || n, {to_microseconds(NOON)} + n, {to_microseconds(NOON)} + n, ''"
    f" FROM generate_series(2, {ROWS}) AS n",
    f"INSERT INTO activity (shop, activity_id, at, actor_kind, action, subject)"
    f" SELECT 1 + n % {SHOPS}, uuid_send(md5(n::text)::uuid), {to_microseconds(NOON)} + n, 'operator',"
    f" 'badge.changed', '' FROM generate_series(1, {ROWS}) AS n",
    "ANALYZE",
)


class Explained:
    """A connection that notes how PostgreSQL goes about each statement before it runs it."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._named = NumberedParams(connection)
        self.scans: list[tuple[str, str]] = []
        self.walked: set[str] = set()
        self.statements = 0

    def execute(self, statement: str, parameters: Mapping[str, object] | None = None, /) -> Cursor:
        self._note(self._named.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters))
        generic = _without_values(statement, parameters or {}).encode()
        explained = b"EXPLAIN (GENERIC_PLAN, FORMAT JSON) " + generic
        self._note(psycopg.RawCursor(self._connection).execute(explained, prepare=False))  # it has no values to bind
        self.statements += 1
        return self._named.execute(statement, parameters)

    def _note(self, cursor: Cursor) -> None:
        explained = cursor.fetchone()[0]
        (answer,) = json.loads(explained) if isinstance(explained, str) else explained
        self._note_node(answer["Plan"])

    def _note_node(self, node: dict[str, Any]) -> None:
        if node["Node Type"] == "Seq Scan":
            self.scans.append((node["Relation Name"], ""))
        elif "Index Name" in node:
            self.scans.append((node.get("Relation Name", ""), node["Index Name"]))
            if "Index Cond" not in node:
                self.walked.add(node["Index Name"])
        for inner in node.get("Plans", ()):
            self._note_node(inner)

    @property
    def indices(self) -> set[str]:
        """All that were of use."""
        return {index for _, index in self.scans if index}

    @property
    def looked_through(self) -> set[str]:
        """The big tables, and the indices, of which every row was looked at."""
        return ({table for table, index in self.scans if not index} & BIG) | (self.walked - SMALL)


def _without_values(statement: str, parameters: Mapping[str, object]) -> str:
    """Return the statement with `$1` for `:name`; bytes are cast, as PostgreSQL could take them for text."""
    numbers: dict[str, int] = {}

    def numbered(named: re.Match[str]) -> str:
        placeholder = f"${numbers.setdefault(named[1], len(numbers) + 1)}"
        return f"CAST({placeholder} AS BYTEA)" if isinstance(parameters.get(named[1]), bytes) else placeholder

    return re.sub(r":(\w+)", numbered, statement)


@pytest.fixture(scope="module")
def filled(postgres_server: str) -> Iterator[str]:
    """A database with many rows in every table that grows, and statistics that say so."""
    with postgres.database(postgres_server) as url:
        PostgresStorage(url).close()
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in _FILL:
                connection.execute(statement)
        yield url


@pytest.fixture
def explained(filled: str) -> Iterator[Explained]:
    with psycopg.connect(filled) as connection:
        yield Explained(connection)
        connection.rollback()


@pytest.fixture
def store(explained: Explained) -> SqlStore:
    return SqlStore(explained, skip_locked="FOR UPDATE SKIP LOCKED", joint_change=change_all)


def test_a_table_without_an_index_would_be_noticed(explained: Explained) -> None:
    explained.execute("SELECT reply FROM invitations WHERE changed_at = :at", {"at": 0})

    assert explained.looked_through == {"invitations"}
    assert explained.indices == set()


def test_due_and_abandoned_invitations_are_found_through_the_indices_made_for_them(
    explained: Explained, store: SqlStore
) -> None:
    assert len(store.invitations.due(NOON, NOON, 50)) == 50
    store.invitations.overdue(NOON, 50)
    assert explained.indices - {"shops_pkey"} == {"invitations_due"}
    assert store.invitations.abandoned(NOON, NOON + timedelta(days=2), 500) == []
    assert explained.indices - {"shops_pkey"} == {"invitations_due", "invitations_held"}
    store.invitations.in_doubt(NOON, 500)

    assert not explained.looked_through


@pytest.mark.parametrize("of_one_shop", [False, True])
def test_what_is_uncertain_is_listed_without_looking_through_all_that_is_not(
    explained: Explained, store: SqlStore, of_one_shop: bool
) -> None:
    shop = store.shops.by_number(1)
    assert store.invitations.newest(shop=shop if of_one_shop else None, state=State.UNCERTAIN, limit=100) != []

    assert "invitations_uncertain" in explained.indices
    assert not explained.looked_through


def test_an_order_is_received_without_looking_through_a_table(explained: Explained, store: SqlStore) -> None:
    shop = store.shops.by_number(1)
    assert shop
    unnumbered = a_dedup_key(numbered=False)
    subject, other, new = (LimitKey(1, f"orders:key-{each}") for each in (0, SHOPS, "new"))

    store.api_keys.holders([b"hash", b"other"])
    assert set(store.rate_limit_log.nth_newest([subject, other, new], 5)) == {subject, other}
    store.rate_limit_log.admit([subject, new], NOON)
    store.rate_limit_log.admit([subject, other], NOON, replacing_nth=5)
    store.rate_limit_log.admit([subject, other], NOON + 2 * MINUTE, replacing_nth=5)
    store.rate_limit_log.bring_back([subject, other], NOON)
    store.suppressions.covered([(1, b"hash"), (2, b"hash")], NOON)
    (first,) = store.invitations.schedule([(an_invitation(shop, 1), unnumbered)])
    assert store.invitations.schedule([(an_invitation(shop, 2), unnumbered)]) == [first]

    assert explained.statements > 7
    assert not explained.looked_through


def test_an_order_from_a_browser_is_received_without_looking_through_a_table(
    explained: Explained, store: SqlStore
) -> None:
    subject = LimitKey(1, "views")

    assert set(store.shops.named(["shop-1", "shop-2", "shop"])) == {"shop-1", "shop-2"}
    assert set(store.domains.holders(["shop-1.example", "www.shop-1.example"])) == {"shop-1.example"}
    store.daily_counters.counted([subject], NOON.date())
    store.daily_counters.count({subject: 1}, NOON.date())
    store.snippet_reports.counted([(1, b"hash"), (2, b"hash")], NOON, NOON)
    store.snippet_reports.count([(1, b"hash"), (2, b"hash")], NOON)
    store.invitations.contacts([(1, b"hash"), (2, b"hash")])

    assert explained.statements == 7
    assert not explained.looked_through


def test_admissions_that_are_spent_are_found_by_their_time(explained: Explained, store: SqlStore) -> None:
    spent, set_back = NOON + MINUTE + timedelta(microseconds=99), NOON + timedelta(hours=1)

    assert store.rate_limit_log.sweep(spent, 500) == 99
    assert store.rate_limit_log.bring_back_all(NOON, later_than=set_back, limit=500) == 0
    assert "admissions_by_time" in explained.indices


def test_an_invitation_is_changed_without_looking_through_a_table(explained: Explained, store: SqlStore) -> None:
    shop = store.shops.by_number(1)
    assert shop
    (scheduled,) = store.invitations.schedule([(an_invitation(shop), a_dedup_key())])
    claimed = scheduled.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=Claim(token=b"token", lease_until=NOON))

    assert store.invitations.change(scheduled, claimed)
    assert store.invitations.find(1, scheduled.invite_id) == claimed
    assert store.invitations.locate(scheduled.invite_id) == claimed
    assert len(store.invitations.history(claimed)) == 2
    assert store.invitations.forget_address(claimed)
    assert store.invitations.change(claimed, claimed.moved(State.CANCELLED, Reason.CANCELLED, NOON))
    assert store.invitation_figures.figures(1, NOON.date())

    assert explained.statements > 6
    assert not explained.looked_through


def test_a_batch_of_deliveries_takes_one_statement_for_each_question_and_looks_through_no_table(
    explained: Explained, store: SqlStore
) -> None:
    waiting = store.invitations.due(NOON, NOON, 16)
    claim = Claim(token=b"token", lease_until=NOON)
    held = [each.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=claim) for each in waiting]
    keys = [(each.shop_number, each.invite_id) for each in held]

    assert store.invitations.change_all(list(zip(waiting, held, strict=True))) == [True] * 16
    assert store.invitations.find_all(keys) == dict(zip(keys, held, strict=True))
    assert len(store.shops.by_numbers({shop for shop, _ in keys})) > 1
    store.reviews.reviewed(keys)
    store.suppressions.covered([(each.shop_number, each.address_hash) for each in held], NOON)

    assert explained.statements == 6
    assert not explained.looked_through


def test_a_persons_invitations_are_found_through_their_orders(explained: Explained, store: SqlStore) -> None:
    store.invitations.of_address(b"hash", shop_number=1)
    store.invitations.of_address(b"hash", shop_number=None)

    assert {"orders_pkey", "invitations_pkey"} <= explained.indices
    assert not explained.looked_through


def test_a_shops_own_invitations_are_found_by_place_and_order_number(explained: Explained, store: SqlStore) -> None:
    first, *_, last = store.invitations.of_shop(1, before=None, order_number=None, limit=50)
    assert first.invite_id > last.invite_id
    store.invitations.of_shop(1, before=last.invite_id, order_number=None, limit=50)
    store.invitations.of_shop(1, before=None, order_number="no such order", limit=50)
    store.invitations.of_shop(1, before=last.invite_id, order_number="no such order", limit=50)

    assert "invitations_by_order" in explained.indices
    assert not explained.looked_through


def test_scores_pages_and_changes_of_a_shops_reviews_are_found_without_looking_through_a_table(
    explained: Explained, store: SqlStore
) -> None:
    assert set(store.reviews.scores([1, 2, SHOPS + 1], NOON.date())) == {1, 2}
    assert store.reviews.distribution(1).score.count > 0
    assert store.reviews.weeks(1, NOON.date() - timedelta(days=30))
    first, *_, last = store.reviews.published(1, before=None, limit=20)
    assert first.review_id > last.review_id
    assert len(store.reviews.published(1, before=last.bookmark, limit=20)) == 20
    assert len(store.reviews.changed(1, after=last.change_bookmark, limit=10)) == 10

    shop = store.shops.by_number(1)
    for state in (None, *ReviewState):
        assert store.reviews.newest(shop=shop, state=state, limit=20) or state is ReviewState.WITHDRAWN

    assert {"reviews_published", "reviews_others", "reviews_changed", "review_figures_pkey"} <= explained.indices
    assert not explained.looked_through


def test_a_review_is_written_and_changed_without_looking_through_a_table(explained: Explained, store: SqlStore) -> None:
    shop = store.shops.by_number(1)
    assert shop
    review = a_review(an_invitation(shop))
    hidden = review.hidden(HideReason.SPAM, NOON)

    assert store.reviews.of_invitation(1, review.invite_id) is None
    assert store.reviews.add(review)
    assert store.reviews.change(review, hidden)
    assert store.reviews.find(1, review.review_id) == store.reviews.locate(review.review_id) == hidden
    assert store.reviews.find_all(1, [review.review_id, review.invite_id]) == {review.review_id: hidden}
    assert len(store.reviews.history(hidden)) == 2

    assert explained.statements > 8
    assert not explained.looked_through


def test_suppressions_are_found_through_their_keys(explained: Explained, store: SqlStore) -> None:
    store.suppressions.covers(1, b"hash", NOON)
    store.suppressions.is_dead(b"hash", NOON)
    store.suppressions.of_address(b"hash")
    for shop_number in (1, None):
        assert store.suppressions.add(a_suppression(shop_number, name="new"))
        assert not store.suppressions.add(a_suppression(shop_number, name="new"))
        assert store.suppressions.remove(a_suppression(None, name="new").address_hash, shop_number=shop_number)

    assert {"suppressions_pkey", "suppressions_everywhere_pkey"} <= explained.indices
    assert not explained.looked_through


def test_addresses_whose_time_is_over_are_found_through_the_index_made_for_them(
    explained: Explained, store: SqlStore
) -> None:
    assert len(store.invitations.to_erase(NOON, 500)) > 0

    assert explained.indices == {"invitations_to_erase"}
    assert not explained.looked_through


def test_keys_are_found_by_their_hash(explained: Explained, store: SqlStore) -> None:
    store.api_keys.holders([b"hash"])

    assert "api_keys_hash_key" in explained.indices
    assert not explained.looked_through


def test_a_shop_is_made_without_looking_through_what_others_have(explained: Explained, store: SqlStore) -> None:
    assert store.shops.add(a_shop("new-1"))

    assert not explained.looked_through


def test_signing_in_and_each_request_of_a_member_look_through_no_table(explained: Explained, store: SqlStore) -> None:
    shop = store.shops.by_number(1)
    assert shop
    member, link, session = a_member(), a_sign_in_link(), a_session()

    store.members.add(member)
    store.members.join(Membership(member_id=member.member_id, shop_number=shop.number, role=Role.OWNER))
    assert store.members.by_address(member.address_hash) == member
    assert store.sign_in_links.count_of_client(member.address_hash, NOON, NOON) == 0
    assert list(store.sign_in_links.asked_for(member.member_id, NOON, NOON)) == []
    store.sign_in_links.put(link)
    assert store.sign_in_links.use(link.hash, NOON)
    store.sessions.add(session)
    assert store.sessions.find(session.hash) == session
    store.sessions.note_seen(session.hash, NOON)
    store.members.open(shop.number, member.member_id, b"person")
    ((_, membership),) = store.members.shops_of(member.member_id)
    assert membership.opened_as == b"person"
    store.snippet_reports.sweep(NOON, 10)
    store.suppressions.reasons_against([(1, b"hash", b"person"), (2, b"hash", b"person")], NOON)
    assert store.members.role_of(shop.number, member.member_id) is Role.OWNER
    assert store.sessions.end(session.hash, NOON)
    store.activity.add(an_activity(shop))
    assert len(store.activity.newest(shop.number, after=None, since=None, limit=100)) == 100

    assert not explained.looked_through
