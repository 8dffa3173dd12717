"""`review`: the operator sees what customers wrote, hides it and shows it again, and replies for a shop."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from tests.cli.customers import a_review
from tests.cli.harness import Installation

HOSTILE = "Fijn\n\u202egeen\u202c \u2066x\u2069\u2028Rating  5"
UNKNOWN = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"


def test_reviews_are_listed_the_newest_first_by_shop_state_and_number(molen: Installation) -> None:
    old, new = a_review(molen, "1001", 2, text="Oud brood", author="Anna"), a_review(molen, "1002", 5)
    listed = molen.json("review", "list")
    assert [each["reviewId"] for each in listed] == [new, old]
    assert [each["orderNumber"] for each in listed] == ["1002", "1001"]
    assert molen.json("review", "list", "--limit", "1") == listed[:1]
    assert molen.json("review", "list", "--site", "molen", "--state", "published") == listed
    assert molen.json("review", "list", "--state", "hidden") == []
    table = molen.ok("review", "list").splitlines()
    assert table[0].split() == ["REVIEW", "STATE", "RATING", "WRITTEN", "(UTC)", "NAME", "SHOP", "ORDER", "SOURCE"]
    assert table[2].split()[:3] == [old, "published", "2"]
    assert table[2].split()[-4:] == ["Anna", "molen", "1001", "api"]


def test_a_shop_without_reviews_is_said_to_have_none(shared: Installation) -> None:
    assert shared.run("review", "list", "--site", "molen") == (0, "", "There are no such reviews.\n")
    assert "Error: --state must be one of: published, hidden, withdrawn" in shared.refused(
        2, "review", "list", "--state", "gone"
    )


def test_each_act_of_the_operator_stands_in_the_history(molen: Installation) -> None:
    review_id = a_review(molen, "1001", 1, text="Onzin")
    hidden = molen.json("review", "hide", review_id, "--reason", "insult")
    assert (hidden["state"], hidden["hiddenFor"], hidden["text"]) == ("hidden", "insult", "Onzin")
    assert molen.json("review", "hide", review_id, "--reason", "insult") == hidden
    molen.ok("review", "hide", review_id, "--reason", "spam")
    shown = molen.json("review", "show-again", review_id)
    assert (shown["state"], shown["hiddenFor"]) == ("published", None)
    assert [(each["act"], each["by"], each["hiddenFor"]) for each in shown["history"]] == [
        ("written", "customer", None),
        ("hidden", "operator", "insult"),
        ("hidden", "operator", "spam"),
        ("shown_again", "operator", None),
    ]
    assert molen.json("review", "show", review_id) == shown
    assert "hidden       operator  hidden     insult" in molen.ok("review", "show", review_id)


def test_a_reason_is_one_of_the_list(molen: Installation) -> None:
    review_id = a_review(molen, "1001")
    refused = molen.refused(2, "review", "hide", review_id, "--reason", "bad_for_business")
    assert "--reason must be unlawful, personal_data, insult, spam, not_a_customer or other." in refused
    assert "--reason" in molen.refused(2, "review", "hide", review_id)
    assert molen.json("review", "show", review_id)["state"] == "published"


@pytest.mark.parametrize(
    "arguments", [("show",), ("show-again",), ("hide", "--reason", "spam"), ("reply", "--", "Dank u")], ids=" ".join
)
def test_an_unknown_review_is_refused(shared: Installation, arguments: tuple[str, ...]) -> None:
    verb, *more = arguments
    for one in (UNKNOWN, "no-id"):
        assert shared.refused(1, "review", verb, one, *[each for each in more if each != "--"]) == (
            f"Error: There is no review {one}. List them: reviewinvite review list"
        )


def test_a_reply_is_the_shops_is_replaced_and_taken_away(molen: Installation) -> None:
    review_id = a_review(molen, "1001")
    assert molen.json("review", "reply", review_id, "Dank u!")["reply"]["text"] == "Dank u!"
    assert molen.json("review", "reply", review_id, "Graag gedaan")["reply"]["text"] == "Graag gedaan"
    gone = molen.json("review", "reply", review_id, "")
    assert gone["reply"] is None
    assert [(each["act"], each["by"]) for each in gone["history"][1:]] == [
        ("replied", "shop"),
        ("replied", "shop"),
        ("reply_removed", "shop"),
    ]
    assert "TEXT is too long" in molen.refused(2, "review", "reply", review_id, "a" * 2001)
    molen.ok("review", "hide", review_id, "--reason", "spam")
    assert "The review is hidden" in molen.refused(1, "review", "reply", review_id, "Dank u!")
    molen.ok("shop", "deactivate", "molen")
    assert "not active" in molen.refused(1, "review", "reply", review_id, "Dank u!")


def test_no_text_moves_a_terminal_or_looks_like_a_line_of_the_command(molen: Installation) -> None:
    review_id = a_review(molen, "1001", 1, text=HOSTILE, author="Ann\u0103")
    molen.ok("review", "reply", review_id, HOSTILE)
    for shown in (molen.ok("review", "show", review_id), molen.ok("review", "list", "--json")):
        assert not set(shown) & set("\u202e\u202c\u2066\u2069\u2028\x1b\x9b")
        assert "\\u202egeen\\u202c" in shown
        assert "Ann\u0103" in shown
    lines = molen.ok("review", "show", review_id).splitlines()
    assert [line for line in lines if line.startswith("Rating")] == ["Rating      1"]
    text = lines.index("Text")
    assert lines[text + 1 : text + 3] == ["  Fijn", "  \\u202egeen\\u202c \\u2066x\\u2069\\u2028Rating  5"]
    [told] = molen.json("review", "list")
    assert told["text"] == HOSTILE


def test_figures_that_are_wrong_are_told_and_mended(molen: Installation) -> None:
    a_review(molen, "1001")
    assert molen.json("db", "recount") == {"mended": []}
    assert molen.run("db", "recount") == (0, "", "All figures are correct.\n")
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection, connection:
        connection.execute("UPDATE review_figures SET fives = 9")
    ended = molen.run("db", "check")
    assert (ended.code, ended.out) == (
        1,
        "the stored figures for the reviews of molen differ from a recount; `reviewinvite db recount` corrects them\n",
    )
    assert molen.run("db", "recount") == (0, "molen\n", "Shops whose figures were corrected: 1.\n")
    assert molen.json("db", "check") == {"problems": []}
