"""Two shops' data never cross: a shop is told the same in a world where another one lives as where it is alone.

Both worlds have one clock, and chance that is drawn by each shop for itself; so all is the same to the last byte.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.test_ending import EVERY_COMMAND
from tests.two_shops.acts import (
    ENDPOINTS,
    EVERYONES_COMMANDS,
    NOT_RUN,
    ON_JSON,
    OWN_COMMANDS,
    Case,
    Side,
    otherwise,
)
from tests.two_shops.world import OPERATOR, WORKER, A, Ask, B, Run, World, make_pattern

from reviewinvite_core import ShopReviews
from reviewinvite_core.domain.links import Purpose
from reviewinvite_http.app import _endpoints, _routes

ACTS: Mapping[str, Case] = {
    **{f"{method} {path}": case for (method, path), case in ENDPOINTS.items()},
    **{f"{m} {path}": otherwise(m, case) for (_, path), case in ENDPOINTS.items() for m in ("HEAD", "OPTIONS")},
    **OWN_COMMANDS,
}
SPANS = (timedelta(seconds=1), timedelta(seconds=61), timedelta(hours=13), timedelta(days=5), timedelta(days=40))
OFTEN = (
    "POST /v1/orders",
    "POST /v1/orders/snippet",
    "POST /r/{token}",
    "order report",
    "GET /w/{name}",
    "POST /u/{token}",
)
SERIAL = itertools.count(1)


class TwoWorlds:
    """The shop A with its neighbour B, and the same shop without; B does nothing there, or is not there at all."""

    def __init__(self, pattern: Path, folder: Path, *, second_comer: bool) -> None:
        serial = next(SERIAL)
        self.shared = World(pattern, folder / f"shared-{serial}")
        self.lonely = World(pattern, folder / f"lonely-{serial}")
        self.a = Side(site="winkel-a", host="winkel-a.example.nl", ip="203.0.113.1", speaks_for_all=True)
        self.b = Side(site="winkel-b", host="winkel-b.example.nl", ip="203.0.113.2")
        added = Run("shop add", (self.b.site, "--name", "Bakkerij", "--json"))
        if second_comer:  # then A is the second shop, and B is there before it in both worlds
            self._in_both(added, B)
        self.a.signing_keys = re.findall(r'"keyId": "([^"]+)"', self._in_both(Run("signing-key list", ("--json",)), A))
        for side, whose in ((self.a, A), (self.b, B)):
            acts = [
                *([] if side is self.b and second_comer else [Run("shop add", (side.site, "--name", "Bakkerij"))]),
                Run("key create", (side.site, "--json")),
                Run("key create", (side.site, "--json")),
                Run("domain add", (side.site, side.host, "--assume-verified")),
            ]
            for act in acts:
                assert self.does(act, whose).startswith("ended with 0\n")

    def close(self) -> None:
        self.shared.close()
        self.lonely.close()

    def passes(self, span: timedelta) -> None:
        self.shared.passes(span)
        self.lonely.passes(span)

    def does(self, act: Ask | Run, whose: int) -> str:
        """What A does is answered alike in both worlds; what B does happens in one of them."""
        self.passes(timedelta(milliseconds=7))
        if whose == A:
            said = self._in_both(act, A)
        else:
            said = self.shared.does(act, B)
            assert "HTTP 5" not in said[:6]
        side = self.a if whose == A else self.b
        side.learn(said)
        for tokens, purpose in ((side.review_tokens, Purpose.REVIEW), (side.unsubscribe_tokens, Purpose.UNSUBSCRIBE)):
            tokens += [self.shared.token(each, purpose) for each in side.invitations[len(tokens) :]]
        return said

    def _in_both(self, act: Ask | Run, whose: int) -> str:
        said, alone = (world.does(act, whose) for world in (self.shared, self.lonely))
        assert said == alone, act
        assert not said.startswith("HTTP 5")
        return said

    def acts(self, name: str, whose: int, seed: int) -> None:
        """One step of A, of B, or of the operator for all."""
        dice = Random(seed)  # noqa: S311 - the same in every run
        if whose != OPERATOR:
            mine, theirs = (self.a, self.b) if whose == A else (self.b, self.a)
            self.does(ACTS[name](mine, theirs, dice), whose)
            return
        everyones = EVERYONES_COMMANDS[name]
        act = everyones.case(self.a, self.b, dice)
        self.passes(timedelta(milliseconds=7))
        chance = WORKER if name == "worker" else OPERATOR  # it draws for each message, whosever
        said, alone = (everyones.seen(world.does(act, chance), self.a) for world in (self.shared, self.lonely))
        assert said == alone, act

    def pry(self) -> None:
        """Each asks for all that is the other's, with a key that is good: it is as if it had never been."""
        for whose, mine, theirs in ((B, self.b, self.a), (A, self.a, self.b)):
            key = ("Authorization", f"Bearer {mine.keys[0]}")
            paths = [("GET", f"/v1/invitations/{each}") for each in theirs.invitations]
            paths += [("POST", f"/v1/invitations/{each}/cancel") for each in theirs.invitations]
            paths += [("POST", f"/v1/reviews/{each}/reply") for each in theirs.reviews]
            told = set()
            for number, (method, path) in enumerate(paths):
                if number % 5 == 0:
                    self.passes(timedelta(seconds=61))
                body, headers = (b'{"text": "Dank u!"}', (key, ON_JSON)) if path.endswith("reply") else (b"", (key,))
                told.add(self.does(Ask(method=method, path=path, body=body, headers=headers), whose).partition("\n")[0])
            assert told <= {"HTTP 404", "HTTP 403"}

    def compare(self) -> None:
        """All that A can see is the same in both worlds, and so is all that was sent to its customers."""
        a, key = self.a, ("Authorization", f"Bearer {self.a.keys[0]}")
        paths = ["/v1/reviews?limit=100", "/v1/invitations?limit=100"]
        paths += [f"/v1/invitations/{each}" for each in a.invitations]
        for number, path in enumerate(paths):
            if number % 9 == 0:
                self.passes(timedelta(seconds=61))
            assert self.does(Ask(method="GET", path=path, headers=(key,)), A).startswith("HTTP 200")
        self.passes(timedelta(seconds=61))
        for path in (
            *(f"/shops/{a.site}{query}" for query in ("", "?language=en")),
            *(f"/v1/verify/{a.site}", f"/w/{a.site}.js", "/v1/badge/public-keys"),
            *(f"/r/{token}" for token in a.review_tokens),
            *(f"/u/{token}" for token in a.unsubscribe_tokens),
        ):
            self.does(Ask(method="GET", path=path), A)
        for run in (
            *(
                Run(name, (a.site, *json))
                for name in ("shop show", "key list", "domain list")
                for json in ((), ("--json",))
            ),
            *(
                Run(name, ("--site", a.site, *json))
                for name in ("invitation list", "review list")
                for json in ((), ("--json",))
            ),
            *(Run("review show", (each, "--json")) for each in a.reviews),
            *(Run("invitation show", (each,)) for each in a.invitations[:3]),
        ):
            self.does(run, A)
        for name in ("suppression list", "shop list", "db check"):
            self.acts(name, OPERATOR, 0)
        sent, alone = (list(self._to_customers(world)) for world in (self.shared, self.lonely))
        assert sent == alone

    def _to_customers(self, world: World) -> Iterator[tuple[str, bytes]]:
        for message in world.mail.out:
            if any(each in message.message_id for each in self.a.invitations):
                yield message.recipient, re.sub(rb"=====+\d+==", b"", message.content)


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_pattern(tmp_path_factory.mktemp("pattern"))


