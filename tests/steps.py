"""Run single steps and units of work, as use cases and servers do."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TypeVar

from reviewinvite_core import GroupCommit
from reviewinvite_core.ports import Done, Failed, Outcome, UnitOfWork

T = TypeVar("T")


def submit(commits: GroupCommit, unit: UnitOfWork[T]) -> Future[T]:
    """Submit a unit to a group commit; return its result to come."""
    future: Future[T] = Future()

    def settle(outcome: Outcome) -> None:
        match outcome:
            case Done(result):
                future.set_result(result)  # type: ignore[arg-type]  # a UnitOfWork[T] returns a T
            case Failed(error):
                future.set_exception(error)

    commits.submit(unit, settle)
    return future
