"""Shops that report orders as fast as they can, and remember each acknowledgement."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from typing import Self

import attrs
from tests.http.service import Answer, an_order, connect


@attrs.frozen
class Acknowledgement:
    """What an acknowledgement says of an order."""

    invite_id: str
    scheduled_for: str


class Load:
    """Concurrent clients, each on a connection of its own; a fourth of the reports are repeats, half are due now."""

    def __init__(self, address: str, key: str, name: str, *, clients: int = 8) -> None:
        self.acknowledged: dict[str, Acknowledgement] = {}
        self.contradictions: list[str] = []
        self.torn: list[str] = []
        self.refused: list[int] = []
        self._address = address
        self._key = key
        self._name = name
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(clients)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, client: int) -> None:
        connection = connect(self._address)
        serial = 0
        while not self._stop.is_set():
            repeat = serial % 4 == 3
            number = f"{self._name}-{client}-{serial - 1 if repeat else serial}"
            serial += 1
            if not self._report(connection, number, repeat=repeat, delay=5 * (serial % 2)):
                break
        connection.close()

    def _report(self, connection: http.client.HTTPConnection, number: str, *, repeat: bool, delay: int) -> bool:
        """Report once; return whether the server is still there."""
        answer = self._ask(connection, an_order(orderNumber=number, delayDays=delay))
        if answer is not None:
            self._record(number, answer, repeat=repeat)
        return answer is not None

    def _ask(self, connection: http.client.HTTPConnection, body: bytes) -> Answer | None:
        """Return the answer, or None if the server is gone."""
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/v1/orders", body, headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException):  # it is gone, and has acknowledged nothing
            return None
        try:
            return Answer(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException) as torn:
            self.torn.append(repr(torn))
            return None

    def _record(self, number: str, answer: Answer, *, repeat: bool) -> None:
        if answer.status not in (200, 201):
            self.refused.append(answer.status)
            return
        acknowledged = Acknowledgement(answer.json["inviteId"], answer.json["scheduledFor"])
        if self.acknowledged.setdefault(number, acknowledged) != acknowledged or (answer.status == 200) != repeat:
            self.contradictions.append(f"{number}: {answer.status} {acknowledged}")

    def has_been_refused(self, count: int) -> Callable[[], bool]:
        """Return a check whether at least `count` reports have been refused."""
        return lambda: len(self.refused) >= count

    def has_acknowledged(self, count: int) -> Callable[[], bool]:
        """Return a check whether at least `count` orders have been acknowledged."""
        return lambda: len(self.acknowledged) >= count


class RetryingLoad(Load):
    """Clients that report again after a 503 until they get an answer: the order may have been kept all the same."""

    def __init__(self, address: str, key: str, name: str, *, clients: int = 4) -> None:
        super().__init__(address, key, name, clients=clients)
        self.waits: list[str | None] = []

    def _report(self, connection: http.client.HTTPConnection, number: str, *, repeat: bool, delay: int) -> bool:
        doubtful = False
        while not self._stop.is_set():
            answer = self._ask(connection, an_order(orderNumber=number, delayDays=delay))
            if answer is None:
                return False
            if answer.status != 503:
                self._record(number, answer, repeat=repeat or (doubtful and answer.status == 200))
                return True
            doubtful = True
            self.refused.append(503)
            self.waits.append(answer.headers["Retry-After"])
            time.sleep(0.05)
        return False
