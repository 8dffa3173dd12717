"""Storage of shops' hosts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.domains import Domain


class Domains(Protocol):
    """Hosts that shops claim as theirs; no two shops have the same host verified."""

    def add(self, domain: Domain) -> Domain:
        """Store a shop's host unless the shop already has it; return the stored one."""

    def find(self, shop_number: int, host: str) -> Domain | None:
        """Return a shop's host, or None."""

    def of_shop(self, shop_number: int) -> Sequence[Domain]:
        """Return all hosts of a shop, sorted by name."""

    def holders(self, hosts: Collection[str]) -> Mapping[str, int]:
        """Return, for each of these hosts that is verified, the number of the shop that has verified it."""

    def verified_of(self, shop_numbers: Collection[int]) -> Mapping[int, Sequence[str]]:
        """Return the verified hosts of each of these shops, sorted by name; shops without any are left out."""

    def to_recheck(
        self, before: datetime, after: datetime, limit: int, *, missing_before: datetime, recently: datetime
    ) -> Sequence[Domain]:
        """Return up to `limit` hosts to check again, longest unchecked first.

        These are hosts verified by a proof and last checked before `before`, or later than `after` because the clock
        was ahead. Hosts missing since `missing_before` or longer are due earlier: when last checked before `recently`.
        No other unit of work gets the same hosts until this one has ended.
        """

    def change(self, domain: Domain) -> None:
        """Store changes; shop, host, token and `added_at` never change."""

    def remove(self, shop_number: int, host: str) -> Domain | None:
        """Remove a shop's host, verified or not; return it, or None if the shop does not have it."""
