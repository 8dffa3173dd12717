"""What a mail server's refusals are about, and when they make an outage (ADR-69)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from reviewinvite_core.domain.relay import RefusedMail, Relay, domain_hash, names_dead_mailbox, names_one
from reviewinvite_core.testing.builders import NOON

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    "reply",
    [
        *("550 5.1.1", "550 5.1.0", "553 5.1.3", "450 4.1.1", "552 5.2.2", "452 4.2.2", "550 5.2.1", "554 5.6.0"),
        *("552", "552 5.3.4", "452 4.3.4"),
    ],
)
def test_these_are_about_one_mailbox_or_one_message(reply: str) -> None:
    assert names_one(reply)


@pytest.mark.parametrize(
    "reply",
    [
        *(None, "", "OSError", "421", "450", "451", "550", "551", "553", "554", "554 5.7.1", "550 5.7.26", "451 4.7.1"),
        *("550 5.0.0", "553 5.1.7", "550 5.1.8", "451 4.1.8", "451 4.3.0", "550 5.4.1", "503 5.5.1", "550 5.7.1 no"),
    ],
)
def test_these_are_about_nobody_in_particular(reply: str | None) -> None:
    assert not names_one(reply)


def test_three_codes_name_a_mailbox_that_is_not_there() -> None:
    assert [
        reply
        for reply in ("550 5.1.1", "550 5.1.6", "556 5.1.10", "550 5.1.2", "550", None)
        if names_dead_mailbox(reply)
    ] == ["550 5.1.1", "550 5.1.6", "556 5.1.10"]


def test_a_domain_is_known_by_a_keyed_hash() -> None:
    key = bytes(32)
    assert domain_hash(key, "anna@Example.com") == domain_hash(key, "bert@example.com")
    assert domain_hash(key, "anna@example.com") != domain_hash(b"\1" * 32, "anna@example.com")
    assert domain_hash(key, "anna@example.com") != domain_hash(key, "anna@example.org")
    assert len(domain_hash(key, "anna@example.com")) == 16


def mail(*pairs: tuple[int, int]) -> Sequence[RefusedMail]:
    """Refused mail of these shops and domains."""
    return [RefusedMail(shop_number=shop, domain=bytes([domain]), at=NOON) for shop, domain in pairs]


@pytest.mark.parametrize(
    ("refused", "is_outage"),
    [
        ([(1, 1), (1, 2), (1, 3), (1, 4), (2, 5)], True),
        ([(1, 1), (1, 2), (1, 3), (1, 4), (2, 4)], False),  # four domains
        ([(1, each) for each in range(9)], False),  # one shop
        ([(each, 1) for each in range(9)], False),  # one domain
    ],
)
def test_refusals_of_two_shops_and_five_domains_are_an_outage_at_once(
    refused: list[tuple[int, int]], is_outage: bool
) -> None:
    known = Relay().refused(NOON, len(refused), mail(*refused))
    assert known.outage_since == (NOON if is_outage else None)


@pytest.mark.parametrize(
    ("minutes", "is_outage"), [((0, 5, 10), True), ((0, 5, 9), False), ((0, 10), False), ((0, 1, 2, 3, 11), True)]
)
def test_with_fewer_it_takes_three_tries_over_ten_minutes(minutes: tuple[int, ...], is_outage: bool) -> None:
    known = Relay()
    for each in minutes:
        known = known.refused(NOON + each * MINUTE, 1, mail((1, 1)))
    assert known.outage_since == (NOON + minutes[-1] * MINUTE if is_outage else None)
    assert known.accepted(NOON + 12 * MINUTE).outage_since is None


def test_an_acceptance_begins_the_count_anew() -> None:
    known = Relay().refused(NOON, 2, mail((1, 1))).accepted(NOON + MINUTE).refused(NOON + 11 * MINUTE, 1, mail((1, 1)))
    assert (known.tries, known.refused_since, known.outage_since) == (1, NOON + 11 * MINUTE, None)


def test_an_acceptance_counts_if_it_was_handed_over_after_the_refusal() -> None:
    known = Relay().refused(NOON, 1, mail((1, 1)))
    assert not known.accepted(NOON).has_accepted_since(NOON)
    known = known.accepted(NOON + MINUTE).accepted(NOON)
    assert known.has_accepted_since(NOON)
    assert not known.refused(NOON - MINUTE, 1, ()).has_accepted_since(NOON - MINUTE)  # the clock was set back


def test_probes_wait_for_their_turn_in_an_outage_only() -> None:
    turn = Relay(outage_since=NOON, probe_at=NOON + MINUTE)
    assert [turn.is_probe_due(NOON + each * MINUTE) for each in (0, 1, 2)] == [False, True, True]
    assert turn.is_probe_due(NOON - timedelta(days=3))  # the clock was set back
    assert not Relay(probe_at=NOON).is_probe_due(NOON)
