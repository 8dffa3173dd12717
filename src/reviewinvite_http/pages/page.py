"""Render HTML pages from the templates here, with headers that allow only what a page contains.

Each page has one template for all languages that have a catalogue (ADR-37); all templates extend `layout.html`. The
style sheet and the script of a page, if any, are inline, and the policy allows them by their hashes.
Spec: §4 (Pages).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Self
from urllib.parse import urlsplit

import attrs
import jinja2
from litestar import Response
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from litestar.template import TemplateConfig
from markupsafe import Markup

from reviewinvite_core import Application, AsyncApplication, Language
from reviewinvite_core.texts.catalogue import gettext_noop, texts_in
from reviewinvite_core.texts.templates import templates_in
from reviewinvite_core.values import Imprint
from reviewinvite_http.errors import ErrorAnswer
from reviewinvite_http.negotiation import best_match, preferred_language
from reviewinvite_http.responses import JSON, PlainResponse, Variant

PERSONAL = ("/u/", "/r/")
PUBLIC = ("/shops/",)
HOME = "/"
HTML = "text/html"

ALWAYS = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
OWN_ASSET = {
    **ALWAYS,
    "Content-Security-Policy": "default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Vary": "Accept-Encoding",
}
"""Header fields of a file that only our own pages load, compressed or not."""

_TEMPLATES = ("reviewinvite_http", "pages", "dashboard")
_COMMON_STYLES = ("tokens.css", "components.css", "style.css")
BOTH = (Language.NL, Language.EN)
_FOR_ONE_PERSON = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex"}


@attrs.frozen(kw_only=True)
class About:
    """What the footer of each page says about the service: where it is, and who runs it."""

    home_url: str
    imprint: Imprint
    sign_in_url: str = ""

    @classmethod
    def of(cls, app: Application | AsyncApplication) -> Self:
        """Return what the pages of this application say."""
        sign_in_url = f"{app.dashboard_url}/dashboard/sign-in"
        return cls(home_url=f"{app.base_url}/", imprint=app.imprint, sign_in_url=sign_in_url)

    @property
    def host(self) -> str:
        """The host of the service, which e-mails name as their sender."""
        return urlsplit(self.home_url).hostname or ""

    @property
    def name(self) -> str:
        """The operator's name, or else the host."""
        return self.imprint.name or self.host


class LanguageTemplates(JinjaTemplateEngine):
    """Litestar's engine for templates named `LANGUAGE:NAME`, with one Jinja environment for each language.

    If `about` is given, all templates can use it under the name `site`.
    """

    def __init__(self, about: About | None = None) -> None:
        super().__init__(engine_instance=jinja2.Environment(autoescape=True))  # has no language and is not used
        self._more = {"site": about} if about else {}
        self._environments: dict[Language, jinja2.Environment] = {}

    def get_template(self, template_name: str) -> jinja2.Template:
        """Return the template in its language."""
        language, _, name = template_name.partition(":")
        return self._environment(Language(language)).get_template(name)

    def _environment(self, language: Language) -> jinja2.Environment:
        """Return an environment of this engine's own, because compiled templates keep their globals."""
        found = self._environments.get(language)
        if found is None:
            common = templates_in(language, *_TEMPLATES)
            found = self._environments[language] = common.overlay()
            found.globals = {**common.globals, **self._more}
        return found


TEMPLATE_CONFIG = TemplateConfig(instance=LanguageTemplates())


def template_config(app: Application | AsyncApplication) -> TemplateConfig[LanguageTemplates]:
    """Return the configuration of the pages of this application."""
    return TemplateConfig(instance=LanguageTemplates(About.of(app)))


@attrs.frozen
class PageAssets:
    """The style sheet and script of a page, and a Content-Security-Policy that allows only what the page uses."""

    style: Markup
    script: Markup | None
    policy: str


