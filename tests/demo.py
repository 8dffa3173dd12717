"""The demo, as the command runs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import attrs
from tests.ports import free_port

from reviewinvite_core import Actor, OrderReport, Settings, accepted, build
from reviewinvite_core.bootstrap.adapter_factory import machine_time
from reviewinvite_http.demo.app import create_demo
from reviewinvite_http.demo.history import REPORTED_NUMBER, SITE_ID, live_through
from reviewinvite_http.server import running


@attrs.frozen
class Demo:
    """A demo that runs, and its shop."""

    base_url: str
    caller: Actor

    @property
    def start(self) -> str:
        """The address of its start page."""
        return f"{self.base_url}/demo"


@contextmanager
def running_demo(folder: Path) -> Iterator[Demo]:
    """Run a demo, with the order that the command reports, until the block ends."""
    outbox, port = folder / "outbox", free_port()
    base_url = f"http://127.0.0.1:{port}"
    settings = Settings(
        database_url=f"sqlite:///{folder}/orders.db",
        mail_url=f"outbox:{outbox}",
        base_url=base_url,
        operator_name="reviewinvite demo",
        snippets_per_recipient=0,
        snippets_per_person=0,
    )
    live_through(settings, outbox, machine_time())
    app = build(settings)
    try:
        with running(app, port=port, worker=True, around=partial(create_demo, app=app, outbox=outbox)):
            caller = accepted(app.shops.act_for(SITE_ID))
            order = OrderReport(email="customer@example.com", order_number=REPORTED_NUMBER, delay_days=0)
            accepted(app.orders.report(caller, order))
            yield Demo(base_url, caller)
    finally:
        app.close()
