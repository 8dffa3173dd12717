"""Show the page of an unsubscribe link. Spec: §6 (Links)."""

from __future__ import annotations

from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.subscription import Subscription, invitation_of_link, subscription_of


@read
def show_subscription(ctx: UnitContext, token: str) -> Subscription | None:
    """Return what the link's page shows, or None if the token is not ours."""
    found = invitation_of_link(ctx, token)
    return subscription_of(ctx, *found) if found else None