def test_every_endpoint_has_a_case(pattern: Path, tmp_path: Path) -> None:
    world = World(pattern, tmp_path / "world")
    try:
        routes = _routes(world.edge, _endpoints(world.edge)).routes
        walked = {f"{method} {route.path_format}" for route in routes for method in route.methods}
    finally:
        world.close()
    assert walked <= set(ACTS)
    assert {f"{method} {path}" for method, path in ENDPOINTS} <= walked


def test_every_command_has_a_case_or_a_reason() -> None:
    cases = {*OWN_COMMANDS, *EVERYONES_COMMANDS, *NOT_RUN}
    assert {" ".join(path) for path in EVERY_COMMAND} == cases


@pytest.mark.parametrize("second_comer", [False, True])
def test_a_shop_is_told_the_same_whatever_its_neighbour_does(pattern: Path, tmp_path: Path, second_comer: bool) -> None:
    """Everything once by each, in an order that leads somewhere."""
    worlds = TwoWorlds(pattern, tmp_path, second_comer=second_comer)
    try:
        for part in (
            [*OFTEN * 2, *["POST /v1/orders/snippet"] * 4],
            list(ACTS),
            [*OFTEN, *["POST /r/{token}", "order report"] * 8],
        ):
            for seed, name in enumerate(part):
                for whose in (B, A):
                    worlds.acts(name, whose, seed + 500 * whose)  # they do not do the same at the same time
            worlds.acts("worker", OPERATOR, 0)
            worlds.passes(timedelta(minutes=2))
        for side in (worlds.a, worlds.b):
            shown = worlds.shared.app.show_shop_reviews(side.site, None)
            assert isinstance(shown, ShopReviews)
            assert shown.reviews
        worlds.compare()
        for name in EVERYONES_COMMANDS:
            worlds.acts(name, OPERATOR, 1)
        worlds.pry()
        worlds.compare()
        assert len(worlds.a.invitations) > 2
        assert len(worlds.b.invitations) > 2
        assert worlds.shared.mail.out
    finally:
        worlds.close()


a_step = st.one_of(
    st.tuples(
        st.sampled_from((A, B, B)),
        st.sampled_from([*OFTEN * 4, *(f"{m} {p}" for m, p in ENDPOINTS), *OWN_COMMANDS]),
        st.integers(0, 999),
    ),
    st.tuples(st.sampled_from((A, B)), st.sampled_from(list(ACTS)), st.integers(0, 999)),
    st.tuples(st.just(OPERATOR), st.sampled_from(["worker", "worker", *EVERYONES_COMMANDS]), st.integers(0, 999)),
    st.tuples(st.just(None), st.just("time passes"), st.integers(0, len(SPANS) - 1)),
)


def run_through(pattern: Path, folder: Path, second_comer: bool, steps: Sequence[tuple[int | None, str, int]]) -> None:
    worlds = TwoWorlds(pattern, folder, second_comer=second_comer)
    try:
        for seed, name in enumerate(OFTEN * 2):
            for whose in (A, B):
                worlds.acts(name, whose, seed)
        for whose, name, seed in steps:
            if whose is None:
                worlds.passes(SPANS[seed])
            else:
                worlds.acts(name, whose, seed)
        worlds.pry()
        worlds.compare()
    finally:
        worlds.close()


@pytest.mark.parametrize("examples", [4, pytest.param(400, marks=pytest.mark.soak)])
def test_no_sequence_of_acts_lets_two_shops_cross(
    pattern: Path, tmp_path_factory: pytest.TempPathFactory, examples: int
) -> None:
    folder = tmp_path_factory.mktemp("worlds")

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=examples < 100)
    @given(st.booleans(), st.lists(a_step, min_size=10, max_size=40))
    def told_the_same(second_comer: bool, steps: list[tuple[int | None, str, int]]) -> None:
        run_through(pattern, folder, second_comer, steps)

    told_the_same()
