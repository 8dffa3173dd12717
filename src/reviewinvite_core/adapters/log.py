"""What is logged about deliveries: ids, states, reasons and codes; never an address and never a key."""

from __future__ import annotations

import structlog

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation, State

_log = structlog.get_logger("reviewinvite.delivery")


def note_change(invitation: Invitation) -> None:
    """An invitation as a delivery left it."""
    note = _log.warning if invitation.state in (State.UNCERTAIN, State.REJECTED) else _log.info
    reply = {"reply": invitation.reply} if invitation.reply else {}
    note(
        "invitation_changed",
        inviteId=invitation.invite_id,
        state=invitation.state.value,
        reason=invitation.reason.value,
        **reply,
    )


def note_trouble(trouble: StorageUnavailable) -> None:
    """Storage was away when the worker needed it."""
    _log.warning("storage unavailable", cause=str(trouble))
