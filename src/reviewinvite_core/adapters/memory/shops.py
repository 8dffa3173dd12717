"""Shops, and what belongs to them, in memory: API keys, hosts, signing keys and activity logs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.activity import Activity, first_id_at
from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.shop import NewShop, Shop
from reviewinvite_core.domain.signing import KeyState, SigningKey


class MemoryShops:
    """Implements `ports.Shops`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._shops: Table[int, Shop] = Table(undo_log)

    def add(self, shop: NewShop) -> Shop | None:
        if self.by_site_id(shop.site_id.text):
            return None
        stored = shop.numbered(len(self._shops.values()) + 1)
        self._shops[stored.number] = stored
        return stored

    def by_site_id(self, site_id: str) -> Shop | None:
        return next((shop for shop in self._shops.values() if shop.site_id.text == site_id), None)

    def named(self, site_ids: Collection[str]) -> Mapping[str, Shop]:
        return {shop.site_id.text: shop for shop in self._shops.values() if shop.site_id.text in site_ids}

    def by_number(self, number: int) -> Shop | None:
        return self._shops.get(number)

    def by_numbers(self, numbers: Collection[int]) -> Mapping[int, Shop]:
        return {shop.number: shop for shop in self._shops.values() if shop.number in numbers}

    def every(self) -> Sequence[Shop]:
        return sorted(self._shops.values(), key=lambda shop: shop.site_id.text)

    def change(self, shop: Shop) -> None:
        stored = self._shops.get(shop.number)
        self._shops[shop.number] = attrs.evolve(
            shop,
            badge_seen_at=stored.badge_seen_at if stored else None,
            snippet_signed_at=stored.snippet_signed_at if stored else None,
        )

    def note_badges_seen(self, numbers: Collection[int], at: datetime) -> None:
        for shop in self.by_numbers(numbers).values():
            if shop.badge_seen_at is None:
                self._shops[shop.number] = attrs.evolve(shop, badge_seen_at=at)

    def note_snippets_signed(self, numbers: Collection[int], at: datetime) -> None:
        for shop in self.by_numbers(numbers).values():
            if shop.snippet_signed_at is None:
                self._shops[shop.number] = attrs.evolve(shop, snippet_signed_at=at)


class MemoryApiKeys:
    """Implements `ports.ApiKeys`."""

    def __init__(self, undo_log: UndoLog, shops: MemoryShops) -> None:
        self._keys: Table[str, ApiKey] = Table(undo_log)
        self._shops = shops

    def add(self, key: ApiKey) -> None:
        self._keys[key.key_id] = key

    def holders(self, key_hashes: Sequence[bytes]) -> Mapping[bytes, tuple[ApiKey, Shop]]:
        found = ((key, self._shops.by_number(key.shop_number)) for key in self._keys.values() if key.hash in key_hashes)
        return {key.hash: (key, shop) for key, shop in found if shop}

    def by_id(self, key_id: str) -> ApiKey | None:
        return self._keys.get(key_id)

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        keys = (key for key in self._keys.values() if key.shop_number == shop_number)
        return sorted(keys, key=lambda key: (key.created_at, key.key_id))

    def revoke(self, key_id: str, at: datetime) -> None:
        key = self._keys.get(key_id)
        if key and key.revoked_at is None:
            self._keys[key_id] = attrs.evolve(key, revoked_at=at)


