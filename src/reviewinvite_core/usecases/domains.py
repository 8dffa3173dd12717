"""Add, list, verify and remove the hosts of shops. Spec: §2, §4.9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR, Actor, Credential, Operator
from reviewinvite_core.domain.domains import TOKEN_BYTES, Domain, Rechecked, VerificationResult, domain_token
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.policy import DOMAIN_LOST_AFTER
from reviewinvite_core.domain.refusals import DomainTaken, DomainUnknown, KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.execution import write
from reviewinvite_core.ports import DomainVerifier, PublicSuffixes, StopSignal
from reviewinvite_core.usecases.activity import record, who_acts
from reviewinvite_core.usecases.admission import (
    CHANGE,
    RETRACTION,
    NotAdmitted,
    acting_locks,
    credential_locks,
    is_charged,
    kept_from_keys,
    shop_of,
    shop_of_reader,
)
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard


def find_domain(ctx: UnitContext, shop: Shop, host: str) -> Domain | DomainUnknown:
    """Return a shop's host by its name; what is not a host name is unknown."""
    try:
        name = HostName.parse(host).text
    except Invalid:
        return DomainUnknown(host)
    return ctx.store.domains.find(shop.number, name) or DomainUnknown(name)


def record_domain_check(
    ctx: UnitContext,
    checked: Domain,
    result: VerificationResult,
    *,
    may_lose: bool,
    actor: str | Actor | Credential | Operator = OPERATOR,
) -> Domain | DomainUnknown | DomainTaken:
    """Record a check made outside of any unit of work, and return the host.

    A host that was removed meanwhile, or has another token now, counts as unknown; a vouched host stays vouched.
    `may_lose` is whether a proof that has been missing for 7 days ends the verification. A new verification is recorded
    as an act of `actor`, which is the service itself, and so its operator, in a recheck.
    """
    host = checked.host.text
    stored = ctx.store.domains.find(checked.shop_number, host)
    if stored is None or stored.token != checked.token:
        return DomainUnknown(host)
    if stored.vouched:
        return stored
    if result.found and is_taken(ctx, stored):
        return DomainTaken(host)
    after = stored.after_check(result, ctx.now, may_lose=may_lose)
    ctx.store.domains.change(after)
    shop = ctx.store.shops.by_number(after.shop_number) if after.verified and not stored.verified else None
    if shop:
        record(ctx, shop, who_acts(ctx, actor), Action.DOMAIN_VERIFIED, host)
    return after


def is_taken(ctx: UnitContext, domain: Domain) -> bool:
    """Return whether another shop has verified this host, or a host that overlaps with it.

    Storage itself only prevents two shops from having the same host. The overlap of hosts with and without `www.` is
    checked here. So a unit of work that verifies a host takes the global lock: no two of them run at the same time.
    """
    holders = ctx.store.domains.holders(domain.host.rivals)
    return any(shop_number != domain.shop_number for shop_number in holders.values())


def host_to_add(text: str, suffixes: PublicSuffixes) -> HostName:
    """Parse a host that somebody can own, so it must not be a public suffix.

    Raises: `Invalid` naming `host`.
    """
    host = HostName.parse(text)
    if suffixes.includes(host):
        raise Invalid(Problem.PUBLIC_SUFFIX, "host")
    return host


def host_to_offer(host: HostName, suffixes: PublicSuffixes) -> HostName | None:
    """Return the host that would cover this one, which begins with `www.`, and more; None if it cannot be added."""
    return host.apex if host.apex and not suffixes.includes(host.apex) else None


@write(locks=acting_locks)
def add_domain(
    ctx: UnitContext, actor: str | Actor | Credential, host: HostName | Invalid, assume_verified: bool
) -> Domain | ShopUnknown | DomainTaken | NotAdmitted | Invalid:
    """Record that a shop claims a host, or that the operator vouches for the host; return the stored host.

    A host that the shop already has keeps its token. A host can be added while another shop has verified it, so that a
    move can be prepared; but the operator can vouch for it only after that shop has removed or lost it.
    """
    shop = shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(host, Invalid):
        return host
    new = Domain(
        shop_number=shop.number, host=host, token=domain_token(ctx.entropy.draw(TOKEN_BYTES)), added_at=ctx.now
    )
    if assume_verified and is_taken(ctx, new):
        return DomainTaken(host.text)
    stored, by = ctx.store.domains.add(new), who_acts(ctx, actor)
    if stored.token == new.token:
        record(ctx, shop, by, Action.DOMAIN_ADDED, host.text)
    if not assume_verified or stored.vouched:
        return stored
    vouched = stored.vouched_for(ctx.now)
    ctx.store.domains.change(vouched)
    if not stored.verified:
        record(ctx, shop, by, Action.DOMAIN_VERIFIED, host.text)
    return vouched


@attrs.frozen(kw_only=True)
class DomainCheck:
    """A host and the result of its check; `result` is None for a vouched host, which is not checked."""

    domain: Domain
    result: VerificationResult | None = None

    @property
    def proved(self) -> bool:
        """Whether the host is verified, and its proof was found if it was checked."""
        return self.domain.verified_at is not None and (self.result is None or self.result.found is not None)


