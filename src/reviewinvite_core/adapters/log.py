"""Log events of deliveries, domains, shops and the secret's file: ids, hosts and states; never an address or a key."""

from __future__ import annotations

from datetime import datetime

from reviewinvite_core.adapters.loggers import get_logger
from reviewinvite_core.domain.domains import Rechecked, VerificationStatus
from reviewinvite_core.domain.errors import ApplicationClosed, ClockJumped, ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.domain.timing import iso_milliseconds
from reviewinvite_core.ports import HighWaterMarkUnwritten

_log = get_logger("reviewinvite.delivery")
_domains = get_logger("reviewinvite.domains")
_orders = get_logger("reviewinvite.orders")
_secret = get_logger("reviewinvite.secret")
_shops = get_logger("reviewinvite.shops")


def note_change(invitation: Invitation) -> None:
    """Log an invitation after a delivery attempt."""
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


def note_notice(notice: Notice) -> None:
    """Log a notice after a delivery attempt."""
    note = _log.warning if notice.state in (State.UNCERTAIN, State.REJECTED, State.EXPIRED) else _log.info
    reply = {"reply": notice.reply} if notice.reply else {}
    note(
        "message_changed",
        messageId=notice.message_id,
        kind=notice.kind.value,
        state=notice.state.value,
        reason=notice.reason.value if notice.reason else None,
        **reply,
    )


def note_pause(why: ConfigurationError) -> None:
    """Log why deliveries are paused."""
    _log.error("delivery paused", cause=str(why))


def note_outage(since: datetime | None) -> None:
    """Log since when the mail server refuses all mail, or with None that it accepts mail again."""
    if since:
        _log.error("the mail server refuses all mail", since=iso_milliseconds(since))
    else:
        _log.info("the mail server accepts mail again")


def note_trouble(trouble: Exception) -> None:
    """Log what stopped the worker; for unexpected errors only the class name, as the text may contain anything."""
    if isinstance(trouble, StorageUnavailable | ApplicationClosed):
        _log.warning("storage unavailable", cause=str(trouble))
    elif isinstance(trouble, ClockJumped):
        _log.warning("clock jumped", cause=str(trouble))
    elif isinstance(trouble, HighWaterMarkUnwritten):
        _log.error("hand-over mark unwritten", cause=str(trouble))
    else:
        _log.error("delivery failed", cause=type(trouble).__name__)


def note_recheck(rechecked: Rechecked) -> None:
    """Log a host whose proof went missing, was missing for too long, or returned; skip unchanged hosts."""
    after = rechecked.after
    if after.status is rechecked.before.status:
        return
    note = _domains.info if after.status is VerificationStatus.VERIFIED else _domains.warning
    reason = {"reason": after.reason} if after.reason else {}
    note("domain_changed", siteId=rechecked.site_id, host=after.host.text, state=after.status.value, **reason)


def note_recheck_trouble(trouble: Exception) -> None:
    """Log what stopped the rechecks. Deliveries already log that storage is unavailable."""
    if not isinstance(trouble, StorageUnavailable | ApplicationClosed):
        _domains.error("domain check failed", cause=type(trouble).__name__)


def note_empty_number(site_id: SiteId) -> None:
    """Log that a shop sends empty order numbers, so that a customer's orders may be merged."""
    _orders.warning("empty order number: a customer's orders of 60 days count as one", siteId=site_id.text)


def note_name_waiting(site_id: SiteId) -> None:
    """Log that a shop with the trust mark asks for another name."""
    _shops.info("a shop's new name waits for approval", siteId=site_id.text, next=f"shop approve {site_id}")


def note_weak_secret() -> None:
    """Log that the database is sealed under a secret that is easy to guess."""
    _secret.warning("the secret is easy to guess: change it with `reviewinvite secret rotate`")


def note_rotation_recovered(file: str, outcome: str) -> None:
    """Log that an interrupted change of the secret is now `finished` or `undone`."""
    _secret.warning("a change of the secret was interrupted", file=file, outcome=outcome)


def note_rotation_pending(file: str, trouble: Exception) -> None:
    """Log that an interrupted change of the secret cannot be completed; everything works, but its file stays behind."""
    cause = str(trouble) if not isinstance(trouble, OSError) else trouble.strerror or type(trouble).__name__
    _secret.warning("a change of the secret was interrupted", file=file, outcome="left as it is", cause=cause)
