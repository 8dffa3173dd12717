"""HTML pages as they go over the wire: rendered from the templates here, with headers that allow nothing else.

Every page extends `layout.html`. Its style sheet, and its script where it has one, are in the page itself, and named in
the policy by their hashes. Spec: §4 (Pages).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from urllib.parse import parse_qsl

import attrs
from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar.types import Receive, Scope, Send
from markupsafe import Markup

from reviewinvite_core import Language
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

_MONTHS = {
    Language.NL: "januari februari maart april mei juni juli augustus september oktober november december",
    Language.EN: "January February March April May June July August September October November December",
}


def day_in_words(at: datetime, language: Language) -> str:
    """The UTC day of an instant, as people write it."""
    return f"{at.day} {_MONTHS[language].split()[at.month - 1]} {at.year}"


_TEMPLATES = Environment(
    loader=PackageLoader("reviewinvite_http", "pages"),
    undefined=StrictUndefined,
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_TEMPLATES.filters["day"] = day_in_words
_TEMPLATES.filters["grouped"] = lambda number, point: f"{number:,}".replace(",", point)


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
    """What a page about a problem says in one language."""

    heading: str
    advice: str


_PROBLEMS: Mapping[int, tuple[Words, Words]] = {
    404: (
        Words(
            "Deze pagina bestaat niet",
            "Misschien is de link niet volledig. Kopieer hem in zijn geheel, ook uit e-mail.",
        ),
        Words("There is no such page", "Perhaps a part of the link is missing. Copy all of it, from an e-mail too."),
    ),
    413: (
        Words("Dat is te veel", "Wat u stuurde, is groter dan deze pagina aanneemt. Ga terug en maak het korter."),
        Words("That is too much", "What you sent is larger than this page accepts. Go back and make it shorter."),
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
    Words("Dat gaat zo niet", "Open de link nog eens, en gebruik wat er op de pagina staat."),
    Words("That does not work", "Open the link again, and use what is on the page."),
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
    """The page of this name in this language, for one person."""
    body = rendered(f"{name}/{language}.html", assets_for(name), language, is_public=False, **values)
    headers = {"Content-Security-Policy": assets_for(name).policy, "Content-Language": language, **_FOR_ONE_PERSON}
    return Page(status, body, headers)


def rendered(template: str, assets: PageAssets, language: Language, *, is_public: bool, **values: object) -> bytes:
    """A template filled in; search engines may list what `is_public`."""
    text = _TEMPLATES.get_template(template).render(assets=assets, language=language, is_public=is_public, **values)
    return text.encode()


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
    dutch, english = _PROBLEMS.get(answer.status, _ANY_OTHER)
    body = rendered(template, assets, Language.NL, is_public=False, dutch=dutch, english=english, **values)
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
