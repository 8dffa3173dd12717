"""The trial's own installation: a shop with a key, the processes of the service, and a mail server."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from reviewinvite_cli.prove.databases import Database
from reviewinvite_cli.prove.processes import Program, ReservedPort
from reviewinvite_cli.prove.tally import AcceptedMail
from reviewinvite_core import OPERATOR, Application, InvitationQuery, NewShop, Settings, State, accepted, build
from reviewinvite_core.bootstrap.adapter_factory import machine_time
from reviewinvite_core.testing.builders import ManualClock

_SITE = "prove"
_STOP_SECONDS = 30.0
_SHUTDOWN_SECONDS = 5
_ALL = 1_000_000
_ROUND = timedelta(hours=5)  # longer than a lease and the longest pause between attempts
_MOST_ROUNDS = 12
SERVICE = ("-m", "reviewinvite_cli")
_MAIL_SERVER = ("-m", "reviewinvite_core.testing.smtp_server", "--extension", "PIPELINING")
MISBEHAVIOUR = (  # where in a session, and what: before the last two the message is not accepted
    *(("rcpt", "reply"), ("body", "reset"), ("dot", "reply"), ("dot", "reset"), ("dot", "stall")),
    *(("logged", "reset"), ("logged", "stall")),
)
_SILENT_SECONDS = (0.5, 4.0)
_PREFIX = "REVIEWINVITE_"
_UNFINISHED = frozenset({State.SCHEDULED, State.CLAIMED, State.HANDING_OVER})


class Installation:
    """One database, one `serve`, one `worker` and one mail server, all in one folder."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        *,
        seed: int,
        service: Sequence[str] = SERVICE,
        misbehave: float = 0.06,
        mark: Path | None = None,
    ) -> None:
        """Prepare it; tests run a broken `service`. `misbehave` is the mail server's share of misbehaviour."""
        self.folder = folder
        self.database = database
        self.mail = AcceptedMail(folder / "accepted")
        self._http_port, self._mail_port = ReservedPort(), ReservedPort()
        self.url = f"http://127.0.0.1:{self._http_port.number}"
        self.settings = Settings(
            database_url=database.url,
            secret=database.secret,
            mail_url=f"smtp://127.0.0.1:{self._mail_port.number}",
            mail_from="prove@shop.example",
            base_url=self.url,
            orders_per_minute=1_000_000,
            handover_mark=mark or folder / "prove.mark",
            shutdown_seconds=_SHUTDOWN_SECONDS,
        )
        environment = self._environment()
        self.serve = Program(
            "serve", (*service, "serve", "--port", str(self._http_port.number)), environment, folder / "serve.log"
        )
        self.worker = Program("worker", (*service, "worker"), environment, folder / "worker.log")
        self.mail_server = Program(
            "mail server",
            (*_MAIL_SERVER, "--port", str(self._mail_port.number), "--log", str(self.mail.log)),
            environment,
            folder / "mail.log",
        )
        self._seed, self._misbehave, self._mail_starts = seed, misbehave, 0
        self.key = self._set_up()

    def _environment(self) -> Mapping[str, str]:
        """Return the variables of the processes: none of the operator's settings, but those of this trial."""
        names = (
            *("database_url", "secret", "mail_url", "mail_from", "base_url", "orders_per_minute"),
            *("handover_mark", "shutdown_seconds"),
        )
        ours = {f"{_PREFIX}{name.upper()}": getattr(self.settings, name) for name in names}
        others = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}
        path = os.pathsep.join(each for each in sys.path if each)  # the processes start in another folder
        return {**others, "PYTHONPATH": path, **{name: str(value) for name, value in ours.items() if value is not None}}

    def _set_up(self) -> str:
        with self.opened() as app:
            accepted(app.shops.add(NewShop(site_id=_SITE, name="Prove")))
            return accepted(app.api_keys.create(_SITE, "prove")).secret.text

    @contextmanager
    def opened(self, clock: ManualClock | None = None) -> Iterator[Application]:
        """Open the database as an embedding program does."""
        app = build(self.settings, clock=clock)
        try:
            yield app
        finally:
            app.close()

    @property
    def service(self) -> tuple[Program, Program]:
        """The processes that deliver."""
        return self.serve, self.worker

    def start(self) -> None:
        """Start whatever is not running."""
        self.start_mail_server()
        for each in self.service:
            each.start()

    def start_mail_server(self, *, calm: bool = False) -> None:
        """Start the mail server, unless it is running; a calm one accepts everything."""
        self._mail_starts += 1
        faults = mail_faults(0 if calm else self._misbehave, f"{self._seed}-{self._mail_starts}")
        self.mail_server.start("--faults", json.dumps(faults))

    def revive(self) -> None:
        """Start again what ended by itself."""
        for each in self.service:
            each.revive()

    def service_ids(self) -> list[int]:
        """Return the ids of the service's running processes."""
        return [each.process_id for each in self.service if each.process_id is not None]

    def kill_service(self) -> None:
        """Kill all its processes, as a loss of power does."""
        for each in self.service:
            each.signal(signal.SIGKILL)
        for each in self.service:
            each.kill()

    def stop_service(self) -> None:
        """Stop all its processes in good order."""
        for each in self.service:
            each.signal(signal.SIGTERM)
        for each in self.service:
            each.stop(_STOP_SECONDS)

    def kill_all(self) -> None:
        """Kill everything."""
        self.kill_service()
        self.mail_server.kill()

    def close(self) -> None:
        """Kill everything, and release the ports."""
        self.kill_all()
        self._http_port.close()
        self._mail_port.close()

    def reconcile(self) -> tuple[int, int, int]:
        """Do after a restore what the documentation says, with the mail server's log.

        Return how many invitations became uncertain, how many of these are resolved as sent, and how many were not in
        the log and are sent again.
        """
        self.mail.update()
        with self.opened() as app:
            uncertain = app.delivery.reconcile()
            as_sent = again = 0
            for invitation, state in _states(app).items():
                if state is not State.UNCERTAIN:
                    continue
                if invitation in self.mail.by_invitation:
                    accepted(app.invitations.resolve_as_sent(invitation))
                    as_sent += 1
                else:
                    accepted(app.invitations.resolve_by_resending(invitation))
                    again += 1
        return uncertain, as_sent, again

    def settle(self) -> Mapping[str, State]:
        """Deliver all that is left and return the state of every invitation.

        No other process runs any more. The clock is set ahead, so that claims of killed processes and pauses after
        refusals end now, and not in minutes or hours.
        """
        clock = ManualClock(machine_time())
        with self.opened(clock) as app:
            states: Mapping[str, State] = {}
            for _ in range(_MOST_ROUNDS):
                clock.advance(_ROUND)
                app.delivery.once()
                states = _states(app)
                if not _UNFINISHED.intersection(states.values()):
                    break
            return states

    def wait_until_up(self, seconds: float) -> bool:
        """Wait until the service answers; return False if it does not."""
        import httpx

        deadline = time.monotonic() + seconds
        with httpx.Client(trust_env=False) as http:
            while time.monotonic() < deadline:
                try:
                    if http.get(f"{self.url}/healthz").is_success:
                        return True
                except httpx.HTTPError:
                    pass
                time.sleep(0.1)
        return False


def mail_faults(share: float, seed: str) -> list[Mapping[str, object]]:
    """Return the script by which the mail server misbehaves with about this share of the messages, in all ways."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    return [
        {
            "at": at,
            "do": do,
            "with": "451 4.3.0 not now",
            "seconds": dice.uniform(*_SILENT_SECONDS),
            "chance": share / len(MISBEHAVIOUR),
            "seed": dice.randrange(2**32),
        }
        for at, do in MISBEHAVIOUR
    ]


def _states(app: Application) -> Mapping[str, State]:
    page = accepted(app.invitations.list(OPERATOR, InvitationQuery(site_id=_SITE, limit=_ALL)))
    return {record.invitation.invite_id: record.invitation.state for record in page.invitations}
