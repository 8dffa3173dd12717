"""List the signing keys."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.signing import SigningKey
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def list_keys(ctx: UnitContext) -> Sequence[SigningKey]:
    """Return all signing keys, including retired and compromised ones, by time of announcement."""
    return ctx.store.signing_keys.every()