def check_domain(
    transactions: TransactionRunner, verifier: DomainVerifier, actor: str | Actor | Credential, host: str | Invalid
) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken | NotAdmitted | Invalid:
    """Check the proof now, outside of any unit of work, and record the result.

    A failed check does not end a verification here, because this process cannot know whether its clock can be trusted
    (ADR-12).
    """

    def find(ctx: UnitContext) -> Domain | ShopUnknown | DomainUnknown | NotAdmitted | Invalid:
        shop = shop_of(ctx, actor, CHANGE)
        if not isinstance(shop, Shop):
            return shop
        return host if isinstance(host, Invalid) else find_domain(ctx, shop, host)

    found = transactions.run(find, locks=credential_locks(actor))
    if not isinstance(found, Domain):
        return found
    if found.vouched:
        return DomainCheck(domain=found)
    result = verifier.verify(found)
    noted = transactions.run(lambda ctx: record_domain_check(ctx, found, result, may_lose=False, actor=actor))
    return DomainCheck(domain=noted, result=result) if isinstance(noted, Domain) else noted


POLL_SECONDS = 60.0
PAUSE_SECONDS = 10.0
LAST_CHECKS = timedelta(minutes=5)  # between two checks of a proof whose 7 days are over
AHEAD = timedelta(minutes=5)  # a check dated later than this was made when the clock was ahead


@attrs.frozen(kw_only=True)
class Round:
    """What a round of rechecks needs. Without a `clock_guard` the wall clock is trusted."""

    transactions: TransactionRunner
    verifier: DomainVerifier
    stop: StopSignal
    clock_guard: ClockGuard | None = None


def recheck_due(round_: Round) -> Iterator[Rechecked]:
    """Check the proofs that are due, one at a time, until none is due or a stop is requested; yield each host checked.

    A host is claimed before its check, so that nobody else checks it; if the process is killed meanwhile, the host
    misses this one check.
    """
    while not round_.stop.is_set() and (taken := round_.transactions.run(_taking(round_.clock_guard))):
        result = round_.verifier.verify(taken.after)
        if round_.stop.is_set():
            return
        after = round_.transactions.run(_noting(taken.after, result, round_.clock_guard))
        if isinstance(after, Domain):
            yield attrs.evolve(taken, after=after)


def recheck_continually(
    round_: Round, on_change: Callable[[Rechecked], object], on_trouble: Callable[[Exception], object]
) -> None:
    """Recheck until a stop is requested; after an error, such as unavailable storage, pause and go on."""
    while not round_.stop.is_set():
        seconds = POLL_SECONDS
        try:
            for rechecked in recheck_due(round_):
                with suppress(Exception):  # a listener's error does not matter here
                    on_change(rechecked)
        except Exception as trouble:  # an unexpected error costs a pause, not all further checks
            with suppress(Exception):
                on_trouble(trouble)
            seconds = PAUSE_SECONDS
        round_.stop.wait(seconds)


def _taking(clock: ClockGuard | None) -> Callable[[UnitContext], Rechecked | None]:
    def take(ctx: UnitContext) -> Rechecked | None:
        """Claim the host whose check is longest due: date its check now, and return it.

        A host whose 7 days are over is due at once if its verification can end. Otherwise, with a worker that restarts
        at the same hour every day, all checks could fall before its clock is trusted; and `domain check` does not end
        verifications.
        """
        may_lose = clock is None or clock.is_trusted(ctx.now)
        domains = ctx.store.domains
        for due in domains.to_recheck(
            ctx.now - ctx.policies.domain_recheck,
            ctx.now + AHEAD,
            limit=1,
            missing_before=ctx.now - DOMAIN_LOST_AFTER if may_lose else EPOCH,
            recently=ctx.now - LAST_CHECKS,
        ):
            shop = ctx.store.shops.by_number(due.shop_number)
            taken = attrs.evolve(due, checked_at=ctx.now)
            domains.change(taken)
            return Rechecked(site_id=shop.site_id.text if shop else "", before=due, after=taken)
        return None

    return take


def _noting(taken: Domain, result: VerificationResult, clock: ClockGuard | None) -> Callable[[UnitContext], object]:
    """Return the step that records a check; a verification ends only if the clock is trusted at that moment."""
    return lambda ctx: record_domain_check(ctx, taken, result, may_lose=clock is None or clock.is_trusted(ctx.now))


@write(locks=credential_locks, only_if=is_charged)
def list_domains(
    ctx: UnitContext, actor: str | Actor | Credential
) -> Sequence[Domain] | ShopUnknown | KeyRefused | LimitReached:
    """Return all hosts of a shop, sorted by name."""
    shop = shop_of_reader(ctx, actor)
    return ctx.store.domains.of_shop(shop.number) if isinstance(shop, Shop) else shop


@write()
def remove_domain(
    ctx: UnitContext, actor: str | Actor, host: str
) -> Domain | ShopUnknown | DomainUnknown | NotAdmitted:
    """Remove a host, verified or not, so that another shop can verify it; return the removed host."""
    shop = kept_from_keys(actor) or shop_of(ctx, actor, RETRACTION)
    if not isinstance(shop, Shop):
        return shop
    found = find_domain(ctx, shop, host)
    if isinstance(found, Domain):
        ctx.store.domains.remove(found.shop_number, found.host.text)
        record(ctx, shop, who_acts(ctx, actor), Action.DOMAIN_REMOVED, found.host.text)
    return found
