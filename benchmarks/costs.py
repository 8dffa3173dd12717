"""What an order, its message and a view cost in processor time, in our processes and in PostgreSQL's."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path

import attrs
import psutil
from tests.postgres import OwnServer, own_server

from benchmarks.bytes_an_order import Engine, measure, postgres_engine, sqlite_engine
from benchmarks.deliver_once import deliver_all, filled, settings_for
from benchmarks.load import Talk, generate_talk, talk_with_keys
from benchmarks.mail_sink import sink
from benchmarks.measure import Sizes
from benchmarks.postgres import new_database
from benchmarks.servers import free_port, make_keys, our_server, sqlite_settings
from reviewinvite_core import Settings, build

KEYS = 2_000
MORE_THAN_ENOUGH = {"REVIEWINVITE_VIEWS_PER_DAY_MEMBER": "1000000000"}
CONNECTIONS = 16


@attrs.frozen
class Cost:
    """Seconds of one core: of our processes, and of PostgreSQL's. With SQLite the latter is 0."""

    service: float
    database: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.service + other.service, self.database + other.database)

    def __mul__(self, times: float) -> Cost:
        return Cost(self.service * times, self.database * times)


@attrs.frozen(kw_only=True)
class Costs:
    """Costs of one order, one delivery and one view, and the bytes that an order leaves once it is sent."""

    order: Cost
    delivery: Cost
    view: Cost
    stored: float
    logged: float


def on_sqlite(sizes: Sizes) -> Costs:
    """Measure with a SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        bytes_engine = sqlite_engine(directory / "bytes.db")
        return _costs(directory, sqlite_settings(directory), f"sqlite:///{folder}/due.db", bytes_engine, sizes, None)


def on_postgres(sizes: Sizes) -> Costs:
    """Measure with a PostgreSQL server of our own, since its processes must be on this machine."""
    with (
        tempfile.TemporaryDirectory() as folder,
        own_server() as started,
        new_database(started.url) as settings,
        new_database(started.url) as due,
        new_database(started.url) as weighed,
    ):
        bytes_engine = postgres_engine(weighed.database_url)
        return _costs(Path(folder), settings, due.database_url, bytes_engine, sizes, started)


def _costs(
    directory: Path, settings: Settings, due_url: str, engine: Engine, sizes: Sizes, postgres: OwnServer | None
) -> Costs:
    talk = talk_with_keys(make_keys(directory, KEYS, settings))
    with closing(build(settings)) as app:
        app.trust_marks.grant("bakery")
    looking = Talk(path="/v1/verify/bakery", heads=["Accept: */*"], body=None, statuses=[200])
    with our_server(directory, port := free_port(), settings, MORE_THAN_ENOUGH) as process_id:
        service = psutil.Process(process_id)

        def load(talk: Talk) -> Cost:
            generate_talk(port, talk=talk, seconds=min(1, sizes.seconds), first_order=10_000_000)
            before = _spent(service), _spent_by(postgres)
            requests = generate_talk(port, talk=talk, seconds=sizes.seconds, first_order=1).requests
            after = _spent(service), _spent_by(postgres)
            return Cost(*(now - then for now, then in zip(after, before, strict=True))) * (1 / requests)

        order, view = load(talk), load(looking)
    with sink() as mail:
        due = settings_for(due_url, mail.port, CONNECTIONS, directory / "mark")
        with filled(due, sizes.messages) as app:
            before = time.process_time(), _spent_by(postgres)
            deliver_all(app, sizes.messages)
            after = time.process_time(), _spent_by(postgres)
    delivery = Cost(*(now - then for now, then in zip(after, before, strict=True))) * (1 / sizes.messages)
    weighed = attrs.evolve(due, database_url=engine.url, mail_url="recording:", handover_mark=directory / "other mark")
    build(weighed).close()
    _, sent, _ = measure(engine, sizes.messages, weighed)
    return Costs(order=order, delivery=delivery, view=view, stored=sent.total, logged=sent.logged)


def _spent(process: psutil.Process) -> float:
    """Return the processor seconds of a process, and of those of its children that have ended."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def _spent_by(postgres: OwnServer | None) -> float:
    """Return the processor seconds of all of a server's processes."""
    if postgres is None:
        return 0.0
    first = psutil.Process(int((postgres.socket_folder / "postmaster.pid").read_text().split()[0]))
    return sum(map(_spent, (first, *first.children())))
