"""Claim what is due, so that other workers do not take it before the lease ends: notices, then invitations.

Spec: §3, §6, ADR-7, ADR-57.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.handovers import Pause
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.domain.orders import number_for_customers
from reviewinvite_core.domain.policy import OVERDUE_AFTER
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.workers import TOKEN_BYTES
from reviewinvite_core.ports import Letter, NoticeLetter
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.outcomes import change_all
from reviewinvite_core.usecases.delivery.relay import find_probe
from reviewinvite_core.usecases.delivery.restore_guard import HighWaterMarkSnapshot, check_for_rollback

MOST_NOTICES = 64  # at once
LATE_COMMITS = timedelta(minutes=1)  # a report may be stored this long after it was due


@attrs.define
class Search:
    """Due time from which a worker searches, so that it does not revisit inactive shops' invitations each time.

    An invitation with an earlier due time, whose shop became active again or which another worker released, is found
    when the search restarts.
    """

    since: datetime | None = None

    def restart(self) -> None:
        """Restart the search from the beginning."""
        self.since = None


@attrs.frozen(kw_only=True)
class Assignment:
    """A claimed invitation or notice and its letter, or no letter if the address was erased or cannot be read."""

    item: MailItem
    letter: Letter | NoticeLetter | None


@attrs.frozen(kw_only=True)
class Claimed:
    """What was claimed at the instant `at`, and the due time to continue from; or why nothing may be claimed.

    `outage_since` is since when the mail server refuses all mail, or None if it does not, or was not asked about.
    """

    at: datetime
    assignments: Sequence[Assignment] = ()
    since: datetime | None = None
    pause: Pause | None = None
    outage_since: datetime | None = None


def claim_due(
    ctx: UnitContext,
    base_url: str,
    most: int,
    *,
    since: datetime | None,
    high_water_mark: HighWaterMarkSnapshot | None,
    most_notices: int = MOST_NOTICES,
    worker: bytes = b"",
) -> Claimed:
    """Claim notices and up to `most` due invitations until the lease ends; notices come first.

    While the mail server refuses all mail, at most one invitation is claimed, to probe it. Notices are not held back:
    they are few, and somebody waits for them. Overdue invitations are never claimed, even before they expire. No other
    unit gets the same ones meanwhile, so this needs no lock (ADR-13). The tokens of the claims begin with `worker`, so
    that others can release them (ADR-70).
    """
    pause = check_for_rollback(ctx, high_water_mark)
    if pause:
        return Claimed(at=ctx.now, since=since, pause=pause)
    notices = ctx.store.notices.due(ctx.now, most_notices)
    if not most:
        return Claimed(at=ctx.now, assignments=_assign(ctx, notices, base_url, worker), since=since)
    earliest, recent = ctx.now - OVERDUE_AFTER, ctx.now - LATE_COMMITS
    found = ctx.store.invitations.due(max(earliest, min(since or earliest, recent)), ctx.now, most)
    outage_since = None
    if not found:
        found, outage_since = find_probe(ctx, earliest)
    return Claimed(
        at=ctx.now,
        assignments=_assign(ctx, [*notices, *found], base_url, worker),
        since=earliest if outage_since else min(found[-1].due_at, recent) if len(found) == most else recent,
        outage_since=outage_since,
    )


def is_notice_due(ctx: UnitContext) -> bool:
    """Return whether any notice waits to be claimed."""
    return ctx.store.notices.is_any_due(ctx.now)


def _assign(ctx: UnitContext, due: Sequence[MailItem], base_url: str, worker: bytes) -> Sequence[Assignment]:
    """Claim what is due; return it with its letters."""
    claimed = change_all(ctx, [(item, _claimed(ctx, item, worker)) for item in due]).values()
    shops = ctx.store.shops.by_numbers({item.shop_number for item in claimed if isinstance(item, Invitation)})
    return [Assignment(item=item, letter=_letter(ctx, item, shops, base_url)) for item in claimed]


def _claimed(ctx: UnitContext, item: MailItem, worker: bytes) -> MailItem:
    token = worker + ctx.entropy.draw(TOKEN_BYTES - len(worker))
    claim = Claim(token=token, lease_until=ctx.now + ctx.policies.lease)
    return item.moved(State.CLAIMED, Reason.CLAIMED, ctx.now, claim=claim)


def _letter(ctx: UnitContext, item: MailItem, shops: Mapping[int, Shop], base_url: str) -> Letter | NoticeLetter | None:
    if isinstance(item, Notice):
        return _notice_letter(ctx, item)
    shop, recipient = shops.get(item.shop_number), item.recipient(ctx.ring)
    if shop is None or recipient is None:
        return None

    def link(path: str, purpose: Purpose) -> str:
        return f"{base_url}/{path}/{link_token(ctx.ring.tokens, purpose, shop.number, item.invite_id)}"

    return Letter(
        invite_id=item.invite_id,
        recipient=recipient.text,
        shop_name=shop.name,
        order_number=number_for_customers(item.order_number),
        language=item.language,
        reply_to=shop.reply_to,
        review_url=link("r", Purpose.REVIEW),
        unsubscribe_url=link("u", Purpose.UNSUBSCRIBE),
        written_at=ctx.now,
    )


def _notice_letter(ctx: UnitContext, notice: Notice) -> NoticeLetter | None:
    content = notice.content(ctx.ring)
    if content is None:
        return None
    return NoticeLetter(
        message_id=notice.message_id,
        kind=notice.kind,
        recipient=content.recipient.text,
        language=notice.language,
        values=content.values,
        written_at=ctx.now,
    )
