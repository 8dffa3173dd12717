"""Texts of one language: sentences from its catalogue, dates and numbers from CLDR."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from gettext import GNUTranslations
from io import BytesIO
from typing import TYPE_CHECKING

from reviewinvite_core.domain.language import CATALOGUES, Language
from reviewinvite_core.domain.refused import gettext_noop as gettext_noop

if TYPE_CHECKING:
    from babel import Locale

_KEPT = 2048  # formatted days and numbers: a page of reviews has a hundred, and few are new


class Texts:
    """Texts of one language. An argument replaces `%(name)s` in a sentence."""

    def __init__(self, language: Language) -> None:
        self.language = language

    @cached_property
    def translations(self) -> GNUTranslations:
        """The language's catalogue."""
        return _translations(self.language)

    def gettext(self, message: str, **values: object) -> str:
        """Return the sentence in this language."""
        return self.translations.gettext(message) % values

    def ngettext(self, singular: str, plural: str, count: int, **values: object) -> str:
        """Return the sentence in this language, in the form that goes with `count`."""
        return self.translations.ngettext(singular, plural, count) % values

    @cached_property
    def own_name(self) -> str:
        """Name of the language in the language itself."""
        return str(_locale(self.language).get_display_name())

    @cached_property
    def direction(self) -> str:
        """Direction of writing: `ltr` or `rtl`."""
        return self.formats.text_direction

    def day(self, at: datetime) -> str:
        """Return the UTC day of an instant in this language's format."""
        return _day(self.language, at.date())

    def short_day(self, at: datetime) -> str:
        """Return the UTC day of an instant without its year and with its month abbreviated, for a narrow column."""
        return _short_day(self.language, at.date())

    def moment(self, at: datetime) -> str:
        """Return an instant in UTC, to the minute, in this language's format."""
        return _moment(self.language, at.replace(second=0, microsecond=0))

    def number(self, number: int) -> str:
        """Return a number with its thousands separated."""
        return _number(self.language, number)

    def decimal(self, digits: str) -> str:
        """Return a decimal number, such as 4.50, with this language's decimal sign and all its decimals."""
        return _decimal(self.language, digits)

    def either_of(self, choices: Sequence[str]) -> str:
        """Return choices as a list: "a, b or c"."""
        from babel.lists import format_list

        return format_list(choices, style="or", locale=self.formats)

    @cached_property
    def formats(self) -> Locale:
        """Locale for dates and numbers, from the catalogue's header: a language may be written in many countries."""
        return _locale(self.translations.info()["language"])


@cache
def texts_in(language: Language) -> Texts:
    """Return the texts of a language; its catalogue is read once."""
    return Texts(language)


def _translations(language: Language) -> GNUTranslations:
    """Return the language's catalogue.

    The source tree has uncompiled catalogues (`.po`), which are compiled here so that no build step can be forgotten. A
    wheel has compiled ones (`.mo`), which load in a tenth of the time.
    """
    written = CATALOGUES / language / "LC_MESSAGES" / "reviewinvite.po"
    if not written.is_file():
        with written.with_suffix(".mo").open("rb") as compiled:
            return GNUTranslations(compiled)
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled_now = BytesIO()
    with written.open("rb") as file:
        write_mo(compiled_now, read_po(file))
    compiled_now.seek(0)
    return GNUTranslations(compiled_now)


def _locale(tag: str) -> Locale:
    from babel import Locale

    return Locale.parse(tag.replace("-", "_"))


@lru_cache(_KEPT)
def _day(language: Language, day: date) -> str:
    from babel.dates import format_date

    return format_date(day, "long", locale=texts_in(language).formats)


@lru_cache(_KEPT)
def _short_day(language: Language, day: date) -> str:
    from babel.dates import format_date

    return format_date(day, "d MMM", locale=texts_in(language).formats)


@lru_cache(_KEPT)
def _moment(language: Language, at: datetime) -> str:
    from babel.dates import format_datetime

    return f"{format_datetime(at, 'd MMM y, HH:mm', locale=texts_in(language).formats)} UTC"


@lru_cache(_KEPT)
def _number(language: Language, number: int) -> str:
    from babel.numbers import format_decimal

    return format_decimal(number, locale=texts_in(language).formats)


@lru_cache(_KEPT)
def _decimal(language: Language, digits: str) -> str:
    from babel.numbers import format_decimal

    _, _, decimals = digits.partition(".")
    return format_decimal(Decimal(digits), f"0.{'0' * len(decimals)}", locale=texts_in(language).formats)
