"""What the machine and its surroundings give: clock, entropy, secret, threads, DNS, telemetry."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.sealing import Secret


class Clock(Protocol):
    def now(self) -> datetime:
        """Return the current instant in UTC."""


class Entropy(Protocol):
    """The source of randomness."""

    def draw(self, size: int) -> bytes:
        """Return `size` random bytes, good enough for keys."""


class SecretStore(Protocol):
    """The secret, and its successor while the key ring is not yet sealed under it (ADR-31)."""

    @property
    def file(self) -> Path:
        """The file that holds the secret after `promote`."""

    def alone(self) -> AbstractContextManager[None]:
        """Return a context in which no other process changes this store.

        Raises: `SecretBusy` if another process is changing it.
        """

    def current(self) -> Secret:
        """Return the secret in use.

        Raises: `SecretMissing`, `ConfigurationError`.
        """

    def successor(self) -> Secret | None:
        """Return the staged successor, or None.

        Raises: `ConfigurationError` if it is invalid.
        """

    def stage(self) -> Secret:
        """Stage a successor and return it; durable on return.

        Raises: `ConfigurationError`, `OSError`, with nothing changed.
        """

    def promote(self) -> Path | None:
        """Make the successor the secret; durable on return. Return where the old secret was saved, or None.

        Raises: `OSError`, with the successor still staged.
        """

    def discard(self) -> bool:
        """Remove the staged successor; return False if this store must not remove it."""


class DomainVerifier(Protocol):
    """Checks the proof that a host belongs to a shop: in the DNS, or on the host itself."""

    def verify(self, domain: Domain) -> VerificationResult:
        """Check whether the proof is there now; time is bounded, and failures are results, not exceptions.

        The verifier connects to public addresses only (ADR-22).
        """


class PublicSuffixes(Protocol):
    """Names under which anybody can register a name, such as `co.uk`, `myshopify.com` and `github.io`."""

    def includes(self, host: HostName) -> bool:
        """Return whether the host itself is a public suffix, which belongs to nobody."""


T = TypeVar("T")

Work: TypeAlias = Callable[[Callable[[], None]], Awaitable[T]]
"""Work for a pool: it is called with a function that frees its worker before the work has ended."""


class WorkerPool(Protocol[T]):
    """A fixed-size pool of workers that run coroutines (ADR-49)."""

    @property
    def size(self) -> int:
        """The number of workers."""

    def begin(self, work: Work[T], *, ahead: bool = False) -> None:
        """Run the work on the next free worker, in order of submission, or `ahead` of all that is not so.

        The work must not raise.
        """

    def next_done(self, seconds: float) -> T | None:
        """Return the result of the next finished work, or None after `seconds`."""

    def finish(self, seconds: float) -> Iterator[T]:
        """Start no new work; yield results of running work until done or timed out."""


class Telemetry(Protocol):
    """Receives what happened, once it is durable; an argument of `build`.

    Calls come from any thread, also from an event loop, so they must be quick. What they raise is ignored.
    """

    def answered(self, use_case: str, result: object) -> None:
        """Note the result of a call, also a refusal; `use_case` is the name of its function, such as `report_order`."""

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        """Note a transaction, its number of units of work and its duration; `stored` is false if storage failed."""

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        """Note what a delivery or a sweep has left of an invitation or notice: its state and reason are the result.

        `seconds` is the duration of the delivery, or None if there was none: it was swept, or released unbegun.
        """

    def in_flight(self, count: int) -> None:
        """Note how many invitations and notices the worker of this process has claimed and not finished."""


class NoTelemetry:
    """Implements `Telemetry`: notes nothing."""

    def answered(self, use_case: str, result: object) -> None:
        pass

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        pass

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        pass

    def in_flight(self, count: int) -> None:
        pass
