"""What handlers of the dashboard are given: who is signed in, for which shop they may act, and the visit. Spec: §10.1.

A handler of a shop's section declares what it needs, and whoever is not allowed to gets a page that says so:

    @route("/{site_id:str}/keys", http_method=READ, opt=needs(permissions.SEE_KEYS))
    async def keys(section: NamedDependency[Section]) -> ...:
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath

from reviewinvite_core import Actor, AsyncApplication, accepted
from reviewinvite_core.domain.shop import site_id_in
from reviewinvite_core.values import Permission, SignedIn
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.form import provide_form
from reviewinvite_http.dashboard.problems import NotSignedIn
from reviewinvite_http.dashboard.session_cookie import session_secret
from reviewinvite_http.dashboard.visit import Visit, keep_language, visit_of
from reviewinvite_http.requests import AnyRequest


def needs(permission: Permission, **options: object) -> dict[str, Any]:
    """Return the options of a handler that acts for a shop; `typed` maps fields to labels, to give back in an error."""
    return {"permission": permission, **options}


@attrs.frozen(kw_only=True)
class Section:
    """What a handler of a shop's section works with: `acting` is the caller for the shop, whom use cases admit."""

    app: AsyncApplication
    visit: Visit
    signed_in: SignedIn
    acting: Actor


async def provide_signed_in(server: NamedDependency[ServerContext], request: AnyRequest) -> SignedIn:
    """Provide who is signed in, as storage knows it now; a member who opens a shop's dashboard is noted.

    Raises: `NotSignedIn`; `StorageUnavailable`.
    """
    signed_in = await current_session(server, request)
    if signed_in is None:
        raise NotSignedIn
    keep_language(request, signed_in.member.language)
    if segment := request.path_params.get("site_id"):
        await server.app.sign_in.note_opened(signed_in, site_id_in(segment))
    return signed_in


async def current_session(server: ServerContext, request: AnyRequest) -> SignedIn | None:
    """Return who is signed in, or None. Reads no storage without a cookie."""
    secret = session_secret(request)
    return await server.app.sign_in.resume(secret) if secret else None


def provide_visit(
    server: NamedDependency[ServerContext], request: AnyRequest, signed_in: NamedDependency[SignedIn]
) -> Visit:
    """Provide what every page of somebody who is signed in needs to know."""
    segment = request.path_params.get("site_id")
    shop = signed_in.access(site_id_in(segment)) if segment else None
    return visit_of(request, signed_in, shop, is_recent=signed_in.session.is_recent(server.app.sync.now()))


def provide_section(
    server: NamedDependency[ServerContext],
    request: AnyRequest,
    signed_in: NamedDependency[SignedIn],
    visit: NamedDependency[Visit],
    site_id: FromPath[str],
) -> Section:
    """Admit a member to a section of the shop in the address, as use cases admit the holder of a key.

    Raises: `Refused` if the member is none of this shop's, or may not do what the handler does.
    """
    permission: Permission = request.route_handler.opt["permission"]
    acting = accepted(signed_in.actor(site_id_in(site_id), permission, server.app.sync.now()))
    return Section(app=server.app, visit=visit, signed_in=signed_in, acting=acting)


DEPENDENCIES: Mapping[str, Provide] = {
    "signed_in": Provide(provide_signed_in),
    "visit": Provide(provide_visit, sync_to_thread=False),
    "section": Provide(provide_section, sync_to_thread=False),
    "form": Provide(provide_form, sync_to_thread=False),
}
