"""Everything that members read in the dashboard, in one language; what people write themselves is in capitals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import attrs
from tests.texts import integrations

from reviewinvite_core import Language, ReviewState, Role, State
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, UNKNOWN
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_core.texts.templates import templates_in
from reviewinvite_core.values import (
    Act,
    ActorKind,
    Checklist,
    DayCount,
    Distribution,
    HideReason,
    Overview,
    ReviewChange,
    Score,
    Trouble,
    TroubleCode,
    Week,
)
from reviewinvite_http.dashboard import problems, routing
from reviewinvite_http.dashboard.activity.handlers import DONE, FORMER_MEMBER, WHO, settings_in_words
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.invitations import handlers as of_invitations
from reviewinvite_http.dashboard.members.handlers import SENTENCES
from reviewinvite_http.dashboard.overview.handlers import ENDS, chart_texts
from reviewinvite_http.dashboard.page import SECTIONS
from reviewinvite_http.dashboard.reviews import handlers as of_reviews
from reviewinvite_http.dashboard.settings.handlers import ADDRESS_IN_NAME, FORBIDDEN_IN_NAME, LABELS, MESSAGES

EMAIL = "MEMBER@SHOP.EXAMPLE"


class Named(dict[str, str]):
    """Names that handlers give to a page, in place of those of any key."""

    def __init__(self, name: str) -> None:
        super().__init__({"x": name})

    def __missing__(self, key: str) -> str:
        return self["x"]


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SHOPS = [
    SimpleNamespace(site_id=SiteId("SITE"), name="NAME OF THE SHOP", role=Role.OWNER, active=True),
    SimpleNamespace(site_id=SiteId("OTHER"), name="OTHER SHOP", role=Role.STAFF, active=False),
]
FRAME: dict[str, Any] = {
    "site": SimpleNamespace(name="OPERATOR", home_url="https://REVIEWS.EXAMPLE/"),
    "dashboard_url": "/dashboard",
    "shop_url": "/dashboard/SITE",
    "public_url": "https://REVIEWS.EXAMPLE/shops/SITE",
    "page_url": "/dashboard/SITE/SECTION",
    "return_url": "/dashboard/SITE/SECTION",
    "assets_url": "/dashboard/assets",
    "here": "?",
    "member": SimpleNamespace(email=EMAIL, member_id="ID"),
    "shops": SHOPS,
    "shop": SHOPS[0],
    "nav": [("overview", "NAME OF A SECTION", "/dashboard/SITE/")],
    "section": "overview",
    "csrf_token": "TOKEN",
}
SESSIONS = [
    SimpleNamespace(session_id="OWN", device="DEVICE", signed_in_at=NOON, last_seen_at=NOON),
    SimpleNamespace(session_id="OTHER", device="", signed_in_at=NOON, last_seen_at=NOON),
]
MEMBERS = [
    SimpleNamespace(member_id="ID", email=EMAIL, role=Role.OWNER, signed_in_at=NOON),
    SimpleNamespace(member_id="OTHER", email=EMAIL, role=Role.STAFF, signed_in_at=None),
]
STORED = {"name": "NAME", "reply_to": EMAIL, "language": "nl", "delay_days": "5", "frequency_days": "0"}
SETTINGS: dict[str, Any] = {
    "labels": dict.fromkeys(STORED, "LABEL"),
    "stored": STORED,
    "typed": STORED,
    "errors": {},
    "conflict": [],
    "versions": SimpleNamespace(name="1", reply_to="2", invitations="3"),
    "name": "NAME OF THE SHOP",
    "waiting": None,
    "is_vouched": False,
    "is_recent": True,
    "done": "",
}
LIST: dict[str, Any] = {
    "members": MEMBERS,
    "email": "",
    "role": "staff",
    "done": "",
    "problem": "",
    "error": "",
    "role_error": "",
}
ACTIVITY: dict[str, Any] = {"entries": [], "next": None, "since": "", "is_wrong": False}
ENTRY = SimpleNamespace(
    at=NOON,
    who=EMAIL,
    what="WHAT",
    details=["DETAIL"],
    subject="SUBJECT",
    role=Role.STAFF,
    section=None,
    order_number=None,
)
LINKED = [
    SimpleNamespace(**{**vars(ENTRY), "section": "reviews", "order_number": number}) for number in ("NUMBER", None)
]
_LOGGED = ("frequencyDays=1:2", "replyTo")
PROBLEM: dict[str, Any] = {
    "heading": "HEADING",
    "advice": "ADVICE",
    "form": Form(),
    "typed": [],
    "sign_in_url": None,
    "request_id": None,
}
_REVIEWS = Distribution((0, 0, 0, 1, 2))
_OVERVIEW = Overview(
    shop=a_shop().numbered(1),
    today=NOON.date(),
    checklist=Checklist(key_made=False, order_reported=True, domain_verified=False, badge_seen=False),
    weeks=[Week(monday=NOON.date(), sent=1, reviews=_REVIEWS)],
    invitations=Counter(dict.fromkeys(State, 1)),
    all_time=_REVIEWS,
    last_12_months=_REVIEWS.score,
    views=DayCount(counted=1, limit=None),
    snippets=DayCount(counted=1, limit=2),
    troubles=[Trouble(code=code, host="HOST", name="NEW NAME", counted=1, limit=2) for code in TroubleCode],
)
_NEW = attrs.evolve(
    _OVERVIEW,
    checklist=attrs.evolve(_OVERVIEW.checklist, order_reported=False, domains_waiting=2),
    troubles=[
        Trouble(code=TroubleCode.UNCERTAIN_INVITATIONS, counted=2),
        Trouble(code=TroubleCode.NO_VERIFIED_DOMAIN, host="HOST", hosts=("HOST",) * 2, counted=2),
        Trouble(code=TroubleCode.NO_VERIFIED_DOMAIN, host="HOST", hosts=("HOST",) * 2, counted=3),
        Trouble(code=TroubleCode.NO_VERIFIED_DOMAIN, host="HOST", hosts=("HOST",), counted=1),
    ],
)
_ONE_WAITS = attrs.evolve(_NEW, checklist=attrs.evolve(_NEW.checklist, domains_waiting=1))
_SILENT = attrs.evolve(
    _OVERVIEW,
    invitations=Counter(),
    weeks=[Week(monday=NOON.date(), sent=0, reviews=Distribution())],
    all_time=Distribution(),
    last_12_months=Score(count=0, total=0),
)
_LONELY = Week(monday=NOON.date(), sent=1, reviews=Distribution.of(5))
_CHART: dict[str, Any] = {
    "chart": "CHART",
    "shown_host": lambda host: host,
    "week_name": lambda _: "WEEK",
    "short_day": lambda _: "WEEK",
    "badge_tag": "TAG",
    "states": {each.value: "STATE" for each in ENDS},
}
WITH_FORM = {**PROBLEM, "form": Form([("text", "TYPED")]), "typed": [("LABEL", "TYPED")]}

WORDS = {
    "states": Named("STATE"),
    "acts": Named("ACT"),
    "parties": {"shop": "PARTY"},
    "hidden_for": Named("REASON"),
    "sources": Named("SOURCE"),
}
SHOWN = SimpleNamespace(
    review_id="ID",
    invite_id="ID",
    rating=4,
    text="TEXT",
    author="AUTHOR",
    language="nl",
    written_at=NOON,
    edited_at=NOON,
    state="published",
    hidden_for=None,
    reply=SimpleNamespace(text="REPLY", replied_at=NOON),
    source="snippet",
    confirmed=False,
)
ANONYMOUS = SimpleNamespace(
    **{**vars(SHOWN), "confirmed": True, "text": None, "author": None, "reply": None, "edited_at": None}
)
HIDDEN = SimpleNamespace(**{**vars(ANONYMOUS), "state": "hidden"})
HIDDEN_REPLIED = SimpleNamespace(**{**vars(HIDDEN), "reply": SHOWN.reply})
WITHDRAWN = SimpleNamespace(**{**vars(ANONYMOUS), "state": "withdrawn", "rating": None})
REVIEWS = [
    SimpleNamespace(review=each, order_number=number)
    for each, number in ((SHOWN, "NUMBER"), (ANONYMOUS, None), (HIDDEN, None), (WITHDRAWN, None))
]
BROWSED: dict[str, Any] = {
    "reviews": [],
    "next": None,
    "is_newest": True,
    "rating": "",
    "state": "",
    "ratings": [5, 1],
    "query": "",
    **WORDS,
}
CHANGES = [ReviewChange(act=Act.HIDDEN, state=ReviewState.HIDDEN, at=NOON, hidden_for=HideReason.SPAM)]
REVIEW: dict[str, Any] = {"typed": "TYPED", "error": "", "is_conflict": False, "version": "1", "done": "", **WORDS}


def a_review_page(review: Any, number: str | None = "NUMBER", **values: Any) -> tuple[str, dict[str, Any]]:
    """Return the page of a review."""
    record = SimpleNamespace(order_number=number, history=CHANGES)
    return "reviews/review.html", {**REVIEW, "review": review, "record": record, **values}


INVITATION = SimpleNamespace(
    invite_id="ID",
    order_number="NUMBER",
    state="sent",
    reason="x",
    language="nl",
    scheduled_for=NOON,
    reported_at=NOON,
    source=OPEN_SNIPPET.source,
    confirmed=False,
    provenance=OPEN_SNIPPET,
    sent_at=NOON,
)
UNNUMBERED = SimpleNamespace(
    **{**vars(INVITATION), "order_number": None, "source": UNKNOWN.source, "confirmed": True, "state": "cancelled"}
)
WAITING = SimpleNamespace(**{**vars(INVITATION), "state": "scheduled", "sent_at": None})
SUPPRESSED = SimpleNamespace(**{**vars(INVITATION), "state": "suppressed", "sent_at": None})
LISTED = [
    SimpleNamespace(invitation=each, reviewed=each is INVITATION)
    for each in (INVITATION, UNNUMBERED, WAITING, SUPPRESSED)
]
OF_INVITATIONS: dict[str, Any] = {
    "states": Named("STATE"),
    "meanings": Named("MEANING"),
    "sources": Named("SOURCE"),
    "reasons": Named("REASON"),
    "labels": Named("LABEL"),
    "kinds": {},
    "records": [],
    "next": None,
    "is_newest": True,
    "state": "",
    "order": "",
    "query": "",
}


def an_invitation_page(invitation: Any, **values: Any) -> tuple[str, dict[str, Any]]:
    """Return the page of an invitation."""
    history = [(SimpleNamespace(state="x", reply="REPLY", at=NOON), "REASON")]
    shown = {
        "can_cancel": False,
        "can_send": False,
        "is_too_late": False,
        "is_due": False,
        "done": "",
        "review_id": "ID",
        **values,
    }
    return "invitations/invitation.html", {**OF_INVITATIONS, "history": history, "invitation": invitation, **shown}


PAGES: dict[str, tuple[str, dict[str, Any]]] = {
    **integrations.PAGES,
    "frame": ("shell.html", {}),
    "frame, inactive": ("shell.html", {"shop": SHOPS[1]}),
    "sign-in": ("sign_in/page.html", {}),
    "sign-in, signed out": ("sign_in/page.html", {"done": True}),
    "sign-in, no address": ("sign_in/page.html", {"email": "X", "is_wrong": True}),
    "sign-in, dead link": ("sign_in/page.html", {"is_dead": True}),
    "sign-in, sent": ("sign_in/sent.html", {"email": EMAIL}),
    "sign-in, link": ("sign_in/link.html", {"offer": SimpleNamespace(email=EMAIL)}),
    "sessions": ("sign_in/sessions.html", {"sessions": SESSIONS, "own": "OWN", "done": "ended"}),
    "sessions, others": ("sign_in/sessions.html", {"sessions": SESSIONS, "own": "OWN", "done": "others"}),
    "shops": ("sign_in/shops.html", {}),
    "shops, none": ("sign_in/shops.html", {"shops": []}),
    "problem, kept": ("problem/page.html", {**WITH_FORM, "sign_in_url": "/dashboard/sign-in"}),
    "problem, sign in": ("problem/page.html", {**PROBLEM, "sign_in_url": "/dashboard/sign-in"}),
    "problem, fault": ("problem/page.html", {**PROBLEM, "request_id": "1"}),
    "overview": ("overview/page.html", {**_CHART, "shown": _OVERVIEW, "is_owner": True}),
    "overview, new": ("overview/page.html", {**_CHART, "shown": _NEW, "is_owner": True}),
    "overview, one review": (
        "overview/page.html",
        {**_CHART, "shown": attrs.evolve(_OVERVIEW, last_12_months=_LONELY.reviews.score), "is_owner": True},
    ),
    "overview, one confirmed": (
        "overview/page.html",
        {
            **_CHART,
            "shown": attrs.evolve(_OVERVIEW, last_12_months=attrs.evolve(_REVIEWS.score, confirmed=1)),
            "is_owner": True,
        },
    ),
    "overview, one domain waits": ("overview/page.html", {**_CHART, "shown": _ONE_WAITS, "is_owner": True}),
    "overview, staff": ("overview/page.html", {**_CHART, "shown": _NEW, "is_owner": False}),
    "overview, no reviews": ("overview/page.html", {**_CHART, "shown": _SILENT, "is_owner": True}),
    "settings": ("settings/page.html", {**SETTINGS, "done": "saved"}),
    "settings, waiting": ("settings/page.html", {**SETTINGS, "waiting": "NEW NAME", "done": "waits"}),
    "settings, vouched": ("settings/page.html", {**SETTINGS, "is_vouched": True, "done": "withdrawn"}),
    "settings, none waits": ("settings/page.html", {**SETTINGS, "done": "none-waits"}),
    "settings, vouched and waiting": ("settings/page.html", {**SETTINGS, "waiting": "NEW NAME", "is_vouched": True}),
    "settings, waiting and not recent": ("settings/page.html", {**SETTINGS, "waiting": "NEW NAME", "is_recent": False}),
    "settings, not recent": ("settings/page.html", {**SETTINGS, "is_recent": False}),
    "settings, no address": (
        "settings/page.html",
        {**SETTINGS, "is_recent": False, "stored": {**STORED, "reply_to": ""}},
    ),
    "settings, conflict": (
        "settings/page.html",
        {**SETTINGS, "conflict": ["name"], "typed": {**STORED, "name": "TYPED"}},
    ),
    "members": ("members/page.html", {**LIST, "done": "DONE", "problem": "PROBLEM"}),
    "members, remove": ("members/remove.html", {"removed": MEMBERS[1], "is_oneself": False, "is_ready": True}),
    "members, remove, not recent": (
        "members/remove.html",
        {"removed": MEMBERS[1], "is_oneself": False, "is_ready": False},
    ),
    "members, leave": ("members/remove.html", {"removed": MEMBERS[0], "is_oneself": True, "is_ready": True}),
    "reviews": ("reviews/page.html", {**BROWSED, "reviews": REVIEWS, "next": "1", "is_newest": False}),
    "reviews, none": ("reviews/page.html", BROWSED),
    "reviews, none such": ("reviews/page.html", {**BROWSED, "rating": "1"}),
    "review": a_review_page(SHOWN, done="replied"),
    "review, no reply": a_review_page(ANONYMOUS, None, done="removed"),
    "review, conflict": a_review_page(ANONYMOUS, is_conflict=True),
    "review, hidden": a_review_page(HIDDEN, is_conflict=True),
    "review, hidden, replied": a_review_page(HIDDEN_REPLIED),
    "review, withdrawn": a_review_page(WITHDRAWN),
    "invitations": ("invitations/page.html", {**OF_INVITATIONS, "next": "1", "is_newest": False, "records": LISTED}),
    "invitations, none": ("invitations/page.html", OF_INVITATIONS),
    "invitations, none such": ("invitations/page.html", {**OF_INVITATIONS, "state": "sent"}),
    "invitation, send now": ("invitations/send_now.html", an_invitation_page(INVITATION)[1]),
    "invitation": an_invitation_page(INVITATION, can_cancel=True, can_send=True),
    "invitation, too late": an_invitation_page(INVITATION, is_too_late=True),
    "invitation, cancelled": an_invitation_page(UNNUMBERED, done="cancelled"),
    "invitation, due": an_invitation_page(INVITATION, done="due", review_id=""),
    "activity": ("activity/page.html", {**ACTIVITY, "entries": [ENTRY, *LINKED], "next": "1", "since": "2026-03-02"}),
    "activity, empty": ("activity/page.html", ACTIVITY),
    "activity, filtered": ("activity/page.html", {**ACTIVITY, "since": "2026-03-02"}),
    "activity, no day": ("activity/page.html", {**ACTIVITY, "since": "X", "is_wrong": True}),
}
WRITTEN = {
    *integrations.WRITTEN,
    EMAIL,
    "NAME OF A SECTION",
    "OTHER SHOP",
    "NEW NAME",
    "DEVICE",
    "TYPED",
    "LABEL",
    "HEADING",
    "ADVICE",
    "WHAT",
    "CHART",
    "WEEK",
    "HOST",
    "SUBJECT",
    "DONE",
    "PROBLEM",
    "SITE",
    "OTHER",
    "NAME",
    *("LABEL", "DETAIL", "STATE", "ACT", "PARTY", "REASON", "MEANING", "SOURCE", "NUMBER", "TEXT", "AUTHOR", "REPLY"),
    "polski",  # among the languages to choose from
    "2 mar 2026, 12:00 UTC",
}


def dashboard_texts(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each page of the dashboard, and each sentence that handlers put into one."""
    templates, texts = templates_in(language, "reviewinvite_http", "pages", "dashboard"), texts_in(language)
    for name, (template, values) in PAGES.items():
        yield f"dashboard, {name}", templates.get_template(template).render({**FRAME, **values})
    said = [name for _, name, _ in SECTIONS] + [*DONE.values(), FORMER_MEMBER, WHO[ActorKind.API_KEY], *SENTENCES]
    said += [*MESSAGES.values(), FORBIDDEN_IN_NAME, ADDRESS_IN_NAME, *LABELS.values(), *integrations.SAID]
    said += [line for each in _LOGGED for line in settings_in_words(each, texts)]
    said += [label for each in routing.SECTIONS for label in getattr(each, "opt", {}).get("typed", {}).values()]
    said += [of_reviews.REPLY, of_reviews.TOO_LONG, of_reviews.NOT_TEXT, of_reviews.EMPTY]
    said += [of_invitations.BROUGHT_FORWARD_BY_READER]
    said += of_invitations.SOURCES.values()
    tables = (of_reviews.STATES, of_reviews.ACTS, of_reviews.PARTIES, of_reviews.HIDDEN_FOR)
    more = (of_invitations.STATES, of_invitations.MEANINGS, of_invitations.REASONS, of_invitations.BROUGHT_FORWARD)
    said += [word for table in (*tables, *more) for word in table.values()]
    chart = chart_texts(texts)
    drawn = [
        chart.title,
        chart.description,
        *(chart.week(each) for each in (*_OVERVIEW.weeks, *_SILENT.weeks, _LONELY)),
    ]
    yield from ((f"dashboard, {each}", each) for each in drawn)
    for problem in problems.EVERY:
        said += [problem.heading, problem.advice]
    values = {"time": "NOON", "character": "U+202E", "part": "PART", "operator": "OPERATOR"}
    yield from ((f"dashboard, {each}", texts.gettext(each, **values)) for each in said)
