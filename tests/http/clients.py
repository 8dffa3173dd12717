"""Both clients behind one face, so that a test runs on each; and a clock by which nobody waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from tests.http.service import SITE, Service
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import ShopChanges
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import Domain, HideReason
from reviewinvite_http.client import AsyncClient, Client, Retries

KINDS = ("sync", "async")


class SteppedClock:
    """A client's clock that goes on only by what the client sleeps. Implements `Clock`.

    `on_sleep` is called with the seconds of each pause: a test mends there what was broken.
    """

    def __init__(self, on_sleep: Callable[[float], object] = lambda _: None, at: datetime | None = None) -> None:
        self.slept: list[float] = []
        self.on_sleep = on_sleep
        self.at = at

    def now(self) -> datetime:
        return self.at or datetime.now(UTC)

    def monotonic(self) -> float:
        return sum(self.slept)

    def chance(self) -> float:
        return 0.5

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.on_sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


class Blocking:
    """A client whose methods return results, and lists of pages, whichever kind it is."""

    def __init__(self, kind: str, address: str, key: str | None, **options: Any) -> None:
        given = {"timeout": TIMEOUT_SECONDS, "retries": Retries(seconds=100 * TIMEOUT_SECONDS), **options}
        self._runner = asyncio.Runner()
        self._client: Any = (Client if kind == "sync" else AsyncClient)(address, key, **given)
        self._is_async = kind == "async"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        def call(*arguments: Any, **named: Any) -> Any:
            made = method(*arguments, **named)
            if name.endswith("_pages"):
                return self._runner.run(_listed(made)) if self._is_async else list(made)
            return self._runner.run(made) if self._is_async else made

        return call

    def end(self) -> None:
        """Close the client and its event loop."""
        if self._is_async:
            self._runner.run(self._client.aclose())
        else:
            self._client.close()
        self._runner.close()


@contextmanager
def a_client(kind: str, address: str, key: str | None = None, **options: Any) -> Iterator[Blocking]:
    """Yield a client of this kind; close it after the block."""
    client = Blocking(kind, address, key, **options)
    try:
        yield client
    finally:
        client.end()


async def _listed(pages: Any) -> list[Any]:
    return [page async for page in pages]


def with_shop(service: Service, site: str = SITE) -> str:
    """Add a shop and return a key of it."""
    service.app.shops.add(a_shop(site))
    return service.a_key(site)


def trusted_shop(service: Service, site: str) -> None:
    """Add a shop that has the trust mark and a verified host."""
    with_shop(service, site)
    assert isinstance(service.app.domains.add(site, f"{site}.example.nl", assume_verified=True), Domain)
    service.app.trust_marks.grant(site)


def hide(service: Service, review_id: str) -> None:
    """Hide a review, as an operator does."""
    service.app.reviews.hide(review_id, HideReason.INSULT)


def deactivate(service: Service, site: str) -> None:
    """Make a shop inactive."""
    service.app.shops.update(site, ShopChanges(active=False))


def retire_signing_key(service: Service) -> None:
    """Have the standby sign, as after a regular change of keys."""
    service.app.signing_keys.rotate()


def compromise_signing_key(service: Service, key_id: str) -> None:
    """Withdraw a key, as after a theft."""
    service.app.signing_keys.revoke(key_id)
