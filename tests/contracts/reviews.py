"""Contract tests for the storage of reviews and the figures behind scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from tests.builders import a_review, added, an_invitation, scheduled

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.reviews import Act, HideReason, Review, ReviewDraft, ReviewState
from reviewinvite_core.domain.scores import Distribution, Figures, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON, a_shop

DAY = timedelta(days=1)
LATER = NOON + timedelta(seconds=1)
FIRST = Bookmark(NOON - DAY, "00000000-0000-0000-0000-000000000000")


def written(
    storage: Storage, shop: Shop, serial: int = 1, rating: int | None = 5, *, at: datetime = NOON, **fields: object
) -> Review:
    """Store a review of a new invitation and return the review."""
    invitation = scheduled(storage, an_invitation(shop, serial))
    review = a_review(invitation, rating, written_at=at, **fields)
    assert storage.run(lambda store: store.reviews.add(review))
    return review


def changed(storage: Storage, before: Review, after: Review) -> Review:
    """Change a review and return it as stored."""
    assert storage.run(lambda store: store.reviews.change(before, after))
    return after


class ReviewsContract:
    """Part of `StorageContract`: reviews."""

    def test_a_review_comes_back_as_it_was_stored(self, storage: Storage) -> None:
        review = written(storage, added(storage, a_shop()), author=None)
        assert storage.read(lambda store: store.reviews.find(review.shop_number, review.review_id)) == review
        assert storage.read(lambda store: store.reviews.locate(review.review_id)) == review
        assert storage.read(lambda store: store.reviews.of_invitation(review.shop_number, review.invite_id)) == review
        assert list(storage.read(lambda store: store.reviews.history(review))) == [review.change]

    def test_what_is_not_there_is_not_found(self, storage: Storage) -> None:
        review = written(storage, added(storage, a_shop()))
        added(storage, a_shop("other"))
        nobody = uuid7(NOON, bytes(10))
        assert storage.read(lambda store: store.reviews.find(2, review.review_id)) is None
        assert storage.read(lambda store: store.reviews.of_invitation(2, review.invite_id)) is None
        assert storage.read(lambda store: store.reviews.find(1, nobody)) is None
        assert storage.read(lambda store: store.reviews.locate(nobody)) is None
        assert storage.read(lambda store: store.reviews.of_invitation(1, nobody)) is None

    def test_many_reviews_of_a_shop_are_found_at_once(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        reviews = [written(storage, shop, serial) for serial in (1, 2, 3)]
        asked = [reviews[0].review_id, reviews[2].review_id, written(storage, other).review_id]
        many = [uuid7(NOON, serial.to_bytes(10, "big")) for serial in range(300)]
        found = storage.read(lambda store: store.reviews.find_all(shop.number, [*many, *asked]))
        assert found == {each.review_id: each for each in (reviews[0], reviews[2])}
        assert storage.read(lambda store: store.reviews.find_all(shop.number, [])) == {}

    def test_an_invitation_has_one_review(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first = written(storage, shop)
        second = a_review(an_invitation(shop), 1, written_at=LATER)
        assert second.invite_id == first.invite_id
        assert not storage.run(lambda store: store.reviews.add(second))
        assert storage.read(lambda store: store.reviews.find(1, second.review_id)) is None
        assert storage.read(lambda store: store.reviews.distribution(1)) == Distribution.of(5)

    def test_every_change_is_kept_whole_with_its_history(self, storage: Storage) -> None:
        review = written(storage, added(storage, a_shop()), author=None)
        draft = ReviewDraft(rating=2, text="Toch niet.", author="A.", language=Language.EN)
        versions = [review]
        changes: list[Callable[[Review, datetime], Review]] = [
            lambda one, at: one.rewritten(draft, at),
            lambda one, at: one.replied("Dank!", at),
            lambda one, at: one.hidden(HideReason.SPAM, at),
            lambda one, at: one.shown_again(at),
            lambda one, at: one.emptied(Act.WITHDRAWN, at),
            lambda one, at: one.rewritten(draft, at),
        ]
        for days, change in enumerate(changes, start=1):
            versions.append(changed(storage, versions[-1], change(versions[-1], NOON + days * DAY)))
            assert storage.read(lambda store: store.reviews.find(1, review.review_id)) == versions[-1]
        history = storage.read(lambda store: store.reviews.history(review))
        assert list(history) == [version.change for version in versions]

    def test_a_change_of_another_revision_is_not_made(self, storage: Storage) -> None:
        review = written(storage, added(storage, a_shop()))
        hidden = review.hidden(HideReason.INSULT, LATER)
        stranger = a_review(an_invitation(added(storage, a_shop("other")), 7))
        assert not storage.run(lambda store: store.reviews.change(stranger, stranger.hidden(HideReason.INSULT, LATER)))
        changed(storage, review, hidden)
        assert not storage.run(lambda store: store.reviews.change(review, review.emptied(Act.WITHDRAWN, LATER)))
        assert storage.read(lambda store: store.reviews.find(1, review.review_id)) == hidden
        assert len(storage.read(lambda store: store.reviews.history(review))) == 2
        assert not storage.read(lambda store: store.reviews.distribution(1))

    def test_a_shops_published_reviews_come_page_by_page_the_newest_first(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        same_instant = [written(storage, shop, serial) for serial in (1, 2, 3)]
        late, early = (written(storage, shop, n, at=NOON + days * DAY) for n, days in ((4, 1), (5, -1)))
        gone = written(storage, shop, 6)
        changed(storage, gone, gone.hidden(HideReason.OTHER, LATER))
        written(storage, other, 7)
        expected = [late, *sorted(same_instant, key=lambda each: each.review_id, reverse=True), early]
        pages: list[Review] = []

        def next_page() -> Sequence[Review]:
            last = pages[-1].bookmark if pages else None
            return storage.read(lambda store: store.reviews.published(shop.number, before=last, limit=2))

        while page := next_page():
            assert len(page) <= 2
            pages += page
        assert pages == expected

    def test_changes_come_page_by_page_in_any_state_with_the_orders_number(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        first, second, third = (written(storage, shop, serial) for serial in (1, 2, 3))
        hidden = changed(storage, first, first.hidden(HideReason.OTHER, LATER))
        written(storage, other, 4)
        unchanged = sorted([second, third], key=lambda each: each.review_id)
        found: list[tuple[Review, str | None]] = []

        def next_page() -> Sequence[tuple[Review, str | None]]:
            last = found[-1][0].change_bookmark if found else FIRST
            return storage.read(lambda store: store.reviews.changed(shop.number, after=last, limit=2))

        while page := next_page():
            found += page
        numbers = {first.invite_id: "1001", second.invite_id: "1002", third.invite_id: "1003"}
        assert found == [(each, numbers[each.invite_id]) for each in (*unchanged, hidden)]
        at_the_end = storage.read(lambda store: store.reviews.changed(1, after=hidden.change_bookmark, limit=2))
        assert list(at_the_end) == []

    def test_changes_are_searched_for_a_state_and_a_rating_up_to_a_number_of_reviews(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        first, second, third = (written(storage, shop, each, at=NOON + each * DAY, rating=each) for each in (1, 2, 3))
        written(storage, other, 4)
        hidden = changed(storage, first, first.hidden(HideReason.OTHER, LATER + 9 * DAY))

        def found(after: Bookmark = FIRST, limit: int = 9, most_read: int = 9, **chosen: Any) -> list[Review]:
            rows = storage.read(
                lambda store: store.reviews.changed(
                    shop.number, after=after, limit=limit, most_read=most_read, **chosen
                )
            )
            return [review for review, _ in rows]

        assert found(state=ReviewState.PUBLISHED) == [second, third]
        assert found(state=ReviewState.PUBLISHED, limit=1) == [second]
        assert found(rating=1) == found(rating=1, state=ReviewState.HIDDEN) == [hidden]
        assert found(rating=1, most_read=2) == found(rating=2, state=ReviewState.HIDDEN) == []
        assert found(rating=3, after=second.change_bookmark, most_read=1) == [third]

        def nth(after: Bookmark, number: int) -> Bookmark | None:
            return storage.read(lambda store: store.reviews.nth_change(shop.number, after, number))

        assert [nth(FIRST, 1), nth(FIRST, 3), nth(FIRST, 4)] == [second.change_bookmark, hidden.change_bookmark, None]
        assert nth(second.change_bookmark, 1) == third.change_bookmark

    def test_a_shops_own_are_listed_the_newest_first_by_state_and_rating(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        reviews = [written(storage, shop, each, at=NOON + each * DAY, rating=1 + each % 2) for each in range(5)]
        written(storage, other, 9)
        hidden = changed(storage, reviews[1], reviews[1].hidden(HideReason.OTHER, LATER))
        gone = changed(storage, reviews[2], reviews[2].emptied(Act.WITHDRAWN, LATER))
        newest = sorted([hidden, gone, *reviews[:1], *reviews[3:]], key=lambda each: each.review_id, reverse=True)
        for state in (None, *ReviewState):
            for rating in (None, 1, 2, 3):
                pages: list[Review] = []
                last = None
                while page := storage.read(
                    lambda store, s=state, r=rating, b=last: store.reviews.of_shop(  # type: ignore[misc]
                        shop.number, before=b, state=s, rating=r, limit=2
                    )
                ):
                    pages += [review for review, _ in page]
                    last = page[-1][0].review_id
                assert pages == [
                    each for each in newest if state in (None, each.state) and rating in (None, each.rating)
                ]
        numbers = storage.read(
            lambda store: store.reviews.of_shop(shop.number, before=None, state=None, rating=None, limit=9)
        )
        assert all(number for _, number in numbers)

    def test_the_newest_are_listed_of_one_shop_or_all_in_one_state_or_any(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        old = written(storage, shop, 1)
        new = written(storage, other, 2, at=LATER)
        hidden = changed(storage, old, old.hidden(HideReason.OTHER, LATER + DAY))
        expected = [(other, new), (shop, hidden)]
        newest = [
            storage.read(lambda store, s=of, t=state, n=most: store.reviews.newest(shop=s, state=t, limit=n))  # type: ignore[misc]
            for of, state, most in (
                *((None, None, 9), (None, None, 1), (shop, None, 9)),
                *((None, ReviewState.PUBLISHED, 9), (other, ReviewState.HIDDEN, 9)),
            )
        ]
        assert [list(each) for each in newest] == [expected, expected[:1], expected[1:], expected[:1], []]
        older = storage.read(lambda store: store.reviews.newest(shop=None, state=None, limit=9, before=new.review_id))
        assert list(older) == expected[1:]


class FiguresContract:
    """Part of `StorageContract`: figures behind scores."""

    def test_a_shop_without_reviews_has_no_figures(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        empty = Figures(days={}, months={})
        assert storage.read(lambda store: store.reviews.scores([shop.number, 99], NOON.date())) == {}
        assert storage.read(lambda store: store.reviews.scores([], NOON.date())) == {}
        assert storage.read(lambda store: store.reviews.distribution(shop.number)) == Distribution()
        assert storage.read(lambda store: store.reviews.figures(shop.number)) == empty
        assert storage.read(lambda store: store.reviews.recount(shop.number)) == empty

    def test_what_is_published_counts_and_what_is_not_does_not(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        reviews = [written(storage, shop, serial, rating) for serial, rating in ((1, 5), (2, 5), (3, 1))]
        written(storage, other, 4, 2)

        def scores() -> dict[int, Score]:
            return dict(storage.read(lambda store: store.reviews.scores([shop.number, other.number], NOON.date())))

        others = {other.number: Score(count=1, total=2)}
        assert scores() == {shop.number: Score(count=3, total=11), **others}
        hidden = changed(storage, reviews[0], reviews[0].hidden(HideReason.SPAM, LATER))
        assert scores() == {shop.number: Score(count=2, total=6), **others}
        better = changed(storage, reviews[2], reviews[2].rewritten(ReviewDraft(rating=4), LATER))
        assert scores() == {shop.number: Score(count=2, total=9), **others}
        changed(storage, hidden, hidden.shown_again(LATER))
        assert storage.read(lambda store: store.reviews.distribution(shop.number)) == Distribution((0, 0, 0, 1, 2))
        for each in (reviews[1], better):
            changed(storage, each, each.emptied(Act.ERASED, LATER))
        assert scores() == {shop.number: Score(count=1, total=5), **others}
        self.assert_stored_as_recounted(storage, shop)

    def test_those_of_confirmed_orders_are_counted_apart(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        dice = [(1, True), (2, False), (3, False), (4, True)]
        reviews = [written(storage, shop, serial, serial, confirmed=confirmed) for serial, confirmed in dice]
        before = Distribution((1, 1, 1, 1, 0), confirmed=2)
        today, spring = NOON.date(), NOON.date() - 400 * DAY

        def counted() -> tuple[Distribution, object, object]:
            return storage.read(
                lambda store: (
                    store.reviews.distribution(shop.number),
                    store.reviews.weeks(shop.number, spring),
                    store.reviews.scores([shop.number], today),
                )
            )

        distribution, weeks, scores = counted()
        assert (distribution, scores) == (before, {shop.number: before.score})
        assert weeks == {today - today.weekday() * DAY: before}
        for each in reviews[:2]:
            changed(storage, each, each.hidden(HideReason.SPAM, LATER))
        assert counted()[0] == Distribution((0, 0, 1, 1, 0), confirmed=1)
        self.assert_stored_as_recounted(storage, shop)

    def test_figures_are_kept_by_the_day_and_the_month_of_the_first_writing(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        for serial, day in enumerate((date(2026, 3, 31), date(2026, 3, 31), date(2026, 3, 1), date(2026, 4, 1))):
            written(storage, shop, serial, serial + 1, at=datetime.combine(day, NOON.timetz()))
        figures = storage.read(lambda store: store.reviews.figures(shop.number))
        assert figures == Figures(
            days={
                date(2026, 3, 31): Distribution((1, 1, 0, 0, 0)),
                date(2026, 3, 1): Distribution((0, 0, 1, 0, 0)),
                date(2026, 4, 1): Distribution((0, 0, 0, 1, 0)),
            },
            months={date(2026, 3, 1): Distribution((1, 1, 1, 0, 0)), date(2026, 4, 1): Distribution((0, 0, 0, 1, 0))},
        )
        self.assert_stored_as_recounted(storage, shop)

    @pytest.mark.parametrize("wrote", [date(2026, 3, 2), date(2026, 3, 1), date(2026, 3, 31), date(2024, 2, 29)])
    def test_a_review_counts_for_twelve_months(self, storage: Storage, wrote: date) -> None:
        shop = added(storage, a_shop())
        last_instant = datetime.combine(wrote + DAY, NOON.timetz().replace(hour=0, microsecond=0)) - timedelta(
            microseconds=1
        )
        written(storage, shop, 1, 3, at=last_instant)
        a_year_on = date(wrote.year + 1, wrote.month, min(wrote.day, 28) if wrote.month == 2 else wrote.day)
        counted = [
            bool(storage.read(lambda store, day=day: store.reviews.scores([shop.number], day)))  # type: ignore[misc]
            for day in (wrote, wrote + 40 * DAY, a_year_on - DAY, a_year_on, a_year_on + 40 * DAY)
        ]
        assert counted == [True, True, True, False, False]
        assert storage.read(lambda store: store.reviews.distribution(shop.number)) == Distribution.of(3)

    def test_a_unit_that_fails_counts_nothing(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        invitation = scheduled(storage, an_invitation(shop))

        def write_and_fail(store: object) -> None:
            store.reviews.add(a_review(invitation))  # type: ignore[attr-defined]
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            storage.run(write_and_fail)
        assert storage.read(lambda store: store.reviews.figures(shop.number)) == Figures(days={}, months={})
        assert storage.read(lambda store: store.reviews.of_invitation(shop.number, invitation.invite_id)) is None

    def test_many_shops_are_asked_at_once(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(f"shop-{number}")) for number in range(130)]
        for shop in shops[::43]:
            written(storage, shop, shop.number, 4)
        numbers = [shop.number for shop in shops]
        assert storage.read(lambda store: store.reviews.scores(numbers, NOON.date())) == {
            shop.number: Score(count=1, total=4) for shop in shops[::43]
        }

    def test_figures_that_were_wrong_are_replaced_whole(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        for each in (shop, other):
            review = a_review(scheduled(storage, an_invitation(each)), 4)
            assert storage.run(lambda store, review=review: store.reviews.add(review))  # type: ignore[misc]
        right = storage.read(lambda store: store.reviews.figures(shop.number))
        wrong = Figures.of({NOON.date(): Distribution.of(1, 7), NOON.date() - DAY: Distribution.of(5)})
        storage.run(lambda store: store.reviews.keep_figures(shop.number, wrong))
        assert storage.read(lambda store: store.reviews.figures(shop.number)) == wrong
        storage.run(lambda store: store.reviews.keep_figures(shop.number, right))
        for each in (shop, other):
            self.assert_stored_as_recounted(storage, each)

    @staticmethod
    def assert_stored_as_recounted(storage: Storage, shop: Shop) -> None:
        """Assert that the stored figures equal a recount."""
        stored = storage.read(lambda store: store.reviews.figures(shop.number))
        assert stored == storage.read(lambda store: store.reviews.recount(shop.number))
        assert stored.days
