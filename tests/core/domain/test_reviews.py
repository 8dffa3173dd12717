"""What may be done to a review, and what its writer may put into it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.builders import a_review, an_invitation

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.invitation_states import TransitionForbidden
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.reviews import (
    TRANSITIONS,
    Act,
    HideReason,
    NewReply,
    Party,
    Review,
    ReviewDraft,
    ReviewState,
    to_hide_reason,
)
from reviewinvite_core.testing.builders import NOON, a_shop

LATER = NOON + timedelta(hours=1)
P, H, W = ReviewState
DRAFT = ReviewDraft(rating=2, text="Anders.", author="B.")


def review(state: ReviewState = P) -> Review:
    one = a_review(an_invitation(a_shop().numbered(1)))
    hidden = one.hidden(HideReason.SPAM, NOON)
    return {P: one, H: hidden, W: one.emptied(Act.WITHDRAWN, NOON)}[state]


ALLOWED = {
    (P, P, Act.CHANGED),
    (P, P, Act.REPLIED),
    (P, P, Act.REPLY_REMOVED),
    (P, P, Act.NAME_REMOVED),
    (P, H, Act.HIDDEN),
    (P, W, Act.WITHDRAWN),
    (P, W, Act.ERASED),
    (H, H, Act.CHANGED),
    (H, H, Act.HIDDEN),
    (H, H, Act.REPLY_REMOVED),
    (H, H, Act.NAME_REMOVED),
    (H, P, Act.SHOWN_AGAIN),
    (H, W, Act.WITHDRAWN),
    (H, W, Act.ERASED),
    (W, P, Act.WRITTEN_AGAIN),
    (W, H, Act.WRITTEN_AGAIN),
}


@pytest.mark.parametrize("act", Act)
@pytest.mark.parametrize("to", ReviewState)
@pytest.mark.parametrize("before", ReviewState)
def test_the_table_says_what_may_be_done(before: ReviewState, to: ReviewState, act: Act) -> None:
    one = review(before)
    allowed = (before, to, act) in ALLOWED
    assert (act in TRANSITIONS.get((before, to), ())) == one.can_move(to, act) == allowed
    if allowed:
        moved = one.moved(to, act, LATER)
        assert (moved.state, moved.act, moved.changed_at, moved.revision) == (to, act, LATER, one.revision + 1)
    else:
        with pytest.raises(TransitionForbidden):
            one.moved(to, act, LATER)


def test_only_the_operator_hides_and_only_the_shop_replies() -> None:
    by = {party: {act for act in Act if act.by is party} for party in Party}
    assert by[Party.OPERATOR] == {Act.HIDDEN, Act.SHOWN_AGAIN}
    assert by[Party.SHOP] == {Act.REPLIED, Act.REPLY_REMOVED}


def test_of_a_withdrawn_review_nothing_is_kept_that_was_written() -> None:
    gone = review().replied("Dank!", NOON).emptied(Act.WITHDRAWN, LATER)
    assert (gone.rating, gone.text, gone.author, gone.reply) == (None, None, None, None)
    assert gone.written_at == NOON


def test_a_hidden_review_stays_hidden_however_its_writer_turns() -> None:
    hidden = review(H)
    assert hidden.rewritten(DRAFT, LATER).state is H
    again = hidden.emptied(Act.WITHDRAWN, LATER).rewritten(DRAFT, LATER)
    assert (again.state, again.hidden_for, again.act) == (H, HideReason.SPAM, Act.WRITTEN_AGAIN)
    shown = again.shown_again(LATER)
    assert (shown.state, shown.hidden_for, shown.rating) == (P, None, 2)
    assert shown.emptied(Act.WITHDRAWN, LATER).rewritten(DRAFT, LATER).state is P


def test_what_its_writer_changes_is_dated_and_what_others_do_is_not() -> None:
    changed = review().rewritten(DRAFT, LATER)
    assert (changed.written_at, changed.edited_at, changed.changed_at) == (NOON, LATER, LATER)
    hidden = review().hidden(HideReason.OTHER, LATER)
    assert (hidden.edited_at, hidden.changed_at) == (None, LATER)


@pytest.mark.parametrize("state", [H, W])
def test_only_what_is_published_counts(state: ReviewState) -> None:
    assert review().counted[1].counts == (0, 0, 0, 0, 1)
    assert not review(state).counted[1]
    assert review(state).counted[0] == NOON.date()


def test_a_draft_takes_a_rating_alone() -> None:
    assert ReviewDraft(rating=3) == ReviewDraft(rating=3, text=" \r\n ", author="\u00a0", language=None)


@pytest.mark.parametrize(
    ("rating", "problem"),
    [
        *((0, Problem.OUT_OF_RANGE), (6, Problem.OUT_OF_RANGE), (-5, Problem.OUT_OF_RANGE)),
        *((4.0, Problem.WRONG_TYPE), ("4", Problem.WRONG_TYPE), (True, Problem.WRONG_TYPE)),
        (None, Problem.FIELD_MISSING),
    ],
)
def test_a_rating_is_a_whole_number_from_1_to_5(rating: Any, problem: Problem) -> None:
    with pytest.raises(Invalid) as refused:
        ReviewDraft(rating=rating)
    assert refused.value == Invalid(problem, "rating")


def test_a_text_has_lines_and_no_blanks_around() -> None:
    assert ReviewDraft(rating=1, text=" a\r\nb\rc\n\nd\u2028 ").text == "a\nb\nc\n\nd"
    assert ReviewDraft(rating=1, text="\u200b\u2060 \n").text is None
    mixed = "\u05d0\u202b\u05d1\u202c \U0001f469\u200d\U0001f373"
    assert ReviewDraft(rating=1, text=mixed).text == mixed


@pytest.mark.parametrize(
    "blank",
    [
        *("\u200b\u2060", "\ufeff", "\u00ad", "\u200d\u200c", "\U000e0020", "\u3000"),
        *("\u3164", "\uffa0", "\u115f\u1160", "\u2800", "\u034f", "\u17b4", "\u180b\u180f", "\ufe0f", "\U000e0100"),
    ],
    ids=ascii,
)
def test_what_nobody_sees_is_no_text_and_no_name(blank: str) -> None:
    draft = ReviewDraft(rating=1, text=f"{blank}\n{blank}", author=f"{blank} {blank}")
    assert (draft.text, draft.author) == (None, None)
    seen = ReviewDraft(rating=1, text=f"❤{blank}.", author=f"A{blank}.")
    assert (seen.text, seen.author) == (f"❤{blank}.", f"A{blank}.")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("text", "x" * 4_001, Problem.TOO_LONG),
        *(("text", f"a{c}b", Problem.FORBIDDEN_CHARACTERS) for c in "\0\t\x0b\x1b\x7f\x85\udc80"),
        ("text", 5, Problem.WRONG_TYPE),
        ("author", "x" * 81, Problem.TOO_LONG),
        *(("author", f"a{c}b", Problem.FORBIDDEN_CHARACTERS) for c in "\n\r\0\x85\u2028\u2029\u202e\u2066\udc80"),
        ("author", b"a", Problem.WRONG_TYPE),
        ("language", "de", Problem.UNKNOWN_LANGUAGE),
    ],
)
def test_what_a_draft_may_not_hold_is_refused_by_name(field: str, value: Any, problem: Problem) -> None:
    with pytest.raises(Invalid) as refused:
        ReviewDraft(rating=5, **{field: value})
    assert refused.value == Invalid(problem, field)


def test_the_longest_texts_fit() -> None:
    draft = ReviewDraft(rating=5, text=" " + "é" * 2_000 + "\r\n" + "x" * 1_999, author=" " + "x" * 80 + " ")
    assert (len(draft.text or ""), len(draft.author or "")) == (4_000, 80)
    assert NewReply(text="x" * 2_000).text == "x" * 2_000
    with pytest.raises(Invalid, match="too_long"):
        NewReply(text="x" * 2_001)
    assert NewReply(text=" \n").text is None


def test_a_reason_to_hide_is_one_of_the_list() -> None:
    assert to_hide_reason("spam") is HideReason.SPAM
    with pytest.raises(Invalid) as refused:
        to_hide_reason("because")
    assert refused.value == Invalid(Problem.UNKNOWN_REASON, "reason")


def test_a_review_knows_what_it_says_already() -> None:
    one = review().rewritten(ReviewDraft(rating=4, text="a", author="b", language="en"), LATER)
    assert one.says(ReviewDraft(rating=4, text="a", author="b"))
    others: tuple[dict[str, Any], ...] = ({"rating": 5}, {"text": "b"}, {"author": None}, {"language": Language.NL})
    for other in others:
        assert not one.says(ReviewDraft(**{"rating": 4, "text": "a", "author": "b", **other}))


def test_a_bookmark_is_read_back_from_its_text() -> None:
    place = review().bookmark
    assert Bookmark.parse(place.text) == place
    assert Bookmark.parse(Bookmark.since(NOON).text) == Bookmark.since(NOON)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "x",
        "0-",
        "-" + "0" * 32,
        "0" * 15 + "-" + "0" * 32,
        "0-" + "g" * 32,
        "0-" + "0" * 33,
        "\u0660-" + "0" * 32,
    ],
)
def test_any_other_text_is_no_bookmark(text: str) -> None:
    assert Bookmark.parse(text) is None
    assert Bookmark.parse("f" * 14 + "-" + "f" * 32) is not None
