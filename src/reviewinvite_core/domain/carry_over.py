"""What a restored database takes over from the one that it replaces. ADR-21.

Each function compares a value of the backup with the same one `since`, in the database that is replaced, and returns
what the restored database is to have, or None if that is the backup's. Only decisions that stop something or take it
back are carried over, never one that would let something be sent or open a door.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.invitation_states import (
    State,
)
from reviewinvite_core.domain.invitations import (
    Invitation,
)
from reviewinvite_core.domain.reviews import Act, Party, Review, ReviewState
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.signing import KeyState, SigningKey
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.domain.trust_mark import TrustMark


def carried_suppression(backup: Suppression | None, since: Suppression) -> Suppression | None:
    """A suppression stays; the customer's own word counts for more than an operator's."""
    if backup is None or (since.by is SuppressedBy.CUSTOMER and backup.by is not SuppressedBy.CUSTOMER):
        return since
    return None


def carried_shop(backup: Shop, since: Shop) -> Shop | None:
    """A shop that was made inactive stays so, and so does a trust mark that was revoked."""
    trust_mark = TrustMark.REVOKED if since.trust_mark is TrustMark.REVOKED else backup.trust_mark
    carried = attrs.evolve(backup, active=backup.active and since.active, trust_mark=trust_mark)
    return carried if carried != backup else None


def carried_api_key(backup: ApiKey, since: ApiKey) -> ApiKey | None:
    """A key that was revoked stays so."""
    return since if since.revoked_at and not backup.revoked_at else None


def carried_signing_key(backup: SigningKey, since: SigningKey) -> SigningKey | None:
    """A signing key that was compromised stays so."""
    return since if since.state is KeyState.COMPROMISED and backup.state is not KeyState.COMPROMISED else None


def carried_invitation(backup: Invitation, since: Invitation) -> Invitation | None:
    """An invitation that was cancelled or suppressed is not sent, and an address that was erased stays so."""
    carried = backup
    if since.state in {State.CANCELLED, State.SUPPRESSED} and backup.state in {State.SCHEDULED, State.CLAIMED}:
        carried = attrs.evolve(
            backup, state=since.state, reason=since.reason, changed_at=since.changed_at, reply=since.reply, claim=None
        )
    if since.sealed_address is None:
        carried = attrs.evolve(carried, sealed_address=None)
    return carried if carried != backup else None


def is_let_go(backup: Domain) -> bool:
    """Whether a host that was removed from its shop since is removed again: if the backup has it as verified."""
    return backup.verified_at is not None


def carried_domain(backup: Domain, since: Domain) -> Domain | None:
    """A host that is no longer verified, or no longer on an operator's word, or by another proof, stays as it is."""
    if backup.verified_at is None:
        return None
    weaker = since.verified_at is None or since.token != backup.token or (backup.vouched and not since.vouched)
    return since if weaker else None


def carried_review(backup: Review, since: Review, acts: Iterable[Act]) -> Review | None:
    """A review stays hidden or withdrawn, and as its writer left it; `acts` are those after the backup's revision.

    Otherwise a text or a name that its writer took back would be there again.
    """
    if since.revision <= backup.revision:
        return None
    closed = since.state is not ReviewState.PUBLISHED and since.state is not backup.state
    return since if closed or any(act.by is Party.CUSTOMER for act in acts) else None
