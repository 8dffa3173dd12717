"""What runs for every order and every poll finds its rows by an index, however many are stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from tests.builders import a_dedup_key, a_member, a_review, a_session, a_sign_in_link, an_activity, an_invitation

from reviewinvite_core.adapters.sql.connection import Cursor
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.limits import MINUTE, LimitKey
from reviewinvite_core.domain.members import Membership, Role
from reviewinvite_core.domain.reviews import HideReason, ReviewState
from reviewinvite_core.testing.builders import NOON, a_shop

UNNUMBERED = a_dedup_key(numbered=False)


class ExplainingConnection:
    """A connection that notes how SQLite goes about each statement before it runs it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.steps: list[str] = []

    def execute(self, statement: str, parameters: Mapping[str, object] | None = None, /) -> Cursor:
        plan = self._connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters or {})
        self.steps += [row[3] for row in plan]
        return self._connection.execute(statement, parameters or {})

    def operations(self, statement: str) -> list[str]:
        """Return the operations of which SQLite's program for a statement consists."""
        return [row[1] for row in self._connection.execute(f"EXPLAIN {statement}")]


@pytest.fixture
def explained(sqlite_folder: Path) -> Iterator[ExplainingConnection]:
    path = sqlite_folder / "test.db"
    SqliteStorage(path).close()
    with closing(sqlite3.connect(path)) as connection:
        yield ExplainingConnection(connection)


def without_index(steps: list[str]) -> list[str]:
    """The steps that look at every row of a table, or sort what they found; what a statement itself lists is none."""
    listed = ("SCAN asked", "SCAN nth", "SCAN 2 CONSTANT ROWS")
    return [step for step in steps if (step.startswith("SCAN ") and step not in listed) or "TEMP B-TREE" in step]


def test_due_and_abandoned_invitations_are_found_through_the_indices_made_for_them(
    explained: ExplainingConnection,
) -> None:
    invitations = SqlStore(explained).invitations

    invitations.due(NOON, NOON, 50)
    invitations.overdue(NOON, 50)
    invitations.abandoned(NOON, NOON, 50)

    searches = [step for step in explained.steps if step.startswith("SEARCH invitations")]
    assert searches == [
        "SEARCH invitations USING INDEX invitations_due (due_at>? AND due_at<?)",
        "SEARCH invitations USING INDEX invitations_due (due_at<?)",
        "SEARCH invitations USING INDEX invitations_held (lease_until<?)",
        "SEARCH invitations USING INDEX invitations_held (lease_until>?)",
    ]
    assert not without_index(explained.steps)


def test_messages_are_found_through_the_indices_made_for_them(explained: ExplainingConnection) -> None:
    messages = SqlStore(explained).notices

    messages.due(NOON, 50)
    messages.is_any_due(NOON)
    messages.abandoned(NOON, NOON, 50)
    messages.of_address(b"hash")

    assert [step for step in explained.steps if " messages" in step] == [
        "SCAN messages USING INDEX messages_due",  # it holds only what waits, in this order
        "SCAN messages USING INDEX messages_due",
        "SEARCH messages USING INDEX messages_held (lease_until<?)",
        "SEARCH messages USING INDEX messages_held (lease_until>?)",
        "SEARCH messages USING INDEX messages_by_address (address_hash=?)",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO invitations (shop, invite_id) VALUES (1, x'01')",
        "UPDATE invitations SET state = 'sent' WHERE shop = 1 AND invite_id = x'01'",
    ],
)
def test_no_index_needs_a_table_of_its_own_for_each_invitation_that_is_stored(
    explained: ExplainingConnection, statement: str
) -> None:
    operations = explained.operations(statement)  # `IN` with three values opens one
    assert "OpenWrite" in operations
    assert "OpenEphemeral" not in operations


@pytest.mark.parametrize("of_one_shop", [False, True])
def test_what_is_uncertain_is_listed_without_looking_through_all_that_is_not(
    explained: ExplainingConnection, of_one_shop: bool
) -> None:
    store = SqlStore(explained)
    shop = store.shops.add(a_shop())
    explained.steps.clear()

    store.invitations.newest(shop=shop if of_one_shop else None, state=State.UNCERTAIN, limit=100)

    assert explained.steps[0] == "SCAN invitations USING INDEX invitations_uncertain"  # it holds nothing else
    assert not [step for step in explained.steps[1:] if step.startswith("SCAN ")]


