"""`/dashboard/<site_id>/settings`: the shop's name, address for replies, and when it invites. Spec: §10.5, §10.6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery

from reviewinvite_core import Caller, accepted
from reviewinvite_core.texts import texts_in
from reviewinvite_core.values import ChangedMeanwhile, NoNameWaiting, Permission, Shop, TrustMark, permissions
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.settings.form import LABELS, SettingsForm, decode, in_language, stored, version
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ

NAME = ("name",)
REPLY_TO = ("reply_to",)
INVITATIONS = ("language", "delay_days", "frequency_days")


@route("/{site_id:str}/settings", http_method=READ, opt=needs(permissions.SEE_SETTINGS))
async def settings_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    done: FromQuery[str] = "",
) -> Response[Any]:
    """Show the settings, each group in a form of its own."""
    return _page(visit, accepted(await server.app.shops.show(acting)), done=done)


def _handler(path: str, permission: Permission, names: Sequence[str]) -> HTTPRouteHandler:
    """Return the handler of the form with these fields, which the page of a failure shows again."""

    @post(f"/{{site_id:str}}/settings{path}", opt=needs(permission, typed={name: LABELS[name] for name in names}))
    async def change(
        server: NamedDependency[ServerContext],
        visit: NamedDependency[Visit],
        acting: NamedDependency[Caller],
        form: NamedDependency[Form],
    ) -> Response[Any]:
        """Change some settings."""
        return await _change(server, visit, acting, form, names)

    return change


change_settings = _handler("", permissions.CHANGE_SETTINGS, INVITATIONS)
change_name = _handler("/name", permissions.CHANGE_NAME, NAME)
change_reply_to = _handler("/reply-to", permissions.CHANGE_REPLY_TO, REPLY_TO)


@post("/{site_id:str}/settings/name/withdraw", opt=needs(permissions.CHANGE_NAME))
async def withdraw_name(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    form: NamedDependency[Form],
) -> Response[Any]:
    """Withdraw the name that waits, unless another one waits than the page showed."""
    shop = accepted(await server.app.shops.show(acting))
    is_stale = shop.requested_name is not None and form.text("version") != version(shop, *NAME)
    withdrawn = ChangedMeanwhile() if is_stale else await server.app.shops.withdraw_name(acting, shop)
    if isinstance(withdrawn, ChangedMeanwhile):
        now = accepted(await server.app.shops.show(acting))
        return _page(visit, now, SettingsForm(typed={"name": now.name}, conflict=True), status=409)
    if isinstance(withdrawn, NoNameWaiting):
        return see_other(visit, f"{visit.shop_root}/settings?done=none-waits")
    accepted(withdrawn)
    return see_other(visit, f"{visit.shop_root}/settings?done=withdrawn")


async def _change(
    server: ServerContext, visit: Visit, acting: Caller, form: Form, names: Sequence[str]
) -> Response[Any]:
    """Change these fields, unless one is wrong, or another member has changed one since the form was shown.

    If the trust mark vouches for the name, a new one is only asked for.
    """
    decoded = decode(form, texts_in(visit.language), *names)
    shop = accepted(await server.app.shops.show(acting))
    if form.text("version") != version(shop, *names):
        return _page(visit, shop, attrs.evolve(decoded, conflict=True), status=409)
    if decoded.changes is None:
        return _page(visit, shop, decoded, status=422)
    changed = await server.app.shops.update(acting, decoded.changes, shop)
    if isinstance(changed, ChangedMeanwhile):
        now = accepted(await server.app.shops.show(acting))
        return _page(visit, now, attrs.evolve(decoded, conflict=True), status=409)
    waits = bool(accepted(changed).requested_name)
    done = "waits" if names == NAME and waits else "saved"
    return see_other(visit, f"{visit.shop_root}/settings?done={done}")


def _page(
    visit: Visit, shop: Shop, form: SettingsForm | None = None, *, status: int = 200, done: str = ""
) -> Response[Any]:
    """Return the page; what was typed into one of the forms comes back in it, beside what is stored."""
    texts = texts_in(visit.language)
    shown = in_language(stored(shop), texts)
    return dashboard_page(
        visit,
        "settings",
        status=status,
        labels={name: texts.gettext(label) for name, label in LABELS.items()},
        stored=shown,
        typed={**shown, **(form.typed if form else {})},
        errors=form.errors if form else {},
        conflict=list(form.typed) if form and form.conflict else [],
        versions={group: version(shop, *names) for group, names in _GROUPS.items()},
        name=shop.name,
        waiting=shop.requested_name,
        is_vouched=shop.trust_mark is TrustMark.GRANTED,
        done=done,
    )


_GROUPS = {"name": NAME, "reply_to": REPLY_TO, "invitations": INVITATIONS}
