"""A connection to PostgreSQL with a limit on every wait for an answer (ADR-15)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

T = TypeVar("T")

ANSWER_SECONDS = 40.0  # longer than the server's statement time-out, so that a healthy server answers first


class BoundedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that closes when an answer does not arrive in time; psycopg alone would wait for ever."""

    answer_seconds = ANSWER_SECONDS

    @contextmanager
    def answering_within(self, seconds: float) -> Iterator[None]:
        """Use another limit in the block; `math.inf` for statements that may take long."""
        before, self.answer_seconds = self.answer_seconds, seconds
        try:
            yield
        finally:
            self.answer_seconds = before

    def wait(self, gen: PQGen[T], *args: Any, **kwargs: Any) -> T:
        """Wait for an answer, as all statements do.

        Raises: `psycopg.OperationalError` after `answer_seconds`; the connection is then closed, since the fate of the
        statement is unknown.
        """
        try:
            return super().wait(self._within(self.answer_seconds, gen), *args, **kwargs)
        except _NoAnswer:
            self.close()
            raise

    @staticmethod
    def _within(seconds: float, gen: PQGen[T]) -> PQGen[T]:
        """Run psycopg's exchange with the server; break it off if the time is over and nothing is ready."""
        until = time.monotonic() + seconds
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted  # nothing ready: psycopg has polled for a tenth of a second
                if not ready and time.monotonic() >= until:
                    raise _NoAnswer(f"no answer within {seconds:g} seconds")
                wanted = gen.send(ready)
        except StopIteration as end:
            answer: T = end.value
            return answer


class _NoAnswer(psycopg.OperationalError):
    """The server does not answer."""
