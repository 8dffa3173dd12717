"""Hosts that shops claim as theirs, in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.domains import Domain


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
