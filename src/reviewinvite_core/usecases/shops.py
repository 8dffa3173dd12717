"""Add, list and change shops. Spec: §2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

import attrs

from reviewinvite_core.domain.activity import Action, SettingChange, settings_subject
from reviewinvite_core.domain.actor import ActorKind, ActorRef
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.limits import DailyQuota, LimitKey, day_of
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.overview import Checklist, DayCount, Trouble, Week, first_week, troubles, weeks_until
from reviewinvite_core.domain.refusals import (
    ChangedMeanwhile,
    KeyRefused,
    LimitReached,
    NoNameWaiting,
    ShopExists,
    ShopUnknown,
    SignatureUnseen,
)
from reviewinvite_core.domain.scores import Distribution, Score
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import TAKEN_SITE_IDS, NewShop, Shop, ShopChanges
from reviewinvite_core.domain.snippets import SECRET_ENTROPY_BYTES, SnippetMode, new_secret
from reviewinvite_core.domain.views import views_of
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.activity import name_of, notify_owners, record, refusal_to_mail, section_url, who_acts
from reviewinvite_core.usecases.admission import (
    CHANGE,
    NotAdmitted,
    acting_locks,
    credential_locks,
    is_charged,
    kept_from_keys,
    shop_of,
    shop_of_reader,
)
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.snippet import SNIPPET_QUOTA
from reviewinvite_core.usecases.reviews.read import scores_for_shops


def record_changes(ctx: UnitContext, by: ActorRef, before: Shop, after: Shop) -> None:
    """Add an entry to the activity log for each kind of change; what stayed the same has none."""
    if after.name != before.name:
        record(ctx, after, by, Action.SHOP_RENAMED, after.name)
    if after.requested_name and after.requested_name != before.requested_name:
        record(ctx, after, by, Action.NAME_REQUESTED, after.requested_name)
        ctx.note_name_waiting(after.site_id)
    if before.requested_name and after.requested_name is None and after.name == before.name:
        record(ctx, after, by, Action.NAME_WITHDRAWN, before.requested_name)
    if changed := settings_subject(_changed_settings(before, after)):
        record(ctx, after, by, Action.SHOP_SETTINGS_CHANGED, changed)
    if after.active != before.active:
        record(ctx, after, by, Action.SHOP_ACTIVATED if after.active else Action.SHOP_DEACTIVATED)
    if after.reply_to != before.reply_to:
        values = {"shop": after.name, "by": name_of(ctx, by), "link": section_url(ctx, after, "settings")}
        notify_owners(ctx, after, NoticeKind.REPLY_TO_CHANGED, values)


def _changed_settings(before: Shop, after: Shop) -> Iterator[SettingChange]:
    """Yield the settings that differ, as the API calls them; addresses stay out of the log."""
    settings: Mapping[str, Callable[[Shop], str]] = {
        "language": lambda shop: str(shop.language),
        "delayDays": lambda shop: f"{shop.delay_days.days:g}",
        "frequencyDays": lambda shop: str(shop.frequency_days),
        "snippet": lambda shop: str(shop.snippet),
    }
    for name, value_of in settings.items():
        old, new = value_of(before), value_of(after)
        if old != new:
            yield SettingChange(name=name, before=old, after=new)
    if before.reply_to != after.reply_to:
        yield SettingChange(name="replyTo")


@write()
def add_shop(ctx: UnitContext, new: NewShop) -> Shop | ShopExists:
    """Create an active shop; an address that the dashboard needs is taken, too."""
    if new.site_id.text in TAKEN_SITE_IDS:
        return ShopExists(new.site_id.text)
    return ctx.store.shops.add(new) or ShopExists(new.site_id.text)


@read
def list_shops(ctx: UnitContext) -> Sequence[Shop]:
    """Return all shops, sorted by site id."""
    return ctx.store.shops.every()


@write(locks=credential_locks, only_if=is_charged)
def show_shop(ctx: UnitContext, actor: str | Actor | Credential) -> Shop | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop."""
    return shop_of_reader(ctx, actor)


