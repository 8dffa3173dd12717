"""`app.shops`: add, list and change shops, and act for one."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.bootstrap.application.facade import AsyncFacade, Facade
from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ShopExists, ShopUnknown
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges
from reviewinvite_core.usecases.api_keys import act_for
from reviewinvite_core.usecases.shops import add_shop, list_shops, set_shop, show_shop


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

    def act_for(self, site_id: str) -> Caller | ShopUnknown:
        """Return a caller that acts for a shop without a key: its calls are trusted, and no limit applies.

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

    def show(self, site_id: str) -> Shop | ShopUnknown:
        """Return the shop with this site id.

        Refusals: `ShopUnknown` if there is none.

        Raises: `StorageUnavailable`.

        Spec: §2.
        """
        return self._use_cases.run(show_shop, site_id)

    def update(self, site_id: str, changes: ShopChanges) -> Shop | ShopUnknown:
        """Change the given settings and keep the others; return the shop.

        Invitations that are already scheduled keep their time and language. While a shop is inactive, its orders are
        refused and its invitations wait.

        Refusals: `ShopUnknown` if there is no shop with this site id.

        Raises: `StorageUnavailable`.

        Spec: §2, §3.
        """
        return self._use_cases.run(set_shop, site_id, changes)


class AsyncShops(AsyncFacade):
    """Add, list and change shops; see `Shops`."""

    __slots__ = ()

    async def add(self, new: NewShop) -> Shop | ShopExists:
        """Add a shop; see `Shops.add`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(add_shop, new)

    async def act_for(self, site_id: str) -> Caller | ShopUnknown:
        """Return a caller that acts for a shop; see `Shops.act_for`. Runs on a reader thread."""
        return await self._use_cases.run(act_for, site_id)

    async def list(self) -> Sequence[Shop]:
        """List all shops; see `Shops.list`. Runs on a reader thread."""
        return await self._use_cases.run(list_shops)

    async def show(self, site_id: str) -> Shop | ShopUnknown:
        """Return a shop; see `Shops.show`. Runs on a reader thread."""
        return await self._use_cases.run(show_shop, site_id)

    async def update(self, site_id: str, changes: ShopChanges) -> Shop | ShopUnknown:
        """Change a shop's settings; see `Shops.update`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(set_shop, site_id, changes)
