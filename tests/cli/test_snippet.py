"""`snippet embed`: what it prints can be pasted as it is, whatever the address of the service."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from tests.cli.harness import Installation
from tests.cli.markup import Markup

BASE_URL = "https://reviews.example.nl"
HOSTILE = "https://x.example.nl/a'b&amp;c;$(d)"


def test_it_prints_both_forms_and_nothing_else(shared: Installation) -> None:
    ended = shared.run("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL)
    forms = shared.json("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL)
    assert ended.code == 0
    left = ended.out
    for form in ("tag", "inline"):
        assert forms[form]["html"] in left
        left = left.replace(forms[form]["html"], "")
    assert left.split() == ["One", "tag:", "Or", "the", "same", "without", "an", "external", "script:"]
    assert forms["siteId"] == "molen"


def test_the_tag_is_one_script_from_the_service(shared: Installation) -> None:
    tag = Markup(shared.json("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=f"{BASE_URL}/")["tag"]["html"])
    assert tag.tags == [
        (
            "script",
            {
                "async": None,
                "src": f"{BASE_URL}/s/molen.js",
                "data-email": "CUSTOMER_EMAIL",
                "data-order-number": "ORDER_NUMBER",
            },
        )
    ]
    assert tag.text.strip() == ""


def test_the_inline_form_loads_nothing(shared: Installation) -> None:
    inline = Markup(shared.json("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL)["inline"]["html"])
    ((name, attributes),) = inline.tags
    assert (name, set(attributes)) == ("script", {"data-email", "data-order-number"})
    assert f'fetch("{BASE_URL}/v1/orders/snippet", {{' in inline.text
    assert 'siteId: "molen"' in inline.text


@pytest.mark.parametrize("form", ["tag", "inline"])
def test_each_form_tells_the_privacy_rule(shared: Installation, form: str) -> None:
    comments = Markup(shared.json("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL)[form]["html"]).comments
    words = " ".join(comments.split())
    assert "the customer's e-mail address and the order number, escaped for HTML, and no more" in words
    assert "no name, postal address, payment data or order lines" in words


def test_it_tells_what_a_content_security_policy_has_to_allow(shared: Installation) -> None:
    forms = shared.json("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=f"{BASE_URL}:8443/reviews")
    assert forms["tag"]["contentSecurityPolicy"] == f"script-src {BASE_URL}:8443; connect-src {BASE_URL}:8443"
    text = forms["inline"]["html"].partition("<script")[2].partition(">")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert forms["inline"]["contentSecurityPolicy"] == f"script-src 'sha256-{digest}'; connect-src {BASE_URL}:8443"


def test_no_address_of_the_service_can_end_a_tag_or_a_text(shared: Installation) -> None:
    forms = shared.json("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=HOSTILE)
    tag, inline = (Markup(forms[form]["html"]) for form in ("tag", "inline"))
    assert tag.tags[0][1]["src"] == f"{HOSTILE}/s/molen.js"
    assert r"https://x.example.nl/a'b\u0026amp;c;$(d)/v1/orders/snippet" in inline.text


def test_an_address_that_no_secure_page_may_report_to_is_warned_of(shared: Installation) -> None:
    said = shared.run("snippet", "embed", "molen").err
    assert "base_url is http://127.0.0.1:8000: browsers will not let https pages report to it." in said
    assert "base_url" not in shared.run("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL).err


def test_no_template_language_takes_a_part_of_it_for_its_own(shared: Installation) -> None:
    forms = shared.json("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL)
    for form in ("tag", "inline"):
        assert not re.search(r"\{\S|\{\{|<\?|<%|\$\{|@\{|\[\[", forms[form]["html"])


def test_a_shop_whose_reports_nobody_would_believe_is_warned_of(molen: Installation) -> None:
    hint = (
        "Warning: no verified host, so reports from this snippet will be rejected: reviewinvite domain add molen HOST\n"
    )
    assert molen.run("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL).err == hint
    molen.ok("domain", "add", "molen", "shop.example.nl")
    assert molen.run("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL).err == hint
    molen.ok("domain", "add", "molen", "shop.example.nl", "--assume-verified")
    assert molen.run("snippet", "embed", "molen", REVIEWINVITE_BASE_URL=BASE_URL).err == ""


def test_the_secret_is_printed_rotated_and_changes_the_tag(molen: Installation) -> None:
    assert "data-signature" not in molen.json("snippet", "embed", "molen")["tag"]["html"]
    first = molen.json("snippet", "secret", "molen")
    assert first == {"siteId": "molen", "secret": first["secret"], "replacing": False}
    assert molen.json("snippet", "secret", "molen") == first
    assert 'data-signature="SIGNATURE"' in molen.json("snippet", "embed", "molen")["tag"]["html"]
    ended = molen.run("snippet", "secret", "molen", "--rotate")
    second = molen.json("snippet", "secret", "molen")["secret"]
    assert second != first["secret"]
    assert second in ended.out
    assert "The secret before it is valid until the next rotation." in ended.err


def test_a_mode_is_set_and_shown(molen: Installation) -> None:
    assert "Snippet     off" in molen.ok("shop", "set", "molen", "--snippet", "off")
    assert "Error: --snippet must be open, signed or off" in molen.refused(
        2, "shop", "set", "molen", "--snippet", "shut"
    )
    refused = molen.refused(1, "shop", "set", "molen", "--snippet", "signed")
    assert "No order with a valid signature has come yet" in refused
    assert molen.json("shop", "show", "molen")["snippet"] == "off"


def test_a_secret_survives_a_rotation_of_the_services_own_secret_a_backup_and_a_copy(molen: Installation) -> None:
    secret = molen.json("snippet", "secret", "molen")["secret"]
    molen.ok("db", "backup", "backup.db")
    molen.ok("secret", "rotate", "--yes")
    assert molen.json("snippet", "secret", "molen")["secret"] == secret
    assert molen.json("db", "check") == {"problems": []}
    molen.ok("db", "copy", "sqlite:///reviewinvite.db", "sqlite:///copy.db")
    copied = molen.json(
        "snippet",
        "secret",
        "molen",
        REVIEWINVITE_DATABASE_URL="sqlite:///copy.db",
        REVIEWINVITE_SECRET_FILE="reviewinvite.db.secret",
    )
    assert copied["secret"] == secret


def test_a_restore_keeps_the_later_secret_and_the_stricter_mode(molen: Installation) -> None:
    molen.json("snippet", "secret", "molen")
    molen.ok("db", "backup", "backup.db")
    later = molen.json("snippet", "secret", "molen", "--rotate")["secret"]
    molen.ok("shop", "set", "molen", "--snippet", "off")
    ended = molen.run("db", "restore", "--yes", "backup.db")
    assert "snippet modes or secrets kept (1)" in " ".join(ended.err.split())
    assert molen.json("snippet", "secret", "molen")["secret"] == later
    assert molen.json("shop", "show", "molen")["snippet"] == "off"
