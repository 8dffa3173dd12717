"""Take what is due into our hands: for as long as the lease lasts, nobody else does. Spec: §3, §6, ADR-7."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.handovers import Pause
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    OVERDUE_AFTER,
    Claim,
    Invitation,
)
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.domain.sealing import AddressDecryptionError
from reviewinvite_core.ports import Letter
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.restore_guard import HighWaterMarkSnapshot, check_for_rollback

LATE_COMMITS = timedelta(minutes=1)  # a report may be stored so long after the instant at which it was due


@attrs.define
class Search:
    """From which due time on a worker looks for what is due: what inactive shops have waiting is not met each time.

    What is to be sent and lies before it, since its shop is active again or another worker gave it back, is found
    once the search begins anew.
    """

    since: datetime | None = None

    def restart(self) -> None:
        """Look through all that is due once more."""
        self.since = None


@attrs.frozen(kw_only=True)
class Assignment:
    """An invitation in our hands, and its letter, unless the address is gone or cannot be read."""

    invitation: Invitation
    letter: Letter | None


@attrs.frozen(kw_only=True)
class Claimed:
    """What was taken at the instant `at`, and from where on to look for more; or why nothing may be taken."""

    at: datetime
    assignments: Sequence[Assignment] = ()
    since: datetime | None = None
    pause: Pause | None = None


def claim_due(
    ctx: UnitContext, base_url: str, most: int, *, since: datetime | None, high_water_mark: HighWaterMarkSnapshot | None
) -> Claimed:
    """Take due invitations into our hands until the lease ends.

    What is overdue is never taken, even before it has expired. No other unit is given the same ones meanwhile, so this
    needs no lock (ADR-13).
    """
    pause = check_for_rollback(ctx, high_water_mark)
    if pause:
        return Claimed(at=ctx.now, since=since, pause=pause)
    earliest, recent = ctx.now - OVERDUE_AFTER, ctx.now - LATE_COMMITS
    found = ctx.store.invitations.due(max(earliest, min(since or earliest, recent)), ctx.now, most)
    assignments = []
    for due in found:
        claim = Claim(token=ctx.entropy.draw(16), lease_until=ctx.now + ctx.policies.lease)
        claimed = due.moved(State.CLAIMED, Reason.CLAIMED, ctx.now, claim=claim)
        if ctx.store.invitations.change(due, claimed):
            letter = _letter(ctx, claimed, base_url)
            assignments.append(Assignment(invitation=claimed, letter=letter))
    return Claimed(
        at=ctx.now,
        assignments=assignments,
        since=min(found[-1].due_at, recent) if len(found) == most else recent,
    )


def _letter(ctx: UnitContext, invitation: Invitation, base_url: str) -> Letter | None:
    shop = ctx.store.shops.by_number(invitation.shop_number)
    if shop is None or invitation.sealed_address is None:
        return None
    try:
        recipient = ctx.ring.open_address(invitation.sealed_address).text
    except AddressDecryptionError:
        return None

    def link(path: str, purpose: Purpose) -> str:
        return f"{base_url}/{path}/{link_token(ctx.ring.tokens, purpose, shop.number, invitation.invite_id)}"

    return Letter(
        invite_id=invitation.invite_id,
        recipient=recipient,
        shop_name=shop.name,
        order_number=invitation.order_number,
        language=invitation.language,
        reply_to=shop.reply_to,
        review_url=link("r", Purpose.REVIEW),
        unsubscribe_url=link("u", Purpose.UNSUBSCRIBE),
        written_at=ctx.now,
    )
