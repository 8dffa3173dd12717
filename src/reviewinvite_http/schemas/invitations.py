"""A page of a shop's invitations, as the API shows it. Spec: §4.9."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.values import Invitation, InvitationPage


@attrs.frozen(kw_only=True)
class MerchantInvitations:
    """A page of a shop's invitations, the newest first; `next` is the cursor of the next page."""

    invitations: Sequence[Invitation]
    next: str | None

    @property
    def more(self) -> bool:
        """Whether there are more."""
        return self.next is not None

    @classmethod
    def of(cls, page: InvitationPage) -> MerchantInvitations:
        """Return a page as the API shows it."""
        return cls(invitations=[each.invitation for each in page.invitations], next=page.next)
