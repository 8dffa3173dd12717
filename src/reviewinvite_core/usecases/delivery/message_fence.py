"""Pass the point of no return with a notice, as invitations do. ADR-7, ADR-57."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.handovers import DeliveryPaused, host_lock
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.notices import Notice, notice_lock
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.fence import Fenced
from reviewinvite_core.usecases.delivery.restore_guard import HighWaterMarkSnapshot, check_for_rollback
from reviewinvite_core.usecases.messages.fence import fence_notice


@attrs.frozen(kw_only=True)
class NoticeFenceRequest:
    """A notice as we claimed it, which is staged; and the mark as read before the unit of work began.

    There is no mark if storage does not outlive the process.
    """

    ours: Notice
    high_water_mark: HighWaterMarkSnapshot | None = None

    @property
    def locks(self) -> frozenset[int]:
        """Those of the notice, and of the host's fence number."""
        snapshot = self.high_water_mark
        locks = {notice_lock(self.ours.message_id)}
        return frozenset(locks | {host_lock(snapshot.mark.host)} if snapshot else locks)


def pass_fence(ctx: UnitContext, request: NoticeFenceRequest) -> Fenced:
    """Pass the point of no return, unless deliveries pause or the notice may not go; return what became of it."""
    snapshot = request.high_water_mark
    pause = check_for_rollback(ctx, snapshot)
    after, is_held = fence_notice(ctx, request.ours, paused=pause is not None)
    if after.state is not State.HANDING_OVER or not is_held:
        return Fenced(item=after, trouble=DeliveryPaused(pause) if pause and is_held else None)
    if snapshot is None:
        return Fenced(item=after, number=0, is_awaited=ctx.store.relay.state().is_acceptance_awaited)
    number, is_awaited = ctx.store.hosts.raise_fence(snapshot.mark.host)
    return Fenced(item=after, number=number, is_awaited=is_awaited)
