"""What the pages say about the states of invitations, and about what happened to them."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core import Reason, State
from reviewinvite_core.texts import gettext_noop
from reviewinvite_core.values import ActorKind, Source

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

SOURCES: Mapping[Source, str] = {
    Source.API: gettext_noop("The API"),
    Source.IMPORT: gettext_noop("An import"),
    Source.DASHBOARD: gettext_noop("This dashboard"),
    Source.SNIPPET: gettext_noop("The snippet on your page"),
}
"""Of the others, the page says who the operator is."""

KINDS: Mapping[State, str] = {State.SENT: "ok", State.UNCERTAIN: "warn", State.REJECTED: "bad"}
"""Kinds of chips; all other states are muted."""

MEANINGS: Mapping[State, str] = {
    State.SCHEDULED: gettext_noop("It will be sent at the scheduled time."),
    State.CLAIMED: gettext_noop("Sending has started. You can still cancel the invitation."),
    State.HANDING_OVER: gettext_noop("It is being handed over to the mail server."),
    State.SENT: gettext_noop("The mail server has accepted it. It can no longer be stopped."),
    State.UNCERTAIN: gettext_noop(
        "We do not know whether the mail server accepted it. We are looking into it, and will decide what happens."
    ),
    State.REJECTED: gettext_noop("The mail server rejected it permanently. The address may be wrong."),
    State.CANCELLED: gettext_noop("Nothing was sent, and nothing will be sent."),
    State.SUPPRESSED: gettext_noop("Nothing was sent: this customer may not be invited for this order."),
    State.EXPIRED: gettext_noop("It could not be sent in time, so nothing was sent."),
}

REASONS: Mapping[Reason, str] = {
    Reason.REPORTED: gettext_noop("The order was reported"),
    Reason.CLAIMED: gettext_noop("Sending started"),
    Reason.CANCELLED: gettext_noop("It was cancelled"),
    Reason.ERASED: gettext_noop("The customer’s address was erased"),
    Reason.OPTED_OUT: gettext_noop("The customer wants no invitations, or the mailbox does not exist"),
    Reason.MEMBER: gettext_noop("The address is that of a member of the shop"),
    Reason.RECENTLY_INVITED: gettext_noop("The customer had been invited recently"),
    Reason.OVERDUE: gettext_noop("It could not be sent in time"),
    Reason.LEASE_EXPIRED: gettext_noop("Sending was interrupted; we will try again"),
    Reason.REFUSED_FOR_NOW: gettext_noop("The mail server refused it for now; we will try again"),
    Reason.UNREACHABLE: gettext_noop("The mail server could not be reached; we will try again"),
    Reason.SHOP_INACTIVE: gettext_noop("The shop was not active"),
    Reason.SHUTDOWN: gettext_noop("The service was stopped; we will try again"),
    Reason.PAUSED: gettext_noop("Sending was paused"),
    Reason.FAULT: gettext_noop("The service failed; we will try again"),
    Reason.MARK_UNWRITTEN: gettext_noop("The service could not record the delivery; we will try again"),
    Reason.REFUSED: gettext_noop("The mail server refused it"),
    Reason.NOT_RENDERABLE: gettext_noop("The e-mail could not be created"),
    Reason.RETRIES_EXHAUSTED: gettext_noop("We tried for three days"),
    Reason.FENCED: gettext_noop("The hand-over to the mail server began"),
    Reason.ACCEPTED: gettext_noop("The mail server accepted it"),
    Reason.ANSWER_LOST: gettext_noop("The mail server’s answer was lost"),
    Reason.PROCESS_DIED: gettext_noop("The service stopped during the hand-over"),
    Reason.LINK_OPENED: gettext_noop("The customer opened the link"),
    Reason.REVIEWED: gettext_noop("The customer wrote a review"),
    Reason.OPERATOR: gettext_noop("It was decided manually"),
    Reason.RETRIED: gettext_noop("It was refused; we are trying again"),
    Reason.RECONCILED: gettext_noop("It may have been sent before the database was restored"),
}

BROUGHT_FORWARD: Mapping[ActorKind | None, str] = {
    ActorKind.OPERATOR: gettext_noop("%(operator)s brought sending forward"),
    ActorKind.MEMBER: gettext_noop("A member of your shop brought sending forward"),
    ActorKind.API_KEY: gettext_noop("Sending was brought forward with an API key"),
    None: gettext_noop("Sending was brought forward"),
}
"""Who made a scheduled invitation due at once; None if nobody is known."""

BROUGHT_FORWARD_BY_READER = gettext_noop("You brought sending forward")
