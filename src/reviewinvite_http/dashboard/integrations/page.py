"""The page of the section: all that connects a shop's site with the service. Spec: §10.5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from litestar import Response

from reviewinvite_core import Actor, accepted
from reviewinvite_core.domain.embedding import BadgeEmbed, SnippetEmbed
from reviewinvite_core.texts import gettext_noop, texts_in
from reviewinvite_core.values import (
    BadgeLook,
    FailureReason,
    ProofWay,
    Shop,
    Size,
    SnippetMode,
    Theme,
    VerificationStatus,
)
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.form import version_of
from reviewinvite_http.dashboard.integrations.preview import GROUNDS, preview_query
from reviewinvite_http.dashboard.integrations.programs import programs
from reviewinvite_http.dashboard.page import dashboard_page
from reviewinvite_http.dashboard.settings.handlers import in_language, stored
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.pages.page import About
from reviewinvite_http.requests import next_request_id

STATUS: Mapping[VerificationStatus, tuple[str, str]] = {
    VerificationStatus.UNPROVED: ("warn", gettext_noop("not verified")),
    VerificationStatus.VERIFIED: ("ok", gettext_noop("verified")),
    VerificationStatus.VOUCHED: ("ok", gettext_noop("verified by %(operator)s")),
    VerificationStatus.MISSING: ("warn", gettext_noop("proof missing")),
    VerificationStatus.LOST: ("bad", gettext_noop("verification lost")),
}
"""The colour and the word for each status."""

_IN_DNS: Mapping[FailureReason, str] = {
    FailureReason.NO_RECORD: gettext_noop("DNS has no such record."),
    FailureReason.OTHER_TOKEN: gettext_noop("The record in DNS has another value."),
    FailureReason.NO_ANSWER: gettext_noop("No name server answered."),
}
_AT_HOST: Mapping[FailureReason, str] = {
    FailureReason.NO_RECORD: gettext_noop("The site has no such file, or the file does not contain the line."),
    FailureReason.OTHER_TOKEN: gettext_noop("The file contains another value."),
    FailureReason.NO_ANSWER: gettext_noop("The site did not answer."),
    FailureReason.NOT_PUBLIC: gettext_noop("The site’s address is not public, so we did not connect to it."),
    FailureReason.NO_HOST: gettext_noop("The site has no address."),
    FailureReason.REFUSED: gettext_noop("The site did not serve the file; we do not follow redirects."),
    FailureReason.TOO_LARGE: gettext_noop("The site sent more than 1 KiB."),
    FailureReason.NOT_TRUSTED: gettext_noop("The site has no trusted certificate for its name."),
}

PUBLIC_SUFFIX = gettext_noop("Many shops have names below this domain. Enter your own, such as www.example.co.uk.")

FOUND = gettext_noop("Proof found: this domain is verified.")
TAKEN = gettext_noop("Another shop has verified this domain, and must remove it first.")


def absence(way: ProofWay, reason: FailureReason) -> str:
    """Return why one way of proving a host found no proof."""
    return (_IN_DNS if way is ProofWay.DNS else _AT_HOST)[reason]


IDEMPOTENCY_FIELD = "once"
"""Field with an id of the form, new on each page: the same form sent twice makes one key."""

_DONE = {
    "revoked": gettext_noop("The key was revoked. Requests with it are now refused."),
    "added": gettext_noop("The domain was added. Publish its proof, then check it."),
    "removed": gettext_noop("The domain was removed."),
    "snippet": gettext_noop("Saved."),
    "badge": gettext_noop("Saved. Your pages show it within 5 minutes."),
}
_DONE_IN = {"added": "domains", "removed": "domains", "snippet": "snippet", "badge": "badge"}
"""The part of the page that says what was done there, if it is not the first."""

THEMES = {Theme.LIGHT: gettext_noop("Light"), Theme.DARK: gettext_noop("Dark"), Theme.AUTO: gettext_noop("Automatic")}
SIZES = {Size.SMALL: gettext_noop("Small"), Size.MEDIUM: gettext_noop("Medium"), Size.LARGE: gettext_noop("Large")}

SNIPPET = gettext_noop("Orders from web pages")
SNIPPETS = {
    SnippetMode.OPEN: gettext_noop("Accept all from your domains"),
    SnippetMode.SIGNED: gettext_noop("Accept only those with a correct signature"),
    SnippetMode.OFF: gettext_noop("Accept none"),
}

SENTENCES = (
    *(word for _, word in STATUS.values()),
    *_IN_DNS.values(),
    *_AT_HOST.values(),
    PUBLIC_SUFFIX,
    FOUND,
    TAKEN,
    *_DONE.values(),
    *THEMES.values(),
    *SIZES.values(),
    SNIPPET,
    *SNIPPETS.values(),
)
"""All that the page's code says itself."""


