"""`/dashboard/<site_id>/activity`: who changed what, and when. Spec: §10.7."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Any

import attrs
from litestar import Response, route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromQuery

from reviewinvite_core import Caller, Invalid, Role, accepted
from reviewinvite_core.texts import Texts, texts_in
from reviewinvite_core.values import (
    Action,
    ActivityPage,
    ActivityQuery,
    ActivityRecord,
    ActorKind,
    HostName,
    permissions,
)
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.activity.words import DONE, FORMER_MEMBER, WHO, badge_in_words, settings_in_words
from reviewinvite_http.dashboard.csv_export import csv_response, pages_from
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.page import dashboard_page
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.pages.page import About
from reviewinvite_http.requests import READ

PAGE = 50
EXPORT = 500  # entries that are read at once
COLUMNS = ("at", "who", "action", "subject", "order_number", "role")


@route("/{site_id:str}/activity", http_method=READ, opt=needs(permissions.SEE_ACTIVITY))
async def activity_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    since: FromQuery[str] = "",
    after: FromQuery[str | None] = None,
) -> Response[Any]:
    """List the changes of the shop, the newest first."""
    query = _query(since, after, PAGE)
    if query is None:
        return dashboard_page(visit, "activity", status=422, entries=[], next=None, since=since, is_wrong=True)
    page = accepted(await server.app.members.list_activity(acting, query))
    operator = About.of(server.app).name
    entries = [_in_words(each, texts_in(visit.language), operator) for each in page.entries]
    return dashboard_page(visit, "activity", entries=entries, next=page.next, since=since, is_wrong=False)


@route("/{site_id:str}/activity.csv", http_method=READ, opt=needs(permissions.SEE_ACTIVITY))
async def activity_csv(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    since: FromQuery[str] = "",
) -> Response[Any]:
    """Export the changes of the shop, with the same filter."""
    query = _query(since, None, EXPORT)
    if query is None:
        raise NotFoundException
    page = accepted(await server.app.members.list_activity(acting, query))
    texts, operator = texts_in(visit.language), About.of(server.app).name

    async def read(after: str) -> ActivityPage:
        return accepted(await server.app.members.list_activity(acting, attrs.evolve(query, after=after)))

    rows = (_row(_in_words(entry, texts, operator)) async for each in pages_from(page, read) for entry in each.entries)
    return csv_response(visit, "activity", COLUMNS, rows)


def _query(since: str, after: str | None, limit: int) -> ActivityQuery | None:
    """Return what an address asks for, or None if `since` is not a date.

    Raises: `NotFoundException` for a place that does not exist.
    """
    try:
        start = datetime.combine(date.fromisoformat(since), time(), UTC) if since else None
    except ValueError:
        return None
    try:
        return ActivityQuery(since=start, after=after, limit=limit)
    except Invalid:
        raise NotFoundException from None


@attrs.frozen(kw_only=True)
class _Entry:
    """An entry in words.

    `section` is where its subject has a page of its own, if anywhere. `details` say what the subject of an export has
    in the words of the API. `host` is that of a domain, as people write it; an export has its A-labels.
    """

    at: datetime
    who: str
    what: str
    action: str
    subject: str
    role: Role | None
    section: str | None
    order_number: str | None
    details: Sequence[str] = ()
    host: str = ""


def _in_words(record: ActivityRecord, texts: Texts, operator: str) -> _Entry:
    """Return an entry in words; people are named by their address, as far as it is known, and the operator by name."""
    who = texts.gettext(WHO[record.actor.kind], operator=operator)
    if record.actor.kind is ActorKind.API_KEY and record.key_label:
        who = f"{who}: {record.key_label}"
    return _Entry(
        at=record.at,
        who=record.member_email or who,
        what=texts.gettext(DONE[record.action]),
        action=record.action.value,
        subject=record.subject or (texts.gettext(FORMER_MEMBER) if record.role else ""),
        role=record.role,
        section=_section_of(record.action),
        order_number=record.order_number,
        details=_DETAILS[record.action](record.subject, texts) if record.action in _DETAILS else (),
        host=HostName(record.subject).shown if record.action in _ABOUT_DOMAIN else "",
    )


_DETAILS = {Action.SHOP_SETTINGS_CHANGED: settings_in_words, Action.BADGE_CHANGED: badge_in_words}
_ABOUT_DOMAIN = {Action.DOMAIN_ADDED, Action.DOMAIN_VERIFIED, Action.DOMAIN_REMOVED}


def _row(entry: _Entry) -> Sequence[object]:
    return entry.at.isoformat(), entry.who, entry.action, entry.subject, entry.order_number, entry.role


def _section_of(action: Action) -> str | None:
    if action.is_about_review:
        return "reviews"
    return "invitations" if action.is_about_invitation else None
