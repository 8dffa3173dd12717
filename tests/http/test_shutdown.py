"""The end of a server whose worker waits for a mail server that does not answer."""

from __future__ import annotations

import threading
import time

from reviewinvite_core import NewShop, OrderReport, Settings, build
from reviewinvite_core.ports import Accepted, Message
from reviewinvite_http import server


class SilentMailer:
    """A mail server that takes a message and does not answer until it is allowed to."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.answer = threading.Event()

    def stage(self, _: Message) -> SilentMailer:
        return self

    def commit(self) -> Accepted:
        self.asked.set()
        self.answer.wait(30)
        return Accepted()

    def abandon(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_mail_server_that_does_not_answer_holds_up_the_end_only_so_long() -> None:
    mailer = SilentMailer()
    app = build(Settings(database_url="memory:"), mailer=mailer)
    app.add_shop(NewShop(site_id="example-shop", name="Example Shop"))
    caller = app.act_for("example-shop")
    reported = app.report_order(caller, OrderReport(email="anna@example.com", delay=0))  # type: ignore[arg-type]
    with server.running(app, worker=True, shutdown_seconds=1):
        assert mailer.asked.wait(10)
        ending = time.monotonic()
    assert 0.5 < time.monotonic() - ending < 5
    record = app.show_invitation(reported.invite_id)  # type: ignore[union-attr]
    assert record.invitation.state == "handing_over"  # type: ignore[union-attr]
    mailer.answer.set()
    app.close()
