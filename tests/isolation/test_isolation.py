"""Two shops are isolated: a shop gets the same answers beside another shop as it gets alone.

Both environments show the same time, and each actor draws from an entropy stream of its own; so all that the shop sees
is the same to the last byte.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.budgets import in_full, in_soak
from tests.cli.command_tree import EVERY_COMMAND
from tests.isolation.environment import OPERATOR, WORKER, A, B, Command, Environment, Request, make_template
from tests.isolation.operations import (
    ENDPOINTS,
    GLOBAL_COMMANDS,
    NOT_RUN,
    ON_JSON,
    SHOP_COMMANDS,
    Operation,
    Participant,
    with_method,
)

from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.values import ShopReviews

OPERATIONS: Mapping[str, Operation] = {
    **{f"{method} {path}": operation for (method, path), operation in ENDPOINTS.items()},
    **{
        f"{m} {path}": with_method(m, operation)
        for (_, path), operation in ENDPOINTS.items()
        for m in ("HEAD", "OPTIONS")
    },
    **SHOP_COMMANDS,
}
SPANS = (timedelta(seconds=1), timedelta(seconds=61), timedelta(hours=13), timedelta(days=5), timedelta(days=40))
FREQUENT = (
    "POST /v1/orders",
    "POST /v1/orders/snippet",
    "POST /r/{token}",
    "order report",
    "GET /w/{name}",
    "POST /u/{token}",
)
SERIAL = itertools.count(1)


class EnvironmentPair:
    """The shop A beside the shop B, and the same shop alone: there B does nothing, or does not exist."""

    def __init__(self, template: Path, folder: Path, *, joins_second: bool) -> None:
        serial = next(SERIAL)
        self.together = Environment(template, folder / f"together-{serial}")
        self.alone = Environment(template, folder / f"alone-{serial}")
        self.a = Participant(site="winkel-a", host="winkel-a.example.nl", ip="203.0.113.1", speaks_for_all=True)
        self.b = Participant(site="winkel-b", host="winkel-b.example.nl", ip="203.0.113.2")
        added = Command("shop add", (self.b.site, "--name", "Bakkerij", "--json"))
        if joins_second:  # then B was added before A in both environments
            self._perform_in_both(added, B)
        self.a.signing_keys = re.findall(
            r'"keyId": "([^"]+)"', self._perform_in_both(Command("signing-key list", ("--json",)), A)
        )
        for side, actor in ((self.a, A), (self.b, B)):
            setup = [
                *([] if side is self.b and joins_second else [Command("shop add", (side.site, "--name", "Bakkerij"))]),
                Command("key create", (side.site, "--json")),
                Command("key create", (side.site, "--json")),
                Command("domain add", (side.site, side.host, "--assume-verified")),
            ]
            for operation in setup:
                assert self.perform(operation, actor).startswith("ended with 0\n")

    def close(self) -> None:
        self.together.close()
        self.alone.close()

    def advance(self, span: timedelta) -> None:
        self.together.advance(span)
        self.alone.advance(span)

    def perform(self, operation: Request | Command, actor: int) -> str:
        """Perform what A does in both environments, with the same answer, and what B does in one of them."""
        self.advance(timedelta(milliseconds=7))
        if actor == A:
            said = self._perform_in_both(operation, A)
        else:
            said = self.together.perform(operation, B)
            assert "HTTP 5" not in said[:6]
        side = self.a if actor == A else self.b
        if not (isinstance(operation, Request) and operation.path == "/v1/openapi.json"):  # its ids are examples
            side.learn(said)
        for tokens, purpose in ((side.review_tokens, Purpose.REVIEW), (side.unsubscribe_tokens, Purpose.UNSUBSCRIBE)):
            tokens += [self.together.token(each, purpose) for each in side.invitations[len(tokens) :]]
        return said

    def _perform_in_both(self, operation: Request | Command, actor: int) -> str:
        said, alone = (each.perform(operation, actor) for each in (self.together, self.alone))
        assert said == alone, operation
        assert not said.startswith("HTTP 5")
        return said

    def step(self, name: str, actor: int, seed: int) -> None:
        """Perform one operation of A, of B, or of the operator on all shops."""
        rng = Random(seed)  # noqa: S311 - the same in every run
        if actor != OPERATOR:
            mine, theirs = (self.a, self.b) if actor == A else (self.b, self.a)
            self.perform(OPERATIONS[name](mine, theirs, rng), actor)
            return
        global_command = GLOBAL_COMMANDS[name]
        operation = global_command.operation(self.a, self.b, rng)
        self.advance(timedelta(milliseconds=7))
        entropy = WORKER if name == "worker" else OPERATOR  # it draws for the messages of all shops
        said, alone = (
            global_command.visible(each.perform(operation, entropy), self.a) for each in (self.together, self.alone)
        )
        assert said == alone, operation

    def probe_other_shop(self) -> None:
        """Request all of the other shop's data with a valid key: it is as if it did not exist."""
        for actor, mine, theirs in ((B, self.b, self.a), (A, self.a, self.b)):
            key = ("Authorization", f"Bearer {mine.keys[0]}")
            paths = [("GET", f"/v1/invitations/{each}") for each in theirs.invitations]
            paths += [("POST", f"/v1/invitations/{each}/cancel") for each in theirs.invitations]
            paths += [("POST", f"/v1/reviews/{each}/reply") for each in theirs.reviews]
            statuses = set()
            for number, (method, path) in enumerate(paths):
                if number % 5 == 0:
                    self.advance(timedelta(seconds=61))
                body, headers = (b'{"text": "Dank u!"}', (key, ON_JSON)) if path.endswith("reply") else (b"", (key,))
                answer = self.perform(Request(method=method, path=path, body=body, headers=headers), actor)
                statuses.add(answer.partition("\n")[0])
            assert statuses <= {"HTTP 404", "HTTP 403"}

    def assert_same_view(self) -> None:
        """Assert that all that A can see, and all that was sent to its customers, is the same in both environments."""
        a, key = self.a, ("Authorization", f"Bearer {self.a.keys[0]}")
        paths = ["/v1/reviews?limit=100", "/v1/invitations?limit=100"]
        paths += [f"/v1/invitations/{each}" for each in a.invitations]
        for number, path in enumerate(paths):
            if number % 9 == 0:
                self.advance(timedelta(seconds=61))
            assert self.perform(Request(method="GET", path=path, headers=(key,)), A).startswith("HTTP 200")
        self.advance(timedelta(seconds=61))
        for path in (
            *(f"/shops/{a.site}{query}" for query in ("", "?language=en")),
            *(f"/v1/verify/{a.site}", f"/w/{a.site}.js", "/v1/badge/public-keys"),
            *(f"/r/{token}" for token in a.review_tokens),
            *(f"/u/{token}" for token in a.unsubscribe_tokens),
        ):
            self.perform(Request(method="GET", path=path), A)
        for command in (
            *(
                Command(name, (a.site, *json))
                for name in ("shop show", "key list", "domain list")
                for json in ((), ("--json",))
            ),
            *(
                Command(name, ("--site", a.site, *json))
                for name in ("invitation list", "review list")
                for json in ((), ("--json",))
            ),
            *(Command("review show", (each, "--json")) for each in a.reviews),
            *(Command("invitation show", (each,)) for each in a.invitations[:3]),
        ):
            self.perform(command, A)
        for name in ("suppression list", "shop list", "db check"):
            self.step(name, OPERATOR, 0)
        sent, alone = (list(self._to_customers(each)) for each in (self.together, self.alone))
        assert sent == alone

    def _to_customers(self, environment: Environment) -> Iterator[tuple[str, bytes]]:
        for message in environment.mail.out:
            if any(each in message.message_id for each in self.a.invitations):
                yield message.recipient, re.sub(rb"=====+\d+==", b"", message.content)