@lru_cache
def assets_for(name: str) -> PageAssets:
    """Return the assets of the page with this name: the common styles, then its own `style.css` and `script.js`."""
    style = "".join(map(_text, (*_COMMON_STYLES, f"{name}/style.css")))
    script = _text(f"{name}/script.js")
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    policy = (
        f"default-src 'none'; img-src 'self'; style-src '{_hash(style)}'; {scripts}"
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return PageAssets(Markup(style), Markup(script) if script else None, policy)  # noqa: S704 - our own files


def _text(name: str) -> str:
    file = files(__package__).joinpath(name)
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


@attrs.frozen
class Words:
    """The texts of an error page."""

    language: Language
    heading: str
    advice: str
    unsaved: str
    send_again: str
    home: str


_PROBLEMS: Mapping[int, tuple[str, str]] = {
    404: (
        gettext_noop("This page does not exist"),
        gettext_noop("The link may be incomplete. If it came in an e-mail, copy all of it."),
    ),
    413: (
        gettext_noop("That is too long"),
        gettext_noop("What you sent is larger than this page accepts. Go back and make it shorter."),
    ),
    500: (gettext_noop("Something went wrong"), gettext_noop("That was our fault. Please try again later.")),
    503: (
        gettext_noop("Temporarily unavailable"),
        gettext_noop("The service is not available at the moment. Please try again in a minute."),
    ),
}
_ANY_OTHER = (gettext_noop("That did not work"), gettext_noop("Open the link again and use the form on the page."))


def _words(status: int, language: Language) -> Words:
    texts = texts_in(language)
    heading, advice = map(texts.gettext, _PROBLEMS.get(status, _ANY_OTHER))
    return Words(
        language,
        heading,
        advice,
        unsaved=texts.gettext("What you wrote has not been saved yet."),
        send_again=texts.gettext("Send again"),
        home=texts.gettext("To the home page"),
    )


def page(name: str, language: Language, *, status: int = 200, **values: object) -> Template:
    """Return the page with this name in this language, for one person."""
    context = {"assets": assets_for(name), "is_public": False, "here": "?", **values}
    headers = personal_headers(name, language)
    return Template(
        f"{language}:{name}/page.html", context=context, status_code=status, media_type=HTML, headers=headers
    )


def personal_headers(name: str, language: str) -> dict[str, str]:
    """Return the header fields of a page for one person."""
    policy = assets_for(name).policy
    return {**ALWAYS, **_FOR_ONE_PERSON, "Content-Security-Policy": policy, "Content-Language": language}


def rendered(
    template: str, assets: PageAssets, language: Language, about: About | None, *, is_public: bool, **values: object
) -> bytes:
    """Render a template to bytes for a cache; search engines may list the page if `is_public`."""
    templates = templates_in(language, *_TEMPLATES)
    return templates.get_template(template).render(assets=assets, site=about, is_public=is_public, **values).encode()


def page_of_browsers_language(
    name: str, language: Language, about: About, *, is_public: bool, **values: object
) -> Variant:
    """Return the page with this name, the same for everybody whose browser prefers this language."""
    assets = assets_for(name)
    body = rendered(f"{name}/page.html", assets, language, about, is_public=is_public, here="?", **values)
    policy = {"Content-Security-Policy": assets.policy}
    return Variant(body, HTML, {**ALWAYS, **policy, "Content-Language": language, "Vary": "Accept-Language"})


def moved_to(address: str) -> Response[bytes]:
    """Return a redirect after a successful form, so that reloading the next page does not resubmit the form."""
    headers = {**personal_headers("problem", "nl, en"), "Location": address}
    return PlainResponse(b"", status_code=303, media_type=HTML, headers=headers)


def problem_page(answer: ErrorAnswer, accept_language: str, request_id: str | None = None) -> Template:
    """Return a refusal or failure as a page for people: in the language that the browser prefers, or else in both."""
    spoken = list(dict.fromkeys(preferred_language(accept_language, each) for each in BOTH))
    return _bilingual("problem.html", "problem", answer, languages=spoken, request_id=request_id)


def unsent_page(answer: ErrorAnswer, request_id: str, form: object, language: Language | None) -> Template:
    """Return a failure as a page with the unsaved review, ready to be submitted again; in its language if known."""
    spoken = [language] if language else BOTH
    return _bilingual("review/unsent.html", "review", answer, languages=spoken, request_id=request_id, form=form)


def _bilingual(
    template: str, name: str, answer: ErrorAnswer, *, languages: Sequence[Language] = BOTH, **values: object
) -> Template:
    """Return a page in Dutch and English, or in the reader's language if it is known."""
    spoken = [_words(answer.status, language) for language in languages]
    context = {"assets": assets_for(name), "is_public": False, "spoken": spoken, **values}
    headers = {**personal_headers(name, ", ".join(languages)), **answer.headers}
    template_name = f"{languages[0]}:{template}"
    return Template(template_name, context=context, status_code=answer.status, media_type=HTML, headers=headers)


def chosen_language(wanted: str | None, otherwise: Language) -> Language:
    """Return the language that a page's `?language=` names, or `otherwise` if there is no such language."""
    return Language(wanted) if wanted in set(Language) else otherwise


def is_page(path: str) -> bool:
    """Return whether a routed path is that of a page, whose errors are pages too."""
    return path == HOME or path.startswith(PERSONAL + PUBLIC)


def is_mistyped_page(path: str, accept: str) -> bool:
    """Return whether a browser that shows pages requested a routed path outside the API."""
    return not path.startswith("/v1") and best_match(accept, (JSON, HTML)) == HTML
