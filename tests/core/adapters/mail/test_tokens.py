"""Access tokens: how long one is used, when another is asked for, and that all sessions share one reading."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest
from tests.blocking_mailer import wait_for
from tests.core.adapters.mail.token_fakes import ScriptedSource, SetClock
from tests.waiting import wait_until

from reviewinvite_core.adapters.mail.token_sources import TokenCommandFailed
from reviewinvite_core.adapters.mail.tokens import (
    LONGEST_TOKEN,
    Token,
    TokenMalformed,
    Tokens,
    TokenTimeout,
    TokenUnavailable,
)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


def test_a_token_is_used_until_its_time_is_over(clock: SetClock) -> None:
    source = ScriptedSource("first", "second", lifetime=600.0)
    tokens = Tokens(source, monotonic=clock)
    assert wait_for(tokens.current()) == Token("first")
    clock.seconds += 599.0
    assert wait_for(tokens.current()) == Token("first")
    clock.seconds += 1.0
    assert wait_for(tokens.current()) == Token("second")
    assert source.readings == 2


def test_a_source_without_a_lifetime_is_asked_for_each_login(clock: SetClock) -> None:
    tokens = Tokens(ScriptedSource("first", "second", lifetime=0.0, pause=0.0), monotonic=clock)
    assert [wait_for(tokens.current()) for _ in range(2)] == [Token("first"), Token("second")]


def test_a_refused_token_is_renewed_and_the_new_one_is_used_from_then_on(clock: SetClock) -> None:
    source = ScriptedSource("first", "second")
    tokens = Tokens(source, monotonic=clock)
    wait_for(tokens.current())
    assert wait_for(tokens.other_than(Token("first"))) == Token("second")
    assert wait_for(tokens.current()) == Token("second")
    assert source.readings == 2


def test_a_token_that_somebody_else_has_renewed_is_used(clock: SetClock) -> None:
    source = ScriptedSource("first", "second", "third")
    tokens = Tokens(source, monotonic=clock)
    wait_for(tokens.current())
    for _ in range(2):
        assert wait_for(tokens.other_than(Token("first"))) == Token("second")
    assert source.readings == 2


def test_the_same_token_again_is_no_other(clock: SetClock) -> None:
    tokens = Tokens(ScriptedSource("first"), monotonic=clock)
    wait_for(tokens.current())
    assert wait_for(tokens.other_than(Token("first"))) is None


def test_a_source_whose_tokens_are_all_refused_is_asked_once_a_minute(clock: SetClock) -> None:
    source = ScriptedSource("first", "second", "third", pause=60.0)
    tokens = Tokens(source, monotonic=clock)
    wait_for(tokens.current())
    assert wait_for(tokens.other_than(Token("first"))) == Token("second")
    clock.seconds += 59.0
    assert wait_for(tokens.other_than(Token("second"))) is None
    assert source.readings == 2
    clock.seconds += 1.0
    assert wait_for(tokens.other_than(Token("second"))) == Token("third")


def test_a_source_that_failed_is_asked_again_after_a_pause(clock: SetClock) -> None:
    source = ScriptedSource(TokenCommandFailed, "first", pause=60.0)
    tokens = Tokens(source, monotonic=clock)
    for _ in range(2):
        with pytest.raises(TokenCommandFailed):
            wait_for(tokens.current())
    assert source.readings == 1
    clock.seconds += 60.0
    assert wait_for(tokens.current()) == Token("first")


def test_a_renewal_that_fails_says_why_and_the_refused_token_is_used_no_more(clock: SetClock) -> None:
    source = ScriptedSource("first", TokenCommandFailed)
    tokens = Tokens(source, monotonic=clock)
    wait_for(tokens.current())
    with pytest.raises(TokenCommandFailed):
        wait_for(tokens.other_than(Token("first")))
    with pytest.raises(TokenCommandFailed):
        wait_for(tokens.current())
    assert source.readings == 2


def test_sessions_of_all_event_loops_share_one_reading(clock: SetClock) -> None:
    source = ScriptedSource("first", "second")
    source.may_answer.clear()
    tokens = Tokens(source, monotonic=clock)
    waiting = threading.Barrier(3)
    found: list[Token | None] = []

    async def ask() -> None:
        asking = [asyncio.ensure_future(tokens.current()) for _ in range(4)]
        await asyncio.sleep(0)  # so that all of them wait for the reading
        waiting.wait()
        found.extend(await asyncio.gather(*asking))
        found.extend(await asyncio.gather(*(tokens.other_than(Token("first")) for _ in range(4))))

    threads = [threading.Thread(target=asyncio.run, args=(ask(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    waiting.wait()
    source.may_answer.set()
    for thread in threads:
        thread.join()
    assert sorted(token.text for token in found if token) == ["first"] * 8 + ["second"] * 8
    assert source.readings == 2


def test_a_session_that_gives_up_takes_the_token_from_nobody(clock: SetClock) -> None:
    source = ScriptedSource("first")
    source.may_answer.clear()
    tokens = Tokens(source, monotonic=clock)

    async def ask() -> Token:
        impatient, patient = (asyncio.ensure_future(tokens.current()) for _ in range(2))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.wait([impatient])
        source.may_answer.set()
        return await patient

    assert wait_for(ask()) == Token("first")
    assert source.readings == 1


def test_a_source_that_is_silent_is_given_up_and_its_answer_serves_later_logins(clock: SetClock) -> None:
    source = ScriptedSource("first")
    source.may_answer.clear()
    tokens = Tokens(source, monotonic=clock, seconds=0.01)
    with pytest.raises(TokenTimeout):
        wait_for(tokens.current())
    source.may_answer.set()

    def has_token() -> bool:
        try:
            return wait_for(tokens.current()) == Token("first")
        except TokenTimeout:
            return False

    wait_until(has_token)
    assert source.readings == 1


def test_a_fault_of_a_source_keeps_nobody_waiting(clock: SetClock, caplog: pytest.LogCaptureFixture) -> None:
    class Faulty(ScriptedSource):
        def read(self) -> Token:
            raise RuntimeError("secret-token")

    with caplog.at_level(logging.WARNING), pytest.raises(TokenUnavailable):
        wait_for(Tokens(Faulty(), monotonic=clock).current())
    assert [record.getMessage() for record in caplog.records] == ["no access token cause=RuntimeError"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"ya29.a0-_~+/==\n", "ya29.a0-_~+/=="),
        (b"token\r\nanother line\n", "token"),
        (b"  token  ", "token"),
        (b"x" * LONGEST_TOKEN, "x" * LONGEST_TOKEN),
    ],
)
def test_the_first_line_is_the_token(content: bytes, text: str) -> None:
    assert Token.parse(content).text == text


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\ntoken", b"two words", b'{"access_token":"x"}', b"Bearer x", b"\xff\xfe", b"x\1auth=", b"x\0"),
        b"x" * (LONGEST_TOKEN + 1),
    ],
)
def test_anything_else_is_no_token(content: bytes) -> None:
    with pytest.raises(TokenMalformed):
        Token.parse(content)


def test_a_token_shows_itself_nowhere() -> None:
    assert "secret-token" not in f"{Token('secret-token')} {Token('secret-token')!r}"