class MemoryDomains:
    """Implements `ports.Domains`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._domains: Table[tuple[int, str], Domain] = Table(undo_log)

    def add(self, domain: Domain) -> Domain:
        existing = self.find(domain.shop_number, domain.host.text)
        if existing is None:
            self._store(domain)
        return existing or domain

    def find(self, shop_number: int, host: str) -> Domain | None:
        return self._domains.get((shop_number, host))

    def of_shop(self, shop_number: int) -> Sequence[Domain]:
        domains = (domain for domain in self._domains.values() if domain.shop_number == shop_number)
        return sorted(domains, key=lambda domain: domain.host.text)

    def holders(self, hosts: Collection[str]) -> Mapping[str, int]:
        return {
            domain.host.text: domain.shop_number
            for domain in self._domains.values()
            if domain.verified_at and domain.host.text in hosts
        }

    def verified_of(self, shop_numbers: Collection[int]) -> Mapping[int, Sequence[str]]:
        hosts = {
            number: [domain.host.text for domain in self.of_shop(number) if domain.verified_at]
            for number in shop_numbers
        }
        return {number: names for number, names in hosts.items() if names}

    def to_recheck(
        self, before: datetime, after: datetime, limit: int, *, missing_before: datetime, recently: datetime
    ) -> Sequence[Domain]:

        def is_due(domain: Domain) -> bool:
            at_its_end = domain.missing_since is not None and domain.missing_since <= missing_before
            return not (recently if at_its_end else before) <= _last_check(domain) <= after

        verified = (domain for domain in self._domains.values() if domain.verified_at and not domain.vouched)
        waiting = [domain for domain in verified if is_due(domain)]
        waiting.sort(key=lambda domain: (_last_check(domain), domain.shop_number, domain.host.text))
        return waiting[:limit]

    def change(self, domain: Domain) -> None:
        if self.find(domain.shop_number, domain.host.text):
            self._store(domain)

    def remove(self, shop_number: int, host: str) -> Domain | None:
        return self._domains.pop((shop_number, host))

    def _store(self, domain: Domain) -> None:
        host = domain.host.text
        if domain.verified_at and self.holders([host]).get(host, domain.shop_number) != domain.shop_number:
            message = f"{host} is verified by another shop"
            raise ValueError(message)
        self._domains[domain.shop_number, host] = domain


def _last_check(domain: Domain) -> datetime:
    return domain.checked_at or domain.added_at


class MemorySigningKeys:
    """Implements `ports.SigningKeys`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._keys: Table[str, SigningKey] = Table(undo_log)

    def every(self) -> Sequence[SigningKey]:
        return sorted(self._keys.values(), key=lambda key: (key.announced_at, key.key_id))

    def in_use(self, retired_after: datetime) -> Sequence[SigningKey]:
        return [key for key in self.every() if _in_use(key, retired_after)]

    def add(self, key: SigningKey) -> bool:
        if self._keys.get(key.key_id) or self._another_signs(key):
            return False
        self._keys[key.key_id] = key
        return True

    def change(self, before: SigningKey, after: SigningKey) -> bool:
        stored = self._keys.get(before.key_id)
        if stored is None or stored.state is not before.state:
            return False
        if self._another_signs(after):
            raise ValueError("another key signs")
        self._keys[after.key_id] = after
        return True

    def _another_signs(self, key: SigningKey) -> bool:
        signing = [each.key_id for each in self._keys.values() if each.state is KeyState.SIGNING]
        return key.state is KeyState.SIGNING and signing not in ([], [key.key_id])


def _in_use(key: SigningKey, retired_after: datetime) -> bool:
    if key.state is KeyState.RETIRED:
        return key.ended_at is not None and key.ended_at > retired_after
    return key.state in (KeyState.ANNOUNCED, KeyState.SIGNING)


class MemoryActivityLog:
    """Implements `ports.ActivityLog`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._entries: Table[tuple[int, str], Activity] = Table(undo_log)

    def add(self, activity: Activity) -> None:
        self._entries[activity.shop_number, activity.activity_id] = activity

    def newest(self, shop_number: int, *, after: str | None, since: datetime | None, limit: int) -> Sequence[Activity]:
        first = first_id_at(since) if since else ""
        found = [
            entry
            for entry in self._entries.values()
            if entry.shop_number == shop_number
            and (after is None or entry.activity_id < after)
            and entry.activity_id >= first
        ]
        return sorted(found, key=lambda entry: entry.activity_id, reverse=True)[:limit]

    def nth_newest_notice(self, shop_number: int, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        noticed = (each for each in self._entries.values() if each.shop_number == shop_number and each.mails_others)
        return _nth_newest(noticed, nth, after, until)

    def nth_newest_addition(self, member_id: str, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        return _nth_newest((each for each in self._entries.values() if each.adds(member_id)), nth, after, until)

    def sweep(self, before: datetime, limit: int) -> int:
        old = [place for place, entry in self._entries.items() if entry.at < before][:limit]
        for place in old:
            self._entries.pop(place)
        return len(old)


def _nth_newest(entries: Iterable[Activity], nth: int, after: datetime, until: datetime) -> datetime | None:
    instants = sorted((each.at for each in entries if after < each.at <= until), reverse=True)
    return instants[nth - 1] if len(instants) >= nth else None
