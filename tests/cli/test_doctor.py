"""`doctor`: what it finds of a healthy and of a broken installation, and that it changes nothing."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from tests.browser.fake_web import create_certificate
from tests.budgets import others_in_full
from tests.cli.applications import application_of
from tests.cli.harness import Installation
from tests.cli.test_damage import overwrite, root_page
from tests.core.adapters.domain_verification import dns_server
from tests.core.adapters.domain_verification.dns_server import Answer, DnsServer, records, silence
from tests.smtp_server import smtp_server

from reviewinvite_cli.doctor import base_url, clock, dkim, dmarc, https, mail, proxies, spf
from reviewinvite_cli.doctor.checks import CHECKS, Check, examine
from reviewinvite_cli.doctor.finding import Finding, Status, ok
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.web import leads_here
from reviewinvite_core import Settings
from reviewinvite_core.adapters.sql.sqlite.maintenance import has_reset_bug
from reviewinvite_core.maintenance.inspection import Inspection
from reviewinvite_http.server import running

DOMAIN = "example.nl"
SPF, KEY, DMARC = 'TXT "v=spf1 mx -all"', 'TXT "v=DKIM1; k=rsa; p=MIIB"', 'TXT "v=DMARC1; p=none"'


@pytest.fixture
def names() -> Iterator[DnsServer]:
    """A name server with all records of a sender's domain."""
    with dns_server.running() as server:
        server.answers(DOMAIN, "TXT", records(SPF))
        server.answers(f"_domainkey.{DOMAIN}", "TXT", records())
        server.answers(f"mail._domainkey.{DOMAIN}", "TXT", records(KEY))
        server.answers(f"_dmarc.{DOMAIN}", "TXT", records(DMARC))
        yield server


def found(code: int, installation: Installation, *options: str, **variables: str) -> dict[str, dict[str, str]]:
    ended = installation.run("doctor", "--json", *options, **variables)
    assert ended.code == code, ended
    listed = json.loads(ended.out)
    assert all(set(each) == {"check", "status", "detail", "next"} for each in listed)
    assert all((each["next"] is None) == (each["status"] == "ok") for each in listed)
    assert [each["check"] for each in listed] == list(CHECKS)
    return {each["check"]: each for each in listed}


