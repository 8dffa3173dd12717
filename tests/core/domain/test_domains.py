"""How it is with a shop's host, before and after looks for its proof."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from tests.builders import a_domain

from reviewinvite_core.domain.domains import (
    Domain,
    FailureReason,
    ProofWay,
    VerificationResult,
    VerificationStatus,
    domain_token,
)
from reviewinvite_core.domain.policy import DOMAIN_LOST_AFTER
from reviewinvite_core.testing.builders import NOON

DAY = timedelta(days=1)
THERE = VerificationResult(found=ProofWay.DNS)
GONE = VerificationResult(
    found=None, absences=((ProofWay.DNS, FailureReason.NO_RECORD), (ProofWay.WELL_KNOWN, FailureReason.NO_ANSWER))
)


def after(domain: Domain, *looks: tuple[VerificationResult, timedelta]) -> Domain:
    for look, passed in looks:
        domain = domain.after_check(look, NOON + passed)
    return domain


def test_a_host_is_verified_from_the_first_proof_on() -> None:
    verified = after(a_domain(), (GONE, DAY), (THERE, 2 * DAY), (THERE, 3 * DAY))
    assert (verified.status, verified.verified_at, verified.checked_at, verified.reason) == (
        VerificationStatus.VERIFIED,
        NOON + 2 * DAY,
        NOON + 3 * DAY,
        "",
    )


def test_a_look_that_finds_nothing_at_an_unproved_host_is_noted() -> None:
    looked_at = after(a_domain(), (GONE, DAY))
    assert (looked_at.status, looked_at.checked_at) == (VerificationStatus.UNPROVED, NOON + DAY)
    assert looked_at.reason == "dns:no_record well_known:no_answer"
    assert looked_at.missing_since is None


def test_a_proof_may_be_missing_for_up_to_seven_days() -> None:
    missing = after(
        a_domain(), (THERE, 0 * DAY), (GONE, DAY), (GONE, DAY + DOMAIN_LOST_AFTER - timedelta(microseconds=1))
    )
    assert (missing.status, missing.missing_since, missing.verified_at) == (
        VerificationStatus.MISSING,
        NOON + DAY,
        NOON,
    )
    lost = after(missing, (GONE, DAY + DOMAIN_LOST_AFTER))
    assert (lost.status, lost.verified_at, lost.lost_at) == (
        VerificationStatus.LOST,
        None,
        NOON + DAY + DOMAIN_LOST_AFTER,
    )
    assert lost.reason == GONE.reason


def test_the_seven_days_begin_again_with_each_proof() -> None:
    looks = ((THERE, 0 * DAY), (GONE, DAY), (THERE, 7 * DAY), (GONE, 9 * DAY))
    assert after(a_domain(), *looks, (GONE, 15 * DAY)).status is VerificationStatus.MISSING
    assert after(a_domain(), *looks, (GONE, 16 * DAY)).status is VerificationStatus.LOST


def test_a_lost_host_is_verified_again_by_a_proof() -> None:
    lost = after(a_domain(), (THERE, 0 * DAY), (GONE, DAY), (GONE, 8 * DAY))
    again = after(lost, (GONE, 9 * DAY), (THERE, 10 * DAY))
    assert (again.status, again.verified_at, again.lost_at) == (VerificationStatus.VERIFIED, NOON + 10 * DAY, None)


def test_nothing_is_lost_by_a_clock_that_is_not_believed() -> None:
    missing = after(a_domain(), (THERE, 0 * DAY), (GONE, DAY))
    assert missing.after_check(GONE, NOON + 400 * DAY, may_lose=False).status is VerificationStatus.MISSING


def test_a_clock_that_was_ahead_when_the_proof_was_missed_grants_no_more_than_seven_days() -> None:
    ahead = after(a_domain(), (THERE, 0 * DAY), (GONE, 400 * DAY))
    set_back = after(ahead, (GONE, DAY))
    assert set_back.missing_since == NOON + DAY
    assert after(set_back, (GONE, 8 * DAY)).status is VerificationStatus.LOST


def test_a_clock_that_was_far_behind_when_the_proof_was_missed_ends_no_verification() -> None:
    """As that of a machine that began without the time, and without a net."""
    behind = after(a_domain(), (THERE, 0 * DAY), (GONE, -20_000 * DAY), (GONE, -19_999 * DAY))
    assert (behind.status, behind.missing_since) == (VerificationStatus.MISSING, NOON - 20_000 * DAY)
    set_right = after(behind, (GONE, DAY))
    assert (set_right.status, set_right.missing_since) == (VerificationStatus.MISSING, NOON + DAY)
    assert after(set_right, (GONE, 8 * DAY)).status is VerificationStatus.LOST


def test_a_host_that_was_verified_by_a_clock_that_was_ahead_is_lost_like_any_other() -> None:
    ahead = after(a_domain(), (THERE, 400 * DAY), (GONE, DAY))
    assert after(ahead, (GONE, 7 * DAY)).status is VerificationStatus.MISSING
    assert after(ahead, (GONE, 7 * DAY), (GONE, 8 * DAY)).status is VerificationStatus.LOST


@pytest.mark.parametrize("before", [a_domain(), a_domain(verified_at=NOON, missing_since=NOON), a_domain(lost_at=NOON)])
def test_an_operators_word_verifies_whatever_was_before(before: Domain) -> None:
    vouched = before.vouched_for(NOON + DAY)
    assert vouched.status is VerificationStatus.VOUCHED
    assert vouched.verified_at == (before.verified_at or NOON + DAY)
    assert (vouched.missing_since, vouched.lost_at) == (None, None)


def test_what_proves_a_host_is_told_for_both_ways() -> None:
    domain = a_domain(host="Bäckerei.example", token="abc")
    assert domain.record_name == "_reviewinvite.xn--bckerei-5wa.example"
    assert domain.well_known_url == "https://xn--bckerei-5wa.example/.well-known/reviewinvite.txt"
    assert domain.proof == "reviewinvite-verification=abc"


def test_a_token_is_as_hard_to_guess_as_what_it_is_made_of() -> None:
    tokens = {domain_token(bytes([number]) * 20) for number in range(256)}
    assert len(tokens) == 256
    assert all(len(token) == 32 and token.isalnum() and token == token.lower() for token in tokens)
    assert attrs.evolve(a_domain(), token=domain_token(bytes(20))).proof.isascii()
