"""Real mail servers, and kills on both sides: acknowledged is stored, never twice, and what is in doubt is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.browser.fake_web import create_certificate
from tests.budgets import in_full, in_soak
from tests.chaos.load import StubbornLoad
from tests.chaos.mail_servers import Exim, MailServer, Postfix, running
from tests.chaos.mailboxes import count_messages, each_state_is_borne_out
from tests.http.deliveries import every_acknowledged_order_is_there_once
from tests.http.service import Deployment, Process
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core.adapters.mail.smtp import SmtpServer
from reviewinvite_core.adapters.mail.smtp_trial import SmtpTrial, TrialStep

SESSIONS = 4
ANOTHER_CLOCK = Path(__file__).parents[1] / "http" / "another_clock.py"
HOURS_TO_RETRY = (1, 5, 9, 13)


@pytest.fixture(params=[Postfix, Exim], ids=["postfix", "exim"])
def mail_server(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[MailServer]:
    """A real mail server with a certificate for `localhost`."""
    create_certificate(short_folder, "localhost")
    with running(request.param, short_folder) as server:
        yield server


@pytest.fixture
def chaos(tmp_path: Path, mail_server: MailServer) -> Iterator[Chaos]:
    with ExitStack() as stack:
        made = Chaos(tmp_path, mail_server)
        stack.callback(made.deployment.stop)
        yield made


class Chaos:
    """`serve` and a `worker`, which deliver to a real mail server, and what can happen to any of them."""

    def __init__(self, folder: Path, mail_server: MailServer) -> None:
        self.mail_server = mail_server
        self.deployment = Deployment(
            folder,
            orders_per_minute=0,
            mail_url=mail_server.url,
            mail_connections=SESSIONS,
            base_url="https://r.example",
        )
        self.deployment.command.variables["SSL_CERT_FILE"] = str(mail_server.certificate)
        self.serve = self.deployment.serve()
        self.worker = self._started_worker()
        self.load = StubbornLoad(lambda: self.serve.address, self.deployment.key)
        self.kills = 0  # of our processes
        self.breaks = 0  # of the mail server

    def _started_worker(self) -> Process:
        return self.deployment.run("-m", "reviewinvite_cli", "worker")

    def wait_for_deliveries(self, more: int) -> None:
        """Wait until as many more messages have been delivered, and orders acknowledged."""
        before = count_messages(self.mail_server.mailbox)
        acknowledged = self.load.has_acknowledged(more)
        wait_until(lambda: acknowledged() and count_messages(self.mail_server.mailbox) >= before + more)

    # --- what happens

    def kill_serve(self) -> None:
        self.serve.kill()
        self.kills += 1
        self.serve = self.deployment.serve()

    def kill_worker(self) -> None:
        self.worker.kill()
        self.kills += 1
        self.worker = self._started_worker()

    def restart_in_good_order(self) -> None:
        assert self.serve.terminate() == 0
        assert self.worker.terminate() == 0
        self.serve, self.worker = self.deployment.serve(), self._started_worker()

    def stop_mail_server(self) -> None:
        self.mail_server.stop()
        self._go_on_without_mail()

    def kill_mail_server(self) -> None:
        self.mail_server.kill()
        self._go_on_without_mail()

    def _go_on_without_mail(self) -> None:
        self.breaks += 1
        wait_until(self.load.has_acknowledged(10))
        self.mail_server.start()

    def suspend_mail_server(self) -> None:
        with self.mail_server.suspended():
            wait_until(self.load.has_acknowledged(20))

    EVENTS = (kill_serve, stop_mail_server, kill_worker, kill_mail_server, suspend_mail_server, restart_in_good_order)

    def deliver_the_rest(self) -> None:
        """Deliver what is due, later: leases have ended by then, and pauses between attempts are over."""
        self.serve.terminate()
        self.worker.terminate()
        for hours in HOURS_TO_RETRY:
            later = self.deployment.run(str(ANOTHER_CLOCK), str(3600 * hours), "worker", "--once")
            assert later.popen.wait(TIMEOUT_SECONDS) == 0, later.log
        wait_until(self.mail_server.is_queue_empty)


@pytest.mark.parametrize("rounds", [in_full(1), in_soak(20)])
def test_nothing_acknowledged_is_lost_and_nothing_is_sent_twice_whatever_is_killed(chaos: Chaos, rounds: int) -> None:
    with chaos.load:
        for _ in range(rounds):
            for event in Chaos.EVENTS:
                chaos.wait_for_deliveries(12)
                event(chaos)
        chaos.wait_for_deliveries(12)
    chaos.deliver_the_rest()
    assert chaos.load.contradictions == []
    assert every_acknowledged_order_is_there_once(chaos.deployment, chaos.load.acknowledged)
    tally = each_state_is_borne_out(chaos.deployment, chaos.mail_server.mailbox, chaos.load.due)
    assert tally.uncertain.get("process_died", 0) <= chaos.kills * SESSIONS
    assert tally.uncertain.get("answer_lost", 0) <= chaos.breaks * 2 * SESSIONS
    assert set(tally.uncertain) <= {"process_died", "answer_lost"}
    assert tally.sent > 0
    assert chaos.deployment.problems() == ""
    print(f"{len(chaos.load.acknowledged)} orders acknowledged, {tally}")


@pytest.mark.process
def test_tls_that_a_real_mail_server_offers_is_used_although_nobody_vouches_for_its_certificate(
    mail_server: MailServer,
) -> None:
    server = SmtpServer(host="localhost", port=mail_server.port, starttls_if_offered=True)
    steps = dict(asyncio.run(SmtpTrial(server).run()).steps)
    assert steps[TrialStep.TLS].startswith("TLSv1.")
    assert steps[TrialStep.TLS].endswith(", certificate not checked")
