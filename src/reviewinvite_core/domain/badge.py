"""How a shop's badge looks: set by the operator, so that the embed code never changes. Spec: §4.3."""

from __future__ import annotations

from enum import StrEnum

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.language import Language, to_language


class Theme(StrEnum):
    """Light or dark, or as the visitor's device is set."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"


class Size(StrEnum):
    """How large it is drawn."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


def to_theme(value: str | Theme) -> Theme:
    """The theme of this name.

    Raises: `Invalid`.
    """
    try:
        return Theme(value)
    except ValueError:
        raise Invalid(Problem.UNKNOWN_THEME, "theme") from None


def to_size(value: str | Size) -> Size:
    """The size of this name.

    Raises: `Invalid`.
    """
    try:
        return Size(value)
    except ValueError:
        raise Invalid(Problem.UNKNOWN_SIZE, "size") from None


@attrs.frozen(kw_only=True)
class BadgeLook:
    """A badge's look; `language` None stands for the shop's own."""

    theme: Theme = Theme.AUTO
    size: Size = Size.MEDIUM
    language: Language | None = None


PLAIN_BADGE = BadgeLook()


@attrs.frozen(kw_only=True)
class BadgeChanges:
    """What is to change of a badge's look; None leaves it as it is. Takes plain values.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    theme: Theme | None = attrs.field(default=None, converter=attrs.converters.optional(to_theme))
    size: Size | None = attrs.field(default=None, converter=attrs.converters.optional(to_size))
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))

    def applied_to(self, badge_look: BadgeLook) -> BadgeLook:
        """The look with what is to change changed."""
        return BadgeLook(
            theme=self.theme or badge_look.theme,
            size=self.size or badge_look.size,
            language=self.language or badge_look.language,
        )
