"""`/dashboard/<site_id>/settings`: the shop's name, address for replies, and when it invites. Spec: §10.5, §10.6."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery

from reviewinvite_core import Actor, Invalid, ShopChanges, accepted
from reviewinvite_core.domain.shop import forbidden_in_name
from reviewinvite_core.texts import Texts, gettext_noop, texts_in
from reviewinvite_core.values import ChangedMeanwhile, NoNameWaiting, Permission, Problem, Shop, TrustMark, permissions
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.form import Form, version_of
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ

_NUMBER = re.compile(r"[0-9]{1,6}(?:[.,][0-9]{1,9})?", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,6}", re.ASCII)
_NO_NUMBER = -1  # which no field takes

LABELS: Mapping[str, str] = {
    "name": gettext_noop("Name of the shop"),
    "reply_to": gettext_noop("Reply address"),
    "language": gettext_noop("Language of new invitations"),
    "delay_days": gettext_noop("Days between an order and its invitation"),
    "frequency_days": gettext_noop("Days between two invitations to one address"),
}
"""Labels of the fields, also on the page of a failure and in the activity log."""

MESSAGES: Mapping[str, str] = {
    "name": gettext_noop("Enter a name of 1 to 300 characters, on one line."),
    "reply_to": gettext_noop("Enter an e-mail address, such as name@example.com, or leave it empty."),
    "language": gettext_noop("Choose one of the languages."),
    "delay_days": gettext_noop("Enter a number of days from 0 to 60, such as 5 or 0.5."),
    "frequency_days": gettext_noop("Enter a whole number of days from 0 to 365."),
}
FORBIDDEN_IN_NAME = gettext_noop(
    "The name contains an invisible character that is not allowed there: %(character)s. Remove it, or type the name "
    "again."
)
ADDRESS_IN_NAME = gettext_noop("A name is not an address: it cannot contain %(part)s.")


def _number(typed: str) -> float:
    text = typed.strip().replace(",", ".")
    return float(text) if _NUMBER.fullmatch(typed.strip()) else _NO_NUMBER


def _whole_number(typed: str) -> int:
    return int(typed) if _WHOLE.fullmatch(typed.strip()) else _NO_NUMBER


_READ: Mapping[str, Callable[[str], Any]] = {
    "name": str,
    "reply_to": str,
    "language": str,
    "delay_days": _number,
    "frequency_days": _whole_number,
}


@attrs.frozen(kw_only=True)
class SettingsForm:
    """One of the forms: what was typed, what is wrong with it by field, and the changes if nothing is."""

    typed: Mapping[str, str]
    errors: Mapping[str, str] = attrs.field(factory=dict)
    changes: ShopChanges | None = None
    conflict: bool = False


def stored(shop: Shop, *names: str) -> dict[str, str]:
    """Return what these fields show of a shop; a name that waits for approval is shown in place of the present one."""
    every = {
        "name": shop.requested_name or shop.name,
        "reply_to": shop.reply_to or "",
        "language": str(shop.language),
        "delay_days": f"{shop.delay_days.days:g}",
        "frequency_days": str(shop.frequency_days),
    }
    return {name: every[name] for name in names or every}


def in_language(values: Mapping[str, str], texts: Texts) -> dict[str, str]:
    """Return what fields show, with numbers as the language writes them."""
    days = values["delay_days"]
    return {**values, "delay_days": texts.decimal(days) if "." in days else days}


def version(shop: Shop, *names: str) -> str:
    """Return the version of these fields, which their form carries."""
    return version_of(stored(shop, *names))


def decode(form: Form, texts: Texts, *names: str) -> SettingsForm:
    """Decode these fields; each is validated alone, because a change reports only its first problem.

    A missing field is wrong, since nobody has emptied it.
    """
    typed = {name: form.text(name) for name in names}
    values, errors = {}, {}
    for name, text in typed.items():
        values[name] = value = _READ[name](text)
        try:
            ShopChanges(**{name: value})
        except Invalid as invalid:
            errors[name] = _message(texts, name, text, invalid)
        if name not in form:
            errors[name] = texts.gettext(MESSAGES[name])
    return SettingsForm(typed=typed, errors=errors, changes=None if errors else ShopChanges(**values))


def _message(texts: Texts, name: str, typed: str, invalid: Invalid) -> str:
    """Return what is wrong with a field; a character that nobody sees is named by its number."""
    if name == "name" and invalid.problem is Problem.FORBIDDEN_CHARACTERS and (found := forbidden_in_name(typed)):
        if found.isprintable():
            return texts.gettext(ADDRESS_IN_NAME, part=found)
        return texts.gettext(FORBIDDEN_IN_NAME, character=f"U+{ord(found):04X}")
    return texts.gettext(MESSAGES[name])


NAME = ("name",)
REPLY_TO = ("reply_to",)
INVITATIONS = ("language", "delay_days", "frequency_days")


@route("/{site_id:str}/settings", http_method=READ, opt=needs(permissions.SEE_SETTINGS))
async def settings_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
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
        acting: NamedDependency[Actor],
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
    acting: NamedDependency[Actor],
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
    server: ServerContext, visit: Visit, acting: Actor, form: Form, names: Sequence[str]
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


HANDLERS = (settings_page, change_settings, change_name, withdraw_name, change_reply_to)
