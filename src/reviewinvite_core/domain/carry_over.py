"""Decisions that a restored database takes over from the database it replaces. ADR-21.

Each `carried_*` function compares a value in the backup with `since`, the current value in the database being
replaced. It returns the value for the restored database, or None to keep the backup's. Only decisions that stop or
withdraw something, and customers' changes to their reviews, are carried over; never one that would send something or
grant access.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.members import Role
from reviewinvite_core.domain.provenance import Confirmation
from reviewinvite_core.domain.reviews import Act, Party, Review, ReviewState
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.signing import KeyState, SigningKey
from reviewinvite_core.domain.suppressions import REPLACED_BY, Suppression
from reviewinvite_core.domain.trust_mark import TrustMark


def carried_suppression(backup: Suppression | None, since: Suppression) -> Suppression | None:
    """Keep a later suppression, unless the backup's outranks it; of two for a dead mailbox the one that ends later."""
    if backup is None:
        return since
    is_later = backup.by is not since.by or since.suppressed_at > backup.suppressed_at
    return since if is_later and backup.by in REPLACED_BY[since.by] else None


def carried_shop(backup: Shop, since: Shop) -> Shop | None:
    """Keep a shop inactive and its trust mark revoked if they became so after the backup.

    The stricter of the two frequency rules holds, and of the two snippet modes. The snippet secrets are the later ones:
    the shop's pages sign with them, and a secret that was replaced must not come back.
    """
    trust_mark = TrustMark.REVOKED if since.trust_mark is TrustMark.REVOKED else backup.trust_mark
    carried = attrs.evolve(
        backup,
        active=backup.active and since.active,
        trust_mark=trust_mark,
        frequency_days=max(backup.frequency_days, since.frequency_days),
        snippet=backup.snippet.stricter_of(since.snippet),
        snippet_secrets=since.snippet_secrets,
    )
    return carried if carried != backup else None


def carried_api_key(backup: ApiKey, since: ApiKey) -> ApiKey | None:
    """Keep an API key revoked."""
    return since if since.revoked_at and not backup.revoked_at else None


def carried_role(backup: Role, since: Role) -> Role | None:
    """Keep the role of a member who was an owner in the backup and became staff."""
    return since if backup is Role.OWNER and since is Role.STAFF else None


def carried_signing_key(backup: SigningKey, since: SigningKey) -> SigningKey | None:
    """Keep a signing key compromised."""
    return since if since.state is KeyState.COMPROMISED and backup.state is not KeyState.COMPROMISED else None


def carried_invitation(backup: Invitation, since: Invitation) -> Invitation | None:
    """Keep an invitation cancelled or suppressed, so that it is not sent, and its address erased.

    Keep an order unconfirmed that was reviewed so: the backup may lack the review, but the shop has seen it. A
    confirmation that the backup lacks is not carried over: it would grant something.
    """
    carried = backup
    if since.state in {State.CANCELLED, State.SUPPRESSED} and backup.state in {State.SCHEDULED, State.CLAIMED}:
        carried = attrs.evolve(
            backup, state=since.state, reason=since.reason, changed_at=since.changed_at, reply=since.reply, claim=None
        )
    if since.sealed_address is None:
        carried = attrs.evolve(carried, sealed_address=None)
    if since.provenance.confirmation is Confirmation.TOO_LATE and not backup.confirmed:
        carried = attrs.evolve(carried, provenance=since.provenance)
    return carried if carried != backup else None


def is_let_go(backup: Domain) -> bool:
    """Return whether to remove a host that was removed after the backup: only if it is verified in the backup."""
    return backup.verified_at is not None


def carried_domain(backup: Domain, since: Domain) -> Domain | None:
    """Keep the weaker verification of a host: unverified, no longer vouched for, or with another token."""
    if backup.verified_at is None:
        return None
    weaker = since.verified_at is None or since.token != backup.token or (backup.vouched and not since.vouched)
    return since if weaker else None


def carried_review(backup: Review, since: Review, acts: Iterable[Act]) -> Review | None:
    """Keep a review hidden or withdrawn, with the content that its author last gave it.

    `acts` are those after the backup's revision. Without this, a text or name that its author removed would reappear.
    """
    if since.revision <= backup.revision:
        return None
    closed = since.state is not ReviewState.PUBLISHED and since.state is not backup.state
    return since if closed or any(act.by is Party.CUSTOMER for act in acts) else None
