"""`/dashboard/<site_id>/members`: who may act for the shop, and in which role. Spec: §10.1, §10.6."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from reviewinvite_core import Invalid, NewMember, Role, accepted
from reviewinvite_core.domain.members import to_role
from reviewinvite_core.texts.catalogue import gettext_noop, texts_in
from reviewinvite_core.values import (
    ChangedMeanwhile,
    LastOwner,
    LimitReached,
    MemberExists,
    MemberRecord,
    MemberUnknown,
    SignedIn,
    permissions,
)
from reviewinvite_http.dashboard.dependencies import Section, needs
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.lists import csv_response
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.problems import retry_headers, retry_time
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ

COLUMNS = ("member_id", "email", "role", "signed_in_at")

_DONE = {
    "added": gettext_noop("The member was added, and will get an e-mail with a link to sign in."),
    "changed": gettext_noop("The role was changed."),
    "removed": gettext_noop("The member was removed."),
}
_EMAIL = gettext_noop("E-mail address")
_NO_ADDRESS = gettext_noop("Enter an e-mail address, such as name@example.com.")
_NO_ROLE = gettext_noop("Choose a role: owner or staff.")
_IS_MEMBER = gettext_noop("This person is already a member.")
_TOO_OFTEN = gettext_noop(
    "Nobody was added: members of this shop have sent too many e-mails within an hour, or this person was added too "
    "often. You can try again from %(time)s."
)
_LAST_OWNER = gettext_noop("The shop needs an owner. Make someone else an owner first.")
_OTHER_ROLE = gettext_noop("Someone else changed this member after you opened the page. Your change was not made.")

_STAYS = {LastOwner: _LAST_OWNER, ChangedMeanwhile: _OTHER_ROLE}

SENTENCES = (*_DONE.values(), _NO_ADDRESS, _NO_ROLE, _IS_MEMBER, _TOO_OFTEN, _LAST_OWNER, _OTHER_ROLE, _EMAIL)
"""All that the handlers say themselves."""


@route("/{site_id:str}/members", http_method=READ, opt=needs(permissions.SEE_MEMBERS))
async def members_page(section: NamedDependency[Section], done: FromQuery[str] = "") -> Response[Any]:
    """List the members, with a form to add one."""
    return await _page(section, done=_DONE.get(done, ""))


@route("/{site_id:str}/members.csv", http_method=READ, opt=needs(permissions.SEE_MEMBERS))
async def members_csv(section: NamedDependency[Section]) -> Response[Any]:
    """Export the members, with what the page shows of them."""
    members = accepted(await section.app.members.list(section.acting))

    async def rows() -> AsyncIterator[Sequence[object]]:
        for each in members:
            at = each.signed_in_at.isoformat() if each.signed_in_at else None
            yield each.member_id, each.email, each.role.value, at

    return csv_response(section.visit, "members", COLUMNS, rows())


@post("/{site_id:str}/members", opt=needs(permissions.ADD_STAFF, typed={"email": _EMAIL}))
async def add_member(section: NamedDependency[Section], form: NamedDependency[Form]) -> Response[Any]:
    """Add a member, who is mailed a link; the link is not shown, because it signs in whoever has it."""
    email, role = form.text("email").strip(), _role_in(form)
    if role is None:
        return await _page(section, email=email, role_error=_NO_ROLE, status=422)
    needed = permissions.ADD_OWNERS if role is Role.OWNER else permissions.ADD_STAFF
    accepted(section.signed_in.actor(section.acting.site_id, needed, section.app.sync.now()))
    try:
        new = NewMember(email=email, role=role)
    except Invalid:
        return await _page(section, email=email, role=role, error=_NO_ADDRESS, status=422)
    added = await section.app.members.add(section.acting, new)
    if isinstance(added, MemberExists):
        return await _page(section, email=email, role=role, error=_IS_MEMBER, status=409)
    if isinstance(added, LimitReached):
        texts = texts_in(section.visit.language)
        problem = texts.gettext(_TOO_OFTEN, time=retry_time(added, texts))
        page = await _page(section, email=email, role=role, problem=problem, status=429)
        page.headers.update(retry_headers(added))
        return page
    accepted(added)
    return see_other(section.visit, f"{section.visit.shop_root}/members?done=added")


@post("/{site_id:str}/members/{member_id:str}/role", opt=needs(permissions.CHANGE_ROLES))
async def change_role(
    section: NamedDependency[Section], form: NamedDependency[Form], member_id: FromPath[str]
) -> Response[Any]:
    """Give a member the other role, unless somebody else has changed it since the page was shown."""
    role = _role_in(form)
    if role is None:
        return await _page(section, problem=_said(section.visit, _NO_ROLE), status=422)
    changed = await section.app.members.set_role(section.acting, member_id, role, form.text("version"))
    if isinstance(changed, LastOwner | ChangedMeanwhile):
        return await _page(section, problem=_said(section.visit, _STAYS[type(changed)]), status=409)
    accepted(changed)
    return see_other(section.visit, _after(section.visit, section.signed_in, member_id, "changed"))


@route("/{site_id:str}/members/{member_id:str}/remove", http_method=READ, opt=needs(permissions.SEE_MEMBERS))
async def remove_page(section: NamedDependency[Section], member_id: FromPath[str]) -> Response[Any]:
    """Ask whether to remove a member."""
    member = await _member(section, member_id)
    is_oneself = member_id == section.signed_in.member.member_id
    is_ready = section.visit.is_recent or member.role is not Role.OWNER
    return dashboard_page(
        section.visit, "members", template="remove.html", removed=member, is_oneself=is_oneself, is_ready=is_ready
    )


@post("/{site_id:str}/members/{member_id:str}/remove", opt=needs(permissions.REMOVE_STAFF))
async def remove_member(
    section: NamedDependency[Section], form: NamedDependency[Form], member_id: FromPath[str]
) -> Response[Any]:
    """Remove a member, whose next request is refused, unless the role was changed since the page was shown."""
    seen = form.text("version")  # one that is not the role as it is stored removes nobody
    needed = permissions.REMOVE_OWNERS if seen == Role.OWNER else permissions.REMOVE_STAFF
    accepted(section.signed_in.actor(section.acting.site_id, needed, section.app.sync.now()))
    removed = await section.app.members.remove(section.acting, member_id, seen)
    if isinstance(removed, LastOwner | ChangedMeanwhile):
        return await _page(section, problem=_said(section.visit, _STAYS[type(removed)]), status=409)
    accepted(removed)
    return see_other(section.visit, _after(section.visit, section.signed_in, member_id, "removed"))


def _role_in(form: Form) -> Role | None:
    """Return the role that was sent, or None if it is none."""
    try:
        return to_role(form.text("role"))
    except Invalid:
        return None


async def _member(section: Section, member_id: str) -> MemberRecord:
    """Return a member of the shop.

    Raises: `Refused` if nobody in the shop has this id.
    """
    members = accepted(await section.app.members.list(section.acting))
    found = next((each for each in members if each.member_id == member_id), None)
    return accepted(found or MemberUnknown())


def _after(visit: Visit, signed_in: SignedIn, member_id: str, done: str) -> str:
    """Return where to go: who is an owner no longer may not see the list."""
    is_oneself = member_id == signed_in.member.member_id
    return f"{visit.root}/" if is_oneself else f"{visit.shop_root}/members?done={done}"


async def _page(
    section: Section,
    *,
    status: int = 200,
    done: str = "",
    problem: str = "",
    email: str = "",
    role: Role = Role.STAFF,
    error: str = "",
    role_error: str = "",
) -> Response[Any]:
    """Return the list, with what was typed into its form; `problem` is in the reader's language already."""
    return dashboard_page(
        section.visit,
        "members",
        status=status,
        members=accepted(await section.app.members.list(section.acting)),
        email=email,
        role=role,
        done=_said(section.visit, done),
        problem=problem,
        error=_said(section.visit, error),
        role_error=_said(section.visit, role_error),
    )


def _said(visit: Visit, sentence: str) -> str:
    return texts_in(visit.language).gettext(sentence) if sentence else ""


HANDLERS = (members_page, members_csv, add_member, change_role, remove_page, remove_member)
