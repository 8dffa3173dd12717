"""Delivering what is due, each fence and answer on disk, against programs that send the same and promise less."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from benchmarks.deliver_once import deliver, fill, settings_for
from benchmarks.mail_sink import Sink, sink
from benchmarks.measure import Claim, Goal, Group, Measure, Row, Sizes, at_least, compared, in_turns
from benchmarks.postgres import new_database, server
from reviewinvite_core import build
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.ports import Message
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock

SMTPLIB_THREADS = 4
POSTGRES_CONNECTIONS = 16

GOALS: Mapping[int, Mapping[str, tuple[Goal, Goal]]] = {
    4: {"huey": (at_least(1), at_least(1.2)), "smtplib": (at_least(0.35), at_least(0.43))},
    16: {"huey": (at_least(1.5), at_least(2)), "smtplib": (at_least(0.55), at_least(0.7))},
}


def _claim(connections: int, peer: str) -> Claim:
    goal, stretch = GOALS[connections][peer]
    threads = {"huey": connections, "smtplib": SMTPLIB_THREADS}[peer]
    against = {"huey": "huey, the same by smtplib", "smtplib": "smtplib in a loop, nothing stored"}[peer]
    return Claim(
        key=f"deliver-{connections}-{peer}",
        what=f"deliver due invitations, SQLite, {connections} connections",
        against=f"{against}, {threads} threads",
        unit="messages/s",
        goal=goal,
        stretch=stretch,
    )


POSTGRES = Claim(
    key="deliver-postgres-procrastinate",
    what=f"deliver due invitations, PostgreSQL, {POSTGRES_CONNECTIONS} connections",
    against=f"procrastinate, the same by smtplib, {POSTGRES_CONNECTIONS} at a time",
    unit="messages/s",
    goal=at_least(1),
    stretch=at_least(1.5),
)


def on_sqlite(connections: int) -> Group:
    """Deliver over this number of connections, against huey with as many threads and smtplib with four."""
    claims = {peer: _claim(connections, peer) for peer in GOALS[connections]}

    def measure(sizes: Sizes) -> Iterator[Row]:
        from benchmarks.delivery_peers import huey_seconds, smtplib_seconds  # only `nox -s bench` installs them

        messages = messages_of(sizes.messages)
        with sink() as server:

            def ours(folder: Path) -> float:
                url = f"sqlite:///{folder}/reviewinvite.db"
                return deliver(settings_for(url, server.port, connections, folder / "mark"), len(messages))

            def huey(folder: Path) -> float:
                return huey_seconds(server, messages, connections, folder)

            def smtplib(_: Path) -> float:
                return smtplib_seconds(server, messages, SMTPLIB_THREADS)

            programs = {"ours": ours, "huey": huey, "smtplib": smtplib}
            figures = in_turns(
                {name: partial(rate, program, server, messages) for name, program in programs.items()},
                sizes.repetitions,
            )
        for peer, claim in claims.items():
            yield compared(claim, figures["ours"], figures[peer])

    return Group(tuple(claims.values()), measure)


def _measure_postgres(sizes: Sizes) -> Iterator[Row]:
    from benchmarks.delivery_peers import procrastinate_seconds

    messages = messages_of(sizes.messages)
    with sink() as mail, server() as url:

        def ours(folder: Path) -> float:
            with new_database(url) as given:
                settings = settings_for(given.database_url, mail.port, POSTGRES_CONNECTIONS, folder / "mark")
                return deliver(settings, len(messages))

        def procrastinate(_: Path) -> float:
            with new_database(url) as given:
                return procrastinate_seconds(mail, messages, POSTGRES_CONNECTIONS, given.database_url)

        programs = {"ours": ours, "procrastinate": procrastinate}
        measures: dict[str, Measure] = {
            name: partial(rate, program, mail, messages) for name, program in programs.items()
        }
        figures = in_turns(measures, sizes.repetitions)
    yield compared(POSTGRES, figures["ours"], figures["procrastinate"])


def rate(program: Callable[[Path], float], mail: Sink, messages: Sequence[Message]) -> float:
    """Run a program in a new folder, and return the messages per second.

    Raises: `AssertionError` unless the server has taken exactly these messages.
    """
    before = mail.taken()
    with tempfile.TemporaryDirectory() as folder:
        seconds = program(Path(folder))
    dots = b"\r\n."
    size = sum(len(each.content) + each.content.count(dots) + len(".\r\n") for each in messages)
    taken = tuple(now - then for now, then in zip(mail.taken(), before, strict=True))
    assert taken == (len(messages), size), f"{taken} and not {(len(messages), size)}"
    return len(messages) / seconds


def messages_of(count: int) -> Sequence[Message]:
    """Return the messages that `deliver` sends."""
    mailer = RecordingMailer()
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_for(f"sqlite:///{folder}/messages.db", 25, 1, Path(folder, "mark"))
        with closing(build(settings, clock=ManualClock(), entropy=CountingEntropy(), mailer=mailer)) as app:
            fill(app, count)
            app.delivery.once()
    return mailer.messages


FOUR = on_sqlite(4)
SIXTEEN = on_sqlite(16)
ON_POSTGRES = Group((POSTGRES,), _measure_postgres)
