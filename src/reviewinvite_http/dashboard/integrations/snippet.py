"""Which orders the shop accepts from web pages, and the secret that signs them. Spec: §4.2, §10.5, §10.6."""

from __future__ import annotations

from typing import Any

from litestar import Response, post
from litestar.di import NamedDependency

from reviewinvite_core import Caller, Invalid, ShopChanges, accepted
from reviewinvite_core.domain.embedding import SnippetEmbed
from reviewinvite_core.texts import gettext_noop
from reviewinvite_core.values import ChangedMeanwhile, SignatureUnseen, permissions
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.integrations.page import SNIPPET, Shown, integrations
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.versions import version_of
from reviewinvite_http.dashboard.visit import Visit

_NO_CHOICE = gettext_noop("Choose an option from the list.")
_UNSEEN = gettext_noop("No order with a correct signature has arrived yet. First have your server sign them.")
_CONFLICT = gettext_noop("Someone else changed this after you opened the page. Save again to use your choice instead.")

SENTENCES = (_NO_CHOICE, _UNSEEN, _CONFLICT)
"""All that the handlers say themselves."""


@post("/{site_id:str}/integrations/snippet", opt=needs(permissions.SET_SNIPPET, typed={"snippet": SNIPPET}))
async def set_snippet(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
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
    acting: NamedDependency[Caller],
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
