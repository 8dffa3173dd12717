"""A shop: a merchant's account and its public identifier."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from datetime import datetime

import attrs

from reviewinvite_core.domain.badge import PLAIN_BADGE, BadgeLook
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.frequency import OFF, to_frequency_days
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.origins import HostName, covering, hosts_in
from reviewinvite_core.domain.snippets import SnippetMode, to_snippet_mode
from reviewinvite_core.domain.text import drawn_as_nothing, short_text, shows_something, unbalanced_isolate
from reviewinvite_core.domain.timing import DEFAULT_DELAY, Delay, to_delay
from reviewinvite_core.domain.trust_mark import Status, TrustMark, status_of

LONGEST_SITE_ID = 64

TAKEN_SITE_IDS = frozenset({"assets", "sessions", "sign-in", "sign-out"})
"""What no new shop can be called: the dashboard has pages of its own at these addresses, beside those of the shops.

Shops of the first edition may have such an id.
"""

_ESCAPE = "~"  # which no site id contains
_OVERRIDES = frozenset("\u202d\u202e")
_SITE_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?", re.ASCII)


class SiteId(str):
    """A shop's public identifier, not a secret: 1 to 64 ASCII letters, digits, `-` and `_`. Spec: §2.

    It is a `str`, so that a shop's `site_id` can be passed wherever the text of one can.
    """

    __slots__ = ()

    @property
    def text(self) -> str:
        """The site id as a plain `str`."""
        return str(self)

    @property
    def segment(self) -> str:
        """The shop's part of a path in the dashboard: its id, after `~` if that is the address of another page."""
        return f"{_ESCAPE}{self}" if self in TAKEN_SITE_IDS else str(self)

    @classmethod
    def parse(cls, value: str) -> SiteId:
        """Parse a site id.

        Raises: `Invalid`.
        """
        if not isinstance(value, str):
            raise Invalid(Problem.WRONG_TYPE, "site_id")
        if not value:
            raise Invalid(Problem.EMPTY, "site_id")
        if len(value) > LONGEST_SITE_ID:
            raise Invalid(Problem.TOO_LONG, "site_id")
        if not _SITE_ID.fullmatch(value):
            raise Invalid(Problem.FORBIDDEN_CHARACTERS, "site_id")
        return cls(value)


def site_id_in(segment: str) -> str:
    """Return the site id that `SiteId.segment` stands for, or the segment itself."""
    escaped = segment.removeprefix(_ESCAPE)
    return escaped if escaped in TAKEN_SITE_IDS else segment


def shop_lock(site_id: SiteId) -> int:
    """Return the lock of one shop's counters."""
    return lock_id(LockKind.SHOP, site_id.text)


def shop_name(value: str) -> str:
    """Return a new display name of a shop, stripped: 1 to 300 characters of any script, one of them visible.

    Refused are control characters, line and paragraph separators, what is drawn as nothing, and the two characters that
    show any text backwards: no script needs them. Marks, isolates and embeddings are part of names in scripts that run
    from right to left; each isolate has its end. Nor is a name an address of any kind: `@` and `://` are refused.
    Names that exist may have what earlier releases allowed. Spec: §3 (Shop).

    Raises: `Invalid`.
    """
    name = short_text(value, "name", longest=300, bidirectional=True)
    if not shows_something(name):
        raise Invalid(Problem.EMPTY, "name")
    if forbidden_in_name(name):
        raise Invalid(Problem.FORBIDDEN_CHARACTERS, "name")
    return name


def forbidden_in_name(text: str) -> str | None:
    """Return what `shop_name` refuses in a text, or None: a character, or `://`."""
    forbidden = {"Cc", "Cs", "Zl", "Zp"}
    found = (each for each in text.strip() if each in _OVERRIDES or unicodedata.category(each) in forbidden)
    plain = unicodedata.normalize("NFKC", text)
    addressing = (each for each in ("@", "://") if each in plain)
    return next(found, None) or unbalanced_isolate(text) or drawn_as_nothing(text) or next(addressing, None)


def to_site_id(value: str | SiteId) -> SiteId:
    """Return `value` as a `SiteId`, parsing it if it is text.

    Raises: `Invalid`.
    """
    return value if isinstance(value, SiteId) else SiteId.parse(value)


def reply_address(value: str) -> str:
    """Return the address for customers' replies, or an empty text if `value` is blank.

    Raises: `Invalid`.
    """
    if not value.strip():
        return ""
    try:
        return EmailAddress.parse(value).text
    except Invalid as invalid:
        raise Invalid(invalid.problem, "reply_to") from None