@pytest.fixture(scope="module")
def environment_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an installation with nothing in it but its keys, to be copied."""
    return make_template(tmp_path_factory.mktemp("template"))


def test_every_endpoint_has_an_operation(environment_template: Path, tmp_path: Path) -> None:
    environment = Environment(environment_template, tmp_path / "environment")
    try:
        routes = environment.routes()
    finally:
        environment.close()
    assert routes <= set(OPERATIONS)
    assert {f"{method} {path}" for method, path in ENDPOINTS} <= routes


def test_every_command_has_an_operation_or_a_reason() -> None:
    known = {*SHOP_COMMANDS, *GLOBAL_COMMANDS, *NOT_RUN}
    assert {" ".join(path) for path in EVERY_COMMAND} == known


@pytest.mark.parametrize("joins_second", [False, in_full(True)])
def test_a_shop_sees_the_same_whatever_its_neighbour_does(
    environment_template: Path, tmp_path: Path, joins_second: bool
) -> None:
    """Perform each operation once for each shop, in an order that changes much."""
    pair = EnvironmentPair(environment_template, tmp_path, joins_second=joins_second)
    try:
        for part in (
            [*FREQUENT * 2, *["POST /v1/orders/snippet"] * 4],
            list(OPERATIONS),
            [*FREQUENT, *["POST /r/{token}", "order report"] * 8],
        ):
            for seed, name in enumerate(part):
                for actor in (B, A):
                    pair.step(name, actor, seed + 500 * actor)  # the two shops do not do the same at the same time
            pair.step("worker", OPERATOR, 0)
            pair.advance(timedelta(minutes=2))
        for side in (pair.a, pair.b):
            shown = pair.together.app.reviews.show_public(side.site, None)
            assert isinstance(shown, ShopReviews)
            assert shown.reviews
        pair.assert_same_view()
        for name in GLOBAL_COMMANDS:
            pair.step(name, OPERATOR, 1)
        pair.probe_other_shop()
        pair.assert_same_view()
        assert len(pair.a.invitations) > 2
        assert len(pair.b.invitations) > 2
        assert pair.together.mail.out
    finally:
        pair.close()


steps_of_either = st.one_of(
    st.tuples(
        st.sampled_from((A, B, B)),
        st.sampled_from([*FREQUENT * 4, *(f"{m} {p}" for m, p in ENDPOINTS), *SHOP_COMMANDS]),
        st.integers(0, 999),
    ),
    st.tuples(st.sampled_from((A, B)), st.sampled_from(list(OPERATIONS)), st.integers(0, 999)),
    st.tuples(st.just(OPERATOR), st.sampled_from(["worker", "worker", *GLOBAL_COMMANDS]), st.integers(0, 999)),
    st.tuples(st.just(None), st.just("time passes"), st.integers(0, len(SPANS) - 1)),
)


def run_steps(template: Path, folder: Path, joins_second: bool, steps: Sequence[tuple[int | None, str, int]]) -> None:
    pair = EnvironmentPair(template, folder, joins_second=joins_second)
    try:
        for seed, name in enumerate(FREQUENT * 2):
            for actor in (A, B):
                pair.step(name, actor, seed)
        for who, name, number in steps:
            if who is None:
                pair.advance(SPANS[number])
            else:
                pair.step(name, who, number)
        pair.probe_other_shop()
        pair.assert_same_view()
    finally:
        pair.close()


@pytest.mark.parametrize("examples", [in_full(4), in_soak(400)])
def test_no_sequence_of_operations_lets_two_shops_cross(
    environment_template: Path, tmp_path_factory: pytest.TempPathFactory, examples: int
) -> None:
    folder = tmp_path_factory.mktemp("environments")

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=examples < 100)
    @given(st.booleans(), st.lists(steps_of_either, min_size=10, max_size=40))
    def is_isolated(joins_second: bool, steps: list[tuple[int | None, str, int]]) -> None:
        run_steps(environment_template, folder, joins_second, steps)

    is_isolated()
