"""Decode the form of the review page, without I/O. Spec: §6 (Writing a review)."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import unquote_to_bytes

import attrs
from litestar.types import Scope

from reviewinvite_core import Invalid, Language, ReviewDraft
from reviewinvite_core.values import Problem, Review

WHOLE = "form"
"""Key for a problem with the whole form rather than one field."""

_KEY = "reviewinvite.submitted"

_FIELDS = ("rating", "text", "author")
_ACTIONS = ("", "write", "withdraw", "show")
_RATINGS = {"": None, **{str(rating): rating for rating in range(1, 6)}}
_NO_RATING = 0


@attrs.frozen
class Submitted:
    """A form as it arrived, and the language of its page, if that was chosen."""

    body: bytes
    language: Language | None


def keep_submitted(scope: Scope, submitted: Submitted) -> None:
    """Keep a request's form with the request, so that the page of a failure can give it back."""
    cast("dict[str, Any]", scope)[_KEY] = submitted


def submitted_in(scope: Scope) -> Submitted | None:
    """Return the form that was kept with a request, if any."""
    return cast("dict[str, Any]", scope).get(_KEY)


@attrs.frozen(kw_only=True)
class ReviewForm:
    """Submitted values, ready to be shown again, and their problems by field, in the order of the page.

    `withdraws` is whether to withdraw the review. If `only_shown`, nothing is stored, and the form is shown again in
    another language.
    """

    rating: str = ""
    text: str = ""
    author: str = ""
    withdraws: bool = False
    only_shown: bool = False
    problems: Mapping[str, Problem] = attrs.field(factory=dict)

    @classmethod
    def of(cls, review: Review | None) -> ReviewForm:
        """Return the initial form: filled from the stored review, or empty."""
        if review is None or review.rating is None:
            return cls()
        return cls(rating=str(review.rating), text=review.text or "", author=review.author or "")

    def draft(self, language: Language) -> ReviewDraft:
        """Return the submitted review.

        Raises: `Invalid` if there are problems.
        """
        return ReviewDraft(rating=_rating(self.rating), text=self.text, author=self.author, language=language)


def decode_review(body: bytes) -> ReviewForm:
    """Decode a form's body; report all problems at once, by field."""
    pairs = [tuple(map(_text, each.partition(b"=")[::2])) for each in body.split(b"&") if each]
    times = Counter(name for (name, _), _ in pairs)
    problems: dict[str, Problem] = {}
    if any(name not in (*_FIELDS, "action") for name in times):
        problems[WHOLE] = Problem.UNKNOWN_FIELD
    elif any(count > 1 for count in times.values()):
        problems[WHOLE] = Problem.DUPLICATE_FIELD
    typed = {name: value for (name, _), (value, _) in reversed(pairs)}
    garbled = {name for (name, _), (_, whole) in pairs if not whole}
    action = typed.get("action", "")
    if action not in _ACTIONS:
        problems.setdefault(WHOLE, Problem.UNKNOWN_FIELD)
    if action not in ("withdraw", "show"):
        problems.update(_problems(typed, garbled))
    shown = {name: _as_shown(typed.get(name, ""), every=name in problems) for name in _FIELDS}
    return ReviewForm(**shown, withdraws=action == "withdraw", only_shown=action == "show", problems=problems)


def _problems(typed: Mapping[str, str], garbled: set[str]) -> dict[str, Problem]:
    """Return the problem of each field; each is validated alone, because a draft reports only its first problem."""
    found = {}
    for name in _FIELDS:
        value = typed.get(name, "")
        plain: dict[str, object] = {"rating": _rating(value)} if name == "rating" else {"rating": 1, name: value}
        try:
            ReviewDraft(**plain)  # type: ignore[arg-type]
        except Invalid as invalid:
            found[name] = invalid.problem
        if name in garbled:
            found[name] = Problem.FORBIDDEN_CHARACTERS
    return found


def _rating(typed: str) -> int | None:
    return _RATINGS.get(typed, _NO_RATING)


def _text(encoded: bytes) -> tuple[str, bool]:
    """Decode a name or value; return it and whether all bytes were valid text. Tabs from pasted text become blanks."""
    plain = unquote_to_bytes(encoded.replace(b"+", b" "))
    text = plain.decode("utf-8", "replace").replace("\t", " ")
    try:
        plain.decode("utf-8")
    except UnicodeDecodeError:
        return text, False
    return text, True


def _as_shown(text: str, *, every: bool) -> str:
    """Return submitted text with normal line breaks; a refused character stays visible as a replacement character."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if not every:
        return lines
    return "".join("\ufffd" if each != "\n" and unicodedata.category(each) == "Cc" else each for each in lines)
