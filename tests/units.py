"""Turn calls into units of work, for tests and benchmarks that submit them to a group commit or storage themselves."""

from __future__ import annotations

from typing import ParamSpec, TypeVar

from reviewinvite_core.application.application import Application
from reviewinvite_core.execution import Declaration, GroupCommit
from reviewinvite_core.ports import UnitOfWork
from reviewinvite_core.usecases.context import UnitContext

P = ParamSpec("P")
R = TypeVar("R")


def unit_of(
    app: Application, use_case: Declaration[UnitContext, P, R], *args: P.args, **kwargs: P.kwargs
) -> UnitOfWork[R]:
    """Return a call of a use case as a unit of work on the application's storage."""
    return app._use_cases.unit(use_case, *args, **kwargs)


def group_commit_of(app: Application) -> GroupCommit:
    """Return a group commit on the application's storage; close it before the application. Units run on its threads."""
    return GroupCommit(app._storage)
