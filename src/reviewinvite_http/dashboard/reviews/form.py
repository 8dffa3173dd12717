"""Decode the form of a reply, without I/O; what is wrong comes back with a sentence that says what to do."""

from __future__ import annotations

import attrs

from reviewinvite_core import Invalid, NewReply
from reviewinvite_core.texts import gettext_noop
from reviewinvite_core.values import Problem, Review
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.versions import version_of

REPLY = gettext_noop("Your reply")
"""Label of the field, which the page of a failure shows again."""

TOO_LONG = gettext_noop("A reply can have at most 2,000 characters. Make it shorter.")
NOT_TEXT = gettext_noop("The reply contains invisible control characters. Type it again.")
EMPTY = gettext_noop("Write a reply first.")


@attrs.frozen(kw_only=True)
class ReplyForm:
    """A submitted form: what was typed, the reply if nothing is wrong, or the message. Removing needs no text."""

    typed: str
    version: str
    removes: bool
    reply: NewReply | None = None
    error: str = ""


def decode(form: Form, review: Review) -> ReplyForm:
    """Decode the reply to a review; an empty one, not a missing one, removes the reply that the review has."""
    typed = form.text("text")
    removes = form.text("action") == "remove"
    reply, error = _removal() if removes else _reply(typed, may_be_empty="text" in form and review.reply is not None)
    return ReplyForm(typed=typed, version=form.text("version"), removes=removes, reply=reply, error=error)


def _removal() -> tuple[NewReply | None, str]:
    return NewReply(text=None), ""


def _reply(typed: str, *, may_be_empty: bool) -> tuple[NewReply | None, str]:
    try:
        reply = NewReply(text=typed)
    except Invalid as invalid:
        return None, TOO_LONG if invalid.problem is Problem.TOO_LONG else NOT_TEXT
    return (reply, "") if reply.text or may_be_empty else (None, EMPTY)


def version(review: Review) -> str:
    """Return the version of a review's reply, which the form carries."""
    return version_of(review.state, review.reply.text if review.reply else None)
