"""Reviews, their history and the figures behind scores, in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date

from reviewinvite_core.adapters.memory.invitations import MemoryInvitations
from reviewinvite_core.adapters.memory.shops import MemoryShops
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.invitation_figures import week_of
from reviewinvite_core.domain.reviews import Review, ReviewChange, ReviewState
from reviewinvite_core.domain.scores import Distribution, Figures, Score, Span, first_counted, spans_since
from reviewinvite_core.domain.shop import Shop


class MemoryReviews:
    """Implements `ports.Reviews`."""

    def __init__(self, undo_log: UndoLog, shops: MemoryShops, invitations: MemoryInvitations) -> None:
        self._reviews: Table[tuple[int, str], Review] = Table(undo_log)
        self._by_invitation: Table[tuple[int, str], str] = Table(undo_log)
        self._changes: Table[tuple[int, str], tuple[ReviewChange, ...]] = Table(undo_log)
        self._figures: Table[tuple[int, Span, date], Distribution] = Table(undo_log)
        self._shops = shops
        self._invitations = invitations

    def add(self, review: Review) -> bool:
        invitation = (review.shop_number, review.invite_id)
        if self._by_invitation.get(invitation):
            return False
        self._by_invitation[invitation] = review.review_id
        self._store(None, review)
        return True

    def change(self, before: Review, after: Review) -> bool:
        stored = self.find(before.shop_number, before.review_id)
        if stored is None or stored.revision != before.revision:
            return False
        self._store(before, after)
        return True

    def _store(self, before: Review | None, after: Review) -> None:
        key = (after.shop_number, after.review_id)
        self._reviews[key] = after
        self._changes[key] = (*(self._changes.get(key) or ()), after.change)
        day, added = after.counted
        more = added + -(before.counted[1] if before else Distribution())
        for span in Span:
            place = (after.shop_number, span, span.start(day))
            self._figures[place] = (self._figures.get(place) or Distribution()) + more

    def find(self, shop_number: int, review_id: str) -> Review | None:
        return self._reviews.get((shop_number, review_id))

    def find_all(self, shop_number: int, review_ids: Collection[str]) -> Mapping[str, Review]:
        found = {each: self.find(shop_number, each) for each in review_ids}
        return {review_id: review for review_id, review in found.items() if review}

    def locate(self, review_id: str) -> Review | None:
        found = (self.find(shop.number, review_id) for shop in self._shops.every())
        return next((review for review in found if review), None)

    def of_invitation(self, shop_number: int, invite_id: str) -> Review | None:
        review_id = self._by_invitation.get((shop_number, invite_id))
        return self.find(shop_number, review_id) if review_id else None

    def reviewed(self, asked: Collection[tuple[int, str]]) -> Collection[tuple[int, str]]:
        return {key for key in asked if self._by_invitation.get(key)}

    def published(self, shop_number: int, *, before: Bookmark | None, limit: int) -> Sequence[Review]:
        found = [each for each in self._of_shop(shop_number) if each.state is ReviewState.PUBLISHED]
        found.sort(key=lambda each: each.review_id, reverse=True)
        return [each for each in found if before is None or each.review_id < before.review_id][:limit]

    def of_shop(
        self, shop_number: int, *, before: str | None, state: ReviewState | None, rating: int | None, limit: int
    ) -> Sequence[tuple[Review, str | None]]:
        found = [each for each in self._of_shop(shop_number) if before is None or each.review_id < before]
        chosen = sorted(_selected(found, state, rating), key=lambda each: each.review_id, reverse=True)[:limit]
        return [(each, self._order_number(each)) for each in chosen]

    def changed(
        self,
        shop_number: int,
        *,
        after: Bookmark,
        limit: int,
        state: ReviewState | None = None,
        rating: int | None = None,
        most_read: int | None = None,
    ) -> Sequence[tuple[Review, str | None]]:
        chosen = _selected(self._changed_after(shop_number, after)[:most_read], state, rating)[:limit]
        return [(each, self._order_number(each)) for each in chosen]

    def nth_change(self, shop_number: int, after: Bookmark, nth: int) -> Bookmark | None:
        found = self._changed_after(shop_number, after)
        return found[nth - 1].change_bookmark if len(found) >= nth else None

    def _changed_after(self, shop_number: int, after: Bookmark) -> Sequence[Review]:
        found = sorted(self._of_shop(shop_number), key=_last_changed)
        return [each for each in found if _last_changed(each) > (after.at, after.review_id)]

    def newest(
        self, *, shop: Shop | None, state: ReviewState | None, limit: int, before: str | None = None
    ) -> Sequence[tuple[Shop, Review]]:
        owners = {owner.number: owner for owner in ([shop] if shop else self._shops.every())}
        chosen = [
            each
            for each in self._reviews.values()
            if each.shop_number in owners
            and state in (None, each.state)
            and (before is None or each.review_id < before)
        ]
        chosen.sort(key=lambda each: each.review_id, reverse=True)
        return [(owners[each.shop_number], each) for each in chosen[:limit]]

    def history(self, review: Review) -> Sequence[ReviewChange]:
        return self._changes.get((review.shop_number, review.review_id)) or ()

    def scores(self, shop_numbers: Collection[int], today: date) -> Mapping[int, Score]:
        spans = spans_since(first_counted(today))
        sums = dict.fromkeys(shop_numbers, Distribution())
        for (number, span, first), stored in self._figures.items():
            if number in sums and spans[span][0] <= first < spans[span][1]:
                sums[number] += stored
        return {number: each.score for number, each in sums.items() if each}

    def distribution(self, shop_number: int) -> Distribution:
        return sum(self.figures(shop_number).months.values(), Distribution())

    def weeks(self, shop_number: int, since: date) -> Mapping[date, Distribution]:
        weeks: dict[date, Distribution] = defaultdict(Distribution)
        for day, stored in self.figures(shop_number).days.items():
            if day >= since:
                weeks[week_of(day)] += stored
        return weeks

    def figures(self, shop_number: int) -> Figures:
        of_shop = [(key, stored) for key, stored in self._figures.items() if key[0] == shop_number and stored]
        days, months = ({first: stored for (_, each, first), stored in of_shop if each is span} for span in Span)
        return Figures(days=days, months=months)

    def recount(self, shop_number: int) -> Figures:
        days: dict[date, Distribution] = {}
        for review in self._of_shop(shop_number):
            day, counted = review.counted
            days[day] = days.get(day, Distribution()) + counted
        return Figures.of(days)

    def keep_figures(self, shop_number: int, figures: Figures) -> None:
        for number, span, first in [key for key, _ in self._figures.items() if key[0] == shop_number]:
            self._figures.pop((number, span, first))
        for span, stored in ((Span.DAY, figures.days), (Span.MONTH, figures.months)):
            for first, each in stored.items():
                self._figures[(shop_number, span, first)] = each

    def _of_shop(self, shop_number: int) -> Sequence[Review]:
        return [each for each in self._reviews.values() if each.shop_number == shop_number]

    def _order_number(self, review: Review) -> str | None:
        invitation = self._invitations.find(review.shop_number, review.invite_id)
        return invitation.order_number if invitation else None


def _selected(reviews: Sequence[Review], state: ReviewState | None, rating: int | None) -> Sequence[Review]:
    return [each for each in reviews if state in (None, each.state) and rating in (None, each.rating)]


def _last_changed(review: Review) -> tuple[object, ...]:
    return review.changed_at, review.review_id
