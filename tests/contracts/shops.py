"""Contract tests for the storage of shops, API keys and the key ring."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import attrs
import pytest
from tests.builders import added, an_api_key

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.badge import BadgeLook, Size, Theme
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.shop import Shop, ShopChanges
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.domain.timing import Delay
from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

HOSTILE_TEXTS = (
    "",
    " ",
    "bakkerij-1 ",
    "BAKKERIJ-1",
    "bakkerij-1\0",
    "bakkerij-%",
    "' OR 1=1 --",
    "\udc80",
    "x" * 9999,
)

SEALED = ((b"\0one",), (b"two", b"\0one"))


def _change(shop: Shop, store: Store) -> None:
    store.shops.change(shop)


def keep_key(storage: Storage, key: ApiKey) -> ApiKey:
    """Store the key and return it."""
    storage.run(lambda store: store.api_keys.add(key))
    return key


class ShopsContract:
    """Part of `StorageContract`: shops."""

    def test_a_shop_is_found_as_it_was_added(self, storage: Storage) -> None:
        new = a_shop(name="Käse & Söhne 🧀", language="en", delay_days=2.5)
        shop = added(storage, new)
        assert shop == new.numbered(shop.number)
        assert shop.active
        assert storage.read(lambda store: store.shops.by_site_id("bakkerij-1")) == shop
        assert storage.read(lambda store: store.shops.by_number(shop.number)) == shop

    def test_each_shop_has_a_number_of_its_own(self, storage: Storage) -> None:
        numbers = {added(storage, a_shop(f"shop-{each}")).number for each in range(5)}
        assert len(numbers) == 5

    def test_a_site_id_that_is_taken_is_not_given_again(self, storage: Storage) -> None:
        first = added(storage, a_shop(name="First"))
        assert storage.run(lambda store: store.shops.add(a_shop(name="Second"))) is None
        assert storage.read(lambda store: store.shops.every()) == [first]

    def test_site_ids_that_differ_in_case_are_two_shops(self, storage: Storage) -> None:
        lower, upper = added(storage, a_shop("shop")), added(storage, a_shop("SHOP"))
        assert lower.number != upper.number
        assert storage.read(lambda store: store.shops.by_site_id("SHOP")) == upper

    @pytest.mark.parametrize("site_id", HOSTILE_TEXTS)
    def test_a_site_id_that_no_shop_has_finds_none(self, storage: Storage, site_id: str) -> None:
        added(storage, a_shop())
        assert storage.read(lambda store: store.shops.by_site_id(site_id)) is None

    def test_a_trust_mark_and_a_badges_look_are_kept(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        assert (shop.trust_mark, shop.badge) == (TrustMark.ABSENT, BadgeLook())
        badge_look = BadgeLook(theme=Theme.DARK, size=Size.LARGE, language=Language.EN)
        changed = attrs.evolve(shop, trust_mark=TrustMark.GRANTED, badge=badge_look)
        storage.run(lambda store: store.shops.change(changed))
        assert storage.read(lambda store: store.shops.by_number(shop.number)) == changed

    def test_how_often_a_shop_invites_an_address_is_kept(self, storage: Storage) -> None:
        shop = added(storage, a_shop(frequency_days=30))
        assert shop.frequency_days == 30
        assert storage.read(lambda store: store.shops.by_number(shop.number)) == shop
        changed = attrs.evolve(shop, frequency_days=0)
        storage.run(lambda store: store.shops.change(changed))
        assert storage.read(lambda store: store.shops.by_number(shop.number)) == changed

    def test_a_snippet_mode_and_the_secrets_are_kept(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        assert (shop.snippet, shop.snippet_secrets) == (SnippetMode.OPEN, ())
        one, two = (attrs.evolve(shop, snippet=SnippetMode.SIGNED, snippet_secrets=sealed) for sealed in SEALED)
        for changed in (one, two):
            storage.run(partial(_change, changed))
            assert storage.read(lambda store: store.shops.by_site_id(shop.site_id)) == changed

    def test_the_first_valid_signature_is_noted_once_and_survives_a_change(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        storage.run(lambda store: store.shops.note_snippets_signed({shop.number}, NOON))
        storage.run(lambda store: store.shops.note_snippets_signed({shop.number}, NOON + timedelta(minutes=1)))
        storage.run(partial(_change, attrs.evolve(shop, name="New")))
        found = storage.read(lambda store: store.shops.by_number(shop.number))
        assert found == attrs.evolve(shop, name="New", snippet_signed_at=NOON)
        assert storage.read(lambda store: store.shops.by_number(other.number)) == other

    def test_many_shops_are_found_by_name_at_once(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(site_id)) for site_id in ("one", "two", "three")]
        asked = ["three", "one", *HOSTILE_TEXTS]
        assert storage.read(lambda store: store.shops.named(asked)) == {"one": shops[0], "three": shops[2]}
        assert storage.read(lambda store: store.shops.named([])) == {}

    def test_a_number_that_no_shop_has_finds_none(self, storage: Storage) -> None:
        number = added(storage, a_shop()).number + 1
        assert storage.read(lambda store: store.shops.by_number(number)) is None

    def test_every_shop_is_listed_by_site_id(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(site_id)) for site_id in ("b", "c", "a")]
        assert storage.read(lambda store: store.shops.every()) == [shops[2], shops[0], shops[1]]

    def test_a_changed_shop_is_found_as_changed(self, storage: Storage) -> None:
        other = added(storage, a_shop("other"))
        shop = added(storage, a_shop())
        changed = ShopChanges(name="New", language="en", delay_days=0, active=False).applied_to(shop)
        storage.run(lambda store: store.shops.change(changed))
        found = storage.read(lambda store: store.shops.by_number(shop.number))
        assert found == changed
        assert found == Shop(
            number=shop.number,
            site_id=shop.site_id,
            name="New",
            language=Language.EN,
            delay_days=Delay(0),
            active=False,
        )
        assert storage.read(lambda store: store.shops.by_number(other.number)) == other

    def test_an_address_for_replies_is_kept_changed_and_taken_away(self, storage: Storage) -> None:
        assert added(storage, a_shop("without")).reply_to is None
        assert added(storage, a_shop("none-either", reply_to="")).reply_to is None
        shop = added(storage, a_shop(reply_to="shop@example.com"))
        for changes, address in (
            (ShopChanges(), "shop@example.com"),
            (ShopChanges(reply_to="other@example.com"), "other@example.com"),
            (ShopChanges(name="New"), "other@example.com"),
            (ShopChanges(reply_to=""), None),
        ):
            shop = changes.applied_to(shop)
            storage.run(lambda store, shop=shop: store.shops.change(shop))  # type: ignore[misc]
            assert storage.read(lambda store: store.shops.by_site_id("bakkerij-1")) == shop
            assert shop.reply_to == address

    def test_a_keys_holder_has_its_address_for_replies(self, storage: Storage) -> None:
        shop = added(storage, a_shop(reply_to="shop@example.com"))
        key = keep_key(storage, an_api_key(shop))
        assert holder(storage, key.hash) == (key, shop)


def holder(storage: Storage, key_hash: bytes) -> tuple[ApiKey, Shop] | None:
    """Return the key with this hash and its shop, as stored."""
    return storage.read(lambda store: store.api_keys.holders([key_hash])).get(key_hash)


class ApiKeysContract:
    """Part of `StorageContract`: API keys."""

    def test_a_key_is_found_by_its_hash_with_its_shop(self, storage: Storage) -> None:
        keep_key(storage, an_api_key(added(storage, a_shop("other")), "key_other"))
        shop = added(storage, a_shop())
        key = keep_key(storage, an_api_key(shop))
        assert holder(storage, key.hash) == (key, shop)
        assert storage.read(lambda store: store.api_keys.by_id(key.key_id)) == key

    def test_many_keys_are_found_at_once_each_with_its_shop(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(f"shop-{each}")) for each in range(3)]
        keys = [keep_key(storage, an_api_key(shops[each % 3], f"key_{each}")) for each in range(300)]
        asked = [key.hash for key in keys[:299]]
        found = storage.read(lambda store: store.api_keys.holders([*asked, bytes(32)]))
        assert found == {key.hash: (key, shops[each % 3]) for each, key in enumerate(keys[:299])}
        assert storage.read(lambda store: store.api_keys.holders([])) == {}

    def test_a_hash_that_no_key_has_finds_none(self, storage: Storage) -> None:
        keep_key(storage, an_api_key(added(storage, a_shop())))
        assert holder(storage, bytes(32)) is None

    @pytest.mark.parametrize("key_id", HOSTILE_TEXTS)
    def test_an_id_that_no_key_has_finds_none_and_revokes_none(self, storage: Storage, key_id: str) -> None:
        key = keep_key(storage, an_api_key(added(storage, a_shop()), "bakkerij-1"))
        assert storage.read(lambda store: store.api_keys.by_id(key_id)) is None
        storage.run(lambda store: store.api_keys.revoke(key_id, NOON))
        assert storage.read(lambda store: store.api_keys.by_id(key.key_id)) == key

    def test_a_holder_shows_its_shop_as_it_is_now(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        key = keep_key(storage, an_api_key(shop))
        inactive = attrs.evolve(shop, active=False)
        storage.run(lambda store: store.shops.change(inactive))
        assert holder(storage, key.hash) == (key, inactive)

    def test_a_shops_keys_are_listed_oldest_first(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        keep_key(storage, an_api_key(added(storage, a_shop("other")), "key_other"))
        newer = keep_key(storage, an_api_key(shop, "key_a", created_at=NOON + timedelta(microseconds=1)))
        older = keep_key(storage, an_api_key(shop, "key_b"))
        assert storage.read(lambda store: store.api_keys.of_shop(shop.number)) == [older, newer]

    def test_a_revoked_key_is_found_as_revoked_and_no_other_is(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        key, other = keep_key(storage, an_api_key(shop)), keep_key(storage, an_api_key(shop, "key_2"))
        storage.run(lambda store: store.api_keys.revoke(key.key_id, NOON))
        revoked = attrs.evolve(key, revoked_at=NOON)
        assert holder(storage, key.hash) == (revoked, shop)
        assert storage.read(lambda store: store.api_keys.by_id(other.key_id)) == other

    def test_a_key_that_is_revoked_again_keeps_its_first_instant(self, storage: Storage) -> None:
        key = keep_key(storage, an_api_key(added(storage, a_shop())))
        for later in range(2):
            at = NOON + timedelta(hours=later)
            storage.run(lambda store, at=at: store.api_keys.revoke(key.key_id, at))  # type: ignore[misc]
        assert storage.read(lambda store: store.api_keys.by_id(key.key_id)) == attrs.evolve(key, revoked_at=NOON)


class KeyRingContract:
    """Part of `StorageContract`: the key ring."""

    def test_a_new_storage_has_no_key_ring(self, storage: Storage) -> None:
        assert storage.read(lambda store: store.sealed_key_ring()) is None

    def test_the_key_ring_is_kept_byte_by_byte(self, storage: Storage) -> None:
        ring = bytes(range(256))
        storage.run(lambda store: store.keep_key_ring(ring))
        assert storage.read(lambda store: store.sealed_key_ring()) == ring

    def test_a_new_key_ring_takes_the_place_of_the_old(self, storage: Storage) -> None:
        for ring in (b"old", b"new"):
            storage.run(lambda store, ring=ring: store.keep_key_ring(ring))  # type: ignore[misc]
        assert storage.read(lambda store: store.sealed_key_ring()) == b"new"

    def test_a_key_ring_is_replaced_only_where_it_is_the_one_that_was_seen(self, storage: Storage) -> None:
        storage.run(lambda store: store.keep_key_ring(b"seen"))
        assert storage.run(lambda store: store.replace_key_ring(b"seen", b"new"))
        assert not storage.run(lambda store: store.replace_key_ring(b"seen", b"too late"))
        assert storage.read(lambda store: store.sealed_key_ring()) == b"new"

    def test_where_there_is_no_key_ring_there_is_none_to_replace(self, storage: Storage) -> None:
        assert not storage.run(lambda store: store.replace_key_ring(b"", b"new"))
        assert storage.read(lambda store: store.sealed_key_ring()) is None

    def test_the_key_ring_stays_when_what_it_was_before_is_forgotten(self, storage: Storage) -> None:
        storage.run(lambda store: store.keep_key_ring(b"old"))
        storage.run(lambda store: store.replace_key_ring(b"old", b"new"))
        storage.forget_old_ring()
        assert storage.read(lambda store: store.sealed_key_ring()) == b"new"
