"""The signing keys: made on first use, rotated, withdrawn; and what a verifier that knows them of old makes of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.processes_at_once import run_at_once
from tests.units import unit_of
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import Application, Settings, StatementRefused, build, verify_statement
from reviewinvite_core.domain.refusals import AlreadyCompromised, SigningKeyUnknown, StandbyTooNew
from reviewinvite_core.domain.signing import KeyState, jwk_set
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON, CountingEntropy, ManualClock, a_shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.signing_keys import current_keys, rotate
from reviewinvite_core.usecases.trust_marks import VerifyAnswer, sign_statements
from reviewinvite_core.values import CountMode, Flaw, Form, KeySet, SignedStatement, Statement, Verified

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
MILLISECOND = timedelta(milliseconds=1)
SECRET = "only for tests, and long enough"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def application_on(storage: Storage, clock: ManualClock) -> Application:
    settings = Settings(secret=SECRET, mail_url="recording:")
    return build(settings, clock=clock, entropy=CountingEntropy(), storage=storage)


@pytest.fixture
def app(each_storage: Storage, clock: ManualClock) -> Iterator[Application]:
    with closing(application_on(each_storage, clock)) as application:
        yield application


def keys_by_state(app: Application) -> dict[KeyState, list[str]]:
    keys = app.signing_keys.list()
    return {state: [key.key_id for key in keys if key.state is state] for state in KeyState}


def published(app: Application) -> set[str]:
    return {key.key_id for key in app.signing_keys.published()}


def test_rotating_what_was_never_used_makes_the_keys_first(app: Application) -> None:
    assert app.signing_keys.rotate() == StandbyTooNew(NOON + DAY)
    assert len(app.signing_keys.list()) == 2


def test_a_compromised_key_that_was_retired_is_withdrawn_and_nothing_else_changes(
    app: Application, clock: ManualClock
) -> None:
    app.signing_keys.published()
    [gone] = keys_by_state(app)[KeyState.SIGNING]
    clock.advance(DAY)
    rotated = app.signing_keys.rotate()
    assert isinstance(rotated, KeySet)
    assert gone in published(app)
    app.signing_keys.revoke(gone)
    assert published(app) == {rotated.signing.key_id, rotated.standby.key_id}
    assert app.signing_keys.revoke(gone) == AlreadyCompromised(gone)
    assert [key.sealed_seed for key in app.signing_keys.list() if key.key_id == gone] == [None]


def test_both_keys_can_be_withdrawn_one_after_the_other(app: Application) -> None:
    first = published(app)
    for key_id in first:
        app.signing_keys.revoke(key_id)
    assert published(app).isdisjoint(first)
    assert sorted(key.state for key in app.signing_keys.published()) == [KeyState.ANNOUNCED, KeyState.SIGNING]


def test_a_key_that_is_not_known_cannot_be_withdrawn(app: Application) -> None:
    app.signing_keys.published()
    before = app.signing_keys.list()
    assert app.signing_keys.revoke("nonsense") == SigningKeyUnknown("nonsense")
    assert app.signing_keys.list() == before


@pytest.mark.parametrize("missing", [KeyState.SIGNING, KeyState.ANNOUNCED])
def test_what_is_missing_of_the_keys_is_made_good_with_the_next_use(
    app: Application, each_storage: Storage, missing: KeyState
) -> None:
    """As after a restore that carried over that a key is compromised."""
    app.signing_keys.published()
    [gone] = [key for key in app.signing_keys.list() if key.state is missing]
    withdrawn = gone.moved(KeyState.COMPROMISED, NOON)
    assert each_storage.run(lambda store: store.signing_keys.change(gone, withdrawn))
    assert sorted(key.state for key in app.signing_keys.published()) == [KeyState.ANNOUNCED, KeyState.SIGNING]
    assert gone.key_id not in published(app)


class CachingVerifier:
    """Fetches the key set once an hour, and knows no other in between."""

    def __init__(self, app: Application, now: datetime) -> None:
        self._app = app
        self._next_at = now
        self._known = b""

    def verdict(self, document: bytes, now: datetime) -> Statement | StatementRefused:
        if now >= self._next_at:
            self.refresh()
        while now >= self._next_at:
            self._next_at += HOUR
        return verify_statement(document, self._known, now=now, site_id="molen")

    def refresh(self) -> None:
        self._known = jwk_set(self._app.signing_keys.published())


def signed_now(app: Application) -> SignedStatement:
    """Sign the statement about the shop molen."""

    def step(work: UnitContext) -> SignedStatement:
        shop = work.store.shops.by_site_id("molen")
        assert shop
        return sign_statements(work, [shop])[shop.number]

    return app.delivery._transactions().run(step)


def test_over_30_rotations_verifiers_that_refresh_hourly_verify_every_statement(
    app: Application, clock: ManualClock
) -> None:
    """Two of the rotations by a compromised key; the verifiers refresh at six different minutes of the hour."""
    app.shops.add(a_shop("molen"))
    app.signing_keys.published()
    signers: list[str] = []
    verifiers = []
    for _ in range(6):
        verifiers.append(CachingVerifier(app, clock.now()))
        clock.advance(10 * MINUTE)

    def watch_for(span: timedelta) -> None:
        end = clock.now() + span
        while clock.now() < end:
            signed = signed_now(app)
            signers.append(signed.key_id)
            for verifier in verifiers:
                assert verifier.verdict(signed.document, clock.now()) == signed.statement
            clock.advance(5 * MINUTE)

    for number in range(30):
        clock.advance(DAY - HOUR)
        watch_for(2 * HOUR)
        if number in (7, 19):
            app.signing_keys.revoke(signers[-1])
        else:
            assert isinstance(app.signing_keys.rotate(), KeySet)
        watch_for(2 * HOUR)
    assert len(set(signers)) == 31


def test_a_statement_verifies_to_its_end_although_its_key_was_retired(app: Application, clock: ManualClock) -> None:
    app.shops.add(a_shop("molen"))
    app.signing_keys.published()
    clock.set(NOON.replace(second=0, microsecond=0) + DAY)
    before = signed_now(app)
    app.signing_keys.rotate_now()
    after = signed_now(app)
    assert before.key_id != after.key_id
    for _ in range(10):
        keys = jwk_set(app.signing_keys.published())
        for signed in (before, after):
            assert verify_statement(signed.document, keys, now=clock.now()) == signed.statement
        clock.advance(MINUTE)
    keys = jwk_set(app.signing_keys.published())
    assert verify_statement(before.document, keys, now=clock.now()) == StatementRefused(Flaw.EXPIRED)
    clock.advance(MINUTE)
    keys = jwk_set(app.signing_keys.published())
    assert verify_statement(before.document, keys, now=clock.now()) == StatementRefused(Flaw.UNKNOWN_KEY)
    assert verify_statement(after.document, keys, now=clock.now()) == StatementRefused(Flaw.EXPIRED)


def test_what_is_signed_while_a_rotation_is_being_committed_verifies_to_its_end(
    postgres_url: str, clock: ManualClock
) -> None:
    """Two transactions side by side: the one that signs begins a minute of its own, and does not see the other yet."""
    settings = Settings(database_url=postgres_url, secret=SECRET, mail_url="recording:")
    with closing(build(settings, clock=clock)) as app:
        app.shops.add(a_shop("molen"))
        app.signing_keys.published()
        clock.set(NOON.replace(second=59, microsecond=900_000) + DAY)
        rotation = unit_of(app, rotate)
        signed: list[VerifyAnswer] = []

        def rotate_slowly(work: UnitContext) -> None:
            assert isinstance(rotation(work.store), KeySet)
            clock.advance(200 * MILLISECOND)
            signed.append(app.trust_marks.verify("molen", Form.JSON, CountMode.COUNT))

        app.delivery._transactions().run(rotate_slowly)
        (answer,) = signed
        assert isinstance(answer, Verified)
        issued = clock.now().replace(microsecond=0)
        for minute in range(10):
            clock.set(issued + minute * MINUTE)
            assert isinstance(
                verify_statement(answer.document, jwk_set(app.signing_keys.published()), now=clock.now()), Statement
            )
        clock.set(issued + 10 * MINUTE - MILLISECOND)
        keys = jwk_set(app.signing_keys.published())
        assert isinstance(verify_statement(answer.document, keys, now=clock.now()), Statement)
        assert verify_statement(answer.document, keys, now=issued + 10 * MINUTE) == StatementRefused(Flaw.EXPIRED)


def test_a_compromised_key_is_refused_at_once_after_a_refresh(app: Application, clock: ManualClock) -> None:
    app.shops.add(a_shop("molen"))
    stale, fresh = CachingVerifier(app, clock.now()), CachingVerifier(app, clock.now())
    forged = signed_now(app)
    for verifier in (stale, fresh):
        assert verifier.verdict(forged.document, clock.now()) == forged.statement
    app.signing_keys.revoke(forged.key_id)
    fresh.refresh()
    assert fresh.verdict(forged.document, clock.now()) == StatementRefused(Flaw.UNKNOWN_KEY)
    assert stale.verdict(forged.document, clock.now()) == forged.statement  # it cannot know: docs/verifying.md
    good = signed_now(app)
    for verifier in (stale, fresh):
        assert verifier.verdict(good.document, clock.now()) == good.statement


FIRST_USE = """
import sys
from reviewinvite_core import Settings, build
url, secret = sys.argv[1:]
application = build(Settings(database_url=url, secret=secret, mail_url="recording:"))
print("ready", flush=True)
sys.stdin.readline()
print(" ".join(key.key_id for key in application.signing_keys.published()), flush=True)
application.close()
"""


@pytest.mark.parametrize("engine", ["sqlite", in_full("postgres")])
def test_processes_at_their_first_use_at_once_make_one_pair(
    request: pytest.FixtureRequest, engine: str, tmp_path: Path, interpreter: str
) -> None:
    url = request.getfixturevalue("postgres_url") if engine == "postgres" else f"sqlite:///{tmp_path / 'shared.db'}"
    application = build(Settings(database_url=url, secret=SECRET, mail_url="recording:"))
    command = [interpreter, "-c", FIRST_USE, url, SECRET]
    seen = set(run_at_once([command] * 4))
    pair = [key.key_id for key in application.signing_keys.list()]
    application.close()
    assert len(pair) == 2
    assert seen == {" ".join(pair)}


def test_two_first_uses_that_share_no_lock_make_one_pair(concurrent_storage: Storage, clock: ManualClock) -> None:
    """As two statements about different shops are: the second comes while the first has made its keys and goes on."""
    app = application_on(concurrent_storage, clock)
    transactions = app.delivery._transactions()
    made, begun = threading.Event(), threading.Event()
    found: list[KeySet] = []

    def first(work: UnitContext) -> None:
        found.append(current_keys(work))
        made.set()
        assert begun.wait(TIMEOUT_SECONDS)
        time.sleep(0.2)  # so that the other one meets what is not committed yet

    def second(work: UnitContext) -> None:
        found.append(current_keys(work))

    def run_second() -> None:
        assert made.wait(TIMEOUT_SECONDS)
        begun.set()
        transactions.run(second, locks=frozenset({2}))

    other = threading.Thread(target=run_second)
    other.start()
    transactions.run(first, locks=frozenset({1}))
    other.join()
    assert len(found) == 2
    assert found[0] == found[1]
    assert len(app.signing_keys.list()) == 2
