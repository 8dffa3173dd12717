"""What a shop's own programs read and change of the shop: settings, badge and domains. Spec: §4.12 to §4.16."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import pytest
from tests.http.merchant import a_review, request_as
from tests.http.published_proofs import PublishedProofs
from tests.http.service import Service
from tests.http.serving import serving

from reviewinvite_core import ShopChanges, accepted
from reviewinvite_core.domain.timing import iso_milliseconds
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import FailureReason, HideReason, ProofWay

ABSENCES = ((ProofWay.DNS, FailureReason.NO_RECORD), (ProofWay.WELL_KNOWN, FailureReason.NO_HOST))


PROOFS = PublishedProofs(ABSENCES)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A server whose checks find the proofs of `PROOFS`."""
    with serving(domain_verifier=PROOFS) as service:
        yield service


@pytest.fixture(autouse=True)
def shop(service: Service, request: pytest.FixtureRequest) -> str:
    """A shop of this test's own."""
    site = f"shop-{zlib.crc32(request.node.name.encode())}"
    service.app.shops.add(a_shop(site, name="Bakkerij De Molen"))
    return site


@pytest.fixture
def key(service: Service, shop: str) -> str:
    """The key of that shop."""
    return service.a_key(shop)


def test_a_shop_is_shown_with_its_settings(service: Service, shop: str, key: str) -> None:
    service.app.shops.update(shop, ShopChanges(reply_to="shop@example.com"))
    answer = request_as(service.address, key, "GET", "/v1/shop")
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.json == {
        "siteId": shop,
        "name": "Bakkerij De Molen",
        "active": True,
        "language": "nl",
        "delayDays": 5,
        "frequencyDays": 0,
        "snippet": "open",
        "trustMark": "absent",
    }


def test_the_given_settings_change_and_the_others_stay(service: Service, key: str) -> None:
    before = request_as(service.address, key, "GET", "/v1/shop").json
    changed = request_as(service.address, key, "PATCH", "/v1/shop", {"delayDays": 2.5, "frequencyDays": 30})
    assert changed.status == 200
    assert changed.json == {**before, "delayDays": 2.5, "frequencyDays": 30}
    assert request_as(service.address, key, "PATCH", "/v1/shop", {"language": "en"}).json["delayDays"] == 2.5
    unchanged = request_as(service.address, key, "PATCH", "/v1/shop", {})
    assert unchanged.json == {**changed.json, "language": "en"}
    assert request_as(service.address, key, "GET", "/v1/shop").json == unchanged.json


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        (b'{"name": "Bank"}', "unknown_field", "name"),
        (b'{"replyTo": "thief@example.com"}', "unknown_field", "replyTo"),
        (b'{"active": false}', "unknown_field", "active"),
        (b'{"trustMark": "granted"}', "unknown_field", "trustMark"),
        (b'{"language": "xx"}', "unknown_language", "language"),
        (b'{"language": null}', "wrong_type", "language"),
        (b'{"delayDays": 61}', "out_of_range", "delayDays"),
        (b'{"delayDays": "3"}', "wrong_type", "delayDays"),
        (b'{"frequencyDays": 366}', "out_of_range", "frequencyDays"),
        (b'{"frequencyDays": 1.5}', "wrong_type", "frequencyDays"),
        (b'{"snippet": "closed"}', "unknown_snippet", "snippet"),
        (b'{"snippet": null}', "wrong_type", "snippet"),
        (b"[]", "not_an_object", None),
    ],
)
def test_settings_that_cannot_be_are_refused_and_nothing_changes(
    service: Service, key: str, body: bytes, code: str, field: str | None
) -> None:
    before = request_as(service.address, key, "GET", "/v1/shop").json
    answer = request_as(service.address, key, "PATCH", "/v1/shop", body)
    assert (answer.status, answer.code, answer.json.get("field")) == (422, code, field)
    assert request_as(service.address, key, "GET", "/v1/shop").json == before


def test_signed_orders_only_is_a_conflict_before_a_valid_signature_came(service: Service, key: str) -> None:
    answer = request_as(service.address, key, "PATCH", "/v1/shop", {"snippet": "signed"})
    assert (answer.status, answer.code) == (409, "signature_unseen")
    assert request_as(service.address, key, "PATCH", "/v1/shop", {"snippet": "off"}).json["snippet"] == "off"


