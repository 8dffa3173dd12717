"""`/dashboard/<site_id>/integrations`: keys, domains, snippet and badge. Spec: §4.2, §10.5, §10.6."""

from __future__ import annotations

from typing import Any

from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from reviewinvite_core import Actor, Invalid, ShopChanges, accepted
from reviewinvite_core.domain.embedding import SnippetEmbed
from reviewinvite_core.domain.origins import host_of_address
from reviewinvite_core.texts import gettext_noop
from reviewinvite_core.values import (
    ApiKey,
    ChangedMeanwhile,
    Domain,
    DomainTaken,
    DomainUnknown,
    KeyExists,
    KeyUnknown,
    Problem,
    SignatureUnseen,
    SignedIn,
    permissions,
)
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.form import Form, version_of
from reviewinvite_http.dashboard.integrations.page import (
    IDEMPOTENCY_FIELD,
    PUBLIC_SUFFIX,
    SNIPPET,
    Checked,
    Shown,
    integrations,
    version,
)
from reviewinvite_http.dashboard.integrations.preview import chosen_in, look_of
from reviewinvite_http.dashboard.integrations.programs import key_setting
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ

LABEL = gettext_noop("Label of the key")
HOST = gettext_noop("Domain")

_CHOICES = {"theme": gettext_noop("Colours"), "size": gettext_noop("Size"), "badge_language": gettext_noop("Language")}

_BAD_LABEL = gettext_noop("Enter at most 100 characters, on one line.")
_AGAIN = gettext_noop("The form was incomplete, so no key was created. Send it again.")
_NO_HOST = gettext_noop("Enter a domain such as www.example.com.")
_NO_CHOICE = gettext_noop("Choose an option from the list.")
_UNSEEN = gettext_noop("No order with a correct signature has arrived yet. First have your server sign them.")
_CONFLICT = gettext_noop("Someone else changed this after you opened the page. Save again to use your choice instead.")

SENTENCES = (LABEL, HOST, *_CHOICES.values(), _BAD_LABEL, _AGAIN, _NO_HOST, _NO_CHOICE, _UNSEEN, _CONFLICT)
"""All that the handlers say themselves."""


@route("/{site_id:str}/integrations", http_method=READ, opt=needs(permissions.SEE_KEYS))
async def integrations_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    done: FromQuery[str] = "",
    theme: FromQuery[str] = "",
    size: FromQuery[str] = "",
    badge_language: FromQuery[str] = "",
) -> Response[Any]:
    """Show the keys, the domains, what to paste, and the badge; with its parameters, how another badge would look."""
    return await integrations(server, visit, acting, Shown(done=done, look=look_of(theme, size, badge_language)))


@post("/{site_id:str}/integrations/keys", opt=needs(permissions.MAKE_KEYS, typed={"label": LABEL}))
async def create_key(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    signed_in: NamedDependency[SignedIn],
    acting: NamedDependency[Actor],
    form: NamedDependency[Form],
) -> Response[Any]:
    """Make a key, and show it this once: it is not stored, so reloading the page neither shows nor makes one."""
    accepted(signed_in.may_make_key(accepted(await server.app.api_keys.list(acting)), server.app.sync.now()))
    label, once = form.text("label").strip(), form.text(IDEMPOTENCY_FIELD)
    if not once:
        return await integrations(server, visit, acting, Shown(label=label, label_error=_AGAIN), status=422)
    try:
        made = await server.app.api_keys.create(acting, label, idempotency_key=once)
    except Invalid:
        return await integrations(server, visit, acting, Shown(label=label, label_error=_BAD_LABEL), status=422)
    if isinstance(made, KeyExists):
        known = await _key(server, acting, made.key_id)
        return dashboard_page(visit, "integrations", template="key_exists.html", status=409, key=known)
    made = accepted(made)
    key = made.secret.text
    return dashboard_page(
        visit, "integrations", template="key.html", made=made.api_key, key=key, setting=key_setting(key)
    )


@route("/{site_id:str}/integrations/keys/{key_id:str}/revoke", http_method=READ, opt=needs(permissions.SEE_KEYS))
async def revoke_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    key_id: FromPath[str],
) -> Response[Any]:
    """Ask whether to revoke a key."""
    key = await _key(server, acting, key_id)
    return dashboard_page(visit, "integrations", template="revoke.html", key=key)


@post("/{site_id:str}/integrations/keys/{key_id:str}/revoke", opt=needs(permissions.REVOKE_KEYS))
async def revoke_key(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    key_id: FromPath[str],
) -> Response[Any]:
    """Revoke a key, which is refused from the next request on."""
    accepted(await server.app.api_keys.revoke(key_id, acting))
    return see_other(visit, f"{visit.shop_root}/integrations?done=revoked")


@post("/{site_id:str}/integrations/domains", opt=needs(permissions.ADD_DOMAINS, typed={"host": HOST}))
async def add_domain(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    form: NamedDependency[Form],
) -> Response[Any]:
    """Add a domain, or that of a pasted address; it then shows what to publish."""
    host = form.text("host").strip()
    pasted = host_of_address(host if "//" in host else f"//{host}") if "/" in host else None
    added = await server.app.domains.add(acting, pasted or host)
    if isinstance(added, Invalid):
        error = PUBLIC_SUFFIX if added.problem is Problem.PUBLIC_SUFFIX else _NO_HOST
        return await integrations(server, visit, acting, Shown(host=host, host_error=error), status=422)
    accepted(added)
    return see_other(visit, f"{visit.shop_root}/integrations?done=added#domains")