def test_an_order_is_received_without_looking_through_a_table(explained: ExplainingConnection) -> None:
    store = SqlStore(explained)
    shop = store.shops.add(a_shop())
    assert shop
    explained.steps.clear()
    subject, other = (LimitKey(shop.number, f"orders:key-{each}") for each in range(2))

    store.api_keys.holders([b"hash", b"other"])
    store.rate_limit_log.nth_newest([subject, other], 120)
    store.rate_limit_log.admit([subject, other], NOON)
    store.rate_limit_log.admit([subject, other], NOON, replacing_nth=1)
    store.rate_limit_log.admit([subject, other], NOON + 2 * MINUTE, replacing_nth=1)
    store.rate_limit_log.bring_back([subject, other], NOON)
    (first,) = store.invitations.schedule([(an_invitation(shop, 1), UNNUMBERED)])
    assert store.invitations.schedule([(an_invitation(shop, 2), UNNUMBERED)]) == [first]

    assert len(explained.steps) > 6
    assert not without_index(explained.steps)


def test_an_invitation_is_changed_without_looking_through_a_table(explained: ExplainingConnection) -> None:
    store = SqlStore(explained)
    shop = store.shops.add(a_shop())
    assert shop
    (scheduled,) = store.invitations.schedule([(an_invitation(shop), UNNUMBERED)])
    explained.steps.clear()
    claimed = scheduled.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=Claim(token=b"token", lease_until=NOON))

    assert store.invitations.change(scheduled, claimed)
    assert store.invitations.find(shop.number, scheduled.invite_id) == claimed
    assert len(store.invitations.history(claimed)) == 2
    assert store.invitations.change(claimed, claimed.moved(State.CANCELLED, Reason.CANCELLED, NOON))
    assert len(store.invitation_figures.figures(shop.number, NOON.date())) == 2  # cancelled, and that apart

    assert len(explained.steps) > 3
    assert not without_index(explained.steps)


def test_signing_in_and_each_request_of_a_member_look_through_no_table(explained: ExplainingConnection) -> None:
    store = SqlStore(explained)
    shop = store.shops.add(a_shop())
    assert shop
    member, link, session = a_member(), a_sign_in_link(), a_session()
    explained.steps.clear()

    store.members.add(member)
    store.members.join(Membership(member_id=member.member_id, shop_number=shop.number, role=Role.OWNER))
    store.sign_in_links.count_of_client(member.address_hash, NOON, NOON)
    store.members.by_address(member.address_hash)
    store.sign_in_links.asked_for(member.member_id, NOON, NOON)
    store.sign_in_links.put(link)
    store.sign_in_links.use(link.hash, NOON)
    store.sessions.add(session)
    store.sessions.find(session.hash)
    store.sessions.note_seen(session.hash, NOON)
    store.members.by_ids([member.member_id])
    store.members.shops_of(member.member_id)
    store.members.role_of(shop.number, member.member_id)
    store.sessions.end(session.hash, NOON)
    store.activity.add(an_activity(shop))
    store.activity.newest(shop.number, after=None, since=NOON, limit=100)
    store.sign_in_links.sweep(NOON, 500)
    store.sessions.sweep(NOON, 500)
    store.activity.sweep(NOON, 500)
    store.members.sweep(NOON, 500)

    assert len(explained.steps) > 12
    assert not without_index(explained.steps)


def test_a_batch_of_deliveries_looks_through_no_table(explained: ExplainingConnection) -> None:
    store = SqlStore(explained)
    shop = store.shops.add(a_shop())
    assert shop
    orders = [(an_invitation(shop, each), a_dedup_key(str(each))) for each in (1, 2)]
    keys = [(shop.number, each.invite_id) for each in store.invitations.schedule(orders)]
    explained.steps.clear()

    assert len(store.invitations.find_all(keys)) == 2
    assert store.shops.by_numbers([shop.number, 99]) == {shop.number: shop}
    assert store.reviews.reviewed(keys) == set()

    assert len(explained.steps) > 3
    assert not without_index(explained.steps)