@write(locks=acting_locks)
def set_shop(
    ctx: UnitContext, actor: str | Actor | Credential, changes: ShopChanges | Invalid, seen: Shop | None = None
) -> Shop | ShopUnknown | NotAdmitted | Invalid | ChangedMeanwhile | SignatureUnseen:
    """Update the given fields of a shop, unless one of them was changed since it was `seen`.

    Scheduled invitations keep their time and language.

    An inactive shop's reports are refused, and its invitations wait until it is active again. A new name waits for the
    operator, unless it is the operator's, if the shop has the trust mark, or the name reads as a host of others. A key
    changes no name and no address for replies, and does not activate the shop. Signed reports only can be chosen once
    a valid signature came: otherwise the shop would lose all orders of its pages.
    """
    shop = shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(changes, Invalid):
        return changes
    by = who_acts(ctx, actor)
    if by.kind is ActorKind.API_KEY and changes.kept_from_programs:
        return Invalid(Problem.UNKNOWN_FIELD, changes.kept_from_programs)
    if seen and changes.conflicts(shop, seen):
        return ChangedMeanwhile()
    if changes.snippet is SnippetMode.SIGNED is not shop.snippet and shop.snippet_signed_at is None:
        return SignatureUnseen()
    changed = changes.applied_to(shop, approved=_is_approved(ctx, by, shop, changes.name))
    if changed.reply_to != shop.reply_to and (refusal := refusal_to_mail(ctx, shop, by)):
        return refusal
    ctx.store.shops.change(changed)
    record_changes(ctx, by, shop, changed)
    return changed


def _is_approved(ctx: UnitContext, by: ActorRef, shop: Shop, name: str | None) -> bool:
    if name is None or by.kind is ActorKind.OPERATOR:
        return True
    return shop.may_be_called(name, ctx.store.domains.verified_of([shop.number]).get(shop.number, ()))


@write()
def approve_name(ctx: UnitContext, site_id: str) -> Shop | ShopUnknown | NoNameWaiting:
    """Put the name that waits in the place of the present one, from the next statement on."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    if shop.requested_name is None:
        return NoNameWaiting()
    renamed = shop.renamed(shop.requested_name, approved=True)
    ctx.store.shops.change(renamed)
    record(ctx, shop, ActorRef(ActorKind.OPERATOR), Action.NAME_APPROVED, renamed.name)
    return renamed


@write()
def withdraw_name(
    ctx: UnitContext, actor: str | Actor, seen: Shop | None = None
) -> Shop | ShopUnknown | NotAdmitted | NoNameWaiting | ChangedMeanwhile:
    """Keep the present name, unless another name waits than the one that was `seen`; return the shop."""
    shop = kept_from_keys(actor) or shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if shop.requested_name is None:
        return NoNameWaiting()
    if seen and shop.requested_name != seen.requested_name:
        return ChangedMeanwhile()
    kept = attrs.evolve(shop, requested_name=None)
    ctx.store.shops.change(kept)
    record(ctx, shop, who_acts(ctx, actor), Action.NAME_WITHDRAWN, shop.requested_name)
    return kept


@attrs.frozen(kw_only=True)
class SnippetSecret:
    """The newest secret of a shop's snippet, and whether the one before it is still valid."""

    text: str = attrs.field(repr=False)
    is_replacing: bool = False


@write(locks=acting_locks)
def snippet_secret(
    ctx: UnitContext, actor: str | Actor, rotate: bool = False, seen: Shop | None = None
) -> SnippetSecret | ShopUnknown | NotAdmitted:
    """Return the newest secret of a shop; draw one if the shop has none, or to `rotate` it.

    The one that it replaces stays valid until the next rotation; nothing is rotated if that was done since `seen`. No
    key may see or rotate a secret: whoever has stolen one could sign reports after it was revoked.
    """
    shop = kept_from_keys(actor) or shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    is_stale = seen is not None and seen.snippet_secrets != shop.snippet_secrets
    if (rotate and not is_stale) or not shop.snippet_secrets:
        text = new_secret(ctx.entropy.draw(SECRET_ENTROPY_BYTES))
        shop = shop.with_snippet_secret(ctx.ring.seal_snippet_secret(text, ctx.entropy.draw(NONCE_BYTES)))
        ctx.store.shops.change(shop)
        record(ctx, shop, who_acts(ctx, actor), Action.SNIPPET_SECRET_MADE)
    return SnippetSecret(
        text=ctx.ring.open_snippet_secret(shop.snippet_secrets[0]), is_replacing=len(shop.snippet_secrets) > 1
    )


