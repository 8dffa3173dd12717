"""HTML pages as they go over the wire: rendered from the templates here, with headers that allow nothing else.

Every page extends `layout.html`, whose one style sheet is named in the policy by its hash. Spec: §4 (Pages).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files

import attrs
from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Response
from litestar.types import Receive, Scope, Send
from markupsafe import Markup

from reviewinvite_core import Language
from reviewinvite_http.errors import ErrorAnswer

PAGES = ("/u/", "/r/")
HTML = "text/html; charset=utf-8"

_STYLE = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode("ascii")
_ALWAYS = {
    "Content-Type": HTML,
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}

_TEMPLATES = Environment(
    loader=PackageLoader("reviewinvite_http", "pages"),
    undefined=StrictUndefined,
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_TEMPLATES.globals["style"] = Markup(_STYLE)  # noqa: S704 - our own file


@attrs.frozen
class Words:
    """What a page about a problem says in one language."""

    heading: str
    advice: str


_PROBLEMS: Mapping[int, tuple[Words, Words]] = {
    404: (
        Words(
            "Deze pagina bestaat niet", "Misschien is de link niet volledig. Kopieer hem in zijn geheel uit de e-mail."
        ),
        Words("There is no such page", "Perhaps a part of the link is missing. Copy all of it from the e-mail."),
    ),
    500: (
        Words("Er ging iets mis", "Dat lag aan ons. Probeer het later nog eens."),
        Words("Something went wrong", "It was our fault. Please try again later."),
    ),
    503: (
        Words("Even geen verbinding", "De dienst is tijdelijk niet beschikbaar. Probeer het over een minuut nog eens."),
        Words("Not available right now", "The service is not available. Please try again in a minute."),
    ),
}
_ANY_OTHER = (
    Words("Dat gaat zo niet", "Open de link uit de e-mail nog eens, en gebruik de knop op de pagina."),
    Words("That does not work", "Open the link from the e-mail again, and use the button on the page."),
)


@attrs.frozen
class Page:
    """A page that is ready to be sent, as the ASGI application that sends it."""

    status: int
    body: bytes
    headers: Mapping[str, str] = attrs.field(factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI calls it
        """Send it."""
        named = {**_ALWAYS, "Content-Length": str(len(self.body)), **self.headers}
        headers = [(name.lower().encode(), value.encode()) for name, value in named.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})

    def as_response(self) -> Response[bytes]:
        """The same, as Litestar's exception handlers have to give it."""
        return Response(self.body, status_code=self.status, media_type=HTML, headers={**_ALWAYS, **self.headers})


def page(name: str, language: Language, **values: object) -> Page:
    """The page of this name in this language."""
    body = _TEMPLATES.get_template(f"{name}/{language}.html").render(language=language, **values)
    return Page(200, body.encode(), {"Content-Language": language})


def problem_page(answer: ErrorAnswer, request_id: str | None = None) -> Page:
    """A refusal or failure as a page in both languages: a browser that asks is a person's, and no program's."""
    dutch, english = _PROBLEMS.get(answer.status, _ANY_OTHER)
    template = _TEMPLATES.get_template("problem.html")
    body = template.render(language=Language.NL, dutch=dutch, english=english, request_id=request_id)
    return Page(answer.status, body.encode(), {"Content-Language": "nl, en", **answer.headers})


def is_page(path: str) -> bool:
    """Whether what is asked for is a page, and so its errors too."""
    return path.startswith(PAGES)


def without_token(path: str) -> str:
    """The path as it may be logged: of a page, only which one it is, as the rest is a personal link."""
    return next((f"{prefix}..." for prefix in PAGES if path.startswith(prefix)), path)
