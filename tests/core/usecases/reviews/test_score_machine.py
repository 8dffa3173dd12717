"""Whatever is done to reviews, in whatever order, the kept figures are what a recount gives."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.budgets import in_soak
from tests.core.usecases.harness import AppHarness, present
from tests.links import token_of
from tests.twelve_months import counted_until

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.orders import SnippetReport
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.reviews import HideReason, Review, ReviewDraft, ReviewState
from reviewinvite_core.domain.scores import NO_REVIEWS, Distribution, Score
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.invitations.read import InvitationQuery
from reviewinvite_core.usecases.reviews.change import miscounted
from reviewinvite_core.usecases.reviews.read import ReviewQuery

SITES = ("bakkerij-1", "other")
CUSTOMERS = tuple(f"c{number}@example.com" for number in range(3))
BEGIN = datetime(2024, 2, 27, 23, 30, tzinfo=UTC)  # the leap day is near


class ReviewMachine(RuleBasedStateMachine):
    """Two shops, three customers with an order at each, and every action on their reviews."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.harness = AppHarness(storage=self.new_storage(Path(self.folder.name)), review_link_days=3_650)
        self.harness.clock.set(BEGIN)
        self.harness.app.shops.add(a_shop("other"))
        for site in SITES:
            accepted(self.harness.app.domains.add(site, f"{site}.nl", assume_verified=True))
            self.report_by_snippet(site, CUSTOMERS[0])
        self.tokens = {
            (site, email): token_of(
                self.harness.app, self.harness.report(email, site_id=site).invite_id, Purpose.REVIEW
            )
            for site in SITES
            for email in CUSTOMERS[1:]
        }
        self.tokens |= {
            (site, CUSTOMERS[0]): token_of(self.harness.app, invite_id, Purpose.REVIEW)
            for site, invite_id in self.of_snippets().items()
        }

    def report_by_snippet(self, site: str, email: str) -> None:
        report = SnippetReport(site_id=SiteId.parse(site), order=an_order_report(email))
        self.harness.app.orders.report_from_snippet(ClientAddress("203.0.113.9"), f"https://{site}.nl", report)

    def new_storage(self, _folder: Path) -> Storage:
        return MemoryStorage()

    def teardown(self) -> None:
        self.harness.app.close()
        self.folder.cleanup()

    def reviews(self) -> list[Review]:
        return [record.review for record in accepted(self.harness.app.reviews.list(ReviewQuery()))]

    def of_snippets(self) -> dict[str, str]:
        """The invitation of each shop that a snippet reported."""
        listed = accepted(self.harness.app.invitations.list(OPERATOR, InvitationQuery())).invitations
        return {
            each.shop.site_id.text: each.invitation.invite_id
            for each in listed
            if each.invitation.source is Source.SNIPPET
        }

    @rule(site=st.sampled_from(SITES))
    def confirm(self, site: str) -> None:
        invite_id = self.of_snippets()[site]
        before = self.harness.invitation(invite_id)
        self.harness.report(CUSTOMERS[0], site_id=site)
        is_written = any(review.invite_id == invite_id for review in self.reviews())
        assert self.harness.invitation(invite_id).confirmed == (before.confirmed or not is_written)

    @rule(site=st.sampled_from(SITES), email=st.sampled_from(CUSTOMERS), rating=st.integers(1, 5))
    def write(self, site: str, email: str, rating: int) -> None:
        self.harness.app.reviews.write(self.tokens[site, email], ReviewDraft(rating=rating))

    @rule(site=st.sampled_from(SITES), email=st.sampled_from(CUSTOMERS))
    def withdraw(self, site: str, email: str) -> None:
        self.harness.app.reviews.withdraw(self.tokens[site, email])

    @rule(number=st.integers(0, 5), reason=st.sampled_from(HideReason))
    def hide(self, number: int, reason: HideReason) -> None:
        for review in self.reviews()[number : number + 1]:
            self.harness.app.reviews.hide(review.review_id, reason)

    @rule(number=st.integers(0, 5))
    def show_again(self, number: int) -> None:
        for review in self.reviews()[number : number + 1]:
            self.harness.app.reviews.show_again(review.review_id)

    @rule(email=st.sampled_from(CUSTOMERS), keep=st.booleans())
    def erase(self, email: str, keep: bool) -> None:
        self.harness.app.privacy.erase_address(email, keep_reviews=keep)

    @rule(by=st.sampled_from([timedelta(minutes=20), timedelta(hours=20), timedelta(days=29), timedelta(days=340)]))
    def wait(self, by: timedelta) -> None:
        self.harness.clock.advance(by)

    @rule(by=st.sampled_from([timedelta(hours=20), timedelta(days=40)]))
    def set_the_clock_back(self, by: timedelta) -> None:
        self.harness.clock.advance(-by)

    @invariant()
    def kept_figures_are_those_of_a_recount(self) -> None:
        reviews = self.reviews()
        today = day_of(self.harness.clock.now())
        written = {day_of(review.written_at) for review in reviews}
        days = {today, *written, *(counted_until(day) + timedelta(days=n) for day in written for n in (-1, 0, 1))}

        def look(store: Store) -> None:
            assert miscounted(store) == []
            for shop in store.shops.every():
                published = [
                    (day_of(review.written_at), present(review.rating), review.confirmed)
                    for review in reviews
                    if review.shop_number == shop.number and review.state is ReviewState.PUBLISHED
                ]
                expected = sum((Distribution.of(n, confirmed=is_so) for _, n, is_so in published), Distribution())
                assert store.reviews.distribution(shop.number) == expected
                for day in days:
                    assert store.reviews.scores([shop.number], day).get(shop.number, NO_REVIEWS) == recounted(
                        published, day
                    )

        self.harness.storage.read(look)


