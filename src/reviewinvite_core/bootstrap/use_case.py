"""A use case, ready to call: with the storage that it runs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import attrs

from reviewinvite_core.bootstrap.delivery import Runner
from reviewinvite_core.ports import (
    Batchable,
    LockedUnit,
    Store,
    UnitOfWork,
)
from reviewinvite_core.usecases.context import UnitContext

P = ParamSpec("P")
R = TypeVar("R")


@attrs.frozen
class UseCase(Generic[P, R]):
    """A use case, ready to call: in a transaction of its own, durable when it returns."""

    _body: Callable[Concatenate[UnitContext, P], R]
    _work_on: Callable[[Store], UnitContext]
    _run: Runner
    _locks: Callable[P, frozenset[int]] | None = None
    _together: Callable[[UnitContext, Sequence[Any]], Sequence[R]] | None = None
    _shared: Callable[P, frozenset[int]] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the use case gives.

        Raises: `Invalid` for a value that cannot be, `StorageUnavailable`; with nothing kept (see `Storage.run`).
        """
        return self._run(self.unit(*args, **kwargs))

    def unit(self, *args: P.args, **kwargs: P.kwargs) -> UnitOfWork[R]:
        """The same as a unit of work, to be submitted to a group commit."""
        body, work_on = self._body, self._work_on

        def unit(store: Store) -> R:
            return body(work_on(store), *args, **kwargs)

        if self._locks is None:
            return unit
        if self._together is None or kwargs:
            return LockedUnit(unit, self._locks(*args, **kwargs))
        shared = self._shared(*args, **kwargs) if self._shared else frozenset()
        return LockedUnit(unit, self._locks(*args, **kwargs) | shared, Batchable(self._run_together, args, shared))

    def _run_together(self, store: Store, asked: Sequence[Any]) -> Sequence[R]:
        assert self._together is not None  # noqa: S101 - for the type checker: only then is there a joint
        return self._together(self._work_on(store), asked)
