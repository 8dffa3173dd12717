"""What is logged about deliveries: ids, states, reasons and codes; never an address and never a key."""

from __future__ import annotations

import structlog

from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation, Reason, State
from reviewinvite_core.ports import MarkUnwritten

_log = structlog.get_logger("reviewinvite.delivery")


def note_change(invitation: Invitation) -> None:
    """An invitation as a delivery left it."""
    telling = invitation.state in (State.UNCERTAIN, State.REJECTED) or invitation.reason is Reason.UNREACHABLE
    note = _log.warning if telling else _log.info
    reply = {"reply": invitation.reply} if invitation.reply else {}
    note(
        "invitation_changed",
        inviteId=invitation.invite_id,
        state=invitation.state.value,
        reason=invitation.reason.value,
        **reply,
    )


def note_pause(why: ConfigurationError) -> None:
    """Why nothing is delivered from now on."""
    _log.error("delivery paused", cause=str(why))


def note_trouble(trouble: Exception) -> None:
    """What kept the worker from its work; of an unforeseen fault only the name, as its text may hold anything."""
    if isinstance(trouble, StorageUnavailable):
        _log.warning("storage unavailable", cause=str(trouble))
    elif isinstance(trouble, MarkUnwritten):
        _log.error("hand-over mark unwritten", cause=str(trouble))
    else:
        _log.error("delivery failed", cause=type(trouble).__name__)
