"""`app.reviews`: write, list, moderate and reply to reviews."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.application.facade import AsyncFacade, Facade, derived
from reviewinvite_core.domain.api_key import Actor, Credential, Operator
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.refusals import (
    ChangedMeanwhile,
    KeyRefused,
    LimitReached,
    ReviewStateConflict,
    ReviewUnknown,
    ShopInactive,
    ShopUnknown,
)
from reviewinvite_core.domain.reviews import HideReason, NewReply, Review, ReviewDraft
from reviewinvite_core.usecases.reviews.change import hide_review, recount, reply_to_review, show_review_again
from reviewinvite_core.usecases.reviews.link import (
    LinkClosed,
    ReviewLink,
    note_opened_link,
    show_review_link,
    withdraw_review,
    write_review,
)
from reviewinvite_core.usecases.reviews.read import (
    MerchantReviewQuery,
    MerchantReviews,
    ReviewFilter,
    ReviewPage,
    ReviewQuery,
    ReviewRecord,
    ShopReviews,
    browse_reviews,
    count_reviews,
    list_review_changes,
    list_reviews,
    show_review,
    show_shop_reviews,
)


class Reviews(Facade):
    """Write, list, moderate and reply to reviews.

    `show_link`, `note_opened`, `write` and `withdraw` are for customers and take the token of an invitation's link.
    `browse`, `list_changes`, `show` and `reply` are for shops. Everybody may call `show_public`. The other methods, and
    `show` without an actor, are for the operator.
    """

    __slots__ = ()

    def list(self, query: ReviewQuery) -> Sequence[ReviewRecord] | ShopUnknown:
        """List the newest reviews, the newest first, of one shop or all shops, in one state or any state.

        With `order_number`, only those of orders with this number; with `since`, only those written since then.

        Refusals: `ShopUnknown` if there is no shop with the query's site id.

        Raises: `StorageUnavailable`.

        Spec: §2.
        """
        return self._use_cases.run(list_reviews, query)

    def count(self, query: ReviewQuery, up_to: int = 10_001) -> int | ShopUnknown:
        """Count the reviews that `list` would return without a limit; stop counting at `up_to`.

        Refusals: `ShopUnknown` if there is no shop with the query's site id.

        Raises: `StorageUnavailable`.

        Spec: §1.
        """
        return self._use_cases.run(count_reviews, query, up_to)

    def browse(self, actor: Actor | Credential, query: ReviewFilter) -> ReviewPage | KeyRefused | LimitReached:
        """List the newest reviews of the actor's shop, the newest first, without their histories.

        Return a page; pass its `next` as `before` to get the next page, until it is None. New reviews appear before
        every page, so none is listed twice. Text and author of a hidden review are None.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.

        Raises: `StorageUnavailable`.

        Spec: §10.
        """
        return self._use_cases.run(browse_reviews, actor, query)

    def list_changes(
        self, actor: Actor | Credential, query: MerchantReviewQuery | Invalid
    ) -> MerchantReviews | KeyRefused | LimitReached | Invalid:
        """List the reviews of the actor's shop, in any state, that changed after a cursor, the earliest change first.

        Return a page; pass its `next` as `after` to continue, now or later: no changed review is left out. Text and
        author of a hidden review are None. An inactive shop may read its own reviews.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.
        - `Invalid`: the `Invalid` that you passed as `query`, returned unchanged; the call is still charged.

        Raises: `StorageUnavailable`.

        Spec: §4.6. ADR-27, ADR-30.
        """
        return self._use_cases.run(list_review_changes, actor, query)

    def show(
        self, actor: Actor | Credential | Operator, review_id: str
    ) -> ReviewRecord | ReviewUnknown | KeyRefused | LimitReached:
        """Return one review with its history. A shop sees its own only, and no text or author of a hidden review.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.
        - `ReviewUnknown`: there is no such review, or it is another shop's.

        Raises: `StorageUnavailable`.

        Spec: §2.
        """
        return self._use_cases.run(show_review, actor, review_id)

    def hide(self, review_id: str, reason: HideReason) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
        """Hide a review for this reason, so that nobody sees it and it does not count; return it.

        Hiding it again changes nothing; another reason replaces the first.

        Refusals:
        - `ReviewUnknown`: there is no review with this id.
        - `ReviewStateConflict`: it is withdrawn or erased.

        Raises: `StorageUnavailable`.

        Spec: §3. ADR-27.
        """
        return self._use_cases.run(hide_review, review_id, reason)

    def show_again(self, review_id: str) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
        """Publish a hidden review again and return it; a published review stays as it is.

        Refusals:
        - `ReviewUnknown`: there is no review with this id.
        - `ReviewStateConflict`: it is withdrawn or erased.

        Raises: `StorageUnavailable`.

        Spec: §3. ADR-27.
        """
        return self._use_cases.run(show_review_again, review_id)

    def reply(
        self, actor: Actor | Credential, review_id: str, reply: NewReply | Invalid, seen: Review | None = None
    ) -> (
        ReviewRecord
        | ReviewUnknown
        | ReviewStateConflict
        | ChangedMeanwhile
        | ShopInactive
        | KeyRefused
        | LimitReached
        | Invalid
    ):
        """Reply to a published review of the actor's shop and return the review.

        A reply replaces the previous one; the same reply again changes nothing. An empty reply removes it, even from a
        hidden review.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: the shop is not active.
        - `LimitReached`: the key's writes per minute are used up.
        - `Invalid`: the `Invalid` that you passed as `reply`, returned unchanged; the call is still charged.
        - `ReviewUnknown`: there is no such review, or it is another shop's.
        - `ChangedMeanwhile`: you passed what you have `seen`, and its reply was changed since.
        - `ReviewStateConflict`: the review is hidden, withdrawn or erased, and the reply is not empty.

        Raises: `StorageUnavailable`; all or nothing was changed, so it is safe to repeat.

        Spec: §3, §4.8. ADR-27.
        """
        return self._use_cases.run(reply_to_review, actor, review_id, reply, seen)

    def show_link(self, token: str) -> ReviewLink | None:
        """Return what an invitation's link leads to, or None for an unknown token. Changes nothing.

        Raises: `StorageUnavailable`.

        Spec: §6 (Links).
        """
        return self._use_cases.run(show_review_link, token)

    def note_opened(self, token: str) -> bool:
        """Record that an invitation's link was opened, which proves that the e-mail arrived.

        An uncertain invitation becomes sent, and a suppression of its address as a dead mailbox ends. Return whether
        either changed anything.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(note_opened_link, token)

    def write(self, token: str, draft: ReviewDraft) -> ReviewLink | LinkClosed | None:
        """Write or change the review of an order by its invitation's link; return what the link now leads to.

        An order has one review; writing the same again changes nothing. A hidden review stays hidden. Return None for
        an unknown token, and `LinkClosed` if the link no longer permits this.

        Raises: `StorageUnavailable`; all or nothing was changed, so it is safe to repeat.

        Spec: §3, §6 (Links). ADR-27, ADR-34.
        """
        return self._use_cases.run(write_review, token, draft)

    def withdraw(self, token: str) -> ReviewLink | LinkClosed | None:
        """Withdraw the review of an order by its invitation's link: its content is erased, and it no longer counts.

        Return what the link now leads to. Without a review, this changes nothing. Return None for an unknown token, and
        `LinkClosed` if the link no longer permits this.

        Raises: `StorageUnavailable`; all or nothing was changed, so it is safe to repeat.

        Spec: §3, §6 (Links). ADR-27.
        """
        return self._use_cases.run(withdraw_review, token)

    def show_public(self, site_id: str, before: Bookmark | None = None) -> ShopReviews | ShopUnknown:
        """Return a shop's public page: scores, distribution and up to 20 published reviews, the newest first.

        `before` is the `next` of the previous page. No view is counted.

        Refusals: `ShopUnknown` if there is no shop with this site id.

        Raises: `StorageUnavailable`.

        Spec: §2, §4 (Pages). ADR-29.
        """
        return self._use_cases.run(show_shop_reviews, site_id, before)

    def recount(self) -> Sequence[str]:
        """Count all reviews and correct the totals behind the scores; return the site ids whose totals were wrong.

        Raises: `StorageUnavailable`.

        ADR-27.
        """
        return self._use_cases.run(recount)


class AsyncReviews(AsyncFacade):
    """Write, list, moderate and reply to reviews; see `Reviews`."""

    __slots__ = ()

    list = derived(Reviews.list)
    count = derived(Reviews.count)
    browse = derived(Reviews.browse)
    list_changes = derived(Reviews.list_changes)
    show = derived(Reviews.show)
    hide = derived(Reviews.hide)
    show_again = derived(Reviews.show_again)
    reply = derived(Reviews.reply)
    show_link = derived(Reviews.show_link)
    note_opened = derived(Reviews.note_opened)
    write = derived(Reviews.write)
    withdraw = derived(Reviews.withdraw)
    show_public = derived(Reviews.show_public)
    recount = derived(Reviews.recount)
