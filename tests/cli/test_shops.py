"""`shop`."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation

from reviewinvite_core import ClientAddress, OrderReport, Settings, SiteId, SnippetReport, build
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.values import CountMode

NOT_SET = {
    "viewsToday": 0,
    "viewsPerDay": 1_000,
    "snippetsToday": 0,
    "snippetsPerDay": 1_000,
    "wrongSignaturesToday": 0,
    "requestedName": None,
    "badge": {"theme": "auto", "size": "medium", "language": "nl"},
}


def test_a_new_shop_has_the_language_and_delay_of_the_specification(empty: Installation) -> None:
    made = empty.json("shop", "add", "molen", "--name", "Bakkerij De Molen")
    assert made == {
        "siteId": "molen",
        "name": "Bakkerij De Molen",
        "active": True,
        "language": "nl",
        "delayDays": 5,
        "replyTo": None,
        "trustMark": "absent",
        "frequencyDays": 0,
        "snippet": "open",
    }
    assert empty.json("shop", "show", "molen") == {**made, **NOT_SET}


def test_a_shop_keeps_what_it_was_given(shared: Installation) -> None:
    chosen = ("--language", "en", "--delay-days", "2.5", "--reply-to", "shop@example.com", "--frequency-days", "30")
    made = shared.json("shop", "add", "given", "--name", "寿司", *chosen)
    assert made == {
        "siteId": "given",
        "name": "寿司",
        "active": True,
        "language": "en",
        "delayDays": 2.5,
        "replyTo": "shop@example.com",
        "trustMark": "absent",
        "frequencyDays": 30,
        "snippet": "open",
    }
    assert {**made, "requestedName": None} in shared.json("shop", "list")
    shown = shared.ok("shop", "show", "given")
    assert "Replies to   shop@example.com" in shown
    assert "Frequency    at most once in 30 days" in shown
    assert "Frequency   every order" in shared.ok("shop", "set", "given", "--frequency-days", "0")
    said = shared.refused(2, "shop", "set", "given", "--frequency-days", "366")
    assert "Error: --frequency-days must be a whole number from 0 to 365." in said


def test_shops_are_listed_by_site_id(empty: Installation) -> None:
    for site_id in ("b", "a"):
        empty.ok("shop", "add", site_id, "--name", f"Shop {site_id}")
    assert [shop["siteId"] for shop in empty.json("shop", "list")] == ["a", "b"]


def test_without_shops_the_list_is_empty_and_says_how_to_make_one(empty: Installation) -> None:
    empty.ok("db", "migrate")
    assert empty.json("shop", "list") == []
    ended = empty.run("shop", "list")
    assert (ended.code, ended.out) == (0, "")
    assert "reviewinvite shop add" in ended.err


def test_setting_one_thing_keeps_the_rest(shared: Installation) -> None:
    made = shared.json("shop", "add", "rest", "--name", "Before", "--language", "en", "--delay-days", "3")
    assert shared.json("shop", "set", "rest", "--name", "After") == {**made, "name": "After"}
    assert shared.json("shop", "set", "rest", "--language", "nl")["language"] == "nl"
    assert shared.json("shop", "set", "rest", "--delay-days", "0")["delayDays"] == 0
    assert shared.json("shop", "show", "rest") == {**made, "name": "After", "language": "nl", "delayDays": 0} | NOT_SET


def test_an_address_for_replies_stays_until_it_is_taken_away(shared: Installation) -> None:
    made = shared.json("shop", "add", "replies", "--name", "Replies", "--reply-to", "first@example.com")
    changed = shared.json("shop", "set", "replies", "--reply-to", " Second@Example.com")
    assert changed == {**made, "replyTo": "Second@example.com"}
    assert shared.json("shop", "set", "replies", "--name", "Other")["replyTo"] == "Second@example.com"
    assert shared.json("shop", "set", "replies", "--reply-to", "")["replyTo"] is None
    assert shared.json("shop", "show", "replies") == {**made, "name": "Other", "replyTo": None} | NOT_SET
    assert shared.json("shop", "add", "without", "--name", "x", "--reply-to", "")["replyTo"] is None


def test_a_shop_is_shown_with_what_it_used_today_and_the_limits(molen: Installation) -> None:
    today = ManualClock(datetime.now(UTC))
    app = build(Settings(database_url=f"sqlite:///{molen.folder / 'reviewinvite.db'}"), clock=today)
    app.domains.add("molen", "molen.example.nl", assume_verified=True)
    for day in range(2):  # the second time on the next day, as that may have come when the command runs
        for number in range(3):
            app.badges.show("molen", None, CountMode.COUNT)
            order = OrderReport(email="anna@example.com", order_number=f"{day}-{number // 2}")
            report = SnippetReport(site_id=SiteId("molen"), order=order)
            app.orders.report_from_snippet(ClientAddress("203.0.113.9"), "https://molen.example.nl", report)
        today.advance(timedelta(days=1))
    app.close()
    shown = molen.ok("shop", "show", "molen")
    assert "Views today  3 (of 1,000)" in shown
    assert "By snippet   2 orders today (of 1,000)" in shown
    more = {"REVIEWINVITE_VIEWS_PER_DAY_FREE": "0", "REVIEWINVITE_SNIPPETS_PER_DAY": "0"}
    shown = molen.ok("shop", "show", "molen", **more)
    assert "Views today  3 (no limit)" in shown
    assert "By snippet   2 orders today (no limit)" in shown
    shown = json.loads(molen.ok("shop", "show", "molen", "--json", **more))
    assert (shown["viewsToday"], shown["viewsPerDay"]) == (3, None)
    assert (shown["snippetsToday"], shown["snippetsPerDay"]) == (2, None)
    assert "viewsToday" not in molen.json("shop", "list")[0]


def test_setting_nothing_is_wrong_usage(shared: Installation) -> None:
    said = shared.refused(2, "shop", "set", "molen")
    assert "give at least one of --name, --language, --delay-days, --frequency-days, --reply-to and --snippet" in said


def test_a_deactivated_shop_refuses_reports_until_it_is_active_again(molen: Installation) -> None:
    report = ("order", "report", "molen", "customer@example.com")
    assert molen.json("shop", "deactivate", "molen")["active"] is False
    assert "The shop is not active" in molen.refused(1, *report)
    assert molen.json("shop", "activate", "molen")["active"] is True
    molen.ok(*report)


def test_a_site_id_that_is_taken_is_refused(shared: Installation) -> None:
    said = shared.refused(1, "shop", "add", "molen", "--name", "Another")
    assert said == 'Error: Shop "molen" already exists.'
    assert shared.json("shop", "show", "molen")["name"] == "Bakkerij De Molen"


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        (("no spaces", "--name", "x"), "SITE_ID"),
        (("x" * 65, "--name", "x"), "SITE_ID"),
        (("", "--name", "x"), "SITE_ID"),
        (("new", "--name", ""), "--name"),
        (("new", "--name", "x" * 301), "--name"),
        (("new", "--name", "line\nbreak"), "--name"),
        (("new", "--name", "x", "--language", "NL"), "--language"),
        (("new", "--name", "x", "--delay-days", "60.1"), "--delay-days"),
        (("new", "--name", "x", "--delay-days", "-1"), "--delay-days"),
        (("new", "--name", "x", "--delay-days", "nan"), "--delay-days"),
        (("new", "--name", "x", "--delay-days", "soon"), "--delay-days"),
        (("new", "--name", "x", "--reply-to", "nobody"), "--reply-to"),
        (("new", "--name", "x", "--reply-to", "a@example.com\nBcc: b@example.com"), "--reply-to"),
        (("new",), "--name"),
    ],
)
def test_a_value_that_cannot_be_is_wrong_usage_and_names_the_parameter(
    shared: Installation, arguments: tuple[str, ...], parameter: str
) -> None:
    assert parameter in shared.refused(2, "shop", "add", *arguments)
    assert "new" not in [shop["siteId"] for shop in shared.json("shop", "list")]


def test_a_name_is_shown_as_it_is_and_not_as_markup(empty: Installation) -> None:
    empty.ok("shop", "add", "sushi", "--name", "[red]寿司[/red]")
    assert "[red]寿司[/red]" in empty.ok("shop", "list")


def test_a_name_that_the_output_cannot_show_is_no_failure(empty: Installation, as_process: AsProcess) -> None:
    empty.ok("shop", "add", "sushi", "--name", "寿司")
    assert "\\u5bff" in as_process(empty).ok("shop", "list", PYTHONIOENCODING="latin-1")
    assert '"\\u5bff\\u53f8"' in as_process(empty).ok("shop", "show", "sushi", "--json", PYTHONIOENCODING="latin-1")
