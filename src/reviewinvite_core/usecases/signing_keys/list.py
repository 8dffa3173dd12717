"""List the signing keys."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.signing import SigningKey
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def list_keys(ctx: UnitContext) -> Sequence[SigningKey]:
    """All signing keys there ever were, by when they were announced."""
    return ctx.store.signing_keys.every()
