"""`/dashboard/<site_id>/activity`: who changed what, and when. Spec: §10.7."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any

import attrs
from litestar import Response, route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromQuery

from reviewinvite_core import Actor, Invalid, Language, Role, accepted
from reviewinvite_core.domain.activity import SettingChange, settings_changed
from reviewinvite_core.texts import Texts, gettext_noop, texts_in
from reviewinvite_core.values import (
    Action,
    ActivityPage,
    ActivityQuery,
    ActivityRecord,
    ActorKind,
    HostName,
    SnippetMode,
    permissions,
)
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.integrations.page import SIZES, SNIPPET, SNIPPETS, THEMES
from reviewinvite_http.dashboard.lists import EXPORT, export
from reviewinvite_http.dashboard.page import dashboard_page
from reviewinvite_http.dashboard.settings.handlers import LABELS
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.pages.page import About
from reviewinvite_http.requests import READ

DONE: Mapping[Action, str] = {
    Action.SHOP_RENAMED: gettext_noop("Changed the shop’s name"),
    Action.SHOP_SETTINGS_CHANGED: gettext_noop("Changed the settings"),
    Action.SHOP_ACTIVATED: gettext_noop("Activated the shop"),
    Action.SHOP_DEACTIVATED: gettext_noop("Deactivated the shop"),
    Action.NAME_REQUESTED: gettext_noop("Requested a new name"),
    Action.NAME_APPROVED: gettext_noop("Approved the new name"),
    Action.NAME_WITHDRAWN: gettext_noop("Withdrew the new name"),
    Action.KEY_CREATED: gettext_noop("Created an API key"),
    Action.KEY_REVOKED: gettext_noop("Revoked an API key"),
    Action.DOMAIN_ADDED: gettext_noop("Added a domain"),
    Action.DOMAIN_VERIFIED: gettext_noop("Verified a domain"),
    Action.DOMAIN_REMOVED: gettext_noop("Removed a domain"),
    Action.BADGE_CHANGED: gettext_noop("Changed the badge"),
    Action.SNIPPET_SECRET_MADE: gettext_noop("Created a secret for signed orders"),
    Action.MEMBER_ADDED: gettext_noop("Added a member"),
    Action.MEMBER_REMOVED: gettext_noop("Removed a member"),
    Action.MEMBER_ROLE_CHANGED: gettext_noop("Changed a member’s role"),
    Action.REVIEW_REPLIED: gettext_noop("Replied to a review"),
    Action.REVIEW_HIDDEN: gettext_noop("Hid a review"),
    Action.REVIEW_SHOWN: gettext_noop("Made a hidden review visible again"),
    Action.INVITATION_CANCELLED: gettext_noop("Cancelled an invitation"),
    Action.INVITATION_SENT_NOW: gettext_noop("Sent an invitation early"),
    Action.TRUST_MARK_GRANTED: gettext_noop("Granted the trust mark"),
    Action.TRUST_MARK_REVOKED: gettext_noop("Revoked the trust mark"),
}

FORMER_MEMBER = gettext_noop("A former member")

WHO: Mapping[ActorKind, str] = {
    ActorKind.OPERATOR: "%(operator)s",
    ActorKind.API_KEY: gettext_noop("An API key"),
    ActorKind.MEMBER: FORMER_MEMBER,
}
"""Who acted, if there is no name to show."""

_FIELDS = {"language": "language", "delayDays": "delay_days", "frequencyDays": "frequency_days", "replyTo": "reply_to"}
"""Field of the settings page for each setting, as the log calls it."""

PAGE = 50
COLUMNS = ("at", "who", "action", "subject", "order_number", "role")


@route("/{site_id:str}/activity", http_method=READ, opt=needs(permissions.SEE_ACTIVITY))
async def activity_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
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
    acting: NamedDependency[Actor],
    since: FromQuery[str] = "",
) -> Response[Any]:
    """Export the changes of the shop, with the same filter."""
    query = _query(since, None, EXPORT)
    if query is None:
        raise NotFoundException
    texts, operator = texts_in(visit.language), About.of(server.app).name

    async def read(after: str | None) -> ActivityPage:
        return accepted(await server.app.members.list_activity(acting, attrs.evolve(query, after=after)))

    def rows(page: ActivityPage) -> Iterator[Sequence[object]]:
        yield from (_row(_in_words(entry, texts, operator)) for entry in page.entries)

    return await export(visit, "activity", COLUMNS, read, rows)


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


def settings_in_words(subject: str, texts: Texts) -> Sequence[str]:
    """Return what was changed of the settings, with the labels of the settings page."""
    return [_setting_in_words(each, texts) for each in settings_changed(subject)]


def _setting_in_words(change: SettingChange, texts: Texts) -> str:
    labels = {name: LABELS[field] for name, field in _FIELDS.items()} | {"snippet": SNIPPET}
    label = texts.gettext(labels[change.name]) if change.name in labels else change.name
    if change.before is None or change.after is None:
        return label
    values = {"before": _value(change.before, texts), "after": _value(change.after, texts)}
    return texts.gettext("%(setting)s: from %(before)s to %(after)s", setting=label, **values)


def _value(value: str, texts: Texts) -> str:
    if value in set(Language):
        return texts_in(Language(value)).own_name
    if value in set(SnippetMode):
        return texts.gettext(SNIPPETS[SnippetMode(value)])
    return texts.decimal(value) if "." in value else value


def badge_in_words(subject: str, texts: Texts) -> Sequence[str]:
    """Return how a badge looks since an entry: its colours, its size, and its language if it has one of its own."""
    return [", ".join(_look_in_words(each, texts) for each in subject.split())]


def _look_in_words(value: str, texts: Texts) -> str:
    names = {str(each): name for each, name in (*THEMES.items(), *SIZES.items())}
    return texts.gettext(names[value]) if value in names else _value(value, texts)


_DETAILS = {Action.SHOP_SETTINGS_CHANGED: settings_in_words, Action.BADGE_CHANGED: badge_in_words}
_ABOUT_DOMAIN = {Action.DOMAIN_ADDED, Action.DOMAIN_VERIFIED, Action.DOMAIN_REMOVED}


def _row(entry: _Entry) -> Sequence[object]:
    return entry.at.isoformat(), entry.who, entry.action, entry.subject, entry.order_number, entry.role


def _section_of(action: Action) -> str | None:
    if action.is_about_review:
        return "reviews"
    return "invitations" if action.is_about_invitation else None


HANDLERS = (activity_page, activity_csv)
