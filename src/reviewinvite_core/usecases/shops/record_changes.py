"""Record what was changed of a shop, and notify its owners of another address for replies. Spec: §10.6, §10.7."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from reviewinvite_core.domain.activity import Action, SettingChange, settings_subject
from reviewinvite_core.domain.actor import Actor
from reviewinvite_core.domain.notices import NoticeKind
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
        ctx.note_name_waiting(after.site_id)
    if before.requested_name and after.requested_name is None and after.name == before.name:
        record(ctx, after, actor, Action.NAME_WITHDRAWN, before.requested_name)
    if changed := settings_subject(_changed_settings(before, after)):
        record(ctx, after, actor, Action.SHOP_SETTINGS_CHANGED, changed)
    if after.active != before.active:
        record(ctx, after, actor, Action.SHOP_ACTIVATED if after.active else Action.SHOP_DEACTIVATED)
    if after.reply_to != before.reply_to:
        values = {"shop": after.name, "by": name_of(ctx, actor), "link": section_url(ctx, after, "settings")}
        notify_owners(ctx, after, NoticeKind.REPLY_TO_CHANGED, values)


def _changed_settings(before: Shop, after: Shop) -> Iterator[SettingChange]:
    """Yield the settings that differ, as the API calls them; addresses stay out of the log."""
    settings: Mapping[str, Callable[[Shop], str]] = {
        "language": lambda shop: str(shop.language),
        "delayDays": lambda shop: f"{shop.delay.days:g}",
        "frequencyDays": lambda shop: str(shop.frequency_days),
        "snippet": lambda shop: str(shop.snippet),
    }
    for name, value_of in settings.items():
        old, new = value_of(before), value_of(after)
        if old != new:
            yield SettingChange(name=name, before=old, after=new)
    if before.reply_to != after.reply_to:
        yield SettingChange(name="replyTo")