def test_a_badge_is_replaced_as_a_whole(service: Service, shop: str, key: str) -> None:
    look = {"theme": "dark", "size": "small", "language": "en"}
    assert request_as(service.address, key, "GET", "/v1/badge").json == {"theme": "auto", "size": "medium"}
    assert request_as(service.address, key, "PUT", "/v1/badge", look).json == look
    assert request_as(service.address, key, "GET", "/v1/badge").json == look
    assert accepted(service.app.shops.show(shop)).badge.theme == "dark"
    plain = {"theme": "auto", "size": "large"}
    assert request_as(service.address, key, "PUT", "/v1/badge", plain).json == plain


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"theme": "blue", "size": "small"}, "unknown_theme", "theme"),
        ({"theme": [], "size": "small"}, "wrong_type", "theme"),
        ({"theme": "dark", "size": 3}, "wrong_type", "size"),
        ({"theme": "dark"}, "field_missing", "size"),
        ({"theme": "dark", "size": "small", "language": "fy"}, "unknown_language", "language"),
        ({"theme": "dark", "size": "small", "colour": "red"}, "unknown_field", "colour"),
    ],
)
def test_a_badge_that_cannot_be_is_refused(service: Service, key: str, body: object, code: str, field: str) -> None:
    answer = request_as(service.address, key, "PUT", "/v1/badge", body)
    assert (answer.status, answer.code, answer.json["field"]) == (422, code, field)


def test_a_domain_is_added_published_checked_and_listed(service: Service, key: str) -> None:
    added = request_as(service.address, key, "POST", "/v1/domains", {"host": "De-Molen.example.nl."})
    assert added.status == 200
    host, proof = added.json["host"], added.json["proof"]
    assert (host, added.json["standing"], added.json["verified"]) == ("de-molen.example.nl", "unproved", False)
    assert added.json["txtName"] == f"_reviewinvite.{host}"
    assert added.json["fileUrl"] == f"https://{host}/.well-known/reviewinvite.txt"
    assert request_as(service.address, key, "POST", "/v1/domains", {"host": host}).json["proof"] == proof

    missed = request_as(service.address, key, "POST", f"/v1/domains/{host}/check")
    assert missed.status == 200
    assert (missed.json["standing"], missed.json["found"]) == ("unproved", None)
    assert missed.json["absences"] == [
        {"way": "dns", "reason": "no_record"},
        {"way": "well_known", "reason": "no_host"},
    ]
    PROOFS.hosts.add(host)
    found = request_as(service.address, key, "POST", f"/v1/domains/{host}/check", {})
    assert (found.json["standing"], found.json["found"], found.json["absences"]) == ("verified", "dns", [])
    assert found.json["verifiedAt"] == iso_milliseconds(service.clock.now())
    listed = request_as(service.address, key, "GET", "/v1/domains").json
    assert listed == {"domains": [{name: found.json[name] for name in added.json}]}


@pytest.mark.parametrize("path", ["/v1/shop", "/v1/badge", "/v1/domains/example.nl", "/v1/keys"])
def test_nothing_is_removed_and_no_key_is_made_with_a_key(service: Service, key: str, path: str) -> None:
    assert request_as(service.address, key, "DELETE", path).status in {404, 405}
    assert request_as(service.address, key, "POST", path, {"label": "mine"}).status in {404, 405}


def test_one_review_is_shown_as_in_the_list(service: Service, shop: str, key: str) -> None:
    review_id = a_review(service.app, shop, "1001", 2, text="Oud brood", author="Anna")
    listed = request_as(service.address, key, "GET", "/v1/reviews").json["reviews"]
    shown = request_as(service.address, key, "GET", f"/v1/reviews/{review_id}")
    assert shown.status == 200
    assert [shown.json] == listed
    service.app.reviews.hide(review_id, HideReason.INSULT)
    hidden = request_as(service.address, key, "GET", f"/v1/reviews/{review_id}").json
    assert (hidden["state"], hidden["text"], hidden["author"]) == ("hidden", None, None)
    assert request_as(service.address, key, "GET", f"/v1/reviews/{review_id.upper()}").code == "review_unknown"


def test_reviews_are_read_by_rating_and_state(service: Service, shop: str, key: str) -> None:
    good, bad, worse = (a_review(service.app, shop, str(number), rating) for number, rating in ((1, 5), (2, 1), (3, 1)))
    service.app.reviews.hide(worse, HideReason.SPAM)

    def read(**filters: object) -> list[str]:
        page = request_as(service.address, key, "GET", "/v1/reviews", **filters)
        assert page.status == 200
        return sorted(each["reviewId"] for each in page.json["reviews"])

    assert read(rating=5) == [good]
    assert read(rating=1) == sorted([bad, worse])
    assert read(state="hidden") == read(state="hidden", rating=1) == [worse]
    assert read(state="published", rating=1) == [bad]
    assert read(state="withdrawn") == []


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("rating=0", "out_of_range", "rating"),
        ("rating=6", "out_of_range", "rating"),
        ("rating=5.0", "malformed", "rating"),
        ("rating=", "malformed", "rating"),
        ("state=PUBLISHED", "malformed", "state"),
        ("state=sent", "malformed", "state"),
        ("rating=1&rating=2", "duplicate_field", "rating"),
        ("orderNumber=1", "unknown_field", "orderNumber"),
    ],
)
def test_a_filter_that_cannot_be_is_refused(service: Service, key: str, query: str, code: str, field: str) -> None:
    answer = request_as(service.address, key, "GET", f"/v1/reviews?{query}")
    assert (answer.status, answer.code, answer.json["field"]) == (422, code, field)