def recounted(published: list[tuple[date, int, bool]], today: date) -> Score:
    """The score of the last 12 months, from the reviews themselves."""
    recent = [(rating, confirmed) for day, rating, confirmed in published if today < counted_until(day)]
    ratings = [rating for rating, _ in recent]
    return Score(count=len(recent), total=sum(ratings), confirmed=sum(confirmed for _, confirmed in recent))


class ReviewMachineOnSqlite(ReviewMachine):
    """The same machine on SQLite."""

    def new_storage(self, folder: Path) -> Storage:
        return SqliteStorage(folder / "test.db")


@pytest.mark.parametrize(
    ("machine", "examples", "steps"),
    [
        pytest.param(ReviewMachine, 30, 30, id="memory"),
        pytest.param(ReviewMachineOnSqlite, 8, 25, id="sqlite"),
        in_soak(ReviewMachine, 1000, 30, id="memory-long"),
        in_soak(ReviewMachineOnSqlite, 200, 25, id="sqlite-long"),
    ],
)
def test_the_kept_figures_are_always_those_of_a_recount(
    machine: type[ReviewMachine], examples: int, steps: int
) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=examples, stateful_step_count=steps, suppress_health_check=list(HealthCheck)),
    )


def test_figures_that_are_wrong_are_found(tmp_path: Path) -> None:
    file = tmp_path / "test.db"
    harness = AppHarness(storage=SqliteStorage(file))
    token = token_of(harness.app, harness.report().invite_id, Purpose.REVIEW)
    harness.write_review(token, ReviewDraft(rating=4))
    assert harness.storage.read(miscounted) == []
    for change in (
        "UPDATE review_figures SET fives = fives + 1 WHERE span = 'day'",
        "UPDATE review_figures SET ones = ones + 1 WHERE span = 'month'",
        "DELETE FROM review_figures",
        "UPDATE reviews SET rating = 3",
    ):
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(change)
        assert [words.partition(";")[0] for words in harness.storage.read(miscounted)] == [
            "the stored figures for the reviews of bakkerij-1 differ from a recount"
        ]
        assert harness.app.reviews.recount() == ["bakkerij-1"]
        assert harness.storage.read(miscounted) == []
        assert harness.app.reviews.recount() == []
    harness.app.close()