@pytest.mark.parametrize("before", [None, uuid7(NOON, bytes(10))])
def test_a_shops_own_invitations_are_found_by_place_and_order_number_without_sorting(
    explained: ExplainingConnection, before: str | None
) -> None:
    invitations = SqlStore(explained).invitations

    invitations.of_shop(1, before=before, order_number=None, limit=100)
    invitations.of_shop(1, before=before, order_number="1001", limit=100)

    by_place, by_order = (step for step in explained.steps if step.startswith("SEARCH invitations"))
    assert "USING PRIMARY KEY (shop=?" in by_place
    assert "invitations_by_order (shop=? AND order_number=?" in by_order
    assert not without_index(explained.steps)


@pytest.mark.parametrize(
    ("state", "used"),
    [
        (State.SENT, "invitations_by_state (shop=? AND state=? AND invite_id<?)"),
        (State.CANCELLED, "invitations_by_state (shop=? AND state=? AND invite_id<?)"),
        (State.SCHEDULED, "invitations_due (due_at>?)"),
        (State.HANDING_OVER, "invitations_held (lease_until>?)"),
    ],
)
def test_a_shops_invitations_in_a_state_are_found_by_an_index(
    explained: ExplainingConnection, state: State, used: str
) -> None:
    SqlStore(explained).invitations.of_shop(1, before=None, order_number=None, state=state, limit=100)

    assert f"SEARCH invitations USING INDEX {used}" in explained.steps
    assert not [step for step in explained.steps if step.startswith("SCAN ") and step != "SCAN invitations"]


_PUBLISHED = "INDEX reviews_published (shop=? AND rating>? AND (rating,review_id)<(?,?))"
_OTHERS = "COVERING INDEX reviews_others (shop=? AND state=? AND rating>? AND (rating,review_id)<(?,?))"


@pytest.mark.parametrize(
    ("state", "rating", "used"),
    [
        (None, None, ["PRIMARY KEY (shop=? AND review_id<?)"]),
        (ReviewState.PUBLISHED, None, [_PUBLISHED] * 5),
        (ReviewState.PUBLISHED, 2, [_PUBLISHED]),
        (ReviewState.HIDDEN, None, [_OTHERS] * 5),
        (ReviewState.HIDDEN, 2, [_OTHERS]),
        (
            ReviewState.WITHDRAWN,
            None,
            ["COVERING INDEX reviews_others (shop=? AND state=? AND rating=? AND review_id<?)"],
        ),
        (None, 2, [_PUBLISHED, _OTHERS]),
    ],
)
def test_a_page_of_a_shops_reviews_reads_none_that_it_does_not_list(
    explained: ExplainingConnection, state: ReviewState | None, rating: int | None, used: list[str]
) -> None:
    store = SqlStore(explained)
    shop = store.shops.add(a_shop())
    assert shop
    lists: list[Callable[[], object]] = [
        lambda: store.reviews.of_shop(shop.number, before=None, state=state, rating=rating, limit=100)
    ]
    lists += [lambda: store.reviews.newest(shop=shop, state=state, limit=100)] if rating is None else []

    for read in lists:
        explained.steps.clear()
        read()
        found = [step for step in explained.steps if step.startswith("SEARCH reviews")]
        assert found[-len(used) :] == [f"SEARCH reviews USING {each}" for each in used]
        assert set(found[: -len(used)]) <= {"SEARCH reviews USING PRIMARY KEY (shop=? AND review_id=?)"}
        assert not [step for step in explained.steps if step.startswith("SCAN ") and " reviews" in step]


def test_a_persons_invitations_are_found_through_their_orders(explained: ExplainingConnection) -> None:
    store = SqlStore(explained)

    store.invitations.of_address(b"hash", shop_number=1)
    store.invitations.of_address(b"hash", shop_number=None)
    store.suppressions.covers(1, b"hash", NOON)
    store.suppressions.covered([(1, b"hash")], NOON)
    store.suppressions.is_dead(b"hash", NOON)
    store.suppressions.sweep(NOON, 500)

    found = [step for step in explained.steps if step.startswith(("SEARCH found", "SEARCH invitations"))]
    assert (
        found
        == [
            "SEARCH found USING PRIMARY KEY (shop=? AND address_hash=?)",
            "SEARCH invitations USING PRIMARY KEY (shop=? AND invite_id=?)",
        ]
        * 2
    )
    assert not any(
        step.startswith("SCAN ") for step in explained.steps if "asked" not in step and "CONSTANT" not in step
    )
    assert any("SEARCH suppressions USING PRIMARY KEY" in step for step in explained.steps)


