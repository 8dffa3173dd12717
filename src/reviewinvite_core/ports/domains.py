"""Where the hosts of shops are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.domains import Domain


class Domains(Protocol):
    """The hosts that shops say are theirs; no two shops have the same one verified."""

    def add(self, domain: Domain) -> Domain:
        """Store a shop's host; one that it has already stays as it is. Gives what stands."""

    def find(self, shop_number: int, host: str) -> Domain | None:
        """A shop's host."""

    def of_shop(self, shop_number: int) -> Sequence[Domain]:
        """All of a shop's hosts, by name."""

    def holders(self, hosts: Collection[str]) -> Mapping[str, int]:
        """Of these hosts those that are verified, each with the number of the shop that has it."""

    def verified_of(self, shop_numbers: Collection[int]) -> Mapping[int, Sequence[str]]:
        """The verified hosts of these shops, by name; shops without any are left out."""

    def to_recheck(
        self, before: datetime, after: datetime, limit: int, *, missing_before: datetime, recently: datetime
    ) -> Sequence[Domain]:
        """Hosts verified by a proof that was last looked for before `before`, the longest ago first.

        And those for which that is later than `after`: the clock was ahead. Those that have been missing since
        `missing_before` or longer are among them already when they were last looked for before `recently`. No other
        unit of work is given the same ones until this one has ended.
        """

    def change(self, domain: Domain) -> None:
        """Store what has changed; shop, host, token and `added_at` never do."""

    def remove(self, shop_number: int, host: str) -> Domain | None:
        """Take a shop's host away, verified or not; gives what it was."""
