"""Appearance of a shop's badge. The operator sets it, so the embed code never changes. Spec: §4.3."""

from __future__ import annotations

from enum import StrEnum

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.language import Language, to_language


class Theme(StrEnum):
    """Colour theme of a badge; `auto` follows the visitor's device."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"


class Size(StrEnum):
    """Size of a badge."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


def to_theme(value: str | Theme) -> Theme:
    """Return the theme with this name.

    Raises: `Invalid`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "theme")
    try:
        return Theme(value)
    except ValueError:
        raise Invalid(Problem.UNKNOWN_THEME, "theme") from None


def to_size(value: str | Size) -> Size:
    """Return the size with this name.

    Raises: `Invalid`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "size")
    try:
        return Size(value)
    except ValueError:
        raise Invalid(Problem.UNKNOWN_SIZE, "size") from None


@attrs.frozen(kw_only=True)
class BadgeLook:
    """Appearance of a badge, built from plain values; `language` None means the shop's language.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    theme: Theme = attrs.field(default=Theme.AUTO, converter=to_theme)
    size: Size = attrs.field(default=Size.MEDIUM, converter=to_size)
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))


PLAIN_BADGE = BadgeLook()


@attrs.frozen(kw_only=True)
class BadgeChanges:
    """Changes to a badge's appearance, built from plain values; None keeps a field.

    With `follows_shop` the badge has the shop's language from now on, whatever `language` says.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    theme: Theme | None = attrs.field(default=None, converter=attrs.converters.optional(to_theme))
    size: Size | None = attrs.field(default=None, converter=attrs.converters.optional(to_size))
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))
    follows_shop: bool = False

    def applied_to(self, badge_look: BadgeLook) -> BadgeLook:
        """Return the appearance with these changes applied."""
        return BadgeLook(
            theme=self.theme or badge_look.theme,
            size=self.size or badge_look.size,
            language=None if self.follows_shop else self.language or badge_look.language,
        )
