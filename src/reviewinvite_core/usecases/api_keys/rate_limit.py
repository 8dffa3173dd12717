"""Consume rate limits exactly. Spec: §8, ADR-5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewinvite_core.domain.errors import LimitReached
from reviewinvite_core.domain.limits import Limit, LimitKey, Usage
from reviewinvite_core.usecases.context import UnitContext


def consume_rate_limit(
    ctx: UnitContext, limit: Limit, limit_keys: Sequence[LimitKey]
) -> tuple[Mapping[LimitKey, LimitReached], Mapping[LimitKey, Usage]]:
    """Count one call against the limit of each key; return the refusals, and the use of each limit before the call.

    All keys must be different. A refused call is not counted. Admissions dated later than now, because the clock was
    set back, count for one more window from now on.
    """
    if limit.off:
        return {}, {}
    rate_limit_log = ctx.store.rate_limit_log
    usage = rate_limit_log.usage(limit_keys, limit.count, after=ctx.now - limit.window)
    nth_newest = {limit_key: each.nth_newest for limit_key, each in usage.items() if each.nth_newest}
    refused = {}
    for limit_key, admitted_at in nth_newest.items():
        refusal = limit.refusal(admitted_at, ctx.now)
        if refusal:
            refused[limit_key] = refusal
    ahead = [limit_key for limit_key, admitted_at in nth_newest.items() if admitted_at > ctx.now]
    if ahead:
        rate_limit_log.bring_back(ahead, ctx.now)
    rate_limit_log.admit([limit_key for limit_key in limit_keys if limit_key not in nth_newest], ctx.now)
    full = [limit_key for limit_key in nth_newest if limit_key not in refused]
    rate_limit_log.admit(full, ctx.now, replacing_nth=limit.count)
    return refused, usage
