"""What is written differently in each language: sentences, counts, dates and numbers. ADR-37."""

from __future__ import annotations

import json
import pickle
from datetime import UTC, datetime, timedelta, timezone

import pytest

from reviewinvite_core import Invalid, Language
from reviewinvite_core.domain.language import to_language
from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_core.texts.templates import templates_in
from reviewinvite_core.values import Problem

DUTCH, ENGLISH = texts_in(Language.NL), texts_in(Language.EN)
MONTHS = {
    DUTCH: "januari februari maart april mei juni juli augustus september oktober november december",
    ENGLISH: "January February March April May June July August September October November December",
}


def test_each_language_has_its_sentence() -> None:
    assert DUTCH.gettext("How was your order?") == "Hoe was uw bestelling?"
    assert ENGLISH.gettext("How was your order?") == "How was your order?"


@pytest.mark.parametrize(
    ("count", "dutch", "english"),
    [(0, "0 beoordelingen", "0 reviews"), (1, "1 beoordeling", "1 review"), (2, "2 beoordelingen", "2 reviews")],
)
def test_each_count_has_its_form(count: int, dutch: str, english: str) -> None:
    found = [each.ngettext("%(shown)s review", "%(shown)s reviews", count, shown=count) for each in (DUTCH, ENGLISH)]
    assert found == [dutch, english]


def test_what_is_filled_in_is_not_looked_at() -> None:
    told = DUTCH.gettext("How was your order from %(shop)s?", shop="100% %(shop)s %s")
    assert told == "Hoe was uw bestelling bij 100% %(shop)s %s?"


@pytest.mark.parametrize("month", range(1, 13))
def test_a_day_is_written_with_the_name_of_its_month(month: int) -> None:
    at = datetime(2026, month, 7, 23, 59, tzinfo=UTC)
    for texts, months in MONTHS.items():
        assert texts.day(at) == f"7 {months.split()[month - 1]} 2026"


def test_the_day_of_an_instant_is_that_of_its_own_clock() -> None:
    at = datetime(2026, 3, 7, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    assert DUTCH.day(at) == "7 maart 2026"


@pytest.mark.parametrize(
    ("number", "dutch", "english"),
    [(0, "0", "0"), (999, "999", "999"), (1000, "1.000", "1,000"), (1_234_567, "1.234.567", "1,234,567")],
)
def test_thousands_are_separated(number: int, dutch: str, english: str) -> None:
    assert (DUTCH.number(number), ENGLISH.number(number)) == (dutch, english)


@pytest.mark.parametrize(
    ("digits", "dutch", "english"), [("4.50", "4,50", "4.50"), ("5.00", "5,00", "5.00"), ("4.5", "4,5", "4.5")]
)
def test_decimals_are_kept_all(digits: str, dutch: str, english: str) -> None:
    assert (DUTCH.decimal(digits), ENGLISH.decimal(digits)) == (dutch, english)


def test_choices_are_joined() -> None:
    assert DUTCH.either_of(["a", "b", "c"]) == "a, b of c"
    assert ENGLISH.either_of(["a"]) == "a"


def test_a_language_knows_its_own_name_and_direction() -> None:
    assert (DUTCH.own_name, DUTCH.direction) == ("Nederlands", "ltr")
    assert (ENGLISH.own_name, ENGLISH.direction) == ("English", "ltr")


def test_texts_and_templates_are_made_once_for_each_language() -> None:
    assert texts_in(Language.NL) is texts_in(Language("nl"))
    folder = ("reviewinvite_http", "pages")
    assert templates_in(Language.NL, *folder) is templates_in(Language.NL, *folder)
    assert templates_in(Language.NL, *folder) is not templates_in(Language.EN, *folder)


def test_a_sentence_in_a_template_escapes_what_is_filled_in() -> None:
    templates = templates_in(Language.NL, "reviewinvite_http", "pages")
    source = "{% trans shop %}How was your order from {{ shop }}?{% endtrans %}"
    assert templates.from_string(source).render(shop="<b>") == "Hoe was uw bestelling bij <b>?"
    page = templates.overlay(autoescape=True).from_string(source)
    assert page.render(shop="<b>") == "Hoe was uw bestelling bij &lt;b&gt;?"


def test_a_language_is_its_tag() -> None:
    assert list(Language) == ["nl", "en"]
    assert Language("nl") is Language.NL is Language.parse("nl") is to_language("nl")
    assert json.dumps({"language": Language.EN}) == '{"language": "en"}'
    assert f"{Language.EN}" == str(Language.EN) == Language.EN.value == "en"
    assert pickle.loads(pickle.dumps(Language.EN)) is Language.EN  # noqa: S301 - pickled here


@pytest.mark.parametrize("tag", ["de", "NL", "en-GB", "", "members", "tag", "../nl"])
def test_what_has_no_catalogue_is_no_language(tag: str) -> None:
    with pytest.raises(Invalid) as caught:
        Language.parse(tag)
    assert caught.value == Invalid(Problem.UNKNOWN_LANGUAGE, "language")
