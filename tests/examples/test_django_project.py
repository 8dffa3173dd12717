"""The shop on Django: its server and its worker are processes of their own."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from tests.examples.conftest import Start
from tests.examples.programs import Program, mails, recipients
from tests.ports import free_port
from tests.waiting import wait_until

FORGOTTEN = """
from webshop.models import Order
Order.objects.bulk_create([Order(number="1002", email="b@example.com", completed=True)])  # sends no signal
"""
INVITED = """
from webshop.models import Order
print(Order.objects.exclude(invitation="").count(), "invited")
"""


class Manage:
    """`manage.py`, with its data in one folder."""

    def __init__(self, start: Start, folder: Path) -> None:
        self._start = start
        self._folder = folder

    def begin(self, *arguments: str) -> Program:
        """Start a command that goes on until it is stopped."""
        return self._start("django_project/manage.py", *arguments, WEBSHOP_DATA=str(self._folder))

    def run(self, *arguments: str) -> str:
        """Run a command to its end, and return what it printed."""
        program = self.begin(*arguments)
        assert program.ended() == 0, program.printed()
        return program.printed()


@pytest.fixture
def manage(start_program: Start, tmp_path: Path) -> Manage:
    """`manage.py`, after its migrations."""
    made = Manage(start_program, tmp_path)
    made.run("migrate")
    return made


def test_orders_of_the_orm_are_invited_once_by_the_worker(manage: Manage, tmp_path: Path) -> None:
    port = free_port()
    server = manage.begin("runserver", "--noreload", f"127.0.0.1:{port}")
    server.wait_for("Quit the server")
    wait_until(lambda: _is_up(port))
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        first, again = (client.post("/orders/1001", data={"email": "anna@example.com"}).json() for _ in range(2))
    assert first["invitation"] == again["invitation"] != ""
    manage.run("shell", "-c", FORGOTTEN)

    worker = manage.begin("deliver_invitations")
    worker.wait_for("delivering")
    wait_until(lambda: len(mails(tmp_path)) == 2)
    assert worker.terminated() == 0, worker.printed()
    assert worker.printed().endswith("stopped\n")
    assert recipients(tmp_path) == ["anna@example.com", "b@example.com"]
    assert "2 invited" in manage.run("shell", "-c", INVITED)
    server.terminated()
    assert "Traceback" not in server.printed() + worker.printed()


def _is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", timeout=60).status_code == 404
    except httpx.TransportError:
        return False
