"""`app.invitations`: list, show, cancel, send, resolve and retry invitations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from reviewinvite_core.application.facade import AsyncFacade, Facade, derived, require_items
from reviewinvite_core.domain.api_key import Actor, Credential, Operator
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.refusals import (
    AddressErased,
    InvitationUnknown,
    KeyRefused,
    LimitReached,
    NotUncertain,
    ShopInactive,
    ShopUnknown,
    TooLate,
)
from reviewinvite_core.execution import UseCases
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.retry import ManyRetried, Retries
from reviewinvite_core.usecases.invitations.change import (
    ManyResolved,
    UncertainQuery,
    cancel_invitation,
    list_uncertain,
    recount_invitations,
    resolve_as_sent,
    resolve_batch,
    resolve_by_resending,
    send_invitation_now,
)
from reviewinvite_core.usecases.invitations.read import (
    InvitationPage,
    InvitationQuery,
    InvitationRecord,
    list_invitations,
    show_invitation,
)

if TYPE_CHECKING:
    from reviewinvite_core.application.event_loop import AsyncUseCases


class Invitations(Facade):
    """List, show, cancel, send, resolve and retry invitations.

    A shop calls `list`, `show`, `cancel` and `send_now` for its own invitations. The operator passes `OPERATOR` as the
    actor to reach the invitations of every shop. The other methods are for the operator.
    """

    __slots__ = ("_retries",)

    def __init__(self, use_cases: UseCases[UnitContext], retries: Retries) -> None:
        """Do not call this; use `build`."""
        super().__init__(use_cases)
        self._retries = retries

    def list(
        self, actor: Actor | Credential | Operator, query: InvitationQuery | Invalid
    ) -> InvitationPage | ShopUnknown | KeyRefused | LimitReached | Invalid:
        """List the newest invitations, the newest first, without their histories.

        Return a page; pass its `next` as `before` to get the next page, until it is None. New invitations appear before
        every page, so none is listed twice. Without `state` none is left out; with it, one that changes its state
        meanwhile may be. An inactive shop may list its own invitations.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.
        - `Invalid`: the `Invalid` that you passed as `query`, returned unchanged; the call is still charged.
        - `ShopUnknown`: there is no shop with the query's site id, or the actor acts for another shop.

        Raises: `StorageUnavailable`.

        Spec: §3, §4.9. ADR-30.
        """
        return self._use_cases.run(list_invitations, actor, query)

    def show(
        self, actor: Actor | Credential | Operator, invite_id: str
    ) -> InvitationRecord | InvitationUnknown | KeyRefused | LimitReached:
        """Return one invitation with its shop and history. An inactive shop may see its own invitations.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.
        - `InvitationUnknown`: there is no such invitation, or it is another shop's.

        Raises: `StorageUnavailable`.

        Spec: §3, §4.10.
        """
        return self._use_cases.run(show_invitation, actor, invite_id)

    def cancel(
        self, actor: Actor | Credential | Operator, invite_id: str | Invalid
    ) -> InvitationRecord | InvitationUnknown | TooLate | ShopInactive | KeyRefused | LimitReached | Invalid:
        """Cancel an invitation that has not been handed over, so that nothing is sent.

        Return it with its history. Cancelling it again changes nothing. A delivery in progress stops before it hands
        over the message.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: the actor's shop is not active; this does not apply to `OPERATOR`.
        - `LimitReached`: the key's writes per minute are used up.
        - `Invalid`: the `Invalid` that you passed as `invite_id`, returned unchanged; the call is still charged.
        - `InvitationUnknown`: there is no such invitation, or it is another shop's.
        - `TooLate`: it was handed over or has ended in another way; `state` is its state.

        Raises: `StorageUnavailable`; all or nothing was changed, so it is safe to repeat.

        Spec: §3, §4.11. ADR-7.
        """
        return self._use_cases.run(cancel_invitation, actor, invite_id)

    def send_now(
        self, actor: Actor | Credential | Operator, invite_id: str
    ) -> Invitation | InvitationUnknown | TooLate | ShopInactive | KeyRefused | LimitReached:
        """Make a scheduled invitation due at once and return it; doing so again changes nothing.

        `scheduled_for` keeps the time that the shop was given. The invitation of an inactive shop still waits.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: the actor's shop is not active; this does not apply to `OPERATOR`.
        - `LimitReached`: the key's writes per minute are used up.
        - `InvitationUnknown`: there is no such invitation, or it is another shop's.
        - `TooLate`: it is no longer scheduled; `state` says what it is.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(send_invitation_now, actor, invite_id)

    def resolve_as_sent(self, invite_id: str) -> Invitation | InvitationUnknown | NotUncertain:
        """Resolve an uncertain invitation as sent, because you know that it arrived; return it.

        Refusals:
        - `InvitationUnknown`: there is no such invitation.
        - `NotUncertain`: its delivery is not in doubt; `state` says what it is.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(resolve_as_sent, invite_id)

    def resolve_by_resending(self, invite_id: str) -> Invitation | InvitationUnknown | NotUncertain | AddressErased:
        """Resolve an uncertain invitation by sending it again at once; return it. The customer may get it twice.

        Refusals:
        - `InvitationUnknown`: there is no such invitation.
        - `AddressErased`: the customer's address is erased, so there is nothing to send to.
        - `NotUncertain`: its delivery is not in doubt; `state` says what it is.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(resolve_by_resending, invite_id)

    def count_uncertain(self, query: UncertainQuery) -> int | ShopUnknown:
        """Return how many uncertain invitations `resolve_many` would find now, with or without an address.

        Refusals: `ShopUnknown` if there is no shop with the query's site id.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        count, last = 0, None
        while batch := self._use_cases.run(list_uncertain, query, last):
            if isinstance(batch, ShopUnknown):
                return batch
            count, last = count + len(batch), batch[-1]
        return count

    def resolve_many(self, query: UncertainQuery, *, resend: bool) -> ManyResolved | ShopUnknown:
        """Resolve all uncertain invitations, or those of one shop, with one reason or both; return how many.

        They are recorded as sent, or with `resend` they are sent again at once, and may arrive twice. Each batch of 500
        is resolved whole or not at all, so it is safe to repeat this after an interruption. An invitation that becomes
        uncertain again meanwhile is left alone, and with `resend` one whose address is erased stays uncertain.

        Refusals: `ShopUnknown` if there is no shop with the query's site id.

        Raises: `StorageUnavailable`; the batches before stay resolved.

        Spec: §3.
        """
        total, last = ManyResolved(), None
        while batch := self._use_cases.run(list_uncertain, query, last):
            if isinstance(batch, ShopUnknown):
                return batch
            total, last = total.and_also(self._use_cases.run(resolve_batch, batch, resend=resend)), batch[-1]
        return total

    def retry(self, invite_ids: Sequence[str]) -> ManyRetried:
        """Schedule rejected invitations again that certainly never left; return which, and why the others were not.

        One is not if it may have arrived, if its address is erased, suppressed or has no mailbox, or if it was rejected
        before a migration or `db reconcile`. It has three days of attempts again. Each transaction of up to 500 is
        made whole or not at all, so it is safe to repeat this after an interruption.

        Raises: `DeliveryPaused`; `ConfigurationError` if the high-water mark is damaged; `StorageUnavailable`. What was
        scheduled before stays.

        Spec: §3. ADR-69.
        """
        require_items(invite_ids, str, "invite_ids")
        return self._retries.retry(invite_ids)

    def retry_rejected(self, since: datetime) -> ManyRetried:
        """Schedule all invitations again that were rejected since then and certainly never left; see `retry`.

        Raises: as `retry`.

        Spec: §3. ADR-69.
        """
        return self._retries.retry_rejected(since)

    def count_rejected(self, since: datetime) -> int:
        """Return how many invitations were rejected since then, whether `retry_rejected` could schedule them or not.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._retries.count_rejected(since)

    def recount(self) -> Sequence[str]:
        """Count all invitations and correct the figures of overviews; return the site ids whose figures were wrong.

        Raises: `StorageUnavailable`.

        ADR-58.
        """
        return self._use_cases.run(recount_invitations)


