"""Record what was changed of a shop, and notify its owners of another address for replies. Spec: §10.6, §10.7."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import Actor
from reviewinvite_core.domain.messages import MessageKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.activity.notify import name_of, notify_owners, section_url
from reviewinvite_core.usecases.activity.record import record
from reviewinvite_core.usecases.context import UnitContext


def record_changes(ctx: UnitContext, actor: Actor, before: Shop, after: Shop) -> None:
    """Add an entry to the activity log for each kind of change; what stayed the same has none."""
    if after.name != before.name:
        record(ctx, after, actor, Action.SHOP_RENAMED, after.name)
    if after.requested_name and after.requested_name != before.requested_name:
        record(ctx, after, actor, Action.NAME_REQUESTED, after.requested_name)
    if changed := _changed_settings(before, after):
        record(ctx, after, actor, Action.SHOP_SETTINGS_CHANGED, changed)
    if after.active != before.active:
        record(ctx, after, actor, Action.SHOP_ACTIVATED if after.active else Action.SHOP_DEACTIVATED)
    if after.reply_to != before.reply_to:
        values = {"shop": after.name, "by": name_of(ctx, actor), "link": section_url(ctx, after, "settings")}
        notify_owners(ctx, after, MessageKind.REPLY_TO_CHANGED, values)


def _changed_settings(before: Shop, after: Shop) -> str:
    """Return the names of the settings that differ, as the API calls them."""
    settings = {
        "language": before.language is not after.language,
        "delayDays": before.delay != after.delay,
        "frequencyDays": before.frequency_days != after.frequency_days,
        "replyTo": before.reply_to != after.reply_to,
    }
    return ", ".join(name for name, differs in settings.items() if differs)
