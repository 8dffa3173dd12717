"""HTML pages as they go over the wire: rendered from the templates here, with headers that allow nothing else.

There is one template a page, in every language that has a catalogue (ADR-37); all extend `layout.html`. A page's style
sheet, and its script where it has one, are in the page itself, and named in the policy by their hashes.
Spec: §4 (Pages).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from urllib.parse import parse_qsl

import attrs
from litestar.types import Receive, Scope, Send
from markupsafe import Markup

from reviewinvite_core import Language
from reviewinvite_core.texts import gettext_noop, templates_in, texts_in
from reviewinvite_http.errors import ErrorAnswer
from reviewinvite_http.paths import as_routed
from reviewinvite_http.whole_answers import send_whole

PERSONAL = ("/u/", "/r/")
PUBLIC = ("/shops/",)
HTML = "text/html; charset=utf-8"

ALWAYS = {
    "Content-Type": HTML,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_FOR_ONE_PERSON = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex"}


@attrs.frozen
class PageAssets:
    """The style sheet and the script that are in a page, and the policy that allows them and nothing else."""

    style: Markup
    script: Markup | None
    policy: str


@lru_cache
def assets_for(name: str) -> PageAssets:
    """How the page of this name looks: as every page does, and what its own `style.css` and `script.js` add to that."""
    style, script = _text("style.css") + _text(f"{name}/style.css"), _text(f"{name}/script.js")
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; {scripts}form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    return PageAssets(Markup(style), Markup(script) if script else None, policy)  # noqa: S704 - our own files


def _text(name: str) -> str:
    file = files(__package__).joinpath(name)
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


@attrs.frozen
class Words:
    """What a page about a problem says."""

    language: Language
    heading: str
    advice: str
    unsaved: str
    send_again: str


_PROBLEMS: Mapping[int, tuple[str, str]] = {
    404: (
        gettext_noop("This page does not exist"),
        gettext_noop("The link may be incomplete. If it came in an e-mail, copy all of it."),
    ),
    413: (
        gettext_noop("That is too long"),
        gettext_noop("What you sent is larger than this page accepts. Go back and make it shorter."),
    ),
    500: (
        gettext_noop("Something went wrong"),
        gettext_noop("That was our fault. Please try again later."),
    ),
    503: (
        gettext_noop("Temporarily unavailable"),
        gettext_noop("The service is not available at the moment. Please try again in a minute."),
    ),
}
_ANY_OTHER = (
    gettext_noop("That did not work"),
    gettext_noop("Open the link again and use the form on the page."),
)


def _words(status: int, language: Language) -> Words:
    texts = texts_in(language)
    heading, advice = map(texts.gettext, _PROBLEMS.get(status, _ANY_OTHER))
    return Words(
        language,
        heading,
        advice,
        unsaved=texts.gettext("What you wrote has not been saved yet."),
        send_again=texts.gettext("Send again"),
    )


@attrs.frozen
class Page:
    """A page that is ready to be sent, as the ASGI application that sends it."""

    status: int
    body: bytes
    headers: Mapping[str, str] = attrs.field(factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI calls it
        """Send it."""
        named = {**ALWAYS, "Content-Length": str(len(self.body)), **self.headers}
        headers = [(name.lower().encode(), value.encode()) for name, value in named.items()]
        await send_whole(scope, send, self.status, headers, self.body)


def page(name: str, language: Language, *, status: int = 200, **values: object) -> Page:
    """Return the page of this name in this language, for one person."""
    assets = assets_for(name)
    body = rendered(f"{name}/page.html", assets, language, is_public=False, here="?", **values)
    headers = {"Content-Security-Policy": assets.policy, "Content-Language": language, **_FOR_ONE_PERSON}
    return Page(status, body, headers)


def rendered(template: str, assets: PageAssets, language: Language, *, is_public: bool, **values: object) -> bytes:
    """Fill a template in; search engines may list what `is_public`."""
    templates = templates_in(language, "reviewinvite_http", "pages")
    return templates.get_template(template).render(assets=assets, is_public=is_public, **values).encode()


def moved_to(address: str) -> Page:
    """The answer to a form that has done its work: look at this page now. A reload of that sends nothing again."""
    headers = {"Content-Security-Policy": assets_for("problem").policy, "Location": address, **_FOR_ONE_PERSON}
    return Page(303, b"", headers)


def problem_page(answer: ErrorAnswer, request_id: str | None = None) -> Page:
    """A refusal or failure as a page in both languages: a browser that asks is a person's, and no program's."""
    return _bilingual("problem.html", assets_for("problem"), answer, request_id=request_id)


def unsent_page(answer: ErrorAnswer, request_id: str, form: object) -> Page:
    """The same, with the review that could not be stored, to be sent once more."""
    return _bilingual("review/unsent.html", assets_for("review"), answer, request_id=request_id, form=form)


def _bilingual(template: str, assets: PageAssets, answer: ErrorAnswer, **values: object) -> Page:
    """Return a page in Dutch and English: the language of whoever reads it is not known."""
    spoken = [_words(answer.status, language) for language in (Language.NL, Language.EN)]
    body = rendered(template, assets, Language.NL, is_public=False, spoken=spoken, **values)
    headers = {"Content-Security-Policy": assets.policy, "Content-Language": "nl, en", **_FOR_ONE_PERSON}
    return Page(answer.status, body, {**headers, **answer.headers})


def chosen_language(query: str, otherwise: Language) -> Language:
    """The language that a page's address asks for with `?language=`."""
    wanted = dict(parse_qsl(query)).get("language")
    return Language(wanted) if wanted in set(Language) else otherwise


def is_page(path: str) -> bool:
    """Whether what is asked for is a page, and so its errors too."""
    return as_routed(path).startswith(PERSONAL + PUBLIC)


def without_token(path: str) -> str:
    """The path as it may be logged: of a personal link, only which page it leads to."""
    return next((f"{prefix}..." for prefix in PERSONAL if as_routed(path).startswith(prefix)), path)