class AsyncInvitations(AsyncFacade):
    """List, show, cancel, send, resolve and retry invitations; see `Invitations`."""

    __slots__ = ("_retries",)

    def __init__(self, use_cases: AsyncUseCases, invitations: Invitations) -> None:
        """Do not call this; `AsyncApplication` does."""
        super().__init__(use_cases)
        self._retries = invitations._retries

    list = derived(Invitations.list)
    show = derived(Invitations.show)
    cancel = derived(Invitations.cancel)
    send_now = derived(Invitations.send_now)
    resolve_as_sent = derived(Invitations.resolve_as_sent)
    resolve_by_resending = derived(Invitations.resolve_by_resending)

    async def count_uncertain(self, query: UncertainQuery) -> int | ShopUnknown:
        """Count uncertain invitations; see `Invitations.count_uncertain`. Runs on a reader thread."""
        count, last = 0, None
        while batch := await self._use_cases.run(list_uncertain, query, last):
            if isinstance(batch, ShopUnknown):
                return batch
            count, last = count + len(batch), batch[-1]
        return count

    async def resolve_many(self, query: UncertainQuery, *, resend: bool) -> ManyResolved | ShopUnknown:
        """Resolve uncertain invitations; see `Invitations.resolve_many`. Each batch shares a commit."""
        total, last = ManyResolved(), None
        while batch := await self._use_cases.run(list_uncertain, query, last):
            if isinstance(batch, ShopUnknown):
                return batch
            total, last = total.and_also(await self._use_cases.run(resolve_batch, batch, resend=resend)), batch[-1]
        return total

    async def retry(self, invite_ids: Sequence[str]) -> ManyRetried:
        """Schedule rejected invitations again; see `Invitations.retry`. Runs on a thread, with commits of its own."""
        import asyncio  # late, since it loads the TLS library, which callers of the sync facade do without

        require_items(invite_ids, str, "invite_ids")
        return await asyncio.to_thread(self._retries.retry, invite_ids)

    async def retry_rejected(self, since: datetime) -> ManyRetried:
        """Schedule all that were rejected since then; see `Invitations.retry_rejected`. Runs as `retry` does."""
        import asyncio

        return await asyncio.to_thread(self._retries.retry_rejected, since)

    async def count_rejected(self, since: datetime) -> int:
        """Count what was rejected since then; see `Invitations.count_rejected`. Runs on a thread."""
        import asyncio

        return await asyncio.to_thread(self._retries.count_rejected, since)

    recount = derived(Invitations.recount)
