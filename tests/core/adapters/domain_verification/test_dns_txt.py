"""The proof in the DNS, asked of a server that lies."""

from __future__ import annotations

import time

import dns.rcode
import dns.resolver
import pytest
from tests.builders import a_domain
from tests.core.adapters.domain_verification.dns_server import (
    Answer,
    DnsServer,
    always_truncated,
    code,
    cut_off,
    garbage,
    records,
    silence,
    with_wrong_id,
    zone,
)

from reviewinvite_core.adapters.domain_verification.dns_txt import DnsTxtVerifier
from reviewinvite_core.domain.domains import FailureReason, ProofWay, VerificationResult

DOMAIN = a_domain()
NAME, PROOF = DOMAIN.record_name, DOMAIN.proof
OTHER = "reviewinvite-verification=another"
FOUND = VerificationResult(found=ProofWay.DNS)
PATIENT, SHORT = 60.0, 0.5
BOUND = 60.0  # far more than is asked for, and far less than 5 minutes


def look(names: DnsServer, *answers: Answer, seconds: float = PATIENT) -> VerificationResult:
    names.answers(NAME, "TXT", *answers)
    return DnsTxtVerifier(names.resolver, seconds=seconds).verify(DOMAIN)


def absent(why: FailureReason) -> VerificationResult:
    return VerificationResult(found=None, absences=((ProofWay.DNS, why),))


@pytest.mark.parametrize(
    "answer",
    [
        records(f'TXT "{PROOF}"'),
        records(f'TXT "{PROOF[:20]}" "{PROOF[20:]}"'),
        records(f'TXT " {PROOF} "'),
        records('TXT "v=spf1 -all"', f'TXT "{OTHER}"', f'TXT "{PROOF}"'),
        records(*(f'TXT "{"x" * 250} {number}"' for number in range(200)), f'TXT "{PROOF}"'),
    ],
    ids=["one string", "several strings", "blanks", "several records", "50 KB, over TCP"],
)
def test_the_proof_is_found(names: DnsServer, answer: Answer) -> None:
    assert look(names, answer) == FOUND


def test_only_the_name_of_the_proof_is_asked_for(names: DnsServer) -> None:
    look(names, records(f'TXT "{PROOF}"'))
    assert names.asked == [("_reviewinvite.molen.example.nl", "TXT")]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (code(dns.rcode.NXDOMAIN), FailureReason.NO_RECORD),
        (code(dns.rcode.NOERROR), FailureReason.NO_RECORD),
        (records('TXT "v=spf1 -all"'), FailureReason.NO_RECORD),
        (records('TXT ""'), FailureReason.NO_RECORD),
        (records(f'TXT "{PROOF}"', name="_reviewinvite.other.example.nl."), FailureReason.NO_RECORD),
        (records(f'TXT "{PROOF}x"'), FailureReason.OTHER_TOKEN),
        (records(f'TXT "{PROOF[:-1]}"'), FailureReason.OTHER_TOKEN),
        (records(f'TXT "{PROOF.upper()}"'), FailureReason.NO_RECORD),
        (records(f'TXT "x {PROOF}"'), FailureReason.NO_RECORD),
        (records(f'TXT "{OTHER}"', f'TXT "{OTHER}-2"'), FailureReason.OTHER_TOKEN),
        (records('TXT "\\200\\255\\000"'), FailureReason.NO_RECORD),
        (records("A 192.0.2.1"), FailureReason.NO_RECORD),
        (always_truncated, FailureReason.NO_RECORD),
    ],
)
def test_what_is_not_the_proof_proves_nothing(names: DnsServer, answer: Answer, why: FailureReason) -> None:
    assert look(names, answer) == absent(why)


@pytest.mark.parametrize(
    "answer",
    [
        code(dns.rcode.SERVFAIL),
        code(dns.rcode.REFUSED),
        silence,
        garbage,
        cut_off(records(f'TXT "{PROOF}"')),
        with_wrong_id(records(f'TXT "{PROOF}"')),
    ],
    ids=["SERVFAIL", "REFUSED", "silence", "garbage", "cut off", "wrong id"],
)
def test_what_makes_no_sense_is_no_answer_and_takes_no_longer_than_a_deadline(names: DnsServer, answer: Answer) -> None:
    begun = time.monotonic()
    assert look(names, answer, seconds=SHORT) == absent(FailureReason.NO_ANSWER)
    assert time.monotonic() - begun < BOUND


def test_an_answer_to_another_question_is_ignored_and_the_question_asked_again(names: DnsServer) -> None:
    def soon_again() -> dns.resolver.Resolver:
        resolver = names.resolver()
        resolver.timeout = 0.2
        return resolver

    names.answers(NAME, "TXT", with_wrong_id(records(f'TXT "{PROOF}"')), records(f'TXT "{OTHER}"'))
    assert DnsTxtVerifier(soon_again, seconds=PATIENT).verify(DOMAIN) == absent(FailureReason.OTHER_TOKEN)


def test_a_cname_that_the_resolver_followed_is_good(names: DnsServer) -> None:
    target = "proofs.example.com."
    assert look(names, zone(f"{NAME}. CNAME {target}", f'{target} TXT "{PROOF}"')) == FOUND
    assert len(names.asked) == 1


LONG = [f"{NAME}. CNAME c1.example.nl."] + [f"c{n}.example.nl. CNAME c{n + 1}.example.nl." for n in range(1, 40)]


@pytest.mark.parametrize(
    "chain",
    [
        [f"{NAME}. CNAME {NAME}."],
        [f"{NAME}. CNAME a.example.nl.", f"a.example.nl. CNAME {NAME}."],
        [*LONG, f'c40.example.nl. TXT "{PROOF}"'],
        [f"{NAME}. CNAME elsewhere.example.nl."],
    ],
    ids=["to itself", "in a circle", "40 long", "to nothing"],
)
def test_cnames_without_an_end_prove_nothing_and_are_not_followed(names: DnsServer, chain: list[str]) -> None:
    begun = time.monotonic()
    assert look(names, zone(*chain), seconds=SHORT).found is None
    assert time.monotonic() - begun < BOUND
    assert {name for name, _ in names.asked} == {NAME}


def test_a_name_that_is_too_long_for_the_dns_is_no_answer(names: DnsServer) -> None:
    host = ".".join(["a" * 60] * 4)
    assert DnsTxtVerifier(names.resolver).verify(a_domain(host=host)) == absent(FailureReason.NO_ANSWER)
    assert names.asked == []


def test_a_machine_without_a_resolver_is_no_fault() -> None:
    def none() -> dns.resolver.Resolver:
        raise dns.resolver.NoResolverConfiguration

    assert DnsTxtVerifier(none).verify(DOMAIN) == absent(FailureReason.NO_ANSWER)
