"""What the pages say about the states of invitations, and about what happened to them."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core import Reason, State
from reviewinvite_core.texts import gettext_noop

STATES: Mapping[State, str] = {
    State.SCHEDULED: gettext_noop("Scheduled"),
    State.CLAIMED: gettext_noop("In progress"),
    State.HANDING_OVER: gettext_noop("Being sent"),
    State.SENT: gettext_noop("Sent"),
    State.UNCERTAIN: gettext_noop("Uncertain"),
    State.REJECTED: gettext_noop("Rejected"),
    State.CANCELLED: gettext_noop("Cancelled"),
    State.SUPPRESSED: gettext_noop("Suppressed"),
    State.EXPIRED: gettext_noop("Expired"),
}

KINDS: Mapping[State, str] = {
    State.SENT: "ok",
    State.UNCERTAIN: "warn",
    State.REJECTED: "bad",
}
"""Kinds of chips; all other states are muted."""

MEANINGS: Mapping[State, str] = {
    State.SCHEDULED: gettext_noop("It is sent at the planned time."),
    State.CLAIMED: gettext_noop("A delivery has begun. You can still cancel it."),
    State.HANDING_OVER: gettext_noop("The mail server is accepting it at this moment."),
    State.SENT: gettext_noop("The mail server has accepted it. Nothing can stop it any more."),
    State.UNCERTAIN: gettext_noop("The mail server's answer is unknown. The operator of this service decides."),
    State.REJECTED: gettext_noop("The mail server has refused it for good. The address may be wrong."),
    State.CANCELLED: gettext_noop("Nothing was sent, and nothing will be."),
    State.SUPPRESSED: gettext_noop("Nothing was sent, because this customer is not to be invited."),
    State.EXPIRED: gettext_noop("It was due too long ago, so nothing was sent."),
}

REASONS: Mapping[Reason, str] = {
    Reason.REPORTED: gettext_noop("The order was reported"),
    Reason.CLAIMED: gettext_noop("A delivery began"),
    Reason.CANCELLED: gettext_noop("Your shop cancelled it"),
    Reason.ERASED: gettext_noop("The customer's address was erased"),
    Reason.OPTED_OUT: gettext_noop("The customer wants no invitations, or the mailbox does not exist"),
    Reason.RECENTLY_INVITED: gettext_noop("The customer had been invited recently"),
    Reason.OVERDUE: gettext_noop("It was due too long ago"),
    Reason.LEASE_EXPIRED: gettext_noop("The delivery did not end and will be repeated"),
    Reason.REFUSED_FOR_NOW: gettext_noop("The mail server refused it for now; it will be tried again"),
    Reason.UNREACHABLE: gettext_noop("The mail server could not be reached; it will be tried again"),
    Reason.SHOP_INACTIVE: gettext_noop("The shop was not active"),
    Reason.SHUTDOWN: gettext_noop("The service was stopped; it will be tried again"),
    Reason.PAUSED: gettext_noop("Deliveries were paused"),
    Reason.FAULT: gettext_noop("The service failed; it will be tried again"),
    Reason.MARK_UNWRITTEN: gettext_noop("The service could not record the delivery; it will be tried again"),
    Reason.REFUSED: gettext_noop("The mail server refused it"),
    Reason.NOT_RENDERABLE: gettext_noop("The e-mail could not be made"),
    Reason.RETRIES_EXHAUSTED: gettext_noop("It was tried for three days"),
    Reason.FENCED: gettext_noop("The hand-over to the mail server began"),
    Reason.ACCEPTED: gettext_noop("The mail server accepted it"),
    Reason.ANSWER_LOST: gettext_noop("The mail server's answer was lost"),
    Reason.PROCESS_DIED: gettext_noop("The service stopped during the hand-over"),
    Reason.LINK_OPENED: gettext_noop("The customer opened its link"),
    Reason.REVIEWED: gettext_noop("The customer wrote a review"),
    Reason.OPERATOR: gettext_noop("It was decided by hand"),
    Reason.RECONCILED: gettext_noop("It may have been sent before the database was restored"),
}
