"""Decode the forms of a shop's settings, without I/O; a wrong value comes back with a sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from reviewinvite_core import Invalid, ShopChanges
from reviewinvite_core.domain.shop import forbidden_in_name
from reviewinvite_core.texts import Texts, gettext_noop
from reviewinvite_core.values import Problem, Shop
from reviewinvite_http.dashboard.form import Form, version_of

_NUMBER = re.compile(r"[0-9]{1,6}(?:[.,][0-9]{1,9})?", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,6}", re.ASCII)
_NO_NUMBER = -1  # which no field takes

LABELS: Mapping[str, str] = {
    "name": gettext_noop("Name of the shop"),
    "reply_to": gettext_noop("Reply address"),
    "language": gettext_noop("Language of new invitations"),
    "delay_days": gettext_noop("Days between an order and its invitation"),
    "frequency_days": gettext_noop("Days between two invitations to one address"),
}
"""Labels of the fields, also on the page of a failure and in the activity log."""

MESSAGES: Mapping[str, str] = {
    "name": gettext_noop("Enter a name of 1 to 300 characters, on one line."),
    "reply_to": gettext_noop("Enter an e-mail address, such as name@example.com, or leave it empty."),
    "language": gettext_noop("Choose one of the languages."),
    "delay_days": gettext_noop("Enter a number of days from 0 to 60, such as 5 or 0.5."),
    "frequency_days": gettext_noop("Enter a whole number of days from 0 to 365."),
}
FORBIDDEN_IN_NAME = gettext_noop(
    "The name contains an invisible character that is not allowed there: %(character)s. Remove it, or type the name "
    "again."
)
ADDRESS_IN_NAME = gettext_noop("A name is not an address: it cannot contain %(part)s.")


def _number(typed: str) -> float:
    text = typed.strip().replace(",", ".")
    return float(text) if _NUMBER.fullmatch(typed.strip()) else _NO_NUMBER


def _whole_number(typed: str) -> int:
    return int(typed) if _WHOLE.fullmatch(typed.strip()) else _NO_NUMBER


_READ: Mapping[str, Callable[[str], Any]] = {
    "name": str,
    "reply_to": str,
    "language": str,
    "delay_days": _number,
    "frequency_days": _whole_number,
}
_CHANGED = {"delay_days": "delay"}  # fields whose attribute of `ShopChanges` has another name


@attrs.frozen(kw_only=True)
class SettingsForm:
    """One of the forms: what was typed, what is wrong with it by field, and the changes if nothing is."""

    typed: Mapping[str, str]
    errors: Mapping[str, str] = attrs.field(factory=dict)
    changes: ShopChanges | None = None
    conflict: bool = False


def stored(shop: Shop, *names: str) -> dict[str, str]:
    """Return what these fields show of a shop; a name that waits for approval is shown in place of the present one."""
    every = {
        "name": shop.requested_name or shop.name,
        "reply_to": shop.reply_to or "",
        "language": str(shop.language),
        "delay_days": f"{shop.delay.days:g}",
        "frequency_days": str(shop.frequency_days),
    }
    return {name: every[name] for name in names or every}


def in_language(values: Mapping[str, str], texts: Texts) -> dict[str, str]:
    """Return what fields show, with numbers as the language writes them."""
    days = values["delay_days"]
    return {**values, "delay_days": texts.decimal(days) if "." in days else days}


def version(shop: Shop, *names: str) -> str:
    """Return the version of these fields, which their form carries."""
    return version_of(stored(shop, *names))


def decode(form: Form, texts: Texts, *names: str) -> SettingsForm:
    """Decode these fields; each is validated alone, because a change reports only its first problem.

    A missing field is wrong, since nobody has emptied it.
    """
    typed = {name: form.text(name) for name in names}
    values, errors = {}, {}
    for name, text in typed.items():
        values[_CHANGED.get(name, name)] = value = _READ[name](text)
        try:
            ShopChanges(**{_CHANGED.get(name, name): value})
        except Invalid as invalid:
            errors[name] = _message(texts, name, text, invalid)
        if name not in form:
            errors[name] = texts.gettext(MESSAGES[name])
    return SettingsForm(typed=typed, errors=errors, changes=None if errors else ShopChanges(**values))


def _message(texts: Texts, name: str, typed: str, invalid: Invalid) -> str:
    """Return what is wrong with a field; a character that nobody sees is named by its number."""
    if name == "name" and invalid.problem is Problem.FORBIDDEN_CHARACTERS and (found := forbidden_in_name(typed)):
        if found.isprintable():
            return texts.gettext(ADDRESS_IN_NAME, part=found)
        return texts.gettext(FORBIDDEN_IN_NAME, character=f"U+{ord(found):04X}")
    return texts.gettext(MESSAGES[name])
