"""The examples of docs/verifying.md do what they say: each accepts a valid statement, and rejects any other."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.harness import Installation
from tests.core.domain.signing_kit import HOSTILE_NAMES, KEYS, STANDBY, a_statement, document_of, jws_of, signed_claims
from tests.http.service import http_request
from tests.http.serving import serving
from tests.links import token_of
from tests.shop_with_reviews import written
from tests.tools import require
from tests.upgrade.last_release import LastRelease, unpacked

from reviewinvite_core import (
    OPERATOR,
    ClientAddress,
    InvitationQuery,
    OrderReport,
    ReviewDraft,
    SnippetReport,
    accepted,
    verify_statement,
)
from reviewinvite_core.bootstrap.adapter_factory import machine_time
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.signing import jwk_set
from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_core.values import ReviewLink, Statement, Status

PAGE = (Path(__file__).parents[2] / "docs" / "verifying.md").read_text(encoding="utf-8")


def programs(page: str) -> Mapping[str, str]:
    """Return the programs of a page, by their names."""
    return dict(re.findall(r"^```\w+ (verify\S*)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))


PROGRAMS = programs(PAGE)

TOOLS = {  # the one that runs a program comes first; after it, those that the program uses
    "verify.py": (),
    "verify.js": ("node",),
    "verify.php": ("php",),
    "verify.sh": ("sh", "openssl", "jq", "base64", "awk"),
    "verify_jws.py": (),
}
CHECK_ALL = ("verify.py", "verify.js", "verify.php")

Run = Callable[..., bool]


def each_program(*names: str) -> pytest.MarkDecorator:
    """Parametrize by these programs."""
    return pytest.mark.parametrize("program", names)


@pytest.fixture
def accepts(tmp_path: Path, interpreter: str) -> Run:
    """Return a function that tells whether a program accepts a document as a statement about this site."""

    def run(
        program: str,
        document: bytes,
        keys: bytes = KEYS,
        site_id: str = "molen",
        status: str = "trusted",
        text: str | None = None,
    ) -> bool:
        (tmp_path / program).write_text(text or PROGRAMS[program], encoding="utf-8")
        (tmp_path / "statement").write_bytes(document)
        (tmp_path / "keys.json").write_bytes(keys)
        runner, *_ = [require(tool, f"{program} needs it") for tool in TOOLS[program]] or [interpreter]
        command = [runner, program, "statement", "keys.json", site_id]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == 0:
            assert done.stdout.strip() == ("Signature Verified Successfully" if program == "verify.sh" else status)
        return done.returncode == 0

    return run


def encoder_of(program: str) -> Callable[..., bytes]:
    return jws_of if program == "verify_jws.py" else document_of


def test_the_page_has_these_programs_and_no_others() -> None:
    assert set(PROGRAMS) == set(TOOLS)


@each_program(*TOOLS)
def test_a_good_statement_is_believed_whatever_the_shop_s_name(accepts: Run, program: str) -> None:
    everything = " ".join(HOSTILE_NAMES)
    for name in ("Bakkerij De Molen", everything):
        assert accepts(program, encoder_of(program)(a_statement(name=name, now=machine_time())))


@each_program(*TOOLS)
def test_what_was_changed_or_signed_with_another_key_is_refused(accepts: Run, program: str) -> None:
    document = encoder_of(program)(a_statement(now=machine_time()))
    assert not accepts(program, document, jwk_set([STANDBY]))
    middle = len(document) // 2 if program == "verify_jws.py" else document.index(b"Bakkerij")
    changed = document[:middle] + (b"x" if document[middle : middle + 1] != b"x" else b"y") + document[middle + 1 :]
    assert not accepts(program, changed)
    if program != "verify_jws.py":
        content = json.loads(document)
        content["statement"]["more"] = 1
        assert not accepts(program, json.dumps(content).encode())


@each_program(*CHECK_ALL)
def test_another_site_another_time_and_another_algorithm_are_refused(accepts: Run, program: str) -> None:
    now = machine_time()
    document = document_of(a_statement(now=now))
    assert accepts(program, document)
    assert not accepts(program, document, site_id="kaas")
    assert not accepts(program, document_of(a_statement(now=now - timedelta(minutes=11))))
    assert not accepts(program, document_of(a_statement(now=now + timedelta(minutes=3))))
    assert not accepts(program, document.replace(b'"algorithm":"Ed25519"', b'"algorithm":"EdDSA"'))


@each_program(*CHECK_ALL, "verify_jws.py")
@pytest.mark.parametrize("status", Status)
def test_what_a_good_statement_says_is_printed_whatever_it_is(accepts: Run, program: str, status: Status) -> None:
    assert accepts(program, encoder_of(program)(a_statement(status=status, now=machine_time())), status=status)


@each_program(*CHECK_ALL)
def test_what_no_statement_of_the_service_holds_is_refused_though_it_is_signed(accepts: Run, program: str) -> None:
    claims = a_statement(now=machine_time()).claims
    assert accepts(program, signed_claims(claims))
    assert not accepts(program, signed_claims({**claims, "more": 1}))
    assert not accepts(program, signed_claims({**claims, "type": "another"}))
    for name in ("issuedAt", "expiresAt"):
        assert not accepts(program, signed_claims({**claims, name: "soon"}))
        assert not accepts(program, signed_claims({**claims, name: None}))


def test_the_example_of_the_specification_verifies_against_its_first_key() -> None:
    specification = (Path(__file__).parents[2] / "docs" / "specification.md").read_text(encoding="utf-8")
    blocks = [
        json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", specification, re.DOTALL | re.MULTILINE)
    ]
    [document] = [block for block in blocks if "statement" in block]
    [keys] = [block for block in blocks if "keys" in block]
    first = {"keys": keys["keys"][:1]}
    issued_at = datetime.fromisoformat(document["statement"]["issuedAt"])
    verdict = verify_statement(json.dumps(document).encode(), json.dumps(first).encode(), now=issued_at)
    assert isinstance(verdict, Statement), verdict
    assert verdict.claims == document["statement"]
    assert isinstance(
        verify_statement(json.dumps(document).encode(), json.dumps(keys).encode(), now=issued_at), Statement
    )


@pytest.fixture(scope="module")
def served() -> Mapping[str, bytes]:
    """What the service says, as each type, of a shop with the mark and reviews of confirmed and of other orders."""
    with serving(clock=ManualClock(machine_time())) as service:
        app = service.app
        app.shops.add(a_shop("molen"))
        app.domains.add("molen", "molen.example.nl", assume_verified=True)
        app.trust_marks.grant("molen")
        written(app, "molen")
        order = OrderReport(email="website@example.com", order_number="W-1")
        report = SnippetReport(site_id="molen", order=order)
        app.orders.report_from_snippet(ClientAddress("203.0.113.9"), "https://molen.example.nl", report)
        query = InvitationQuery(site_id="molen", order_number="W-1")
        (unconfirmed,) = accepted(app.invitations.list(OPERATOR, query)).invitations
        token = token_of(app, unconfirmed.invitation.invite_id, Purpose.REVIEW)
        assert isinstance(app.reviews.write(token, ReviewDraft(rating=1)), ReviewLink)

        def body(path: str, accept: str = "application/json") -> bytes:
            return http_request(service.address, "GET", path, Accept=accept).body

        jose = body("/v1/verify/molen", "application/jose")
        return {"json": body("/v1/verify/molen"), "jose": jose, "keys": body("/v1/badge/public-keys")}


def test_a_served_statement_says_nothing_of_confirmed_orders(served: Mapping[str, bytes]) -> None:
    statement = json.loads(served["json"])["statement"]
    assert set(statement) == {"type", "siteId", "name", "domains", "status", "rating", "issuedAt", "expiresAt"}
    assert statement["rating"] == {"count": 2, "mean": "3.00"}


@each_program(*TOOLS)
def test_what_the_service_says_is_believed(accepts: Run, served: Mapping[str, bytes], program: str) -> None:
    assert accepts(program, served["jose" if program == "verify_jws.py" else "json"], served["keys"])


@pytest.mark.full
def test_verifiers_of_the_last_release_believe_what_this_one_says(
    accepts: Run, served: Mapping[str, bytes], tmp_path: Path
) -> None:
    source = unpacked(tmp_path / "last-release")
    text = programs((source.parent / "docs" / "verifying.md").read_text(encoding="utf-8"))
    assert set(text) == set(TOOLS)
    for program in TOOLS:
        document = served["jose" if program == "verify_jws.py" else "json"]
        assert accepts(program, document, served["keys"], text=text[program]), program
    for name, content in served.items():
        (tmp_path / name).write_bytes(content)
    before = LastRelease(source, Installation(tmp_path))
    for name in ("json", "jose"):
        said = json.loads(before.run("verify", name, "--keys", "keys", "--site", "molen", "--json").out)
        assert said["statement"]["status"] == "trusted"
        (tmp_path / name).write_bytes(served[name].replace(b"m", b"n", 1))
        before.run("verify", name, "--keys", "keys", "--site", "molen", code=1)