def test_addresses_whose_time_is_over_are_found_through_the_index_made_for_them(
    explained: ExplainingConnection,
) -> None:
    invitations = SqlStore(explained).invitations

    invitations.to_erase(NOON, 500)

    assert explained.steps == ["SEARCH invitations USING INDEX invitations_to_erase (scheduled_for<?)"]


def test_an_order_from_a_browser_is_received_without_looking_through_a_table_or_all_of_a_shop(
    explained: ExplainingConnection,
) -> None:
    store, subjects = SqlStore(explained), [LimitKey(1, "snippets"), LimitKey(2, "snippets")]

    store.shops.named(["bakkerij-1", "slagerij-2"])
    store.domains.holders(["shop.nl", "www.shop.nl"])
    store.daily_counters.counted(subjects, NOON.date())
    store.daily_counters.count(dict.fromkeys(subjects, 1), NOON.date())
    store.snippet_reports.counted([(1, b"hash"), (2, b"hash")], NOON, NOON)
    store.snippet_reports.sweep(NOON, 10)
    store.invitations.contacts([(1, b"hash"), (2, b"hash")])

    searches = [step for step in explained.steps if step.startswith("SEARCH ")]
    assert len(searches) >= 5
    assert not [step for step in searches if step.endswith("(shop=?)")]
    assert not without_index(explained.steps)


def test_admissions_are_swept_away_by_their_time_and_not_by_looking_through_all_of_a_shop(
    explained: ExplainingConnection,
) -> None:
    log = SqlStore(explained).rate_limit_log
    log.sweep(NOON, 500)
    log.bring_back_all(NOON, later_than=NOON, limit=500)

    assert [step for step in explained.steps if "admissions" in step] == [
        "SEARCH admissions USING COVERING INDEX admissions_by_time (admitted_at=?)",
        "SEARCH admissions USING COVERING INDEX admissions_by_time (admitted_at<?)",
        "SEARCH admissions USING COVERING INDEX admissions_by_time (admitted_at=?)",
        "SEARCH admissions USING INDEX admissions_by_time (admitted_at>?)",
    ]


def test_scores_and_changes_of_a_shops_reviews_are_found_without_looking_through_a_table(
    explained: ExplainingConnection,
) -> None:
    reviews = SqlStore(explained).reviews
    place = Bookmark(NOON, uuid7(NOON, bytes(10)))

    reviews.scores([1, 2], NOON.date())
    assert "SEARCH kept USING PRIMARY KEY (shop=? AND span=? AND first_day>? AND first_day<?)" in explained.steps
    explained.steps.clear()
    reviews.distribution(1)
    reviews.changed(1, after=place, limit=20)
    reviews.of_invitation(1, place.review_id)
    reviews.find_all(1, [place.review_id, uuid7(NOON, bytes([1] * 10))])

    assert not without_index(explained.steps)


def test_the_weeks_of_an_overview_are_read_from_their_first_day_on(explained: ExplainingConnection) -> None:
    store = SqlStore(explained)
    store.reviews.weeks(1, NOON.date())
    store.invitation_figures.figures(1, NOON.date())
    assert [step for step in explained.steps if "TEMP B-TREE" not in step] == [
        "SEARCH review_figures USING PRIMARY KEY (shop=? AND span=? AND first_day>?)",
        "COMPOUND QUERY",
        "LEFT-MOST SUBQUERY",
        "SEARCH invitation_figures USING PRIMARY KEY (shop=? AND week=?)",
        "UNION ALL",
        "SEARCH invitation_figures USING PRIMARY KEY (shop=? AND week>?)",
    ]


def test_a_review_is_written_and_changed_without_looking_through_a_table(explained: ExplainingConnection) -> None:
    store = SqlStore(explained)
    shop = store.shops.add(a_shop())
    assert shop
    explained.steps.clear()
    review = a_review(an_invitation(shop))

    assert store.reviews.add(review)
    assert store.reviews.change(review, review.hidden(HideReason.SPAM, NOON))
    assert len(store.reviews.history(review)) == 2

    assert len(explained.steps) > 1
    assert not without_index(explained.steps)
