"""`/dashboard/<site_id>/invitations`: every order that was reported, and what became of its invitation. Spec: §10.5."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import attrs
from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from reviewinvite_core import Actor, Invalid, InvitationQuery, Reason, State, accepted
from reviewinvite_core.texts import gettext_noop, texts_in
from reviewinvite_core.values import (
    ActorKind,
    ActorRef,
    Change,
    InvitationPage,
    InvitationRecord,
    Source,
    TooLate,
    permissions,
)
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.lists import EXPORT, InState, export, in_language
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.pages.page import About
from reviewinvite_http.requests import READ

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


PAGE = 50
COLUMNS = (
    *("invite_id", "order_number", "state", "reason", "reported_at", "scheduled_for", "changed_at"),
    *("source", "confirmed", "sent_at", "reviewed"),
)

_CANCELLABLE = (State.SCHEDULED, State.CLAIMED)


@route("/{site_id:str}/invitations", http_method=READ, opt=needs(permissions.SEE_INVITATIONS))
async def invitations_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    in_state: InState = "",
    order: FromQuery[str] = "",
    before: FromQuery[str | None] = None,
) -> Response[Any]:
    """List the invitations of the shop, the newest first."""
    page: InvitationPage = accepted(await server.app.invitations.list(acting, _query(in_state, order, before, PAGE)))
    filters = {name: value for name, value in (("state", in_state), ("order", order.strip())) if value}
    return dashboard_page(
        visit,
        "invitations",
        records=page.invitations,
        next=page.next,
        is_newest=before is None,
        state=in_state,
        order=order,
        query=urlencode(filters),
        labels=await key_labels(server, acting),
        **_words(visit),
    )


@route("/{site_id:str}/invitations.csv", http_method=READ, opt=needs(permissions.SEE_INVITATIONS))
async def invitations_csv(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    in_state: InState = "",
    order: FromQuery[str] = "",
) -> Response[Any]:
    """Export the invitations of the shop, with the same filters."""
    query = _query(in_state, order, None, EXPORT)

    async def read(before: str | None) -> InvitationPage:
        return accepted(await server.app.invitations.list(acting, attrs.evolve(query, before=before)))

    return await export(visit, "invitations", COLUMNS, read, lambda page: map(_row, page.invitations))


@route("/{site_id:str}/invitations/{invite_id:str}", http_method=READ, opt=needs(permissions.SEE_INVITATIONS))
async def invitation_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    invite_id: FromPath[str],
    done: FromQuery[str] = "",
) -> Response[Any]:
    """Show an invitation with its history, and what can still be done."""
    return await _page(server, visit, acting, invite_id, done=done)


@post("/{site_id:str}/invitations/{invite_id:str}/cancel", opt=needs(permissions.CANCEL_INVITATIONS))
async def cancel(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    invite_id: FromPath[str],
) -> Response[Any]:
    """Cancel an invitation, unless it has been handed over."""
    cancelled = await server.app.invitations.cancel(acting, invite_id)
    if isinstance(cancelled, TooLate):
        return await _page(server, visit, acting, invite_id, status=409)
    invitation = accepted(cancelled).invitation
    return see_other(visit, f"{visit.shop_root}/invitations/{invitation.invite_id}?done=cancelled")


@route(
    "/{site_id:str}/invitations/{invite_id:str}/send-now", http_method=READ, opt=needs(permissions.SEND_INVITATIONS_NOW)
)
async def send_now_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    invite_id: FromPath[str],
) -> Response[Any]:
    """Ask whether to send an invitation at once, or show that it is too late."""
    return await _page(server, visit, acting, invite_id, template="send_now.html")


@post("/{site_id:str}/invitations/{invite_id:str}/send-now", opt=needs(permissions.SEND_INVITATIONS_NOW))
async def send_now(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    invite_id: FromPath[str],
) -> Response[Any]:
    """Make a scheduled invitation due at once."""
    due = await server.app.invitations.send_now(acting, invite_id)
    if isinstance(due, TooLate):
        return await _page(server, visit, acting, invite_id, status=409)
    return see_other(visit, f"{visit.shop_root}/invitations/{accepted(due).invite_id}?done=due")


async def _page(
    server: ServerContext,
    visit: Visit,
    acting: Actor,
    invite_id: str,
    *,
    template: str = "invitation.html",
    status: int = 200,
    done: str = "",
) -> Response[Any]:
    """Return an invitation's page, as it is now; 409 says that what was asked for came too late."""
    shown = accepted(await server.app.invitations.show(acting, invite_id))
    invitation = shown.invitation
    is_due = invitation.state is State.SCHEDULED and invitation.due_at <= server.app.sync.now()
    can_send = invitation.state is State.SCHEDULED and not (is_due and invitation.reason is Reason.OPERATOR)
    return dashboard_page(
        visit,
        "invitations",
        template=template if can_send else "invitation.html",
        status=status,
        history=_history(visit, shown, About.of(server.app).name),
        review_id=shown.review_id,
        labels=await key_labels(server, acting),
        invitation=invitation,
        is_due=is_due,
        can_cancel=invitation.state in _CANCELLABLE,
        can_send=can_send,
        is_too_late=status == 409,
        done=done,
        **_words(visit),
    )


async def key_labels(server: ServerContext, acting: Actor) -> Mapping[str | None, str]:
    """Return the label of each of the shop's keys, by its id, and an empty text for any other."""
    keys = accepted(await server.app.api_keys.list(acting))
    return defaultdict(str, {each.key_id: each.label for each in keys})


def _history(visit: Visit, record: InvitationRecord, operator: str) -> Sequence[tuple[Change, str]]:
    """Return the changes of an invitation, each with its reason in the visit's language."""
    texts = texts_in(visit.language)

    def reason(change: Change) -> str:
        if change not in record.brought_forward:
            return REASONS[change.reason]
        actor = record.brought_forward[change]
        if actor and visit.signed_in and actor == ActorRef(ActorKind.MEMBER, visit.signed_in.member.member_id):
            return BROUGHT_FORWARD_BY_READER
        return BROUGHT_FORWARD[actor.kind if actor else None]

    return [(change, texts.gettext(reason(change), operator=operator)) for change in record.history]


def _query(state: str, order: str, before: str | None, limit: int) -> InvitationQuery:
    """Return what an address asks for.

    Raises: `NotFoundException` for a state or a place that does not exist.
    """
    if state not in ("", *State):
        raise NotFoundException
    try:
        return InvitationQuery(
            state=State(state) if state else None,
            order_number=order.strip() or None,
            before=before,
            limit=limit,
            with_reviews=True,
        )
    except Invalid:
        raise NotFoundException from None


def _words(visit: Visit) -> dict[str, Any]:
    """Return the names and meanings of states in the visit's language, and the kinds of the states' chips."""
    return {**in_language(visit, states=STATES, meanings=MEANINGS, sources=SOURCES, reasons=REASONS), "kinds": KINDS}


def _row(record: InvitationRecord) -> Sequence[object]:
    """Return an invitation as a line of the export; it has nothing of the customer."""
    invitation = record.invitation
    return (
        *(invitation.invite_id, invitation.order_number, invitation.state.value, invitation.reason.value),
        *(invitation.reported_at.isoformat(), invitation.scheduled_for.isoformat(), invitation.changed_at.isoformat()),
        *(invitation.source.value, str(invitation.confirmed).lower()),
        *(invitation.sent_at.isoformat() if invitation.sent_at else None, str(record.reviewed).lower()),
    )


HANDLERS = (invitations_page, invitations_csv, invitation_page, cancel, send_now, send_now_page)
