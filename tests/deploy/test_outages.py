"""The shipped alerts fire in real outages, and their pages lead to the cause; none fires in health.

`serve`, `worker`, the commands and Prometheus are real, and run FACTOR times as fast as they are meant to:

- In the rules, each `for:` and each range is divided, as is how often Prometheus scrapes and evaluates.
- The wall clock of all processes of the service runs faster, by faketime. Leases, tries, backups and ages go by it, so
  ages reach Prometheus multiplied, and to divide their thresholds, too, would divide twice.
- Monotonic clocks stay: faketime does not know the system call by which Python's locks wait, and a speed given to it
  would also shorten the patience with mail servers, so that a busy machine would be an outage. The three durations by
  such clocks that alerts go by are divided in `hurried.py`, and so is the threshold on an age by such a clock.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import attrs
import pytest
from tests import disks, postgres
from tests.budgets import in_full, in_soak
from tests.deploy.prometheus import get, prometheus, result_of
from tests.fake_time import FakeTime
from tests.http.service import SITE, Deployment, Process, an_order, report
from tests.ports import free_port
from tests.smtp_server import SmtpTestServer, smtp_server
from tests.waiting import wait_until

from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.testing.smtp_server import Script

ROOT = Path(__file__).parents[2]
RULES = (ROOT / "deploy/monitoring/alerts.yml").read_text()
HURRIED = str(Path(__file__).with_name("hurried.py"))

FACTOR = 20
SCRAPE = timedelta(minutes=1)
"""How often Prometheus scrapes and evaluates by default: the longest that the rules must cope with."""
BEGIN = timedelta(hours=50)
"""How far ahead the clock is when the processes begin; before, it stands where earlier commands need it."""
WATCHED = timedelta(minutes=30)
"""For how long there is health, at least: longer than what most alerts wait for."""
ALMOST = timedelta(minutes=5)
ORDERS = 12

BACKUP = ("backup",)
"""Stands for the command that makes a backup, or records it, by engine."""

UNITS = {"s": 1, "m": 60, "h": 3600}
LINES = ("deliveries", "backups", "purge")
NO_STORAGE = "0 bytes free|failure  database "
COMMANDS = re.compile(r"`(?:reviewinvite )?((?:doctor|mail test|invitation (?:list|show))[^`]*)`")
FIRING = 'count by (alertname) (last_over_time(ALERTS{alertstate="firing"}[1h]))'


def divided(rules: str, factor: int) -> str:
    """Return these rules with all durations divided, and the threshold on the one age by a monotonic clock."""
    rules = re.sub(
        r"(for: |\[)(\d+)([smh])\b", lambda it: f"{it[1]}{1000 * int(it[2]) * UNITS[it[3]] // factor}ms", rules
    )
    return re.sub(r"(storage_reading_age_seconds\) > )(\d+)", lambda it: f"{it[1]}{int(it[2]) / factor:g}", rules)


def test_nothing_but_durations_is_divided() -> None:
    pairs = zip(RULES.split(), divided(RULES, 60).split(), strict=True)
    changed = [(before, after) for before, after in pairs if before != after]
    assert len(changed) == RULES.count("for: ") + RULES.count("[") + 1
    assert ("5m", "5000ms") in changed
    assert ("60", "1") in changed


@attrs.frozen(kw_only=True)
class Outage:
    """How an outage begins, and the alerts that it fires, each with what the commands on its page then show.

    `others` may fire, too. `before` has commands by how long before the outage they were run.
    """

    begin: Callable[[Scene], None]
    alerts: Mapping[str, str]
    others: Sequence[str] = ()
    before: Mapping[timedelta, Sequence[str]] = attrs.field(factory=dict)
    on_small_disk: bool = False


class Scene:
    """An installation whose processes run fast, what is around it, and the Prometheus that watches it."""

    def __init__(
        self, stack: ExitStack, folder: Path, clock: FakeTime, database_url: str | None, outage: Outage
    ) -> None:
        self.stack, self.folder, self.outage = stack, folder, outage
        if outage.on_small_disk:
            stack.enter_context(disks.small_disk(folder))
        else:
            folder.mkdir()
        self.deployment = Deployment(folder, database_url, orders_per_minute=0, mail_from="reviews@example.com")
        self.command = self.deployment.command
        self.command.variables |= clock.variables
        self.is_postgres = database_url is not None
        self.backup = ("backup", "record") if database_url else ("db", "backup", "kept.db")
        self.address = self.prometheus = ""
        self._ports = [free_port() for _ in range(3)]
        self._unused = iter(self._ports)
        lines = [f"c{number}@host-{number % 6}.example.com,{number},0" for number in range(ORDERS)]
        (folder / "orders.csv").write_text("\n".join(["email,orderNumber,delayDays", *lines]))
        stack.callback(self.deployment.stop)

    def begin(self) -> None:
        """Let the outage begin, and start Prometheus."""
        self.outage.begin(self)
        folder = self.folder.with_name(f"{self.folder.name}-prometheus")
        folder.mkdir()
        rules = folder / "alerts.yml"
        rules.write_text(divided(RULES, FACTOR))
        milliseconds = int(SCRAPE.total_seconds() * 1000 / FACTOR)
        services = [f"127.0.0.1:{port}" for port in self._ports]
        self.prometheus = self.stack.enter_context(prometheus(folder, rules, services, milliseconds=milliseconds))

    def start(self, *arguments: str) -> Process:
        """Start a process of the service, and wait until its worker beats, if it has one."""
        port = next(self._unused)
        self.command.variables["REVIEWINVITE_METRICS_PORT"] = str(port)
        port_of_http = ("--port", "0") if arguments[0] == "serve" else ()
        process = self.deployment.run(HURRIED, str(FACTOR), *arguments, *port_of_http)
        if arguments[0] == "serve":
            process.wait_for_address()
            self.address = process.address
        if arguments[-1] != "--no-worker":
            wait_until(lambda: beats_seen_at(port))
        return process

    def mail_by(self, url: str) -> None:
        """Let mail leave by this server."""
        self.command.variables["REVIEWINVITE_MAIL_URL"] = url

    def mail_server(self, faults: Script = ()) -> SmtpTestServer:
        """Let mail leave by a server that has these faults."""
        server = self.stack.enter_context(smtp_server(self.folder / "accepted", faults))
        self.mail_by(server.url)
        return server

    def report(self, orders: int = ORDERS) -> None:
        """Report orders of as many customers, at six hosts, that are due at once."""
        for number in range(orders):
            order = an_order(f"c{number}@host-{number % 6}.example.com", orderNumber=str(number), delayDays=0)
            assert report(self.address, self.deployment.key, order).status == 201

    def go_on_reporting(self) -> None:
        """Report an order every so often, whatever the answer is."""
        stop = threading.Event()

        def run() -> None:
            number = ORDERS
            while not stop.wait(1):
                number += 1
                with suppress(OSError):
                    order = an_order(f"c{number}@example.com", orderNumber=str(number), delayDays=0)
                    report(self.address, self.deployment.key, order)

        reporting = threading.Thread(target=run, daemon=True)
        reporting.start()
        self.stack.callback(reporting.join)
        self.stack.callback(stop.set)

    def beats(self) -> Mapping[bytes, int]:
        """Return how often each worker has beaten."""
        time.sleep(0.2)  # it is asked again and again
        with closing(open_storage(self.deployment.settings.database_url, create=False)) as storage:
            return {each.worker: each.counter for each in storage.read(lambda store: store.workers.every())}

    def shows(self, expression: str) -> Sequence[Mapping[str, str]]:
        """Return the labels of what Prometheus finds, after a pause: it is asked again and again."""
        time.sleep(0.2)
        return [each["metric"] for each in result_of(self.prometheus, expression)]

    def fired(self) -> set[str]:
        """Return the alerts that fire or have fired."""
        return {each["alertname"] for each in self.shows(FIRING)}

    def has_fired(self, alert: str) -> bool:
        return alert in self.fired()

    def runbook(self, alert: str) -> str:
        """Return what Prometheus links to an alert."""
        groups = json.loads(get(self.prometheus, "/api/v1/rules"))["data"]["groups"]
        return str(next(each["annotations"]["runbook"] for each in groups[0]["rules"] if each["name"] == alert))

    def follow(self, link: str) -> str:
        """Run the first command of the page, and those of the part that is linked; return all that they print."""
        path, _, heading = link.partition("#")
        first, *parts = re.split(r"^## ", (ROOT / path).read_text(), flags=re.MULTILINE)
        (part,) = (part for part in parts if part.partition("\n")[0].lower() == heading)
        listed = self.run("invitation", "list", "--json")
        ids = re.findall(r'"inviteId": "([^"]+)"', listed)
        commands = dict.fromkeys(COMMANDS.findall(first + part))
        runnable = [each.replace(" ID", f" {ids[0]}" if ids else "") for each in commands]
        return "\n".join(self.run(*each.split()) for each in runnable)

    def run(self, *arguments: str) -> str:
        """Run a command, and return what it prints, whether it succeeds or not."""
        ended = self.command.run_program([sys.executable, "-m", "reviewinvite_cli", *arguments])
        return ended.out + ended.err


def beats_seen_at(port: int) -> bool:
    """Return whether the process that shows metrics there knows of a worker."""
    time.sleep(0.2)  # it is asked again and again
    with suppress(OSError):
        return bool(
            re.search(
                rb'^reviewinvite_workers{state="alive"} [1-9]', get(f"127.0.0.1:{port}", "/metrics"), re.MULTILINE
            )
        )
    return False


# --- how they begin


def with_all_well(scene: Scene) -> None:
    scene.mail_server()
    scene.start("serve", "--no-worker")
    scene.start("worker")
    scene.start("worker")
    scene.go_on_reporting()


def with_a_closed_port(scene: Scene) -> None:
    scene.mail_by(f"smtp://127.0.0.1:{free_port()}")
    scene.start("serve")


def with_a_refusal(reply: str, scene: Scene) -> None:
    scene.mail_server([{"at": "rcpt", "do": "reply", "with": reply}])
    scene.start("serve")
    scene.report()


def with_a_dead_name(scene: Scene) -> None:
    scene.mail_by("smtp://mail.example.invalid:25")
    scene.start("serve")
    scene.report()


def with_the_only_worker_killed(scene: Scene) -> None:
    scene.start("serve", "--no-worker")
    scene.start("worker").kill()
    scene.report()


def with_one_of_two_workers_killed(scene: Scene) -> None:
    """One answer to the one that is killed was lost, and two more did not come until then."""
    scene.command.variables["REVIEWINVITE_LEASE_SECONDS"] = "86400"  # so they stay stuck
    stalls, loses = {"at": "dot", "do": "stall", "times": 2}, {"at": "logged", "do": "drop", "times": 1}
    server = scene.mail_server([stalls, loses])
    scene.start("serve", "--no-worker")
    first = scene.start("worker")
    scene.report()
    wait_until(lambda: len(server.messages) == ORDERS - 2)
    scene.start("worker")
    wait_until(lambda: len(scene.beats()) == 2)
    beats = scene.beats()
    wait_until(lambda: all(scene.beats()[worker] > beats[worker] for worker in beats))  # so each has seen the other
    first.kill()


def with_a_full_disk(scene: Scene) -> None:
    """Of PostgreSQL, the disk is another one: its database is no longer there."""
    scene.start("serve")
    if scene.is_postgres:
        scene.deployment.take_database_away()
        del scene.command.variables["LD_PRELOAD"]  # this faketime breaks `time.sleep`, as between tries to connect
    else:
        disks.fill(scene.folder)
    scene.go_on_reporting()


def with_failed_jobs(scene: Scene) -> None:
    if scene.is_postgres:
        scene.run("backup", "record", "--failed", "No such file or directory: not-mounted/kept.dump")
    else:
        assert "Error" in scene.run("db", "backup", "not-mounted/kept.db")
    assert "Error" in scene.run("privacy", "purge", "--require-synchronised-clock")
    scene.start("serve")


def with_jobs_left_out(scene: Scene) -> None:
    scene.start("serve")


OUTAGES: Mapping[str, Outage] = {
    "closed port": Outage(
        begin=with_a_closed_port,
        before={timedelta(minutes=45): ("order", "import", SITE, "orders.csv")},
        alerts={
            "ReviewinviteNothingSent": "nothing listens there",
            "ReviewinviteRelayRefuses": "nothing listens there",
            "ReviewinviteOldestDue": "nothing listens there",
        },
    ),
    "554 5.7.1": Outage(
        begin=partial(with_a_refusal, "554 5.7.1 Relay access denied"),
        alerts={
            "ReviewinviteRelayRefuses": "554 5.7.1 Relay access denied",
            "ReviewinviteNothingSent": "554 5.7.1 Relay access denied",
            "ReviewinviteRefused": "554 5.7.1",
        },
    ),
    "bare 550": Outage(
        begin=partial(with_a_refusal, "550 no"),
        alerts={"ReviewinviteRelayRefuses": "550 no", "ReviewinviteRefused": "550"},
        others=["ReviewinviteNothingSent"],
    ),
    "451": Outage(
        begin=partial(with_a_refusal, "451 4.3.0 try later"),
        alerts={"ReviewinviteRelayRefuses": "451 4.3.0 try later", "ReviewinviteRefused": "451 4.3.0"},
        others=["ReviewinviteNothingSent"],
    ),
    "dead name": Outage(
        begin=with_a_dead_name,
        alerts={"ReviewinviteRelayRefuses": "the host name is not known"},
        others=["ReviewinviteNothingSent"],
    ),
    "only worker killed": Outage(
        begin=with_the_only_worker_killed,
        alerts={"ReviewinviteWorkerGone": "no worker delivers", "ReviewinviteWorkerMissing": "without a sign of life"},
        others=["ReviewinviteNothingSent"],
    ),
    "one of two workers killed": Outage(
        begin=with_one_of_two_workers_killed,
        alerts={
            "ReviewinviteWorkerMissing": "workers without a sign of life for 2 minutes: 1",
            "ReviewinviteStuck": "held by a worker for more than 5 minutes",
            "ReviewinviteUncertain": "uncertain",
        },
    ),
    "full disk": Outage(
        begin=with_a_full_disk,
        alerts={"ReviewinviteServerErrors": NO_STORAGE, "ReviewinviteCommitsLost": NO_STORAGE},
        others=["ReviewinviteWorkerMissing", "ReviewinviteStorageSilent"],
        on_small_disk=True,
    ),
    "failed backup and purge": Outage(
        begin=with_failed_jobs,
        alerts={
            "ReviewinviteBackupFailed": "No such file .*not-mounted",
            "ReviewinvitePurgeFailed": "is .*synchronised",
        },
    ),
    "backup and purge left out": Outage(
        begin=with_jobs_left_out,
        before={timedelta(hours=26) - ALMOST: BACKUP, timedelta(hours=50) - ALMOST: ("privacy", "purge")},
        alerts={
            "ReviewinviteBackupStale": "the last backup succeeded 1 day ago",
            "ReviewinvitePurgeStale": "the last purge succeeded 2 days ago",
        },
    ),
}
HEALTH = "health"
WELL = Outage(
    begin=with_all_well, before={timedelta(minutes=2): BACKUP, timedelta(minutes=1): ("privacy", "purge")}, alerts={}
)
ALL = {**OUTAGES, HEALTH: WELL}


@attrs.frozen
class Stage:
    """All scenes at once, by name, or why there can be none here; and when they began."""

    scenes: Mapping[str, Scene | str]
    began: float

    def __getitem__(self, name: str) -> Scene:
        scene = self.scenes[name]
        if isinstance(scene, str):
            pytest.skip(scene)
        return scene


@contextmanager
def postgres_by(clock: FakeTime) -> Iterator[str]:
    """Run a PostgreSQL that goes by this clock; yield its address."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in clock.variables.items():
            environment.setenv(name, value)
        running = ExitStack()
        url = running.enter_context(postgres.own_server()).url
    with running:
        yield url


