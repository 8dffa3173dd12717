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

from reviewinvite_core import Caller, Invalid, InvitationQuery, Reason, State, accepted
from reviewinvite_core.texts import texts_in
from reviewinvite_core.values import Actor, ActorKind, Change, InvitationPage, InvitationRecord, TooLate, permissions
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.csv_export import csv_response, pages_from
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.invitations.words import (
    BROUGHT_FORWARD,
    BROUGHT_FORWARD_BY_READER,
    KINDS,
    MEANINGS,
    REASONS,
    SOURCES,
    STATES,
)
from reviewinvite_http.dashboard.lists import EXPORT, InState, in_language
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.pages.page import About
from reviewinvite_http.requests import READ

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
    acting: NamedDependency[Caller],
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
    acting: NamedDependency[Caller],
    in_state: InState = "",
    order: FromQuery[str] = "",
) -> Response[Any]:
    """Export the invitations of the shop, with the same filters."""
    query = _query(in_state, order, None, EXPORT)
    page: InvitationPage = accepted(await server.app.invitations.list(acting, query))

    async def read(before: str) -> InvitationPage:
        return accepted(await server.app.invitations.list(acting, attrs.evolve(query, before=before)))

    rows = (_row(record) async for each in pages_from(page, read) for record in each.invitations)
    return csv_response(visit, "invitations", COLUMNS, rows)


@route("/{site_id:str}/invitations/{invite_id:str}", http_method=READ, opt=needs(permissions.SEE_INVITATIONS))
async def invitation_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    invite_id: FromPath[str],
    done: FromQuery[str] = "",
) -> Response[Any]:
    """Show an invitation with its history, and what can still be done."""
    return await _page(server, visit, acting, invite_id, done=done)


@post("/{site_id:str}/invitations/{invite_id:str}/cancel", opt=needs(permissions.CANCEL_INVITATIONS))
async def cancel(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
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
    acting: NamedDependency[Caller],
    invite_id: FromPath[str],
) -> Response[Any]:
    """Ask whether to send an invitation at once, or show that it is too late."""
    return await _page(server, visit, acting, invite_id, template="send_now.html")


@post("/{site_id:str}/invitations/{invite_id:str}/send-now", opt=needs(permissions.SEND_INVITATIONS_NOW))
async def send_now(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    invite_id: FromPath[str],
) -> Response[Any]:
    """Make a scheduled invitation due at once."""
    due = await server.app.invitations.send_now(invite_id, acting)
    if isinstance(due, TooLate):
        return await _page(server, visit, acting, invite_id, status=409)
    return see_other(visit, f"{visit.shop_root}/invitations/{accepted(due).invite_id}?done=due")


async def _page(
    server: ServerContext,
    visit: Visit,
    acting: Caller,
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


async def key_labels(server: ServerContext, acting: Caller) -> Mapping[str | None, str]:
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
        if actor and visit.signed_in and actor == Actor(ActorKind.MEMBER, visit.signed_in.member.member_id):
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
