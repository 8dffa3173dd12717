"""Take note of what the mail server's answers say about itself, and probe it in an outage. Spec: §6, ADR-69."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.domain.policy import PROBE_EVERY
from reviewinvite_core.domain.relay import RefusedMail, domain_hash
from reviewinvite_core.ports import Accepted, RefusedForNow, Rejected
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.outcomes import OutcomeRequest, names_nobody

MOST_COMPARED = 64  # invitations of one shop, of which the next probe is chosen by its domain
NO_DOMAIN = b""


def note_answers(ctx: UnitContext, requests: Sequence[OutcomeRequest]) -> None:
    """Note refusals that name nobody; and acceptances only if one is awaited, as the fence has found out.

    Call it last in a unit of work: all workers wait for this one row. A notice is evidence as an invitation is.
    """
    answered = [each for each in requests if each.step is None]
    refused = [each.item for each in answered if names_nobody(each.answer)]
    accepted = [each.item.changed_at for each in answered if each.is_awaited and isinstance(each.answer, Accepted)]
    others = [each for each in answered if each.is_awaited or isinstance(each.answer, Rejected | RefusedForNow)]
    if not (refused or accepted or (others and ctx.store.relay.state().outage_since)):
        return
    relay = ctx.store.relay.lock()
    if accepted:
        relay = relay.accepted(max(accepted))
        ctx.store.relay.forget_mail()
    if refused:
        ctx.store.relay.note_mail({(item.key[0], _domain_of(ctx, item)) for item in refused}, ctx.now)
        relay = relay.refused(ctx.now, len(refused), ctx.store.relay.refused_mail())
    if any(isinstance(each.item, Invitation) for each in answered):  # the probe is one, or there is none yet
        relay = attrs.evolve(relay, probe_at=ctx.now + PROBE_EVERY if relay.outage_since else None)
    ctx.store.relay.keep(relay)


def find_probe(ctx: UnitContext, since: datetime) -> tuple[Sequence[Invitation], datetime | None]:
    """Return the one due invitation to try in an outage, if it is time; and since when there is an outage, or None.

    The turn goes to a shop that was not refused since the last acceptance, or else to the one whose refusal is the
    longest ago; and in the same way to a domain among its longest due. So whoever is not refused ends the outage. It is
    taken until an answer is noted, or for a lease if the worker dies.
    """
    if not ctx.store.relay.state().is_probe_due(ctx.now):
        return (), ctx.store.relay.state().outage_since
    relay = ctx.store.relay.lock()
    if not relay.is_probe_due(ctx.now):  # another worker was faster
        return (), relay.outage_since
    probe = _next_probe(ctx, since, ctx.store.relay.refused_mail())
    probe_at = ctx.now + (ctx.policies.lease if probe else PROBE_EVERY)
    ctx.store.relay.keep(attrs.evolve(relay, probe_at=probe_at))
    return ([probe] if probe else ()), relay.outage_since


def _next_probe(ctx: UnitContext, since: datetime, refused: Sequence[RefusedMail]) -> Invitation | None:
    latest = {each.shop_number: each.at for each in refused}  # they come in order of time
    for shop_number in (None, *sorted(latest, key=lambda number: latest[number])):
        due = ctx.store.invitations.due_in_outage(since, ctx.now, MOST_COMPARED, shop_number=shop_number)
        if due:
            tried = {each.domain: each.at for each in refused}
            return min(due, key=lambda each: tried.get(_domain_of(ctx, each), since))
    return None


def _domain_of(ctx: UnitContext, item: MailItem) -> bytes:
    """Return the keyed hash of the recipient's domain; one stands for all whose address is erased or unreadable."""
    address = item.recipient(ctx.ring)
    return domain_hash(ctx.ring.address, address.text) if address else NO_DOMAIN
