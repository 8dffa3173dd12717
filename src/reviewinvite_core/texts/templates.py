"""Jinja templates in one language: `{% trans %}`, and filters for formats that differ between languages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from reviewinvite_core.domain.language import Language
from reviewinvite_core.texts.catalogue import texts_in

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates_in(language: Language, package: str, *folders: str) -> Environment:
    """Return the templates in a package's folders, in this language; compiled once.

    Filters: `day`, `moment`, `number` and `decimal`, as in `Texts`. Globals: `language`, `direction`, and `languages`,
    which maps each language to its name in that language.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

    texts = texts_in(language)
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package, folder) for folder in folders]),
        extensions=["jinja2.ext.i18n"],
        undefined=StrictUndefined,
        autoescape=select_autoescape(enabled_extensions=("html",), default_for_string=False),
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # they come with the package: checking the files each time cost a tenth of a rendering
    )
    templates.policies["ext.i18n.trimmed"] = True
    templates.install_gettext_translations(texts.translations, newstyle=True)  # type: ignore[attr-defined]
    templates.filters.update(day=texts.day, moment=texts.moment, number=texts.number, decimal=texts.decimal)
    templates.globals.update(
        language=language, direction=texts.direction, languages={each: texts_in(each).own_name for each in Language}
    )
    return templates
