"""Shops that report orders while everything around the service breaks, and do not give up."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable
from typing import Self

import attrs
from tests.http.load import Acknowledgement
from tests.http.service import Answer, an_order, connect, report

NOT_DUE_DAYS = 30


def customer(order_number: str) -> str:
    """Return the address of the customer who placed this order."""
    return f"customer-{order_number}@example.com"


@attrs.define
class StubbornLoad:
    """Clients that report each order until it is acknowledged, in spite of errors, 503s and broken connections.

    `address` is asked for the service's address before each connection. Each client reports at most once in
    `pause` seconds. One order in `due_one_in` is due at once, the others in 30 days; every fifth is reported twice.
    """

    address: Callable[[], str]
    key: str
    name: str = "order"
    clients: int = 4
    pause: float = 0.05
    due_one_in: int = 4
    acknowledged: dict[str, Acknowledgement] = attrs.field(factory=dict, init=False)
    due: set[str] = attrs.field(factory=set, init=False)
    contradictions: list[str] = attrs.field(factory=list, init=False)
    doubtful: int = attrs.field(default=0, init=False)
    _stop: threading.Event = attrs.field(factory=threading.Event, init=False)
    _threads: list[threading.Thread] = attrs.field(factory=list, init=False)

    def __enter__(self) -> Self:
        self._threads += [threading.Thread(target=self._run, args=(number,)) for number in range(self.clients)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def has_acknowledged(self, more: int) -> Callable[[], bool]:
        """Return a check whether `more` orders than now have been acknowledged."""
        wanted = len(self.acknowledged) + more
        return lambda: len(self.acknowledged) >= wanted

    def _run(self, client: int) -> None:
        serial = 0
        while not self._stop.is_set():
            number, is_due = f"{self.name}-{client}-{serial}", serial % self.due_one_in == 0
            body = an_order(customer(number), orderNumber=number, delayDays=0 if is_due else NOT_DUE_DAYS)
            for repeat in (False, True) if serial % 5 == 0 else (False,):
                self._report_until_acknowledged(number, body, repeat=repeat)
            if is_due and number in self.acknowledged:
                self.due.add(number)
            serial += 1

    def _report_until_acknowledged(self, number: str, body: bytes, *, repeat: bool) -> None:
        connection: http.client.HTTPConnection | None = None
        in_doubt = False
        while not self._stop.wait(self.pause):
            try:
                connection = connection or connect(self.address())
                answer = report(connection, self.key, body)
            except (OSError, http.client.HTTPException):  # it may have been stored all the same
                if connection is not None:
                    connection.close()
                connection, in_doubt = None, True
                self.doubtful += 1
                continue
            if answer.status in (200, 201):
                self._record(number, answer, repeat=repeat, in_doubt=in_doubt)
                break
            if answer.status < 500:
                self.contradictions.append(f"{number}: {answer.status} {answer.body!r}")
                break
            in_doubt = True
            self.doubtful += 1
        if connection is not None:
            connection.close()

    def _record(self, number: str, answer: Answer, *, repeat: bool, in_doubt: bool) -> None:
        told = json.loads(answer.body)
        acknowledgement = Acknowledgement(told["inviteId"], told["scheduledFor"])
        is_new = answer.status == 201
        if self.acknowledged.setdefault(number, acknowledgement) != acknowledgement:
            self.contradictions.append(f"{number}: {self.acknowledged[number]}, then {acknowledgement}")
        if is_new if repeat else not (is_new or in_doubt):
            self.contradictions.append(f"{number}: {answer.status} with repeat={repeat}")
