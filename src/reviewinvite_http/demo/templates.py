"""Templates, languages and style sheets of the demo's pages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import jinja2
from litestar.datastructures import Cookie
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Response, Template
from litestar.template import TemplateConfig

from reviewinvite_core import Language
from reviewinvite_core.texts.templates import templates_in
from reviewinvite_http.dashboard.session_cookie import LANGUAGE
from reviewinvite_http.negotiation import preferred_language
from reviewinvite_http.requests import AnyRequest, header


class _DemoTemplates(JinjaTemplateEngine):
    """Templates named `LANGUAGE:NAME`; they may use the components of the service's pages."""

    def __init__(self) -> None:
        super().__init__(engine_instance=jinja2.Environment(autoescape=True))  # has no language and is not used

    def get_template(self, template_name: str) -> jinja2.Template:
        """Return the template in its language."""
        language, _, name = template_name.partition(":")
        return templates_in(Language(language), "reviewinvite_http", "demo", "pages").get_template(name)


TEMPLATES = TemplateConfig(instance=_DemoTemplates())


def language_of(request: AnyRequest) -> Language:
    """Return the language chosen now or before, here or in the dashboard, or else the browser's, or else English."""
    for chosen in (request.query_params.get(LANGUAGE), request.cookies.get(LANGUAGE)):
        if chosen in set(Language):
            return Language(chosen)
    return preferred_language(header(request, "accept-language") or "", Language.EN)


def language_cookie(language: Language) -> Cookie:
    """Return the cookie in which the dashboard, too, keeps the language; the demo is served over plain http."""
    return Cookie(key=LANGUAGE, value=language, path="/", httponly=True, samesite="lax")


def page(request: AnyRequest, name: str, policy: str, *, status: int = 200, **values: Any) -> Template:
    """Return a page in the request's language, which the browser keeps if it was chosen."""
    language = language_of(request)
    return Template(
        f"{language}:{name}.html",
        context={"here": request.url.path, **values},
        headers={"Content-Security-Policy": policy, "Content-Language": language, "Cache-Control": "no-store"},
        status_code=status,
        media_type="text/html",
        cookies=[language_cookie(language)] if LANGUAGE in request.query_params else [],
    )


def style_sheet(*names: str) -> Response[str]:
    """Return style sheets as one; those of the service's pages have a path."""
    return Response(_joined(names), media_type="text/css")


def script(name: str) -> Response[str]:
    return Response(_joined([name]), media_type="text/javascript")


def _joined(names: Sequence[str]) -> str:
    folder = files("reviewinvite_http")
    return "".join(folder.joinpath("demo", name).read_text(encoding="utf-8") for name in names)
