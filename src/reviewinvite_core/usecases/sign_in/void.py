"""Void all that signs in, when the database turns out to be an older copy. Spec: §10.8."""

from __future__ import annotations

from reviewinvite_core.usecases.context import UnitContext


def void_sign_ins(ctx: UnitContext) -> None:
    """End all sessions and withdraw all links: some may have been ended or used since the copy was made."""
    ctx.store.sessions.end_everyones(ctx.now)
    ctx.store.sign_in_links.withdraw_everyones()
