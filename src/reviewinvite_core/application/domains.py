"""`app.domains`: the hosts of shops, and their verification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewinvite_core.application.domain_recheck import DomainRechecker
from reviewinvite_core.application.facade import AsyncFacade, Facade, derived
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.refusals import (
    DomainTaken,
    DomainUnknown,
    KeyRefused,
    LimitReached,
    ShopInactive,
    ShopUnknown,
)
from reviewinvite_core.execution import UseCases
from reviewinvite_core.ports import PublicSuffixes
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.domains import (
    DomainCheck,
    add_domain,
    host_to_add,
    host_to_offer,
    list_domains,
    remove_domain,
)

if TYPE_CHECKING:
    from reviewinvite_core.application.event_loop import AsyncUseCases


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

    def add(
        self, actor: str | Actor | Credential, host: str | Invalid, assume_verified: bool = False
    ) -> Domain | ShopUnknown | DomainTaken | KeyRefused | ShopInactive | LimitReached | Invalid:
        """Add a host that a shop claims as its own; return it, with the proof for the shop to publish.

        With `assume_verified` you vouch for the host, and no proof is needed. A host that the shop already has is kept,
        with the same proof.

        Refusals, in this order:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: an actor or a key acts for a shop that is not active.
        - `LimitReached`: the key's writes per minute are used up.
        - `Invalid`: for an actor or a key, it is not a host name, or is a public suffix; or the `Invalid` that you
          passed as `host`. The call is still charged.
        - `DomainTaken`: you vouch for it, but another shop has verified it or a host that covers it.

        Raises: `Invalid` if, with a site id, it is not a host name, or is a public suffix; `StorageUnavailable`.

        Spec: §3. ADR-22.
        """
        name = _parsed(actor, host, self._public_suffixes)
        return self._use_cases.run(add_domain, actor, name, assume_verified)

    def apex_to_add(self, domain: Domain) -> HostName | None:
        """Return a host without its leading `www.`, which covers both names; None if there is none, or it is a suffix.

        Raises: nothing.

        Spec: §3.
        """
        return host_to_offer(domain.host, self._public_suffixes)

    def check(
        self, actor: str | Actor | Credential, host: str | Invalid
    ) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken | KeyRefused | ShopInactive | LimitReached | Invalid:
        """Look for a host's proof now and store the result; return the host and the result. Takes up to 10 seconds.

        This never ends a verification; only the regular rechecks do.

        Refusals, in this order:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: an actor or a key acts for a shop that is not active.
        - `LimitReached`: the key's writes per minute are used up.
        - `Invalid`: the `Invalid` that you passed as `host`, returned unchanged; the call is still charged.
        - `DomainUnknown`: the shop has no such host.
        - `DomainTaken`: the proof is there, but another shop has verified the host.

        Raises: `Invalid` if, with a site id, it is not a host name; `StorageUnavailable`.

        Spec: §3. ADR-22.
        """
        _require_host(actor, host)
        return self._rechecker.check(actor, host)

    def list(self, actor: str | Actor | Credential) -> Sequence[Domain] | ShopUnknown | KeyRefused | LimitReached:
        """List all of a shop's hosts, by name.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(list_domains, actor)

    def remove(
        self, actor: str | Actor, host: str
    ) -> Domain | ShopUnknown | DomainUnknown | KeyRefused | ShopInactive | LimitReached:
        """Remove a host, verified or not, so that another shop can verify it; return its last state.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `DomainUnknown`: the shop has no such host.
        - `ShopInactive`, `LimitReached`: never; an inactive shop may remove its hosts, and no limit applies.

        Raises: `Invalid` if, with a site id, it is not a host name; `StorageUnavailable`.

        Spec: §3.
        """
        _require_host(actor, host)
        return self._use_cases.run(remove_domain, actor, host)


class AsyncDomains(AsyncFacade):
    """Add, check, list and remove the hosts of shops; see `Domains`."""

    __slots__ = ("_public_suffixes", "_rechecker")

    def __init__(self, use_cases: AsyncUseCases, domains: Domains) -> None:
        """Do not call this; `AsyncApplication` does."""
        super().__init__(use_cases)
        self._public_suffixes = domains._public_suffixes
        self._rechecker = domains._rechecker

    add = derived(Domains.add)

    async def apex_to_add(self, domain: Domain) -> HostName | None:
        """Return the host that covers this one and more; see `Domains.apex_to_add`."""
        return host_to_offer(domain.host, self._public_suffixes)

    async def check(
        self, actor: str | Actor | Credential, host: str | Invalid
    ) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken | KeyRefused | ShopInactive | LimitReached | Invalid:
        """Look for a host's proof; see `Domains.check`. Runs on a thread of the event loop's executor."""
        import asyncio

        _require_host(actor, host)
        return await asyncio.to_thread(self._rechecker.check, actor, host)

    list = derived(Domains.list)
    remove = derived(Domains.remove)


def _parsed(actor: str | Actor | Credential, host: str | Invalid, suffixes: PublicSuffixes) -> HostName | Invalid:
    """Return a host to add, or what is wrong with it if that is for the use case to refuse, after it has charged a key.

    Raises: `Invalid` with a site id, for which nothing is charged.
    """
    if isinstance(host, Invalid):
        return host
    try:
        return host_to_add(host, suffixes)
    except Invalid as invalid:
        if isinstance(actor, str):
            raise
        return invalid


def _require_host(actor: str | Actor | Credential, host: str | Invalid) -> None:
    """Raise `Invalid` unless it is a host name; a host that an actor or a key names wrongly is just unknown."""
    if isinstance(actor, str) and isinstance(host, str):
        HostName.parse(host)
