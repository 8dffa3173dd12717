"""`app.badges`: show badges and count their views."""

from __future__ import annotations

from reviewinvite_core.application.facade import AsyncFacade, Facade, derived
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.badge import BadgeChanges, BadgeLook
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.refusals import ChangedMeanwhile, KeyRefused, LimitReached, ShopInactive, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.views import CountMode
from reviewinvite_core.usecases.badges import BadgeHidden, BadgeShown, DayOfViews, set_badge, show_badge, show_views


class Badges(Facade):
    """Show badges, count their views, and configure their appearance."""

    __slots__ = ()

    def show(
        self,
        site_id: str,
        referer: str | None = None,
        count_mode: CountMode = CountMode.COUNT,
        client: ClientAddress | None = None,
    ) -> BadgeShown | BadgeHidden:
        """Count a view and return the badge for a page, once the view is on disk.

        `referer` is the whole `Referer` header of the page; without one, the page is trusted. With `CountMode.DRY_RUN`
        the result is the same, but nothing is counted. `client` is who views it, and is held to its share of the day;
        without one, no share applies.

        Return `BadgeHidden` instead, with the reason in `why`, if the shop is unknown or inactive, its trust mark is
        revoked, the page is on a foreign host, or the shop's daily views, or the client's share of them, are used up.

        Raises: `StorageUnavailable`; the view may have been counted.

        Spec: §4.3. ADR-25, ADR-26, ADR-43.
        """
        return self._use_cases.run(show_badge, site_id, referer, count_mode, client)

    def configure(
        self,
        actor: str | Actor | Credential,
        changes: BadgeChanges | BadgeLook | Invalid,
        seen: BadgeLook | None = None,
    ) -> Shop | ShopUnknown | KeyRefused | ShopInactive | LimitReached | Invalid | ChangedMeanwhile:
        """Change the given parts of a badge's appearance and keep the others; return the shop.

        A `BadgeLook` replaces the whole appearance.

        Pages show the change within 5 minutes; their tag stays the same.

        Refusals, in this order:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: an actor or a key acts for a shop that is not active.
        - `LimitReached`: the key's writes per minute are used up.
        - `Invalid`: the `Invalid` that you passed as `changes`, returned unchanged; the call is still charged.
        - `ChangedMeanwhile`: you passed what you have `seen`, and what you change was changed since.

        Raises: `StorageUnavailable`.

        Spec: §1, §4.3.
        """
        return self._use_cases.run(set_badge, actor, changes, seen)

    def show_views(self, actor: str | Actor | Credential) -> DayOfViews | ShopUnknown | KeyRefused | LimitReached:
        """Return how many views a shop had today (UTC), and its daily limit.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.

        Raises: `StorageUnavailable`.

        Spec: §8.
        """
        return self._use_cases.run(show_views, actor)


class AsyncBadges(AsyncFacade):
    """Show badges and count their views; see `Badges`."""

    __slots__ = ()

    show = derived(Badges.show)
    configure = derived(Badges.configure)
    show_views = derived(Badges.show_views)
