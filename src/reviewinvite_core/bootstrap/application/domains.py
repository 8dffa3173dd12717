"""`app.domains`: the hosts of shops, and their verification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewinvite_core.bootstrap.application.facade import AsyncFacade, Facade
from reviewinvite_core.bootstrap.domain_recheck import DomainRechecker
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import DomainTaken, DomainUnknown, ShopUnknown
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.execution import UseCases
from reviewinvite_core.ports import PublicSuffixes
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.domains import add_domain, list_domains, remove_domain
from reviewinvite_core.usecases.domains.add import host_to_add, host_to_offer
from reviewinvite_core.usecases.domains.check import DomainCheck

if TYPE_CHECKING:
    from reviewinvite_core.bootstrap.event_loop import AsyncUseCases


class Domains(Facade):
    """Add, check, list and remove the hosts of shops."""

    __slots__ = ("_public_suffixes", "_rechecker")

    def __init__(
        self, use_cases: UseCases[UnitContext], public_suffixes: PublicSuffixes, rechecker: DomainRechecker
    ) -> None:
        """Do not call this; use `build`."""
        super().__init__(use_cases)
        self._public_suffixes = public_suffixes
        self._rechecker = rechecker

    def add(self, site_id: str, host: str, assume_verified: bool = False) -> Domain | ShopUnknown | DomainTaken:
        """Add a host that a shop claims as its own; return it, with the proof for the shop to publish.

        With `assume_verified` you vouch for the host, and no proof is needed. A host that the shop already has is kept,
        with the same proof.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `DomainTaken`: you vouch for it, but another shop has verified it or a host that covers it.

        Raises: `Invalid` if it is not a host name, or is a public suffix; `StorageUnavailable`.

        Spec: §3. ADR-22.
        """
        return self._use_cases.run(add_domain, site_id, host_to_add(host, self._public_suffixes), assume_verified)

    def apex_to_add(self, domain: Domain) -> HostName | None:
        """Return a host without its leading `www.`, which covers both names; None if there is none, or it is a suffix.

        Raises: nothing.

        Spec: §3.
        """
        return host_to_offer(domain.host, self._public_suffixes)

    def check(self, site_id: str, host: str) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken:
        """Look for a host's proof now and store the result; return the host and the result. Takes up to 10 seconds.

        This never ends a verification; only the regular rechecks do.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `DomainUnknown`: the shop has no such host.
        - `DomainTaken`: the proof is there, but another shop has verified the host.

        Raises: `Invalid` if it is not a host name; `StorageUnavailable`.

        Spec: §3. ADR-22.
        """
        return self._rechecker.check(site_id, host)

    def list(self, site_id: str) -> Sequence[Domain] | ShopUnknown:
        """List all of a shop's hosts, by name.

        Refusals: `ShopUnknown` if there is no shop with this site id.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(list_domains, site_id)

    def remove(self, site_id: str, host: str) -> Domain | ShopUnknown | DomainUnknown:
        """Remove a host, verified or not, so that another shop can verify it; return its last state.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `DomainUnknown`: the shop has no such host.

        Raises: `Invalid` if it is not a host name; `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(remove_domain, site_id, host)


class AsyncDomains(AsyncFacade):
    """Add, check, list and remove the hosts of shops; see `Domains`."""

    __slots__ = ("_public_suffixes", "_rechecker")

    def __init__(self, use_cases: AsyncUseCases, domains: Domains) -> None:
        """Do not call this; `AsyncApplication` does."""
        super().__init__(use_cases)
        self._public_suffixes = domains._public_suffixes
        self._rechecker = domains._rechecker

    async def add(self, site_id: str, host: str, assume_verified: bool = False) -> Domain | ShopUnknown | DomainTaken:
        """Add a host; see `Domains.add`. Shares a commit with concurrent calls."""
        name = host_to_add(host, self._public_suffixes)
        return await self._use_cases.run(add_domain, site_id, name, assume_verified)

    async def apex_to_add(self, domain: Domain) -> HostName | None:
        """Return the host that covers this one and more; see `Domains.apex_to_add`."""
        return host_to_offer(domain.host, self._public_suffixes)

    async def check(self, site_id: str, host: str) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken:
        """Look for a host's proof; see `Domains.check`. Runs on a thread of the event loop's executor."""
        import asyncio

        return await asyncio.to_thread(self._rechecker.check, site_id, host)

    async def list(self, site_id: str) -> Sequence[Domain] | ShopUnknown:
        """List a shop's hosts; see `Domains.list`. Runs on a reader thread."""
        return await self._use_cases.run(list_domains, site_id)

    async def remove(self, site_id: str, host: str) -> Domain | ShopUnknown | DomainUnknown:
        """Remove a host; see `Domains.remove`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(remove_domain, site_id, host)
