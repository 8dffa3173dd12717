"""Shops that report orders over HTTP, each until it is acknowledged, whatever breaks."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import attrs
import httpx

from reviewinvite_http.client import Client, Retries, ReviewinviteError

_ONCE = Retries(attempts=1)
_ANSWER_SECONDS = 10.0
_PAUSE_SECONDS = 0.2  # after a failure
_REPEATED_ONE_IN = 5


def customer(order: str) -> str:
    """Return the address of the customer of this order; no two orders have the same."""
    return f"{order}@customers.example"


@attrs.define
class Load:
    """Clients that report new orders all the time, with a pause between them; one in five is reported twice."""

    url: str
    key: str
    clients: int
    pause: float
    unexpected: list[str] = attrs.field(factory=list, init=False)
    failed_attempts: int = attrs.field(default=0, init=False)
    _acknowledged: dict[str, list[str]] = attrs.field(factory=dict, init=False)
    _reported: set[str] = attrs.field(factory=set, init=False)
    _reported_again: set[str] = attrs.field(factory=set, init=False)
    _stop: threading.Event = attrs.field(factory=threading.Event, init=False)
    _threads: list[threading.Thread] = attrs.field(factory=list, init=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    _serials: list[int] = attrs.field(factory=list, init=False)

    def start(self) -> None:
        """Let the clients begin, or go on."""
        self._stop.clear()
        self._serials = self._serials or [0] * self.clients
        self._threads = [threading.Thread(target=self._run, args=(n,), daemon=True) for n in range(self.clients)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let the clients finish their requests; an order that is not acknowledged then is not reported again."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def report_again(self, orders: Iterable[str]) -> None:
        """Report these once more and wait for all acknowledgements, as a shop does after a restore.

        An order that the restored database does not have gets another invitation, which takes the place of the first.
        """
        waiting = list(orders)
        self._reported_again.update(waiting)
        self._stop.clear()

        def run() -> None:
            with self._client() as client:
                while not self._stop.is_set():
                    try:
                        order = waiting.pop()
                    except IndexError:
                        return
                    self._report(client, order)

        self._threads = [threading.Thread(target=run, daemon=True) for _ in range(self.clients)]
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join()

    @property
    def count(self) -> int:
        """The number of orders acknowledged so far."""
        return len(self._acknowledged)

    def acknowledged(self) -> Mapping[str, list[str]]:
        """Return the acknowledged orders, each with the ids of its invitations: one, unless something is wrong."""
        with self._lock:
            return {order: list(ids) for order, ids in self._acknowledged.items()}

    def unanswered(self) -> set[str]:
        """Return the orders that were reported and never acknowledged; they may be stored all the same."""
        with self._lock:
            return self._reported - set(self._acknowledged)

    @contextmanager
    def _client(self) -> Iterator[Client]:
        # without the proxies of the environment, as the service is on this machine
        with (
            httpx.Client(trust_env=False) as http,
            Client(self.url, self.key, timeout=_ANSWER_SECONDS, retries=_ONCE, http=http) as client,
        ):
            yield client

    def _run(self, number: int) -> None:
        with self._client() as client:
            while not self._stop.wait(self.pause):
                serial = self._serials[number]
                self._serials[number] += 1
                for _ in range(2 if serial % _REPEATED_ONE_IN == 0 else 1):
                    self._report(client, f"order-{number}-{serial}")

    def _report(self, client: Client, order: str) -> None:
        """Report an order until it is acknowledged, or the load is stopped."""
        with self._lock:
            self._reported.add(order)
        while not self._stop.is_set():
            try:
                answer = client.report_order(customer(order), order_number=order, delay_days=0)
            except ReviewinviteError as error:
                self.failed_attempts += 1
                if error.gave_up is None:  # no such answer is expected
                    self.unexpected.append(f"{order}: {type(error).__name__}: {error}")
                    return
                self._stop.wait(_PAUSE_SECONDS)
                continue
            with self._lock:
                if order in self._reported_again:
                    self._reported_again.remove(order)
                    self._acknowledged[order] = []
                ids = self._acknowledged.setdefault(order, [])
                if answer.invite_id not in ids:
                    ids.append(answer.invite_id)
            return
