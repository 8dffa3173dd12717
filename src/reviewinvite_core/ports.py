"""Every port on one page: what the use cases ask of the world, in the words of the domain.

A port is cut at the questions the use cases ask, not at the tables of a database. The contract suites in
`reviewinvite_core.testing` say in detail what an adapter has to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import attrs

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.handovers import DeliveryHost, HighWaterMark
from reviewinvite_core.domain.invitations import Change, Invitation, State
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.reviews import Review, ReviewChange, ReviewState
from reviewinvite_core.domain.scores import Distribution, Figures, Score
from reviewinvite_core.domain.sealing import Secret
from reviewinvite_core.domain.shop import NewShop, Shop
from reviewinvite_core.domain.signing import SigningKey
from reviewinvite_core.domain.suppressions import Suppression

T = TypeVar("T")


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """The instant, in UTC."""
        ...


class Entropy(Protocol):
    """What nobody can guess."""

    def draw(self, size: int) -> bytes:
        """So many bytes, fit for keys."""
        ...


class Shops(Protocol):
    """The shops."""

    def add(self, shop: NewShop) -> Shop | None:
        """Store a new shop, active, under a number of its own; None where its site id is taken."""
        ...

    def by_site_id(self, site_id: str) -> Shop | None:
        """The shop known by this identifier; none by a malformed one."""
        ...

    def named(self, site_ids: Collection[str]) -> Mapping[str, Shop]:
        """The shops known by these identifiers, by identifier; unknown ones are left out."""
        ...

    def by_number(self, number: int) -> Shop | None:
        """The shop with this number."""
        ...

    def every(self) -> Sequence[Shop]:
        """All shops, by site id."""
        ...

    def change(self, shop: Shop) -> None:
        """Store what has changed; number and site id never do."""
        ...


class ApiKeys(Protocol):
    """The API keys, as hashes."""

    def add(self, key: ApiKey) -> None:
        """Store a new key."""
        ...

    def holders(self, key_hashes: Sequence[bytes]) -> Mapping[bytes, tuple[ApiKey, Shop]]:
        """The keys with these hashes, revoked or not, and their shops, by hash; unknown ones are left out."""
        ...

    def by_id(self, key_id: str) -> ApiKey | None:
        """The key with this id."""
        ...

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        """A shop's keys, the oldest first."""
        ...

    def revoke(self, key_id: str, at: datetime) -> None:
        """Mark a key as revoked at this instant; one that is revoked already keeps its own."""
        ...


