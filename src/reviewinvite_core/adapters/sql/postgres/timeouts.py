"""A connection to PostgreSQL that waits for no answer without end (ADR-15)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

T = TypeVar("T")

ANSWER_SECONDS = 40.0  # longer than the server lets a statement run, so that a server that is well answers first


class BoundedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is given up when an answer does not come in time: psycopg alone would wait for ever."""

    answer_seconds = ANSWER_SECONDS

    @contextmanager
    def answering_within(self, seconds: float) -> Iterator[None]:
        """Another bound for the block; `math.inf` for what may take as long as there is much of it."""
        before, self.answer_seconds = self.answer_seconds, seconds
        try:
            yield
        finally:
            self.answer_seconds = before

    def wait(self, gen: PQGen[T], *args: Any, **kwargs: Any) -> T:
        """Wait for an answer, as all statements do.

        Raises: `psycopg.OperationalError`, once `answer_seconds` are over; the connection is then closed, since
        what the server makes of the statement cannot be known any more.
        """
        try:
            return super().wait(self._within(self.answer_seconds, gen), *args, **kwargs)
        except _NoAnswer:
            self.close()
            raise

    @staticmethod
    def _within(seconds: float, gen: PQGen[T]) -> PQGen[T]:
        """The same talk with the server, broken off when nothing is to be read or written and the time is over."""
        until = time.monotonic() + seconds
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted  # nothing is ready when psycopg has looked in vain for a tenth of a second
                if not ready and time.monotonic() >= until:
                    raise _NoAnswer(f"no answer within {seconds:g} seconds")
                wanted = gen.send(ready)
        except StopIteration as end:
            answer: T = end.value
            return answer


class _NoAnswer(psycopg.OperationalError):
    """The server is silent."""
