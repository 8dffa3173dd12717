"""Run single steps in transactions of an application, as its use cases do."""

from __future__ import annotations

from typing import NoReturn

from reviewinvite_core import Application
from reviewinvite_core.usecases.context import TransactionRunner


def performing(app: Application) -> TransactionRunner:
    """Return what runs each step in a transaction of its own on the application's storage."""
    return app.delivery.performing(_no_shared_commits)


def _no_shared_commits(_: object) -> NoReturn:
    raise NotImplementedError
