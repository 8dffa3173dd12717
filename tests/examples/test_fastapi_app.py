"""The shop on FastAPI, under a real server."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx
import pytest
from tests.examples.conftest import Start
from tests.examples.programs import EXAMPLES, Program, mails, review_path
from tests.ports import free_port
from tests.waiting import wait_until

ORDER = {"number": "1001", "email": "anna@example.com"}


@pytest.fixture
def port() -> int:
    """A free port for the server."""
    return free_port()


@pytest.fixture
def server(start_program: Start, port: int) -> Program:
    """The server, started as the example says."""
    arguments = ("-m", "uvicorn", "fastapi_app:app", "--no-access-log", "--no-proxy-headers", "--port", str(port))
    program = start_program(*arguments, PYTHONPATH=str(EXAMPLES))
    program.wait_for("Uvicorn running on")
    return program


def test_an_order_is_invited_once_and_its_review_page_is_below_the_mount(
    server: Program, port: int, tmp_path: Path
) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        first, again = (client.post("/orders", json=ORDER).json() for _ in range(2))
        assert (first["duplicate"], again["duplicate"]) == (False, True)
        assert first["invitation"] == again["invitation"]
        assert client.post("/orders", json={**ORDER, "email": "nobody"}).status_code == 422

        wait_until(lambda: mails(tmp_path))
        page = client.get(f"/reviews{review_path(mails(tmp_path)[0])}")
        assert (page.status_code, "Bakery De Molen" in page.text) == (200, True)
        assert client.get("/reviews/readyz").status_code == 200
    assert server.terminated() in (0, -signal.SIGTERM)
    assert "Application shutdown complete" in server.printed()
    assert "Traceback" not in server.printed()
    assert len(mails(tmp_path)) == 1


FAULTY = """
import asyncio
from fastapi_app import app, lifespan

async def main():
    try:
        async with lifespan(app):
            raise ZeroDivisionError
    except ZeroDivisionError:
        print(len(asyncio.all_tasks()), "task is left")

asyncio.run(main())
"""


def test_deliveries_end_with_the_lifespan_also_after_a_fault(start_program: Start, tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    program = start_program("faulty.py", PYTHONPATH=str(EXAMPLES))
    assert program.ended() == 0, program.printed()
    assert "1 task is left" in program.printed()