@post("/{site_id:str}/integrations/domains/{host:str}/check", opt=needs(permissions.CHECK_DOMAINS))
async def check_domain(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    host: FromPath[str],
) -> Response[Any]:
    """Look for the proof of a domain, and show what was found."""
    checked = await server.app.domains.check(acting, host)
    if isinstance(checked, DomainTaken):
        return await integrations(server, visit, acting, Shown(checked=Checked(host=checked.host, is_taken=True)))
    done = accepted(checked)
    absences = done.result.absences if done.result else ()
    shown = Checked(host=done.domain.host.text, is_proved=done.proved, absences=absences)
    return await integrations(server, visit, acting, Shown(checked=shown))


@route("/{site_id:str}/integrations/domains/{host:str}/remove", http_method=READ, opt=needs(permissions.SEE_DOMAINS))
async def remove_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    host: FromPath[str],
) -> Response[Any]:
    """Ask whether to remove a domain."""
    domain = await _domain(server, acting, host)
    return dashboard_page(visit, "integrations", template="remove.html", domain=domain)


@post("/{site_id:str}/integrations/domains/{host:str}/remove", opt=needs(permissions.REMOVE_DOMAINS))
async def remove_domain(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    host: FromPath[str],
) -> Response[Any]:
    """Remove a domain, so that its pages neither report orders nor show the badge."""
    accepted(await server.app.domains.remove(acting, host))
    return see_other(visit, f"{visit.shop_root}/integrations?done=removed#domains")


@post("/{site_id:str}/integrations/badge", opt=needs(permissions.SET_BADGE, typed=_CHOICES))
async def set_badge(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    form: NamedDependency[Form],
) -> Response[Any]:
    """Set the badge's appearance, unless another member has changed it since the page was shown."""
    shop = accepted(await server.app.shops.show(acting))
    language = (form.text("badge_language") or None) if "badge_language" in form else ""
    chosen = {"theme": form.text("theme"), "size": form.text("size"), "language": language}
    look, wrong = chosen_in(shop.badge, chosen)
    if wrong:
        errors = dict.fromkeys(wrong, _NO_CHOICE)
        return await integrations(server, visit, acting, Shown(look=look, badge_errors=errors), status=422)
    is_stale = form.text("version") != version(shop)
    set_ = ChangedMeanwhile() if is_stale else await server.app.badges.configure(acting, look, shop.badge)
    if isinstance(set_, ChangedMeanwhile):
        return await integrations(server, visit, acting, Shown(look=look, conflict=True), status=409)
    accepted(set_)
    return see_other(visit, f"{visit.shop_root}/integrations?done=badge#badge")


async def _key(server: ServerContext, acting: Actor, key_id: str) -> ApiKey:
    """Return a key of the shop.

    Raises: `Refused` if the shop has no such key.
    """
    keys = accepted(await server.app.api_keys.list(acting))
    return accepted(next((each for each in keys if each.key_id == key_id), None) or KeyUnknown(key_id))


async def _domain(server: ServerContext, acting: Actor, host: str) -> Domain:
    """Return a domain of the shop.

    Raises: `Refused` if the shop has no such domain.
    """
    domains = accepted(await server.app.domains.list(acting))
    return accepted(next((each for each in domains if each.host.text == host), None) or DomainUnknown(host))


@post("/{site_id:str}/integrations/snippet", opt=needs(permissions.SET_SNIPPET, typed={"snippet": SNIPPET}))
async def set_snippet(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    form: NamedDependency[Form],
) -> Response[Any]:
    """Choose which orders to accept from web pages, unless another member has since the page was shown."""
    chosen, shop = form.text("snippet"), accepted(await server.app.shops.show(acting))
    try:
        changes = ShopChanges(snippet=chosen)
    except Invalid:
        return await integrations(server, visit, acting, Shown(snippet_error=_NO_CHOICE), status=422)
    is_stale = form.text("version") != version_of(shop.snippet)
    changed = ChangedMeanwhile() if is_stale else await server.app.shops.update(acting, changes, shop)
    if isinstance(changed, ChangedMeanwhile):
        shown = Shown(snippet=chosen, snippet_error=_CONFLICT)
        return await integrations(server, visit, acting, shown, status=409)
    if isinstance(changed, SignatureUnseen):
        return await integrations(server, visit, acting, Shown(snippet=chosen, snippet_error=_UNSEEN), status=409)
    accepted(changed)
    return see_other(visit, f"{visit.shop_root}/integrations?done=snippet#signed-orders")


@post("/{site_id:str}/integrations/snippet/secret", opt=needs(permissions.SEE_SNIPPET_SECRET))
async def snippet_secret(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    form: NamedDependency[Form],
) -> Response[Any]:
    """Show the secret that signs the snippet; replace it first if the form was made for the one shown now.

    So a form that is sent twice, or a page that is loaded again, replaces it once.
    """
    shop = accepted(await server.app.shops.show(acting))
    replaced = form.text("replaces") == version_of(shop.snippet_secrets)
    secret = accepted(await server.app.shops.snippet_secret(acting, replaced, shop))
    shop = accepted(await server.app.shops.show(acting))
    return dashboard_page(
        visit,
        "integrations",
        template="snippet_secret.html",
        secret=secret,
        site_id=shop.site_id,
        tag=SnippetEmbed(shop.site_id, server.app.base_url, is_signed=True).tag,
        version=version_of(shop.snippet_secrets),
    )


HANDLERS = (
    *(integrations_page, create_key, revoke_page, revoke_key),
    *(add_domain, check_domain, remove_page, remove_domain),
    *(set_snippet, snippet_secret, set_badge),
)
