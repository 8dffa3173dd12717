"""Two shops with the same customers and orders: nothing of one is ever told to the other, or moved by it."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

import attrs
import pytest
from tests.http.merchant import UNKNOWN, an_invitation, request_as, without_request_id, write
from tests.http.service import Answer, Service

from reviewinvite_core import OPERATOR, InvitationQuery, NewReply, ReviewQuery, State, accepted
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import HideReason

ORDERS = ("1001", "1002", "1003", "1004", "1005", "1006")
SERIAL = itertools.count(1)


@attrs.frozen
class Side:
    """One shop: its key, its name, and all that is its own: ids, and the texts that name it."""

    site: str
    name: str
    key: str
    invitations: Sequence[str]
    reviews: Sequence[str]

    @property
    def traces(self) -> Sequence[str]:
        """What of it no answer to another shop may hold."""
        ids = [*self.invitations, *self.reviews]
        return [self.site, self.name, f"secret of {self.site}", *ids, *(each.replace("-", "") for each in ids)]


@pytest.fixture
def sides(service: Service) -> tuple[Side, Side]:
    """Two shops whose customers have the same addresses and orders, in many states."""
    serial = next(SERIAL)
    return a_side(service, f"north-{serial}"), a_side(service, f"south-{serial}")


def a_side(service: Service, site: str) -> Side:
    app, name = service.app, f"Winkel {site} BV"
    app.shops.add(a_shop(site, name=name))
    invitations, reviews = [], []
    for number in ORDERS:
        service.clock.advance(timedelta(seconds=1))
        invitations.append(an_invitation(app, site, number, email=f"klant{number}@example.com"))
    for invite_id in invitations[:4]:
        service.clock.advance(timedelta(seconds=1))
        reviews.append(write(app, invite_id, 4, text=f"secret of {site}", author=f"secret of {site}"))
    service.clock.advance(timedelta(seconds=1))
    app.reviews.hide(reviews[1], HideReason.INSULT)
    service.clock.advance(timedelta(seconds=1))
    app.reviews.reply(accepted(app.shops.act_for(site)), reviews[2], NewReply(text=f"secret of {site}"))
    return Side(site, name, service.a_key(site), invitations, reviews)


def everything(service: Service, side: Side) -> object:
    """All that is stored of a shop, as an operator sees it."""
    app = service.app
    listed = app.reviews.list(ReviewQuery(site_id=side.site))
    return (
        app.invitations.list(OPERATOR, InvitationQuery(site_id=side.site)),
        listed,
        [app.reviews.show(each) for each in side.reviews],
        [app.invitations.show(OPERATOR, each) for each in side.invitations],
        app.shops.show(side.site),
        app.reviews.show_public(side.site, None),
    )


def requests(
    mine: Side, theirs: Side, chance: random.Random, cursors: Sequence[str]
) -> Iterator[tuple[str, str, object]]:
    """Requests at random: with one's own ids, the other's and none that exist, with cursors from anywhere."""
    ids = [*mine.invitations, *theirs.invitations, *mine.reviews, *theirs.reviews, UNKNOWN]
    while True:
        one = chance.choice(ids)
        cursor = chance.choice(["", *(f"&cursor={each}" for each in cursors)])
        limit = chance.choice(["limit=1", "limit=3", "limit=100"])
        yield chance.choice(
            [
                ("GET", f"/v1/reviews?{limit}{cursor}", None),
                ("GET", f"/v1/reviews?{limit}&since=2026-03-02", None),
                ("GET", f"/v1/invitations?{limit}{cursor}", None),
                ("GET", f"/v1/invitations?{limit}&orderNumber={chance.choice(ORDERS)}", None),
                ("GET", f"/v1/invitations?{limit}{cursor}&state={chance.choice(list(State))}", None),
                ("GET", f"/v1/invitations/{one}", None),
                (
                    "POST",
                    f"/v1/reviews/{one}/reply",
                    {"text": f"secret of {mine.site}" if chance.random() < 0.7 else ""},
                ),
                ("POST", f"/v1/invitations/{one}/cancel", None),
                ("POST", "/v1/orders", {"email": "klant1001@example.com", "orderNumber": chance.choice(ORDERS)}),
            ]
        )


def cursors_in(answers: Sequence[Answer]) -> list[str]:
    found = [each.json.get("cursor") for each in answers if each.status == 200]
    return [each for each in found if each]


@pytest.mark.parametrize("seed", range(3))
def test_no_answer_to_one_shop_holds_anything_of_the_other(
    service: Service, sides: tuple[Side, Side], seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same in every run
    cursors: list[str] = []
    for mine, theirs in (sides, sides[::-1]):
        unmoved = everything(service, theirs)
        answers = []
        for method, path, body in itertools.islice(requests(mine, theirs, chance, cursors), 90):
            answer = request_as(service.address, mine.key, method, path, body)
            assert answer.status in {200, 201, 404, 409} or answer.json["field"] == "cursor", (path, answer)
            said = (answer.body.decode() + str(answer.headers)).replace(path.partition("cursor=")[2] or "-", "")
            assert not [trace for trace in theirs.traces if trace in said], path
            answers.append(answer)
        assert {answer.status for answer in answers} >= {200, 404}
        assert everything(service, theirs) == unmoved
        cursors += cursors_in(answers)


def test_the_ids_of_one_shop_are_unknown_to_the_other_to_the_last_byte(
    service: Service, sides: tuple[Side, Side]
) -> None:
    mine, theirs = sides
    before = everything(service, theirs)
    odd = ("not-an-id", "%F0%9F%94%A5", *other_forms(mine.invitations[0]), *other_forms(mine.reviews[0]))
    for one in (*theirs.invitations, *theirs.reviews, *odd):
        for method, path, body in (
            ("GET", "/v1/invitations/{}", None),
            ("POST", "/v1/invitations/{}/cancel", None),
            ("POST", "/v1/reviews/{}/reply", {"text": "Dank u!"}),
        ):
            got = request_as(service.address, mine.key, method, path.format(one), body)
            unknown = request_as(service.address, mine.key, method, path.format(UNKNOWN), body)
            assert got.status == 404
            assert without_request_id(got) == without_request_id(unknown)
            assert length_without_id(got) == length_without_id(unknown)
            assert named(got) == named(unknown)
        service.clock.advance(timedelta(seconds=3))
    assert everything(service, theirs) == before


def other_forms(one: str) -> Sequence[str]:
    """Forms of an id that programs may take for the same UUID."""
    return one.upper(), one.replace("-", ""), f"%7B{one}%7D", f"urn:uuid:{one}", f"%20{one}"


def test_each_shop_is_told_the_same_as_if_it_were_alone(service: Service) -> None:
    """Shops set up alike get answers that differ by ids, names and times alone."""
    serial = next(SERIAL)
    alone = a_side(service, f"alone-{serial}")
    said_alone = told(service, alone)
    together = [a_side(service, f"same-{serial}"), a_side(service, f"twin-{serial}")]
    for side in together:
        assert told(service, side) == said_alone


def told(service: Service, side: Side) -> str:
    """Return all answers to a shop, with numbers for its ids and without times."""
    listed = [request_as(service.address, side.key, "GET", path).json for path in ("/v1/reviews", "/v1/invitations")]
    shown = [request_as(service.address, side.key, "GET", f"/v1/invitations/{each}").json for each in side.invitations]
    text = json.dumps([timeless(each) for each in (*listed, *shown)])
    for number, one in enumerate((*side.invitations, *side.reviews)):
        text = text.replace(one, f"id {number}")
    return text.replace(side.site, "the shop")


def timeless(value: object) -> object:
    """The value without instants and cursors."""
    if isinstance(value, Mapping):
        return {
            name: timeless(each) for name, each in value.items() if not name.endswith(("At", "For", "at", "cursor"))
        }
    return [timeless(each) for each in value] if isinstance(value, list) else value


def length_without_id(answer: Answer) -> int:
    return len(answer.body) - len(answer.json["requestId"])


def named(answer: Answer) -> Mapping[str, str]:
    """The headers, without those that change with each request of one's own."""
    return {
        name: value
        for name, value in answer.headers.items()
        if name.lower() not in {"date", "content-length", "x-request-id", "ratelimit"}
    }