@attrs.frozen(kw_only=True)
class Overview:
    """The overview of a shop; what counts many rows is kept, not counted.

    `weeks` are the 52 ISO weeks (UTC) that end with the present one, oldest first. `invitations` has the number of
    invitations that reached each final state in these weeks, and of those that are uncertain now; states without any
    are left out. `views` and `snippets` are those of today.
    """

    shop: Shop
    today: date
    checklist: Checklist
    weeks: Sequence[Week]
    invitations: Mapping[State, int]
    all_time: Distribution
    last_12_months: Score
    views: DayCount
    snippets: DayCount
    troubles: Sequence[Trouble]

    @property
    def response_percent(self) -> str | None:
        """Reviews for each hundred invitations sent in the 52 weeks, to a tenth, at most 100; None if none was sent."""
        sent = sum(week.sent for week in self.weeks)
        written = sum(week.reviews.score.count for week in self.weeks)
        if sent == 0:
            return None
        tenths = min(1000, (2000 * written + sent) // (2 * sent))
        return f"{tenths // 10}.{tenths % 10}"


@write(locks=credential_locks, only_if=is_charged)
def show_overview(
    ctx: UnitContext, actor: str | Actor | Credential
) -> Overview | ShopUnknown | KeyRefused | LimitReached:
    """Return the overview of a shop."""
    shop = shop_of_reader(ctx, actor)
    if not isinstance(shop, Shop):
        return shop
    today = day_of(ctx.now)
    figures = ctx.store.invitation_figures.figures(shop.number, first_week(today))
    domains = ctx.store.domains.of_shop(shop.number)
    views, snippets = _counts(ctx, shop)
    by_state: Counter[State] = Counter()
    for (counted, _), number in figures.items():
        if isinstance(counted, State):
            by_state[counted] += number
    return Overview(
        shop=shop,
        today=today,
        checklist=Checklist(
            key_made=any(key.revoked_at is None for key in ctx.store.api_keys.of_shop(shop.number)),
            order_reported=bool(ctx.store.invitations.of_shop(shop.number, before=None, order_number=None, limit=1)),
            domain_verified=any(domain.verified for domain in domains),
            badge_seen=shop.badge_seen_at is not None,
            domains_waiting=sum(not domain.verified for domain in domains),
        ),
        weeks=weeks_until(today, figures, ctx.store.reviews.weeks(shop.number, first_week(today))),
        invitations=by_state,
        all_time=ctx.store.reviews.distribution(shop.number),
        last_12_months=scores_for_shops(ctx, [shop])[shop.number],
        views=views,
        snippets=snippets,
        troubles=list(troubles(shop, domains, views=views, snippets=snippets, figures=figures, today=today)),
    )


def _counts(ctx: UnitContext, shop: Shop) -> tuple[DayCount, DayCount]:
    """Return the views and the browsers' new orders of today, each with its limit."""
    limits: Mapping[LimitKey, DailyQuota] = {
        views_of(shop): ctx.policies.views_per_day.of(shop),
        LimitKey(shop.number, SNIPPET_QUOTA): ctx.policies.snippets_per_day,
    }
    counted = ctx.store.daily_counters.counted(list(limits), day_of(ctx.now))
    views, snippets = (
        DayCount(counted=counted.get(limit_key, 0), limit=None if quota.off else quota.count)
        for limit_key, quota in limits.items()
    )
    return views, snippets
