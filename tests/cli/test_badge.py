"""`badge show`, `badge set` and `badge embed`: the look changes, the tag does not."""

from __future__ import annotations

from tests.cli.harness import Installation
from tests.cli.markup import Markup

WIDGET_URL = "https://badge.example.nl"


def test_what_is_given_changes_and_the_rest_stays(molen: Installation) -> None:
    plain = {"siteId": "molen", "theme": "auto", "size": "medium", "language": "nl", "languageSource": "shop"}
    assert molen.json("badge", "set", "molen", "--theme", "dark") == {**plain, "theme": "dark"}
    assert molen.json("badge", "set", "molen", "--size", "large") == {**plain, "theme": "dark", "size": "large"}
    changed = molen.json("badge", "set", "molen", "--language", "en", "--theme", "light")
    assert changed == {**plain, "theme": "light", "size": "large", "language": "en", "languageSource": "badge"}
    assert molen.ok("badge", "set", "molen", "--size", "small").splitlines() == [
        "Shop      molen",
        "Theme     light",
        "Size      small",
        "Language  en (set for the badge)",
    ]


def test_the_look_is_shown_as_it_was_set_and_by_shop_show_too(molen: Installation) -> None:
    plain = {"theme": "auto", "size": "medium", "language": "nl"}
    assert molen.json("badge", "show", "molen") == {"siteId": "molen", **plain, "languageSource": "shop"}
    assert molen.json("shop", "show", "molen")["badge"] == plain
    molen.ok("badge", "set", "molen", "--theme", "dark", "--language", "en")
    shown = molen.json("badge", "show", "molen")
    changed = {"theme": "dark", "size": "medium", "language": "en"}
    assert shown == {"siteId": "molen", **changed, "languageSource": "badge"}
    assert molen.json("shop", "show", "molen")["badge"] == changed


def test_it_says_whether_the_language_follows_the_shops(molen: Installation) -> None:
    """Two badges may look the same today, and differ as soon as the shop's language changes."""
    follows = "Shop      molen\nTheme     auto\nSize      medium\nLanguage  nl (as the shop)\n"
    assert molen.ok("badge", "show", "molen") == follows
    molen.ok("badge", "set", "molen", "--language", "nl")
    assert molen.ok("badge", "show", "molen") == follows.replace("as the shop", "set for the badge")
    assert molen.ok("badge", "set", "molen", "--language", "shop") == follows
    assert molen.ok("badge", "show", "molen") == follows


def test_a_language_that_was_never_set_is_the_shops(molen: Installation) -> None:
    molen.ok("shop", "set", "molen", "--language", "en")
    assert molen.json("badge", "set", "molen", "--theme", "dark")["language"] == "en"
    molen.ok("badge", "set", "molen", "--language", "nl")
    assert molen.json("badge", "set", "molen", "--theme", "auto")["language"] == "nl"


def test_a_look_that_cannot_be_is_refused_and_changes_nothing(molen: Installation) -> None:
    for option, value, expected in (
        ("--theme", "blue", "--theme must be light, dark or auto"),
        ("--size", "huge", "--size must be small, medium or large"),
        ("--language", "de", "--language must be one of: nl, en"),
        ("--theme", "", "--theme must be light, dark or auto"),
    ):
        assert expected in molen.refused(2, "badge", "set", "molen", "--size", "large", option, value)
    assert molen.json("badge", "set", "molen", "--theme", "auto")["size"] == "medium"


def test_nothing_given_is_wrong_usage(shared: Installation) -> None:
    assert "give at least one of --theme, --size and --language" in shared.refused(2, "badge", "set", "molen")


def test_the_tag_is_one_script_and_never_changes_with_the_look(molen: Installation) -> None:
    printed = molen.run("badge", "embed", "molen", REVIEWINVITE_WIDGET_URL=f"{WIDGET_URL}/")
    assert printed.out == f'<script async src="{WIDGET_URL}/w/molen.js"></script>\n'
    assert printed.err == ""
    molen.ok("badge", "set", "molen", "--theme", "dark", "--size", "large", "--language", "en")
    assert molen.ok("badge", "embed", "molen", REVIEWINVITE_WIDGET_URL=WIDGET_URL) == printed.out


def test_it_tells_what_a_content_security_policy_has_to_allow(shared: Installation) -> None:
    told = shared.json("badge", "embed", "molen", REVIEWINVITE_WIDGET_URL=f"{WIDGET_URL}:8443/of/us")
    assert told == {
        "siteId": "molen",
        "html": f'<script async src="{WIDGET_URL}:8443/of/us/w/molen.js"></script>',
        "contentSecurityPolicy": f"script-src {WIDGET_URL}:8443",
    }


def test_without_an_address_of_its_own_it_comes_from_that_of_the_service(shared: Installation) -> None:
    told = shared.json("badge", "embed", "molen", REVIEWINVITE_BASE_URL="https://reviews.example.nl")
    assert told["html"] == '<script async src="https://reviews.example.nl/w/molen.js"></script>'


def test_an_address_that_pages_cannot_use_is_warned_of(shared: Installation) -> None:
    ended = shared.run("badge", "embed", "molen")
    assert ended.code == 0
    assert "browsers will not load its script on https pages" in ended.err


def test_no_address_ends_the_attribute(shared: Installation) -> None:
    hostile = "https://x.example.nl/a'b&amp;c;$(d)"
    tag = Markup(shared.json("badge", "embed", "molen", REVIEWINVITE_WIDGET_URL=hostile)["html"])
    assert tag.tags == [("script", {"async": None, "src": f"{hostile}/w/molen.js"})]
