"""`app.shops`: add, list and change shops, and act for one."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.application.facade import AsyncFacade, Facade, derived
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.refusals import (
    ChangedMeanwhile,
    KeyRefused,
    LimitReached,
    NoNameWaiting,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    SignatureUnseen,
)
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges
from reviewinvite_core.usecases.admission import act_for
from reviewinvite_core.usecases.shops import (
    Overview,
    SnippetSecret,
    add_shop,
    approve_name,
    list_shops,
    set_shop,
    show_overview,
    show_shop,
    snippet_secret,
    withdraw_name,
)


class Shops(Facade):
    """Add, list and change shops, and act for one."""

    __slots__ = ()

    def add(self, new: NewShop) -> Shop | ShopExists:
        """Add a shop, active from now on; return it.

        Refusals: `ShopExists` if the site id is taken.

        Raises: `StorageUnavailable`.

        Spec: §2.
        """
        return self._use_cases.run(add_shop, new)

    def act_for(self, site_id: str) -> Actor | ShopUnknown:
        """Return an actor that acts for a shop without a key: its calls are trusted, and no limit applies.

        This is for a program that embeds the service and knows for which shop it acts.

        Refusals: `ShopUnknown` if there is no shop with this site id.

        Raises: `StorageUnavailable`.

        Spec: §5.
        """
        return self._use_cases.run(act_for, site_id)

    def list(self) -> Sequence[Shop]:
        """Return all shops, ordered by site id.

        Raises: `StorageUnavailable`.

        Spec: §2.
        """
        return self._use_cases.run(list_shops)

    def show(self, actor: str | Actor | Credential) -> Shop | ShopUnknown | KeyRefused | LimitReached:
        """Return the shop with this site id, or the one that an actor or a key acts for; it may be inactive.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.

        Raises: `StorageUnavailable`.

        Spec: §2.
        """
        return self._use_cases.run(show_shop, actor)

    def overview(self, actor: str | Actor | Credential) -> Overview | ShopUnknown | KeyRefused | LimitReached:
        """Return the overview of a shop: its figures of 52 weeks, how far its set-up is, and what is wrong.

        It takes the same time with a million invitations and reviews as with a thousand.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.

        Raises: `StorageUnavailable`.

        Spec: §10.5. ADR-58.
        """
        return self._use_cases.run(show_overview, actor)

    def update(
        self, actor: str | Actor | Credential, changes: ShopChanges | Invalid, seen: Shop | None = None
    ) -> Shop | ShopUnknown | KeyRefused | ShopInactive | LimitReached | Invalid | ChangedMeanwhile | SignatureUnseen:
        """Change the given settings and keep the others; return the shop.

        Invitations that are already scheduled keep their time and language. While a shop is inactive, its orders are
        refused and its invitations wait. A new name that a member sets for a shop with the trust mark waits in
        `requested_name`, until the operator approves it.

        Refusals, in this order:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: an actor or a key acts for a shop that is not active.
        - `LimitReached`: the key's writes per minute are used up.
        - `Invalid`: the `Invalid` that you passed as `changes`, returned unchanged, or a field that no key may change;
          the call is still charged.
        - `ChangedMeanwhile`: you passed what you have `seen`, and what you change was changed since.
        - `SignatureUnseen`: `snippet` is to be `signed`, and no valid signature came yet.
        - `LimitReached`: a member changes `reply_to`, and members have mailed others too often within an hour.

        Raises: `StorageUnavailable`.

        Spec: §2, §3.
        """
        return self._use_cases.run(set_shop, actor, changes, seen)

    def snippet_secret(
        self, actor: str | Actor, rotate: bool = False, seen: Shop | None = None
    ) -> SnippetSecret | ShopUnknown | KeyRefused | ShopInactive | LimitReached:
        """Return the newest secret with which the shop's server signs its snippet; draw one if it has none.

        With `rotate` another one is drawn, unless that was done since the shop was `seen`. The one that it replaces
        stays valid until the next rotation.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, which may not see the secret.
        - `ShopInactive`: an actor acts for a shop that is not active.
        - `LimitReached`: never, for no key may call this.

        Raises: `StorageUnavailable`.

        Spec: §4.2. ADR-66.
        """
        return self._use_cases.run(snippet_secret, actor, rotate, seen)

    def approve_name(self, site_id: str) -> Shop | ShopUnknown | NoNameWaiting:
        """Put the name that a shop with the trust mark asked for in the place of the present one; return the shop.

        This is for the operator: the trust mark vouches for the name.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `NoNameWaiting`: the shop asks for no other name.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(approve_name, site_id)

    def withdraw_name(
        self, actor: str | Actor, seen: Shop | None = None
    ) -> Shop | ShopUnknown | KeyRefused | ShopInactive | LimitReached | NoNameWaiting | ChangedMeanwhile:
        """Withdraw the name that a shop with the trust mark asked for, and keep the present one; return the shop.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, which changes no name.
        - `ShopInactive`: an actor acts for a shop that is not active.
        - `LimitReached`: the key's writes per minute are used up.
        - `NoNameWaiting`: the shop asks for no other name, for example because the operator has approved it.
        - `ChangedMeanwhile`: you passed what you have `seen`, and another name waits since.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(withdraw_name, actor, seen)


class AsyncShops(AsyncFacade):
    """Add, list and change shops; see `Shops`."""

    __slots__ = ()

    add = derived(Shops.add)
    act_for = derived(Shops.act_for)
    list = derived(Shops.list)
    show = derived(Shops.show)
    overview = derived(Shops.overview)
    update = derived(Shops.update)
    snippet_secret = derived(Shops.snippet_secret)
    approve_name = derived(Shops.approve_name)
    withdraw_name = derived(Shops.withdraw_name)
