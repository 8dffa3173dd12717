"""What a storage holds, for tests that compare it."""

from __future__ import annotations

from reviewinvite_core.ports import Storage


def site_ids(storage: Storage) -> list[str]:
    """Return the site id of every shop, sorted."""
    return storage.read(lambda store: [shop.site_id.text for shop in store.shops.every()])
