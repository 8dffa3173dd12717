"""A refusal as an exception: raised instead of returned, with the same data, and readable."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta
from typing import Any, assert_type

import attrs
import pytest

from reviewinvite_core import Actor, Invalid, Refusal, Refused, SiteId, State, accepted
from reviewinvite_core.domain import refusals
from reviewinvite_core.values import (
    InvitationRecord,
    InvitationUnknown,
    KeyRefused,
    LimitReached,
    NotSuppressed,
    Problem,
    ShopInactive,
    ShopUnknown,
    TooLate,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def found(site_id: str) -> Actor | ShopUnknown:
    return Actor(shop_number=1, site_id=SiteId.parse(site_id)) if site_id == "bakery" else ShopUnknown(site_id)


def cancelled() -> InvitationRecord | InvitationUnknown | TooLate | ShopInactive | KeyRefused | LimitReached | Invalid:
    return TooLate(State.SENT)


def test_an_answer_is_returned_with_its_own_type() -> None:
    caller = accepted(found("bakery"))
    assert_type(caller, Actor)
    assert caller.site_id.text == "bakery"


def test_what_is_no_refusal_at_all_is_returned_as_it_is() -> None:
    assert accepted(None) is None
    assert accepted([ShopInactive()]) == [ShopInactive()]


def test_a_refusal_is_raised_and_kept() -> None:
    with pytest.raises(Refused) as raised:
        assert_type(accepted(cancelled()), InvitationRecord)
    assert raised.value.refusal == TooLate(State.SENT)


def test_every_refusal_is_raised() -> None:
    kinds: tuple[type[Refusal], ...] = (*refusals.EVERY, Invalid)
    for kind in kinds:
        refusal = kind.__new__(kind)  # its values do not matter here
        with pytest.raises(Refused) as raised:
            accepted(refusal)
        assert raised.value.refusal is refusal


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (ShopInactive(), "The shop is not active."),
        (ShopUnknown("bakery"), 'No shop "bakery".'),
        (TooLate(State.SENT), "It is too late: the invitation is sent."),
        (KeyRefused(presented=False), "The API key is missing."),
        (KeyRefused(presented=True), "The API key is invalid or has been revoked."),
        (NotSuppressed(elsewhere=False), "That address is not suppressed."),
        (NotSuppressed(elsewhere=True), "That address is not suppressed. It is suppressed elsewhere."),
        (Invalid(Problem.TOO_LONG, "order_number"), "Invalid value: order_number: too_long."),
        (
            LimitReached(asked_at=NOON, retry_at=NOON + timedelta(minutes=1)),
            "The limit is used up until 2026-03-02 12:01:00 UTC.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_it_says_what_was_refused(refusal: Refusal, words: str) -> None:
    assert str(Refused(refusal)) == words


@pytest.mark.parametrize("kind", refusals.EVERY)
def test_every_refusal_is_a_sentence(kind: type[Any]) -> None:
    values = {field.name: NOON if field.type == "datetime" else "x-1" for field in attrs.fields(kind)}
    words = str(Refused(kind(**values)))
    assert " " in words
    assert not set("{}_()") & set(words)


def test_a_forgotten_await_is_named() -> None:
    async def answer() -> ShopInactive:
        return ShopInactive()

    forgotten = answer()
    with pytest.raises(TypeError, match=r"accepted\(await \.\.\.\)"):
        accepted(forgotten)  # type: ignore[unused-coroutine]
    forgotten.close()


def test_it_can_be_copied_and_pickled() -> None:
    refused = Refused(ShopUnknown("bakery"))
    assert copy.copy(refused).refusal == pickle.loads(pickle.dumps(refused)).refusal == ShopUnknown("bakery")  # noqa: S301
