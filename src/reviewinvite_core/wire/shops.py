"""A shop's settings, badge and keys, as its own programs and the operator see and change them. Spec: §4.13, §4.14."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

import attrs

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.badge import BadgeLook, Size, Theme, to_size, to_theme
from reviewinvite_core.domain.frequency import to_frequency_days
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.shop import Shop as StoredShop, ShopChanges
from reviewinvite_core.domain.snippets import SnippetMode, to_snippet_mode
from reviewinvite_core.domain.timing import Delay, to_delay
from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.wire.shape import Shape, about, member
from reviewinvite_core.wire.shared import DELAY_DAYS, FREQUENCY_DAYS, LANGUAGE, SITE_ID, SNIPPET

_LANGUAGE = about("Language of invitations, unless an order names another.", LANGUAGE)
_THEME = about("Colours; `auto` follows the visitor's device.", example="auto")
_SIZE = about(example="medium")
_OF_BADGE = about("Language of the badge. Without it, the badge has the shop's language.", example="en", optional=True)


@attrs.frozen(kw_only=True)
class Shop(Shape):
    """The shop and its settings. Spec: §4.13.

    Services of earlier releases do not name `snippet`: they accept all orders from web pages.
    """

    site_id: str = member(SITE_ID)
    name: str = member(examples=["Bakkerij De Molen"])
    active: bool = member("Whether orders are accepted and invitations sent.", example=True)
    language: Language | str = member(_LANGUAGE)
    delay_days: float = member(DELAY_DAYS)
    frequency_days: int = member(FREQUENCY_DAYS)
    snippet: SnippetMode | str = member(SNIPPET, default=SnippetMode.OPEN)
    trust_mark: TrustMark | str = member(example="granted")

    @classmethod
    def of(cls, shop: StoredShop) -> Shop:
        return cls.taken_from(shop, site_id=shop.site_id.text, delay_days=_days(shop.delay_days))


@attrs.frozen(kw_only=True)
class SettingsUpdate(Shape):
    """The settings that a program may change; a missing one stays as it is."""

    language: Language | None = member(
        _LANGUAGE["description"], default=None, converter=attrs.converters.optional(to_language), optional=True
    )
    delay_days: Delay | None = member(
        DELAY_DAYS, default=None, converter=attrs.converters.optional(to_delay), example=7, optional=True
    )
    frequency_days: int | None = member(
        FREQUENCY_DAYS,
        default=None,
        converter=attrs.converters.optional(to_frequency_days),
        example=None,
        optional=True,
    )
    snippet: SnippetMode | None = member(
        SNIPPET, default=None, converter=attrs.converters.optional(to_snippet_mode), example=None, optional=True
    )

    @property
    def changes(self) -> ShopChanges:
        """The changes to the shop."""
        return ShopChanges(
            language=self.language, delay_days=self.delay_days, frequency_days=self.frequency_days, snippet=self.snippet
        )


@attrs.frozen(kw_only=True)
class Badge(Shape):
    """Appearance of the badge. Spec: §4.14."""

    published_as: ClassVar = "BadgeLook"

    theme: Theme | str = member(_THEME)
    size: Size | str = member(_SIZE)
    language: Language | str | None = member(_OF_BADGE, default=None)

    @classmethod
    def of(cls, look: BadgeLook) -> Badge:
        return cls.taken_from(look)


@attrs.frozen(kw_only=True)
class NewBadge(Shape):
    """The whole appearance of a badge; without a language it has the shop's."""

    theme: Theme = member(_THEME, converter=to_theme)
    size: Size = member(_SIZE, converter=to_size)
    language: Language | None = member(_OF_BADGE, default=None, converter=attrs.converters.optional(to_language))

    @property
    def look(self) -> BadgeLook:
        """The appearance to store."""
        return BadgeLook(theme=self.theme, size=self.size, language=self.language)


@attrs.frozen(kw_only=True)
class OperatorShop(Shape):
    """A shop and its settings."""

    site_id: str
    name: str
    active: bool
    language: Language
    delay_days: float
    reply_to: str | None
    trust_mark: TrustMark
    frequency_days: int
    snippet: SnippetMode

    @classmethod
    def of(cls, shop: StoredShop) -> OperatorShop:
        return cls.taken_from(shop, site_id=shop.site_id.text, delay_days=_days(shop.delay_days))


@attrs.frozen(kw_only=True)
class OperatorKey(Shape):
    """An API key, without the key itself."""

    key_id: str
    last_four: str
    label: str
    created_at: datetime
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> OperatorKey:
        return cls.taken_from(key)


def _days(delay: Delay) -> float:
    """Return a delay in days, as an int if it has no fraction: JSON then shows none."""
    return int(delay.days) if delay.days == int(delay.days) else delay.days