class RateLimitLog(Protocol):
    """What was admitted under a limit, each admission with its instant."""

    def nth_newest(self, subjects: Sequence[LimitKey], count: int) -> Mapping[LimitKey, datetime]:
        """When the `count`-th newest was admitted, for each subject that has so many."""
        ...

    def admit(self, subjects: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        """Record one for each of them, all different; where n is said, in place of its n-th newest, of no use now."""
        ...

    def sweep(self, *, before: datetime, after: datetime, limit: int) -> int:
        """Forget up to `limit` admissions before `before` or later than `after` (a clock was set back); how many."""
        ...


class DailyCounters(Protocol):
    """What was counted in a calendar day (UTC)."""

    def counted(self, subjects: Collection[LimitKey], day: date) -> Mapping[LimitKey, int]:
        """How many were counted for each on this day; those with none are left out."""
        ...

    def count(self, counts: Mapping[LimitKey, int], day: date) -> None:
        """Count so many more for each on this day."""
        ...

    def sweep(self, before: date, limit: int) -> int:
        """Forget up to `limit` tallies of days before this one; how many."""
        ...


class Domains(Protocol):
    """The hosts that shops say are theirs; no two shops have the same one verified."""

    def add(self, domain: Domain) -> Domain:
        """Store a shop's host; one that it has already stays as it is. Gives what stands."""
        ...

    def find(self, shop_number: int, host: str) -> Domain | None:
        """A shop's host."""
        ...

    def of_shop(self, shop_number: int) -> Sequence[Domain]:
        """All of a shop's hosts, by name."""
        ...

    def holders(self, hosts: Collection[str]) -> Mapping[str, int]:
        """Of these hosts those that are verified, each with the number of the shop that has it."""
        ...

    def verified_of(self, shop_numbers: Collection[int]) -> Mapping[int, Sequence[str]]:
        """The verified hosts of these shops, by name; shops without any are left out."""
        ...

    def to_recheck(
        self, before: datetime, after: datetime, limit: int, *, missing_before: datetime, recently: datetime
    ) -> Sequence[Domain]:
        """Hosts verified by a proof that was last looked for before `before`, the longest ago first.

        And those for which that is later than `after`: the clock was ahead. Those that have been missing since
        `missing_before` or longer are among them already when they were last looked for before `recently`. No other
        unit of work is given the same ones until this one has ended.
        """
        ...

    def change(self, domain: Domain) -> None:
        """Store what has changed; shop, host, token and `added_at` never do."""
        ...

    def remove(self, shop_number: int, host: str) -> Domain | None:
        """Take a shop's host away, verified or not; gives what it was."""
        ...


class SigningKeys(Protocol):
    """The keys that statements are signed with; at most one of them signs."""

    def every(self) -> Sequence[SigningKey]:
        """All there ever were, by when they were announced."""
        ...

    def in_use(self, retired_after: datetime) -> Sequence[SigningKey]:
        """Those that are announced or sign, and those retired after this instant, by when they were announced."""
        ...

    def add(self, key: SigningKey) -> bool:
        """Store a new key; not one that is to sign where another does. Whether it was stored.

        Where another unit of work is about to store one that signs, its end is waited for.
        """
        ...

    def change(self, before: SigningKey, after: SigningKey) -> bool:
        """Replace `before` by `after`, if its state is still that of `before`."""
        ...


class Invitations(Protocol):
    """The invitations, and which order each belongs to."""

    def schedule(self, orders: Sequence[tuple[Invitation, DedupKey]]) -> Sequence[Invitation]:
        """Store each order's new invitation, never tried yet; for a known order give its first, as it is now."""
        ...

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        """A shop's invitation with this id."""
        ...

    def locate(self, invite_id: str) -> Invitation | None:
        """The invitation with this id, whatever its shop; asks every shop in turn, so it is for people only."""
        ...

    def newest(self, *, shop: Shop | None, state: State | None, limit: int) -> Sequence[tuple[Shop, Invitation]]:
        """The newest invitations, of one shop or all, in one state or any, the newest first."""
        ...

    def of_shop(
        self, shop_number: int, *, before: str | None, order_number: str | None, limit: int
    ) -> Sequence[Invitation]:
        """A shop's invitations, of one order number or any, the highest id and so the newest first.

        Where an id is given, those whose id is lower.
        """
        ...

    def history(self, invitation: Invitation) -> Sequence[Change]:
        """All the changes of an invitation's state, the first report included, the oldest first."""
        ...

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        """Scheduled invitations of active shops due from `since` to `now`, both included, the longest due first.

        No other unit of work is given the same ones until this one has ended.
        """
        ...

    def count_due(self, now: datetime, most: int) -> int:
        """How many scheduled invitations of active shops are due by `now`; `most` where it is more."""
        ...

    def overdue(self, before: datetime, limit: int) -> Sequence[Invitation]:
        """Scheduled invitations that were to be sent before this instant, of any shop; see `due` for other units."""
        ...

    def abandoned(self, now: datetime, longest: datetime, limit: int) -> Sequence[Invitation]:
        """Invitations in a worker's hands whose lease has run out by `now`, or ends after `longest`; see `due`.

        No lease is that long: the clock was ahead when it began.
        """
        ...

    def in_doubt(self, until: datetime, limit: int) -> Sequence[Invitation]:
        """Invitations in a worker's hands, and scheduled ones that were to be sent, or are due, by `until`."""
        ...

    def of_address(self, address_hash: bytes, *, shop_number: int | None) -> Sequence[Invitation]:
        """All invitations of an address, erased or not, at one shop, or at all where `shop_number` is None."""
        ...

    def count_by_snippet(
        self, asked: Collection[tuple[int, bytes]], since: datetime, until: datetime
    ) -> Mapping[tuple[int, bytes], int]:
        """How many of a shop's invitations to an address browsers have reported between these instants.

        Asked by the shops' numbers, each with an address's hash; those with none are left out.
        """
        ...

    def to_erase(self, before: datetime, limit: int) -> Sequence[Invitation]:
        """Invitations that have an address still, were to be sent before this instant, and are not being handed over.

        The longest ago come first.
        """
        ...

    def change(self, before: Invitation, after: Invitation) -> bool:
        """Replace `before` by `after` and add to its history, if state and claim are still those of `before`.

        The address stays as it is stored.
        """
        ...

    def forget_address(self, invitation: Invitation) -> bool:
        """Take the sealed address away, whatever the state, which stays; whether there was one."""
        ...


class Reviews(Protocol):
    """The reviews, their history, and the figures that scores are made of (ADR-27)."""

    def add(self, review: Review) -> bool:
        """Store a new review and begin its history; False, with nothing stored, where its invitation has one."""
        ...

    def change(self, before: Review, after: Review) -> bool:
        """Replace `before` by `after` and add to its history, if it is still at the revision of `before`."""
        ...

    def find(self, shop_number: int, review_id: str) -> Review | None:
        """A shop's review with this id."""
        ...

    def locate(self, review_id: str) -> Review | None:
        """The review with this id, whatever its shop; asks every shop in turn, so it is for people only."""
        ...

    def of_invitation(self, shop_number: int, invite_id: str) -> Review | None:
        """What was written by way of this invitation of a shop's."""
        ...

    def published(self, shop_number: int, *, before: Bookmark | None, limit: int) -> Sequence[Review]:
        """A shop's published reviews, the newest written first, after the place that is marked where one is."""
        ...

    def changed(self, shop_number: int, *, after: Bookmark, limit: int) -> Sequence[tuple[Review, str | None]]:
        """A shop's reviews in any state, each with its order's number, the one changed longest ago first.

        By the time of their last change (`change_bookmark`), after this place.
        """
        ...

    def newest(self, *, shop: Shop | None, state: ReviewState | None, limit: int) -> Sequence[tuple[Shop, Review]]:
        """The newest reviews, of one shop or all, in one state or any, the newest written first."""
        ...

    def history(self, review: Review) -> Sequence[ReviewChange]:
        """All that was done to a review, the writing included, the oldest first."""
        ...

    def scores(self, shop_numbers: Collection[int], today: date) -> Mapping[int, Score]:
        """The scores of the last 12 months (`scores.first_counted`), by shop; shops without one are left out."""
        ...

    def distribution(self, shop_number: int) -> Distribution:
        """A shop's published reviews of all time, by rating."""
        ...

    def figures(self, shop_number: int) -> Figures:
        """A shop's figures as they are kept."""
        ...

    def recount(self, shop_number: int) -> Figures:
        """A shop's figures as its reviews say; looks at every one of them."""
        ...

    def keep_figures(self, shop_number: int, figures: Figures) -> None:
        """Keep these figures of a shop, in the place of all that were."""
        ...


class Suppressions(Protocol):
    """The addresses that must not be written to."""

    def covers(self, shop_number: int, address_hash: bytes) -> bool:
        """Whether this shop must not write to the address."""
        ...

    def covered(self, asked: Sequence[tuple[int, bytes]]) -> Collection[tuple[int, bytes]]:
        """Of these shops' numbers, each with an address's hash, those where the shop must not write to the address."""
        ...

    def add(self, suppression: Suppression) -> bool:
        """Store it; whether it is new. One that stands already stays as it is, unless a customer now asks for it."""
        ...

    def remove(self, address_hash: bytes, *, shop_number: int | None) -> Suppression | None:
        """Take away what stands for one shop, or for all where `shop_number` is None; gives what stood there."""
        ...

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        """All that stand for an address: for all shops first, then by shop."""
        ...

    def newest(self, limit: int) -> Sequence[Suppression]:
        """The newest suppressions, the newest first."""
        ...


class DeliveryHosts(Protocol):
    """The hosts that deliver, each with a hand-over mark of its own (ADR-20)."""

    def every(self) -> Sequence[DeliveryHost]:
        """All of them, by name."""
        ...

    def standing(self, host: str) -> Sequence[DeliveryHost]:
        """This host, if it is known, and all whose mark was found to be ahead."""
        ...

    def register(self, host: str) -> None:
        """Store a host that has let nothing out; one that is known stays as it is."""
        ...

    def raise_fence(self, host: str) -> int:
        """Add one to the number of a host that is known; gives the new number."""
        ...

    def note_ahead(self, mark: HighWaterMark) -> None:
        """Note that a host's mark is ahead; one that is not known is registered with the number 0."""
        ...

    def catch_up(self, host: str, number: int) -> None:
        """Raise the number of a host that is known, if it is lower; it is not ahead any more."""
        ...


class Store(Protocol):
    """What one open transaction sees and changes."""

    @property
    def shops(self) -> Shops:
        """The shops."""
        ...

    @property
    def api_keys(self) -> ApiKeys:
        """The API keys."""
        ...

    @property
    def rate_limit_log(self) -> RateLimitLog:
        """What limits count."""
        ...

    @property
    def daily_counters(self) -> DailyCounters:
        """What is counted by the day."""
        ...

    @property
    def domains(self) -> Domains:
        """The hosts that shops say are theirs."""
        ...

    @property
    def signing_keys(self) -> SigningKeys:
        """The keys that statements are signed with."""
        ...

    @property
    def invitations(self) -> Invitations:
        """The invitations."""
        ...

    @property
    def reviews(self) -> Reviews:
        """The reviews."""
        ...

    @property
    def suppressions(self) -> Suppressions:
        """The addresses that must not be written to."""
        ...

    @property
    def hosts(self) -> DeliveryHosts:
        """The hosts that deliver."""
        ...

    def now(self) -> datetime | None:
        """The instant by the clock that all machines over this storage share; None where there is no such clock."""
        ...

    def sealed_key_ring(self) -> bytes | None:
        """The key ring as it was stored, or None in a new database."""
        ...

    def keep_key_ring(self, sealed: bytes) -> None:
        """Store the key ring, in the place of any before it."""
        ...

    def replace_key_ring(self, before: bytes, after: bytes) -> bool:
        """Store `after`, if the key ring is stored as `before` still; whether it was."""
        ...


UnitOfWork: TypeAlias = Callable[[Store], T]
"""A unit of work: all that it changes is kept, or nothing is. It may be run again where nothing was kept."""


@attrs.frozen
class LockedUnit(Generic[T]):
    """A unit of work that names what it must have to itself, as 64-bit numbers; a plain unit excludes other plain ones.

    Storage that runs units of many processes at once takes all locks of a batch in one order before the first unit
    runs, so that no two batches ever wait for each other. `joint`, where there is one, says how storage may run it
    together with others.
    """

    unit: UnitOfWork[T]
    locks: frozenset[int]
    joint: Batchable[T] | None = None

    def __call__(self, store: Store) -> T:
        """Run the unit."""
        return self.unit(store)


@attrs.frozen
class Batchable(Generic[T]):
    """How a unit runs as one with others of the same `run`: given what each of them asks, in their order.

    They share no lock, but for those that are `shared`: what these guard, `run` itself keeps right for many at once.
    """

    run: Callable[[Store, Sequence[Any]], Sequence[T]]
    asked: Any
    shared: frozenset[int] = frozenset()


def group_batchable(units: Iterable[UnitOfWork[object]]) -> Iterator[Sequence[UnitOfWork[object]]]:
    """The units in their order, and those together that may run as one."""
    together: list[UnitOfWork[object]] = []
    taken: set[int] = set()
    for unit in units:
        locks = _own_locks(unit)
        if together and not (_same_kind(together[0], unit) and taken.isdisjoint(locks)):
            yield together
            together, taken = [], set()
        together.append(unit)
        taken |= locks
    if together:
        yield together


def _own_locks(unit: UnitOfWork[object]) -> frozenset[int]:
    """Those that no other unit that runs as one with it may have."""
    if not isinstance(unit, LockedUnit):
        return GLOBAL_LOCK
    return unit.locks - unit.joint.shared if unit.joint else unit.locks


def run_group(store: Store, units: Sequence[UnitOfWork[object]]) -> Sequence[object]:
    """What each of these units gives, run as one where they are several."""
    first = units[0]
    if len(units) == 1 or not isinstance(first, LockedUnit) or first.joint is None:
        return [unit(store) for unit in units]
    return first.joint.run(store, [unit.joint.asked for unit in units if isinstance(unit, LockedUnit) and unit.joint])


def _same_kind(one: UnitOfWork[object], other: UnitOfWork[object]) -> bool:
    return (
        isinstance(one, LockedUnit)
        and isinstance(other, LockedUnit)
        and one.joint is not None
        and other.joint is not None
        and one.joint.run == other.joint.run
    )


def locks_of(units: Iterable[UnitOfWork[object]]) -> Sequence[int]:
    """The locks of all these units, in the order in which they are to be taken."""
    return sorted({lock for unit in units for lock in (unit.locks if isinstance(unit, LockedUnit) else GLOBAL_LOCK)})


GLOBAL_LOCK = frozenset({0})
"""The lock of a plain unit."""


@attrs.frozen
class Done:
    """A unit's result: what it changed is durable."""

    result: object


@attrs.frozen
class Failed:
    """What a unit raised: nothing that it changed was kept."""

    error: BaseException


Outcome: TypeAlias = Done | Failed


class Executor(Protocol):
    """Another thread that can be asked to run something: an event loop, for one (ADR-3)."""

    def run(self, work: Callable[[], T], /) -> T:
        """Run it there, and wait for what it gives; here, where nothing runs there any more.

        Raises: what it raises.
        """
        ...


@attrs.frozen(kw_only=True)
class Connections:
    """A pool's connections: how many are open, how many in use (or being made), and how many units wait for one."""

    open: int
    in_use: int
    waiting: int


@attrs.frozen(kw_only=True)
class Condition:
    """How storage is at this moment: its engine, and the connections where it has a pool of them."""

    engine: str
    connections: Connections | None = None


class Storage(Protocol):
    """Durable storage with transactions."""

    @property
    def units_only_compute(self) -> bool:
        """Whether a unit never waits, once its transaction has begun: only then may it run on an event loop."""
        ...

    @property
    def one_host(self) -> bool:
        """Whether it can only be used on the host where it is: a hand-over mark that is missing then is one lost."""
        ...

    @property
    def batches_at_once(self) -> int:
        """How many batches it runs side by side; 1 where there is one writer at a time."""
        ...

    def run(self, unit: UnitOfWork[T]) -> T:
        """Run one unit of work; when this returns, what it changed is durable.

        Raises: what the unit raises, with nothing kept; `StorageUnavailable` where storage is busy, full or away, with
        nothing kept, or all of it where the answer to the commit was lost.
        """
        ...

    def run_all(self, units: Sequence[UnitOfWork[object]], *, place: Executor | None = None) -> Sequence[Outcome]:
        """Run many units, one after the other, under one durable commit; a unit that raises harms no other.

        Units run at `place` where one is given, what has to wait for locks or disk waits here; `units` is read when
        they run, so that more can be added until then.

        Where the transaction itself is lost, or its commit fails, every outcome is `Failed` with
        `StorageUnavailable`, and nothing at all was kept; or all, where the answer to the commit was lost.
        """
        ...

    def read(self, unit: UnitOfWork[T]) -> T:
        """Run a unit that changes nothing; it sees storage as it was at one moment, and waits for no writer.

        Raises: as `run`.
        """
        ...

    def problems(self) -> Sequence[str]:
        """What is wrong with what is stored, in words for the operator; nothing where all is well.

        Raises: `StorageUnavailable`.
        """
        ...

    def compact(self) -> None:
        """Let go of what was deleted, so far as the engine can tell it to; takes long where there is much.

        Raises: `StorageUnavailable` where others are in the way.
        """
        ...

    def forget_old_ring(self) -> None:
        """Let go of what was stored as the key ring before, so far as the engine can tell it to. It is quick.

        Raises: `StorageUnavailable` where others are in the way.
        """
        ...

    def condition(self) -> Condition:
        """How storage is.

        Raises: `SchemaTooOld`, `SchemaTooNew` where another release has changed it; `StorageUnavailable`.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections; idempotent."""
        ...


@attrs.frozen(kw_only=True)
class Letter:
    """What an invitation's e-mail says, and to whom."""

    invite_id: str
    recipient: str = attrs.field(repr=False)
    shop_name: str
    order_number: str | None
    reply_to: str | None = None
    language: str
    review_url: str = attrs.field(repr=False)
    unsubscribe_url: str = attrs.field(repr=False)
    written_at: datetime


@attrs.frozen(kw_only=True)
class Message:
    """An e-mail ready to be handed over: its envelope, and its RFC 5322 bytes with CRLF line ends."""

    message_id: str
    sender: str
    recipient: str = attrs.field(repr=False)
    content: bytes = attrs.field(repr=False)


class NotRenderable(Exception):
    """A letter that cannot be made into a message."""


class Renderer(Protocol):
    """Turns letters into messages."""

    def render(self, letter: Letter) -> Message:
        """The message for this letter.

        Raises: `NotRenderable`.
        """
        ...


@attrs.frozen
class Accepted:
    """The message is the mail server's now."""

    reply: str | None = None


@attrs.frozen
class RefusedForNow:
    """A definite answer that the message was not taken, but may be later; `reply` holds status codes only."""

    reply: str | None = None


@attrs.frozen
class Refused:
    """A definite answer that the message will never be taken; `reply` holds status codes only."""

    reply: str | None = None


@attrs.frozen
class Unreachable:
    """The connection could not be made or broke before the end of the message: it was certainly not taken.

    `cause` is the name of the exception's class, never its text, which may hold an address.
    """

    cause: str | None = None


@attrs.frozen
class AnswerLost:
    """The end of the message was transmitted and no answer came: it may or may not have been taken (ADR-7)."""


class Staged(Protocol):
    """A message of which everything but the end is transmitted: nothing is sent yet."""

    def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        """Transmit the end, and wait for the answer. Once only; after it, the message may be out."""
        ...

    def abandon(self) -> None:
        """Let go without the end: the message is certainly not sent."""
        ...


class Mailer(Protocol):
    """Hands messages over, in two phases with the fence between them (ADR-7), for any number of threads at once."""

    def stage(self, message: Message) -> Staged | RefusedForNow | Refused | Unreachable:
        """Transmit all but the end of a message."""
        ...

    def close(self) -> None:
        """Let go of connections; idempotent."""
        ...


class DomainVerifier(Protocol):
    """Where the proof that a host is a shop's own is looked for: in the DNS, or at the host itself."""

    def look(self, domain: Domain) -> VerificationResult:
        """Whether the proof is there now; bounded in time, and never an error.

        Nothing but public addresses is ever connected to (ADR-22).
        """
        ...


class PublicSuffixes(Protocol):
    """The names under which anybody may register one: `co.uk`, `myshopify.com`, `github.io`."""

    def includes(self, host: HostName) -> bool:
        """Whether the host is one itself, so that it is nobody's own."""
        ...


class HighWaterMarkStore(Protocol):
    """What this host has let out, kept apart from the database, so that an older copy of it is noticed (ADR-20)."""

    def read(self) -> HighWaterMark | None:
        """The mark as it stands, of any process on this host; None where there is none.

        Raises: `ConfigurationError` where it is damaged or cannot be read.
        """
        ...

    def make(self) -> HighWaterMark:
        """The mark; a new one, with a name for the host that no other has, where there is none.

        Raises: `ConfigurationError`.
        """
        ...

    def advance(self, number: int, horizon: datetime) -> None:
        """Raise the mark to these two, where it is lower; durable when this returns. Those who wait share the disk.

        Raises: `HighWaterMarkUnwritten` where it is not known to be durable.
        """
        ...


class SecretStore(Protocol):
    """Where the secret is, and where its successor waits until the key ring is sealed under it (ADR-31)."""

    @property
    def file(self) -> Path:
        """The file that holds the secret once it was changed."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Inside, nobody else changes what is kept in this place.

        Raises: `SecretBusy` where somebody does.
        """
        ...

    def current(self) -> Secret:
        """The secret that is to be used.

        Raises: `SecretMissing`, `ConfigurationError`.
        """
        ...

    def successor(self) -> Secret | None:
        """The secret that waits to take its place, where there is one.

        Raises: `ConfigurationError` where there is one that cannot be.
        """
        ...

    def prepare(self) -> Secret:
        """Have a successor wait; durable when this returns.

        Raises: `ConfigurationError`, `OSError`, with nothing changed.
        """
        ...

    def succeed(self) -> Path | None:
        """Put the successor in the place of the secret; durable when this returns. Where the old one is kept, if it is.

        Raises: `OSError`, with the successor still waiting.
        """
        ...

    def withdraw(self) -> bool:
        """Take away the successor that waits; False where that is not for us to do."""
        ...


class HighWaterMarkUnwritten(Exception):
    """The hand-over mark could not be written: nothing may be let out. Its words say which mark, and why."""


class WorkerPool(Protocol[T]):
    """Hands that work side by side, each at one thing at a time."""

    @property
    def size(self) -> int:
        """How many hands there are."""
        ...

    def begin(self, work: Callable[[], T]) -> None:
        """Have it done as soon as a hand is free, in the order in which it was asked for. It must not raise."""
        ...

    def next_done(self, seconds: float) -> T | None:
        """What came of the next work that is done; None where none is within so many seconds."""
        ...

    def finish(self, seconds: float) -> Iterator[T]:
        """Begin nothing more; what comes of the work at hand, until all is done or so many seconds are over."""
        ...