@pytest.fixture(scope="module", params=[in_full("sqlite"), in_soak("postgres")])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Begin all outages, each in an installation of its own, and health."""
    folder = tmp_path_factory.mktemp("stage")
    with ExitStack() as stack:
        clock_folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clock-")))
        clock_folder.chmod(0o755)  # PostgreSQL reads it as another user
        clock = FakeTime(clock_folder)
        server = stack.enter_context(postgres_by(clock)) if request.param == "postgres" else None
        scenes: dict[str, Scene | str] = {}
        for number, (name, outage) in enumerate(ALL.items()):
            url = stack.enter_context(postgres.database(server)) if server else None
            try:
                scenes[name] = Scene(stack, folder / str(number), clock, url, outage)
            except pytest.skip.Exception as why:
                scenes[name] = str(why)
        possible = [scene for scene in scenes.values() if isinstance(scene, Scene)]
        for ago in sorted({ago for outage in ALL.values() for ago in outage.before}, reverse=True):
            clock.set(BEGIN - ago)
            for scene in possible:
                if command := scene.outage.before.get(ago):
                    scene.command.ok(*(scene.backup if command is BACKUP else command))
        with clock.running(BEGIN, times=FACTOR), ThreadPoolExecutor(len(possible)) as threads:
            list(threads.map(Scene.begin, possible))
            yield Stage(scenes, time.monotonic())


@pytest.mark.parametrize("name", OUTAGES)
def test_an_outage_fires_its_alerts_and_their_page_leads_to_its_cause(stage: Stage, name: str) -> None:
    scene = stage[name]
    for alert, cause in scene.outage.alerts.items():
        wait_until(partial(scene.has_fired, alert))
        assert re.search(cause, shown := scene.follow(scene.runbook(alert))), shown
    assert scene.fired() <= {*scene.outage.alerts, *scene.outage.others}


def test_health_fires_no_alert(stage: Stage) -> None:
    scene = stage[HEALTH]
    wait_until(lambda: FACTOR * (time.monotonic() - stage.began) >= WATCHED.total_seconds())
    assert scene.fired() == set()
    found = json.loads(scene.run("doctor", "--json"))
    assert {each["check"]: each["status"] for each in found if each["check"] in LINES} == dict.fromkeys(LINES, "ok")