def contents(folder: Path) -> Mapping[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def patient(names: DnsServer, seconds: float = 30.0, selector: str | None = None, **values: str) -> Patient:
    given = {"mail_from": f"shop@{DOMAIN}", "mail_url": "smtp://localhost", **values}
    settings = Settings(**given)  # type: ignore[arg-type]  # they are all text
    return Patient(
        settings=settings,
        faults={},
        unknown_variables=(),
        inspection=Inspection(settings),
        new_resolver=names.resolver,
        dkim_selector=selector,
        seconds=seconds,
    )


def test_a_healthy_installation_has_no_failure(molen: Installation, names: DnsServer, tmp_path: Path) -> None:
    certificate = create_certificate(tmp_path, "localhost").pem
    molen.ok("db", "backup", str(tmp_path / "backup.db"))
    molen.ok("privacy", "purge")
    with (
        application_of(molen) as application,
        running(application, worker=True) as address,
        smtp_server(tmp_path / "log", certificate=certificate, starttls=True, login="shop:geheim") as server,
    ):
        seen = found(
            0,
            molen,
            *("--dns-server", f"127.0.0.1:{names.port}"),
            SSL_CERT_FILE=str(certificate),
            REVIEWINVITE_MAIL_URL=f"smtp://shop:geheim@localhost:{server.address[1]}?starttls=required",
            REVIEWINVITE_MAIL_FROM=f"shop@{DOMAIN}",
            REVIEWINVITE_BASE_URL=address,
        )
        assert not server.messages
    assert {name for name, each in seen.items() if each["status"] != "ok"} == {"settings", "https"}  # plain http
    assert "geheim" not in json.dumps(seen)
    assert "with the keys of this database" in seen["base_url"]["detail"]
    assert "TLSv1" in seen["mail"]["detail"]


@pytest.mark.parametrize(("starttls", "status"), [(True, "ok"), (False, "warning")])
def test_mail_that_crosses_a_network_in_clear_is_a_warning(
    names: DnsServer, tmp_path: Path, starttls: bool, status: str
) -> None:
    certificate = create_certificate(tmp_path, "localhost").pem
    with smtp_server(tmp_path / "log", certificate=certificate, starttls=starttls) as server:
        seen = mail.check(patient(names, mail_url=f"smtp://127.1:{server.address[1]}"))  # not known as this machine
    assert seen.status == status
    assert ("TLSv1" in seen.detail) == starttls
    assert ("certificate not checked" in seen.detail) == starttls


def test_another_instance_at_the_public_address_is_told_from_this_one(molen: Installation, tmp_path: Path) -> None:
    other = Installation(tmp_path / "other")
    other.folder.mkdir()
    other.ok("shop", "add", "other", "--name", "Other")
    with application_of(other) as application, running(application, worker=False) as address:
        seen = found(1, molen, REVIEWINVITE_BASE_URL=address)
    assert seen["base_url"]["status"] == "failure"
    assert "another instance" in seen["base_url"]["detail"]


def test_it_changes_nothing_and_makes_no_database(molen: Installation, tmp_path: Path) -> None:
    before = contents(molen.folder)
    found(1, molen)
    assert contents(molen.folder) == before
    empty = Installation(tmp_path / "empty")
    empty.folder.mkdir()
    seen = found(1, empty)
    assert not list(empty.folder.iterdir())
    assert "there is no database" in seen["database"]["detail"]


@pytest.mark.parametrize(
    ("change", "check", "words"),
    [
        ("INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('reviewinvite', 'm9999')", "schema", "newer"),
        ("DELETE FROM _sqlite_migrations WHERE name = 'm0015_shop_of_message'", "schema", "lacks m0015"),
    ],
    ids=["newer", "older"],
)
def test_the_schema_of_another_release_is_a_finding(molen: Installation, change: str, check: str, words: str) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db", isolation_level=None)) as connection:
        connection.execute(change)
    seen = found(1, molen)
    assert seen[check]["status"] == "failure"
    assert words in seen[check]["detail"]
    assert seen["mark"]["detail"] == "not checked: the database has another schema"
    assert seen["secret"]["detail"].endswith("not tried, as the database has another schema")


def test_a_server_that_refuses_is_named_at_once(molen: Installation) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    seen = found(
        1,
        molen,
        REVIEWINVITE_DATABASE_URL=f"postgresql://shop:geheim@127.0.0.1:{port}/shops",
        REVIEWINVITE_SECRET="0123456789abcdef" * 4,
    )
    assert seen["database"]["status"] == "failure"
    assert "connection refused" in seen["database"]["detail"].lower()
    assert "geheim" not in json.dumps(seen)
    for name in ("schema", "mark", "deliveries"):
        assert seen[name]["detail"] == "not checked: the database cannot be read"


def test_a_locked_database_is_called_that(molen: Installation) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE theirs (one)")
        seen = found(1, molen)
    assert "another process keeps reviewinvite.db locked" in seen["database"]["detail"]
    assert "fuser" in str(seen["database"]["next"])
    assert seen["secret"]["detail"].endswith("not tried, as the database cannot be read")


@pytest.mark.parametrize(
    "table", others_in_full(["domains", "invitations", "messages", "reviews", "suppressions"], "invitations")
)
def test_a_damaged_table_is_a_failure(molen: Installation, table: str) -> None:
    file = molen.folder / "reviewinvite.db"
    overwrite(file, root_page(file, table))
    seen = found(1, molen)
    assert seen["database"]["status"] == "failure"
    assert "the database reviewinvite.db is damaged (" in seen["database"]["detail"]
    assert "db check" in str(seen["database"]["next"])


def test_a_version_of_sqlite_with_the_reset_bug_is_named(molen: Installation) -> None:
    seen = found(1, molen)["database"]
    assert seen["status"] == "ok"
    assert (f"sqlite {sqlite3.sqlite_version}; let no other program write" in seen["detail"]) == has_reset_bug()


def test_what_is_beside_the_database_is_checked(molen: Installation) -> None:
    secret, mark = (molen.folder / f"reviewinvite.db.{name}" for name in ("secret", "mark"))
    secret.chmod(0o644)
    mark.write_bytes(b"damaged")
    seen = found(1, molen)
    assert (seen["secret"]["status"], seen["mark"]["status"]) == ("warning", "failure")
    secret.unlink()
    mark.unlink()
    seen = found(1, molen)
    assert (seen["secret"]["status"], seen["mark"]["status"]) == ("failure", "failure")
    assert "copy" in seen["secret"]["next"]
    assert not secret.exists()


def test_wrong_settings_are_findings_and_the_other_checks_still_run(molen: Installation) -> None:
    (molen.folder / "reviewinvite.toml").write_text("mail_from = 'nobody'\nbase_url = 'x'\nfoo = 1\n")
    seen = found(1, molen, REVIEWINVITE_MAIL_URL="pigeon:post", REVIEWINVITE_FOO="1")
    for words in ("mail_from", "base_url", "foo", "mail_url"):
        assert words in seen["settings"]["detail"]
    assert seen["database"]["status"] == "ok"
    assert seen["spf"]["detail"] == "not checked: mail_from is not valid"


def test_without_a_terminal_each_next_step_stands_below_its_finding(empty: Installation) -> None:
    ended = empty.run("doctor")
    assert ended.code == 1
    assert "\x1b" not in ended.out
    assert "\nfailure  database" in ended.out
    assert "-> Correct DATABASE_URL" in ended.out
    assert "failures and" in ended.err


@pytest.mark.parametrize(
    ("record", "status", "words"),
    [
        (records(SPF), Status.OK, "v=spf1 mx -all"),
        (records(), Status.FAILURE, "no SPF record"),
        (records(SPF, 'TXT "v=spf1 ~all"'), Status.FAILURE, "2 SPF records"),
        (records('TXT "v=spf1 +all"'), Status.FAILURE, "everybody"),
        (records('TXT "v=spf1 mx"'), Status.WARNING, "rules nobody out"),
        (records(f'TXT "v=spf1 include:{DOMAIN} -all"'), Status.FAILURE, "more than 10 lookups"),
        (silence, Status.WARNING, "could not be looked up"),
        (
            records('TXT "v=spf1 include:missing.nl -all"'),
            Status.FAILURE,
            "leads to missing.nl, which has no valid SPF",
        ),
        (records('TXT "v=spf1 redirect=missing.nl"'), Status.FAILURE, "leads to missing.nl, which has no valid SPF"),
        (records('TXT "v=spf1 include:twice.nl -all"'), Status.FAILURE, "leads to twice.nl, which has no valid SPF"),
        (records('TXT "v=spf1 redirect=open.nl"'), Status.FAILURE, "everybody"),
        (records('TXT "v=spf1 include:%{d}.missing.nl -all"'), Status.OK, "%{d}"),
        (records('TXT "v=spf1 redirect=%{d}.missing.nl"'), Status.OK, "%{d}"),
        (records('TXT "v=spf1 redirect=missing.nl -all"'), Status.OK, "-all"),
        (records('TXT "v=spf1 -all include:missing.nl"'), Status.OK, "-all"),
        (records('TXT "v=spf1 +all mx -all"'), Status.FAILURE, "everybody"),
        (records('TXT "v=spf1 mx -all exp=why.example.nl"'), Status.OK, "exp="),
        (records('TXT "v=spf1 include:open.nl -all"'), Status.FAILURE, "everybody send for example.nl, because the "),
        (records('TXT "v=spf1 include:leads.nl -all"'), Status.FAILURE, "the record of leads.nl does"),
        (records('TXT "v=spf1 ?include:open.nl -all"'), Status.WARNING, "rules nobody out"),
        (records('TXT "v=spf1 ~include:open.nl +all"'), Status.OK, "~include"),
        (records('TXT "v=spf1 a:gone.nl mx:gone.nl ptr a:%{i}.gone.nl -all"'), Status.OK, "gone"),
        (records('TXT "v=spf1 a:gone.nl/24 mx exists:empty.nl -all"'), Status.FAILURE, "gone.nl, example.nl, empty.nl"),
        (records('TXT "v=spf1 include:void.nl a:gone.nl -all"'), Status.FAILURE, "void.nl, void.nl, gone.nl"),
        (records('TXT "v=spf1 a:six.nl a:six.nl//64 mx:six.nl -all"'), Status.OK, "six"),
        (records('TXT "v=spf1 a:silent.nl -all"'), Status.WARNING, "silent.nl could not be looked up"),
    ],
    ids=[
        *("good", "none", "two", "everybody", "nobody", "endless", "silence"),
        *("include nothing", "redirect nowhere", "include two", "redirect to everybody"),
        *("include a macro", "redirect to a macro", "redirect and all", "after all"),
        *("first all", "modifier after all"),
        *("include everybody", "include what leads to everybody", "include neutrally", "include softly"),
        *("two names without records", "three", "three with an include", "names with records", "silent name"),
    ],
)
def test_spf(names: DnsServer, record: Answer, status: Status, words: str) -> None:
    names.answers(DOMAIN, "TXT", record)
    names.answers("open.nl", "TXT", records('TXT "v=spf1 +all"'))
    names.answers("twice.nl", "TXT", records(SPF, SPF.replace("-", "~")))
    names.answers("leads.nl", "TXT", records('TXT "v=spf1 redirect=open.nl"'))
    names.answers("void.nl", "TXT", records('TXT "v=spf1 a mx -all"'))
    names.answers("six.nl", "AAAA", records("AAAA 2001:db8::1"))
    names.answers("six.nl", "A", records())
    names.answers("six.nl", "MX", records("MX 10 six.nl."))
    names.answers("empty.nl", "A", records())
    names.answers("silent.nl", "A", silence)
    finding = spf.check(patient(names, seconds=0.5 if "could not" in words else 30.0))
    assert finding.status is status
    assert words in finding.detail


def test_dkim_finds_a_key_under_the_selector_that_is_named_or_usual(names: DnsServer) -> None:
    assert dkim.check(patient(names)).status is Status.OK
    assert dkim.check(patient(names, selector="other")).status is Status.FAILURE
    names.answers(f"other._domainkey.{DOMAIN}", "TXT", records('TXT "v=DKIM1; p="'))
    assert "revoked" in dkim.check(patient(names, selector="other")).detail
    names.answers(f"mail._domainkey.{DOMAIN}", "TXT", records())
    assert "--dkim-selector" in (dkim.check(patient(names)).next or "")
    finding = dkim.check(patient(names, mail_from="shop@unsigned.nl"))
    assert (finding.status, finding.detail) == (Status.FAILURE, "unsigned.nl publishes no DKIM key")


def test_dkim_also_counts_when_a_domain_above_has_the_key(names: DnsServer) -> None:
    below = f"shop@reviews.{DOMAIN}"
    assert dkim.check(patient(names, mail_from=below)).detail == f"mail._domainkey.{DOMAIN} has a key (rsa)"
    assert dkim.check(patient(names, mail_from=below, selector="mail")).status is Status.OK
    assert dkim.check(patient(names, mail_from=below, selector="other")).status is Status.FAILURE
    names.answers(f"mail._domainkey.{DOMAIN}", "TXT", records())
    assert f"{DOMAIN} publishes a DKIM key, but" in dkim.check(patient(names, mail_from=below)).detail


def test_dmarc_also_counts_when_a_domain_above_has_it(names: DnsServer) -> None:
    assert dmarc.check(patient(names, mail_from=f"shop@mail.{DOMAIN}")).detail == f"_dmarc.{DOMAIN}: p=none"
    assert dmarc.check(patient(names, mail_from="shop@unknown.nl")).status is Status.WARNING
    names.answers(f"_dmarc.{DOMAIN}", "TXT", records('TXT "v=DMARC1; rua=mailto:me@example.nl"'))
    assert dmarc.check(patient(names)).status is Status.FAILURE


def test_the_dmarc_policy_for_subdomains_applies_to_them_only(names: DnsServer) -> None:
    names.answers(f"_dmarc.{DOMAIN}", "TXT", records('TXT "v=DMARC1; p=none; sp=reject"'))
    assert dmarc.check(patient(names)).detail == f"_dmarc.{DOMAIN}: p=none"
    assert dmarc.check(patient(names, mail_from=f"shop@mail.{DOMAIN}")).detail == f"_dmarc.{DOMAIN}: sp=reject"
    names.answers(f"_dmarc.{DOMAIN}", "TXT", records('TXT "v=DMARC1; p=none; sp=all"'))
    assert dmarc.check(patient(names, mail_from=f"shop@mail.{DOMAIN}")).status is Status.FAILURE


@pytest.mark.parametrize(
    ("url", "trusted", "status"),
    [
        ("https://reviews.example.nl", "", Status.WARNING),
        ("https://reviews.example.nl", "127.0.0.1", Status.OK),
        ("https://reviews.example.nl", "0.0.0.0/0", Status.FAILURE),
        ("http://127.0.0.1:8000", "", Status.OK),
    ],
)
def test_trusted_proxies(names: DnsServer, url: str, trusted: str, status: Status) -> None:
    finding = proxies.check(patient(names, base_url=url, trusted_proxies=trusted))
    assert finding.status is status
    assert ("not checked" in finding.detail) is (trusted == "127.0.0.1")


def test_plain_http_is_a_failure_unless_only_this_machine_uses_it(names: DnsServer) -> None:
    assert https.check(patient(names, base_url="http://reviews.example.nl")).status is Status.FAILURE
    assert https.check(patient(names, base_url="http://127.0.0.1:8000")).status is Status.WARNING


@pytest.mark.parametrize("check", [https.check, base_url.check])
def test_a_host_name_that_is_not_known_is_no_matter_of_the_proxy(
    names: DnsServer, check: Callable[[Patient], Finding]
) -> None:
    finding = check(patient(names, base_url="https://reviews.invalid"))
    assert (finding.status, finding.detail) == (Status.FAILURE, "https://reviews.invalid: the host name is not known")
    assert "A or AAAA record" in (finding.next or "")


def test_a_clock_without_another_to_compare_with_is_shown(names: DnsServer) -> None:
    assert "no other machine's clock" in clock.check(patient(names)).detail


def test_a_clock_is_not_compared_with_itself(names: DnsServer, molen: Installation) -> None:
    with application_of(molen) as application, running(application, worker=False) as address:
        for host in ("127.0.0.1", "127.1"):  # the second is a name that leads to the first
            finding = clock.check(patient(names, base_url=address.replace("127.0.0.1", host)))
            assert (finding.status, "no other machine's clock" in finding.detail) == (Status.OK, True)


@pytest.mark.parametrize(("host", "is_here"), [("127.1", True), ("192.0.2.1", False), ("reviews.invalid", False)])
def test_whether_a_host_leads_to_this_machine(host: str, is_here: bool) -> None:
    assert leads_here(host) is is_here


def test_a_check_that_hangs_or_breaks_stops_no_other(names: DnsServer) -> None:
    never = threading.Event()

    def hang(_: Patient) -> Finding:
        never.wait()
        return ok("hangs", "")

    def break_down(_: Patient) -> Finding:
        message = "geheim"
        raise RuntimeError(message)

    checks = {"hangs": Check(hang), "breaks": Check(break_down), "fine": Check(lambda _: ok("fine", "yes"))}
    began = time.monotonic()
    hanging, broken, fine = examine(patient(names), checks, seconds=0.5)
    assert time.monotonic() - began < 60
    never.set()
    assert (hanging.status, hanging.detail) == (Status.FAILURE, "no answer within 0 seconds")
    assert (broken.status, broken.detail) == (Status.FAILURE, "the check itself failed: RuntimeError")
    assert fine.detail == "yes"


def test_a_name_server_is_an_ip_address(empty: Installation) -> None:
    assert "--dns-server" in empty.refused(2, "doctor", "--dns-server", "ns.example.nl")
