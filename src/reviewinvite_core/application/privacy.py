"""`app.privacy`: suppress, export and erase personal data."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from reviewinvite_core.application.facade import AsyncFacade, Facade
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import NotSuppressed, OptedOut, ShopUnknown
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy
from reviewinvite_core.execution import UseCases
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.change import (
    Erasure,
    add_suppression,
    erase_address,
    erase_expired,
    expire_suppressions,
    remove_suppression,
    resubscribe,
    unsubscribe,
)
from reviewinvite_core.usecases.privacy.read import (
    HeldAddress,
    Subscription,
    SuppressionRecord,
    export_address,
    list_suppressions,
    show_subscription,
)

if TYPE_CHECKING:
    from reviewinvite_core.application.event_loop import AsyncUseCases


class Privacy(Facade):
    """Suppress, export and erase addresses.

    `show_subscription`, `unsubscribe` and `resubscribe` are for customers and take the token of an unsubscribe link.
    The other methods are for the operator.
    """

    __slots__ = ("_compact",)

    def __init__(self, use_cases: UseCases[UnitContext], compact: Callable[[], object]) -> None:
        """Do not call this; use `build`."""
        super().__init__(use_cases)
        self._compact = compact

    def show_subscription(self, token: str) -> Subscription | None:
        """Return the subscription behind an unsubscribe link, or None for an unknown token. Changes nothing.

        Raises: `StorageUnavailable`.

        Spec: §6 (Links).
        """
        return self._use_cases.run(show_subscription, token)

    def unsubscribe(self, token: str, reach: Reach) -> Subscription | None:
        """Stop mail to the address of an unsubscribe link, from its shop or from all; return what is stopped now.

        Pending invitations to the address are suppressed. The link never expires. Return None for an unknown token.

        Raises: `StorageUnavailable`; all or nothing was changed, so it is safe to repeat.

        Spec: §6 (Links, Suppression). ADR-16.
        """
        return self._use_cases.run(unsubscribe, token, reach)

    def resubscribe(self, token: str) -> Subscription | None:
        """Undo what the customer opted out of by an unsubscribe link; return what is still stopped.

        The customer's own opt-outs of the link's shop and of all shops are removed, and a suppression as a dead mailbox
        ends; an operator's suppressions stay. Suppressed invitations stay suppressed. Return None for an unknown token.

        Raises: `StorageUnavailable`; all or nothing was changed, so it is safe to repeat.

        Spec: §6 (Links, Suppression). ADR-16.
        """
        return self._use_cases.run(resubscribe, token)

    def suppress(self, email: str, site_id: str | None = None) -> SuppressionRecord | ShopUnknown:
        """Stop one shop, or all shops if `site_id` is None, from writing to an address; return the suppression.

        Pending invitations to the address are suppressed. If the address is already suppressed there, that
        suppression stays as it is, unless it is for a dead mailbox: then it is replaced.

        Refusals: `ShopUnknown` if there is no shop with this site id.

        Raises: `Invalid` if it is not an e-mail address; `StorageUnavailable`.

        Spec: §6 (Suppression). ADR-16.
        """
        return self._use_cases.run(add_suppression, email, site_id)

    def list_suppressions(self, limit: int = 100, *, before: Bookmark | None = None) -> Sequence[SuppressionRecord]:
        """List up to `limit` suppressions that have not expired, the newest first.

        `before` is the `bookmark` of the last suppression of the previous page.

        Raises: `StorageUnavailable`.

        Spec: §6 (Suppression).
        """
        return self._use_cases.run(list_suppressions, limit, before)

    def remove_suppression(
        self, email: str, site_id: str | None, word: SuppressedBy
    ) -> SuppressionRecord | ShopUnknown | NotSuppressed | OptedOut:
        """Let one shop, or all shops if `site_id` is None, write to an address again; return the removed suppression.

        `word` says who asked for the removal. Suppressed invitations stay suppressed. New orders are invited again,
        unless another suppression remains.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `NotSuppressed`: the address is not suppressed there; `elsewhere` says whether another suppression exists.
        - `OptedOut`: the customer opted out, and only the customer can undo that.

        Raises: `Invalid` if it is not an e-mail address; `StorageUnavailable`.

        Spec: §6 (Suppression). ADR-16.
        """
        return self._use_cases.run(remove_suppression, email, site_id, word)

    def erase_address(self, email: str, *, keep_reviews: bool = False) -> Erasure:
        """Erase an address at every shop, and what the person wrote; return how much was erased.

        Invitations that have not been handed over are cancelled. With `keep_reviews` the reviews stay, without a name.
        A member of a shop stays one: remove that person first. Erasing again changes nothing.

        Raises: `Invalid` if it is not an e-mail address; `StorageUnavailable`.

        Spec: §1. ADR-16.
        """
        return self._use_cases.run(erase_address, email, keep_reviews=keep_reviews)

    def erase_expired(self) -> Erasure:
        """Erase addresses whose retention has ended, at most 500 per call; return how many were erased.

        Invitations that still wait are cancelled.

        Raises: `StorageUnavailable`.

        Spec: §1.
        """
        return self._use_cases.run(erase_expired)

    def export(self, email: str) -> HeldAddress:
        """Return everything held about an address at every shop, even after it was erased.

        Raises: `Invalid` if it is not an e-mail address; `StorageUnavailable`.

        Spec: §1.
        """
        return self._use_cases.run(export_address, email)

    def purge(self) -> Iterator[Erasure]:
        """Erase all addresses whose retention has ended, then remove deleted data from the files; yield each batch.

        Suppressions that have expired are deleted as well.

        Nothing happens until you iterate over the result.

        Raises: `StorageUnavailable` if storage is busy; what was already erased stays erased.

        Spec: §1.
        """
        while (batch := self.erase_expired()).erased:
            yield batch
        while self._use_cases.run(expire_suppressions):
            pass
        self._compact()


class AsyncPrivacy(AsyncFacade):
    """Suppress, export and erase addresses; see `Privacy`."""

    __slots__ = ("_compact",)

    def __init__(self, use_cases: AsyncUseCases, privacy: Privacy) -> None:
        """Do not call this; `AsyncApplication` does."""
        super().__init__(use_cases)
        self._compact = privacy._compact

    async def show_subscription(self, token: str) -> Subscription | None:
        """Return the subscription behind a link; see `Privacy.show_subscription`. Runs on a reader thread."""
        return await self._use_cases.run(show_subscription, token)

    async def unsubscribe(self, token: str, reach: Reach) -> Subscription | None:
        """Opt out by a link; see `Privacy.unsubscribe`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(unsubscribe, token, reach)

    async def resubscribe(self, token: str) -> Subscription | None:
        """Undo an opt-out by a link; see `Privacy.resubscribe`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(resubscribe, token)

    async def suppress(self, email: str, site_id: str | None = None) -> SuppressionRecord | ShopUnknown:
        """Suppress an address; see `Privacy.suppress`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(add_suppression, email, site_id)

    async def list_suppressions(
        self, limit: int = 100, *, before: Bookmark | None = None
    ) -> Sequence[SuppressionRecord]:
        """List the newest suppressions; see `Privacy.list_suppressions`. Runs on a reader thread."""
        return await self._use_cases.run(list_suppressions, limit, before)

    async def remove_suppression(
        self, email: str, site_id: str | None, word: SuppressedBy
    ) -> SuppressionRecord | ShopUnknown | NotSuppressed | OptedOut:
        """Remove a suppression; see `Privacy.remove_suppression`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(remove_suppression, email, site_id, word)

    async def erase_address(self, email: str, *, keep_reviews: bool = False) -> Erasure:
        """Erase an address; see `Privacy.erase_address`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(erase_address, email, keep_reviews=keep_reviews)

    async def erase_expired(self) -> Erasure:
        """Erase addresses whose retention has ended; see `Privacy.erase_expired`. Shares a commit."""
        return await self._use_cases.run(erase_expired)

    async def export(self, email: str) -> HeldAddress:
        """Return everything held about an address; see `Privacy.export`. Runs on a reader thread."""
        return await self._use_cases.run(export_address, email)

    async def purge(self) -> AsyncIterator[Erasure]:
        """Erase, then remove deleted data from the files; see `Privacy.purge`. Yield each batch."""
        import asyncio

        while (batch := await self.erase_expired()).erased:
            yield batch
        while await self._use_cases.run(expire_suppressions):
            pass
        await asyncio.to_thread(self._compact)