@attrs.frozen(kw_only=True)
class Checked:
    """What a check of a domain found."""

    host: str
    is_proved: bool = False
    is_taken: bool = False
    absences: Sequence[tuple[ProofWay, FailureReason]] = ()

    @property
    def sentences(self) -> Sequence[str]:
        """What it says: that the proof is there, or why not."""
        if self.is_taken:
            return [TAKEN]
        return [FOUND] if self.is_proved else [absence(*each) for each in self.absences]


@attrs.frozen(kw_only=True)
class Shown:
    """What is shown beside what is stored: what was typed and is wrong, what was just done, and a badge to preview."""

    done: str = ""
    label: str = ""
    label_error: str = ""
    host: str = ""
    host_error: str = ""
    checked: Checked | None = None
    look: BadgeLook | None = None
    snippet: str = ""
    snippet_error: str = ""
    badge_errors: Mapping[str, str] = attrs.field(factory=dict)
    conflict: bool = False


def version(shop: Shop) -> str:
    """Return the version of the badge's appearance, which its form carries."""
    return version_of(shop.badge)


async def integrations(
    server: ServerContext, visit: Visit, acting: Actor, shown: Shown, *, status: int = 200
) -> Response[Any]:
    """Return the page."""
    app, texts = server.app, texts_in(visit.language)
    shop = accepted(await app.shops.show(acting))
    domains = accepted(await app.domains.list(acting))
    keys = accepted(await app.api_keys.list(acting))
    today = accepted(await app.orders.show_snippets(acting))
    look, operator = shown.look or shop.badge, About.of(app).name

    def said(sentence: str) -> str:
        return texts.gettext(sentence, operator=operator) if sentence else ""

    return dashboard_page(
        visit,
        "integrations",
        status=status,
        frames=True,
        done=said(_DONE.get(shown.done, "")),
        done_in=_DONE_IN.get(shown.done, "keys"),
        keys=sorted(keys, key=lambda each: (each.revoked_at is not None, each.created_at)),
        may_make_key=visit.signed_in and visit.signed_in.may_make_key(keys, app.sync.now()) is None,
        label=shown.label,
        idempotency_key=next_request_id(),
        label_error=said(shown.label_error),
        domains=[(each, STATUS[each.status][0], said(STATUS[each.status][1])) for each in domains],
        host=shown.host,
        host_error=said(shown.host_error),
        checked=shown.checked,
        check_says=[said(each) for each in (shown.checked.sentences if shown.checked else ())],
        delay_days=in_language(stored(shop), texts)["delay_days"],
        is_verified=any(each.verified for each in domains),
        snippet=SnippetEmbed(shop.site_id, app.base_url, is_signed=bool(shop.snippet_secrets)),
        snippet_mode=shown.snippet or shop.snippet,
        snippet_modes={mode: said(name) for mode, name in SNIPPETS.items()},
        snippet_error=said(shown.snippet_error),
        snippet_label=said(SNIPPET),
        snippet_version=version_of(shop.snippet),
        has_secret=bool(shop.snippet_secrets),
        wrong_signatures=today.wrong_signatures,
        programs=programs(app.base_url, shop.site_id, shop.name),
        embed=BadgeEmbed(shop.site_id, app.widget_url),
        badge=look,
        badge_errors={name: said(error) for name, error in shown.badge_errors.items()},
        version=version(shop),
        conflict=shown.conflict,
        stored_badge=shop.badge,
        previews=[(ground, preview_query(look, ground)) for ground in GROUNDS],
        themes={theme: said(name) for theme, name in THEMES.items()},
        sizes={size: said(name) for size, name in SIZES.items()},
    )
