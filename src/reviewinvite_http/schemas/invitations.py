"""A page of a shop's invitations as it goes over the wire. Spec: §4.9."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core import Invitation, InvitationPage


@attrs.frozen(kw_only=True)
class MerchantInvitations:
    """A page of a shop's invitations, the newest first; `next` is the id before which the next page begins."""

    invitations: Sequence[Invitation]
    next: str | None

    @classmethod
    def of(cls, page: InvitationPage) -> MerchantInvitations:
        """Return what is shown of a page."""
        return cls(invitations=[each.invitation for each in page.invitations], next=page.next)
