"""`domain`. What is looked up here is under `.invalid`, where nothing ever is (RFC 6761)."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from datetime import datetime

import attrs
import pytest
from tests.cli.harness import Installation, run_built

from reviewinvite_core import Application, Settings, build
from reviewinvite_core.domain.policy import DOMAIN_LOST_AFTER
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.testing.builders import NOON, ManualClock
from reviewinvite_core.values import Domain, FailureReason, ProofWay, VerificationResult

HOST = "shop.example.nl"
NOWHERE = "shop.invalid"
IN_DNS = (
    FailureReason.NO_RECORD,
    FailureReason.OTHER_TOKEN,
    FailureReason.NO_ANSWER,
)  # what a look in the DNS can give


def test_adding_a_host_prints_both_ways_to_prove_it_and_the_next_command(molen: Installation) -> None:
    ended = molen.run("domain", "add", "molen", "Shop.Example.NL")
    assert ended.code == 0
    facts = dict(re.split(r"  +", line) for line in ended.out.splitlines())
    assert facts.pop("with the value") == facts.pop("with the line")
    assert facts == {
        "Domain": HOST,
        "Shop": "molen",
        "Standing": "unproved",
        "TXT record": f"_reviewinvite.{HOST}",
        "or the file": f"https://{HOST}/.well-known/reviewinvite.txt",
    }
    assert f"reviewinvite domain check molen {HOST}\n" in ended.err
    assert molen.ok("domain", "add", "molen", HOST) == ended.out


def test_every_object_names_itself_and_tells_what_to_publish(molen: Installation) -> None:
    added = molen.json("domain", "add", "molen", "bäckerei.example")
    assert re.fullmatch(r"reviewinvite-verification=[a-z2-7]{32}", added["proof"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", added["addedAt"])
    assert added == {
        "host": "xn--bckerei-5wa.example",
        "siteId": "molen",
        "standing": "unproved",
        "verified": False,
        "txtName": "_reviewinvite.xn--bckerei-5wa.example",
        "fileUrl": "https://xn--bckerei-5wa.example/.well-known/reviewinvite.txt",
        "proof": added["proof"],
        "addedAt": added["addedAt"],
        "verifiedAt": None,
        "checkedAt": None,
        "missingSince": None,
        "lostAt": None,
        "reason": None,
    }
    assert molen.json("domain", "list", "molen") == [added]
    assert molen.json("domain", "remove", "--yes", "molen", "BÄCKEREI.example") == added
    assert molen.json("domain", "list", "molen") == []


def test_a_check_that_finds_nothing_ends_with_1_and_tells_what_was_seen_at_each_way(molen: Installation) -> None:
    molen.ok("domain", "add", "molen", NOWHERE)
    ended = molen.run("domain", "check", "molen", NOWHERE)
    assert ended.code == 1
    assert f"_reviewinvite.{NOWHERE}" in ended.out
    assert ended.err.startswith("Error: The proof is not there.\n")
    assert re.search(r"^DNS: (there is no such record|no name server answered)\.$", ended.err, re.MULTILINE)
    assert re.search(r"^File: (the host has no address|the host did not answer)\.$", ended.err, re.MULTILINE)
    ended = molen.run("domain", "check", "molen", NOWHERE, "--json")
    assert ended.code == 1
    checked = json.loads(ended.out)
    assert [absence["way"] for absence in checked["absences"]] == ["dns", "well_known"]
    assert (checked["standing"], checked["found"]) == ("unproved", None)
    assert checked["checkedAt"]
    assert checked["reason"] == " ".join(f"{each['way']}:{each['reason']}" for each in checked["absences"])


def test_a_list_shows_how_it_is_with_each_and_an_empty_one_what_to_do(molen: Installation) -> None:
    assert "reviewinvite domain add molen HOST" in molen.run("domain", "list", "molen").err
    molen.ok("domain", "add", "molen", "b.example.nl")
    molen.ok("domain", "add", "molen", "a.example.nl", "--assume-verified")
    heading, *rows = molen.ok("domain", "list", "molen").splitlines()
    assert heading.split() == ["HOST", "STANDING", "VERIFIED", "(UTC)", "CHECKED", "(UTC)", "REASON"]
    assert [row.split()[:2] for row in rows] == [["a.example.nl", "vouched"], ["b.example.nl", "unproved"]]


def test_what_cannot_be_is_refused_with_a_sentence(molen: Installation) -> None:
    molen.ok("shop", "add", "kaas", "--name", "Kaas")
    molen.ok("domain", "add", "molen", HOST, "--assume-verified")
    taken = molen.refused(1, "domain", "add", "kaas", f"www.{HOST}", "--assume-verified")
    assert f"another shop has verified www.{HOST}, or a host that covers it" in taken.lower()
    assert f"has no domain {HOST}" in molen.refused(1, "domain", "check", "kaas", HOST)
    assert f"has no domain {HOST}" in molen.refused(1, "domain", "remove", "--yes", "kaas", HOST)
    for command in (("add",), ("check",), ("remove", "--yes")):
        assert "is not a host name" in molen.refused(2, "domain", *command, "molen", "https://shop.nl")
    assert "a public suffix" in molen.refused(2, "domain", "add", "molen", "myshopify.com")


@attrs.frozen
class AnsweringProof:
    """A `DomainVerifier` that always gives the same outcome."""

    found: VerificationResult

    def verify(self, _: Domain) -> VerificationResult:
        return self.found


def check(molen: Installation, look: VerificationResult, *, at: datetime = NOON, host: str = HOST) -> str:
    """Check a host when a look has this outcome; return what is said on standard error."""

    def build_with(settings: Settings) -> Application:
        return build(settings, clock=ManualClock(at), domain_verifier=AnsweringProof(look))

    ended = run_built(
        build_with, "domain", "check", "molen", host, folder=molen.folder, environment=molen.environment()
    )
    assert ended.code == (0 if look.found else 1)
    assert not set(ended.err.splitlines()) & set(ended.out.splitlines())  # the facts alone are data
    return ended.err


def absent(dns: FailureReason, host: FailureReason) -> VerificationResult:
    """Return a look that has found no proof, for these reasons."""
    return VerificationResult(found=None, absences=((ProofWay.DNS, dns), (ProofWay.WELL_KNOWN, host)))


GONE = absent(FailureReason.OTHER_TOKEN, FailureReason.REFUSED)


def test_every_absence_has_words(molen: Installation) -> None:
    molen.ok("domain", "add", "molen", HOST)
    in_dns = {check(molen, absent(each, FailureReason.REFUSED)) for each in IN_DNS}
    at_host = {check(molen, absent(FailureReason.NO_RECORD, each)) for each in FailureReason}
    assert (len(in_dns), len(at_host)) == (len(IN_DNS), len(FailureReason))
    for said in in_dns | at_host:
        assert re.search(r"^DNS: \w.*\.$", said, re.MULTILINE)
        assert re.search(r"^File: \w.*\.$", said, re.MULTILINE)


@pytest.mark.parametrize(("way", "words"), [(ProofWay.DNS, "in the DNS."), (ProofWay.WELL_KNOWN, "in the file.")])
def test_where_the_proof_was_found_is_told(molen: Installation, way: ProofWay, words: str) -> None:
    molen.ok("domain", "add", "molen", HOST)
    assert check(molen, VerificationResult(found=way)).splitlines()[0] == f"The proof is there: {words}"


def test_what_a_check_has_seen_and_what_follows_is_told_in_words(molen: Installation) -> None:
    molen.ok("domain", "add", "molen", HOST)
    said = check(molen, GONE)
    assert "DNS: the record contains another token." in said
    assert "File: the host did not serve the file;" in said
    check(molen, VerificationResult(found=ProofWay.DNS))
    assert "Unless the proof is back by then, the verification ends at 2026-03-09 12:00:00 UTC." in check(molen, GONE)
    overdue = check(molen, GONE, at=NOON + DOMAIN_LOST_AFTER)
    assert "It has been missing for 7 days: a worker's next check ends the verification" in overdue
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection, connection:
        connection.execute(
            "UPDATE domains SET verified_at = NULL, missing_since = NULL, lost_at = ?", [to_microseconds(NOON)]
        )
    assert "It lost its verification at 2026-03-02 12:00:00 UTC." in check(molen, GONE)
