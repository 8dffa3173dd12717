"""Shops that report orders as fast as they can, and remember exactly what they were told."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from typing import Self

import attrs
from tests.http.service import Answer, an_order, connect


@attrs.frozen
class Told:
    """What an acknowledgement said."""

    invite_id: str
    scheduled_for: str


class Load:
    """So many clients at once, each on a connection of its own; a fourth of the reports are repeats, half are due."""

    def __init__(self, address: str, key: str, name: str, *, clients: int = 8) -> None:
        self.told: dict[str, Told] = {}
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
        """Report once; whether the service is still there."""
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/v1/orders", an_order(orderNumber=number, delayDays=delay), headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException):  # it has gone, and has told nothing
            return False
        try:
            answer = Answer(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException) as torn:
            self.torn.append(f"{number}: {torn!r}")
            return False
        if answer.status not in (200, 201):
            self.refused.append(answer.status)
            return True
        told = Told(answer.json["inviteId"], answer.json["scheduledFor"])
        if self.told.setdefault(number, told) != told or (answer.status == 200) != repeat:
            self.contradictions.append(f"{number}: {answer.status} {told}")
        return True

    def has_told(self, count: int) -> Callable[[], bool]:
        """Whether so many orders have been acknowledged."""
        return lambda: len(self.told) >= count