@attrs.frozen(kw_only=True)
class Shop:
    """A merchant's account. `number` identifies it in storage and is the first part of every key (ADR-1).

    `reply_to` is the shop's address for customers' replies, or None. The shop invites one address at most once in
    `frequency_days` days; 0 means once for each order. `requested_name` waits for the operator's approval, because the
    trust mark vouches for the name, or it reads as a host; it is None if no name waits. `badge_seen_at` is when a page
    of one of its hosts first showed its badge. `snippet_secrets` are sealed, the newest first: two are valid while one
    replaces the other. `snippet_signed_at` is when the first valid signature came.
    """

    number: int
    site_id: SiteId
    name: str
    language: Language
    delay_days: Delay
    active: bool
    reply_to: str | None = None
    trust_mark: TrustMark = TrustMark.ABSENT
    badge: BadgeLook = PLAIN_BADGE
    frequency_days: int = OFF
    requested_name: str | None = None
    badge_seen_at: datetime | None = None
    snippet: SnippetMode = SnippetMode.OPEN
    snippet_secrets: tuple[bytes, ...] = attrs.field(default=(), repr=False)
    snippet_signed_at: datetime | None = None

    @property
    def status(self) -> Status:
        """Status of the shop in statements."""
        return status_of(self.trust_mark, active=self.active)

    def renamed(self, name: str, *, approved: bool) -> Shop:
        """Return the shop with this name, or with this name waiting if it is not approved.

        A name that waits is replaced by a later one, and withdrawn by the present name.
        """
        if approved:
            return attrs.evolve(self, name=name, requested_name=None)
        return attrs.evolve(self, requested_name=None if name == self.name else name)

    def with_snippet_secret(self, sealed: bytes) -> Shop:
        """Return the shop with this newest snippet secret; the one before it stays valid, and an older one ends."""
        return attrs.evolve(self, snippet_secrets=(sealed, *self.snippet_secrets[:1]))

    def may_be_called(self, name: str, verified: Collection[str]) -> bool:
        """Return whether its members may give the shop this name: one with a host in it if that is `verified` for it.

        With the trust mark they may not: it vouches for the name.
        """
        return self.trust_mark is not TrustMark.GRANTED and all(_is_covered(host, verified) for host in hosts_in(name))


def _is_covered(host: str, verified: Collection[str]) -> bool:
    try:
        return not covering(HostName.parse(host).text).isdisjoint(verified)
    except Invalid:
        return False


@attrs.frozen(kw_only=True)
class NewShop:
    """A shop to be created, built from plain values and validated.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    site_id: SiteId = attrs.field(converter=to_site_id)
    name: str = attrs.field(converter=shop_name)
    language: Language = attrs.field(default=Language.NL, converter=to_language)
    delay_days: Delay = attrs.field(default=DEFAULT_DELAY, converter=to_delay)
    reply_to: str | None = attrs.field(default=None, converter=attrs.converters.optional(reply_address))
    frequency_days: int = attrs.field(default=OFF, converter=to_frequency_days)

    def numbered(self, number: int) -> Shop:
        """Return the active shop with this number."""
        return Shop(
            number=number,
            site_id=self.site_id,
            name=self.name,
            language=self.language,
            delay_days=self.delay_days,
            active=True,
            reply_to=self.reply_to or None,
            frequency_days=self.frequency_days,
        )


@attrs.frozen(kw_only=True)
class ShopChanges:
    """Changes to a shop, built from plain values; None keeps a field, an empty `reply_to` removes the address.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    name: str | None = attrs.field(default=None, converter=attrs.converters.optional(shop_name))
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))
    delay_days: Delay | None = attrs.field(default=None, converter=attrs.converters.optional(to_delay))
    active: bool | None = None
    reply_to: str | None = attrs.field(default=None, converter=attrs.converters.optional(reply_address))
    frequency_days: int | None = attrs.field(default=None, converter=attrs.converters.optional(to_frequency_days))
    snippet: SnippetMode | None = attrs.field(default=None, converter=attrs.converters.optional(to_snippet_mode))

    def conflicts(self, stored: Shop, seen: Shop) -> bool:
        """Return whether a field that these changes give is no longer as it was seen."""
        given = [each.name for each in attrs.fields(ShopChanges) if getattr(self, each.name) is not None]
        given += ["requested_name"] if self.name is not None else []
        return any(getattr(stored, name) != getattr(seen, name) for name in given)

    @property
    def kept_from_programs(self) -> str | None:
        """The first field given that no API key may change, since a stolen key would take over the shop; or None."""
        given = {"name": self.name, "active": self.active, "reply_to": self.reply_to}
        return next((field for field, value in given.items() if value is not None), None)

    def applied_to(self, shop: Shop, *, approved: bool = True) -> Shop:
        """Return the shop with these changes applied; see `Shop.renamed` for `approved`."""
        return attrs.evolve(
            shop if self.name is None else shop.renamed(self.name, approved=approved),
            language=shop.language if self.language is None else self.language,
            delay_days=shop.delay_days if self.delay_days is None else self.delay_days,
            active=shop.active if self.active is None else self.active,
            reply_to=shop.reply_to if self.reply_to is None else self.reply_to or None,
            frequency_days=shop.frequency_days if self.frequency_days is None else self.frequency_days,
            snippet=shop.snippet if self.snippet is None else self.snippet,
        )
