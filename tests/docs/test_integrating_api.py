"""What docs/integrating.md says of every request: its programs are run as they are printed, against a real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.http.service import SITE, Service, http_request
from tests.http.serving import serving
from tests.tools import require

from reviewinvite_core.testing.builders import a_shop

PAGE = (Path(__file__).parents[2] / "docs" / "integrating.md").read_text(encoding="utf-8")
SECONDS = 120

Run = Callable[..., list[str]]


def parts(heading: str, language: str) -> Sequence[str]:
    """Return the blocks in this language below a heading."""
    part = re.split(rf"^## {re.escape(heading)}$", PAGE, flags=re.MULTILINE)[1].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)


@pytest.fixture
def service() -> Iterator[Service]:
    with serving(base_url="https://reviews.example.nl") as service:
        service.app.shops.add(a_shop(SITE))
        yield service


@pytest.fixture
def run(service: Service, tmp_path: Path, interpreter: str) -> Run:
    """Return a function that runs the program below a heading, and returns the lines that it prints."""
    environment = {**os.environ, "REVIEWS_URL": service.address, "REVIEWS_KEY": service.a_key()}

    def run_program(heading: str, *arguments: str, language: str = "python") -> list[str]:
        (program,) = parts(heading, language)
        (tmp_path / "program").write_text(program, encoding="utf-8")
        command = [interpreter, "-W", "error"] if language == "python" else ["sh"]
        ended = subprocess.run(
            [*command, "program", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout.splitlines()

    return run_program


def test_the_first_request_gets_the_headers_that_the_page_shows(run: Run) -> None:
    require("curl", "the page uses it")
    printed = run("The first request", language="sh")
    (shown,) = parts("The first request", "text")
    for line in shown.splitlines():
        assert line in printed
    assert json.loads(printed[-1])["siteId"] == SITE


def test_an_error_is_as_the_page_shows_it(service: Service) -> None:
    (shown,) = parts("Errors", "json")
    key = {"Authorization": f"Bearer {service.a_key()}", "Content_Type": "application/json"}
    answer = http_request(service.address, "POST", "/v1/orders", b'{"email": "anna"}', **key)
    assert {**json.loads(shown), "requestId": answer.json["requestId"]} == answer.json


def test_every_problem_is_printed_and_the_request_named(run: Run) -> None:
    first, number, request = run("Errors", "anna", "1" * 129)
    assert first == "email invalid_address The field 'email' is not a valid e-mail address."
    assert number == "orderNumber too_long The field 'orderNumber' is too long."
    assert re.fullmatch("request [0-9a-f]{24}", request)
    (reported,) = run("Errors", "anna@example.com", "1001")
    assert reported.startswith("reported ")


def test_what_is_left_is_printed(run: Run) -> None:
    assert run("Rate limits", "1001=anna@example.com", "1002=bob@example.com") == ["119 left", "118 left"]


def test_when_nothing_is_left_the_program_waits(tmp_path: Path, interpreter: str) -> None:
    (program,) = parts("Rate limits", "python")
    (tmp_path / "program").write_text(program.replace("time.sleep(", "print('waits', "), encoding="utf-8")
    with serving(orders_per_minute=1) as service:
        service.app.shops.add(a_shop(SITE))
        environment = {**os.environ, "REVIEWS_URL": service.address, "REVIEWS_KEY": service.a_key()}
        command = [interpreter, "program", "1001=anna@example.com"]
        printed = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True, timeout=SECONDS)
    assert printed.splitlines() == ["0 left", "waits 60"]


def test_all_pages_of_a_list_are_read(service: Service, run: Run) -> None:
    assert run("Lists") == []
    for number in range(101):
        body = json.dumps({"email": f"c{number}@example.com", "orderNumber": str(number)}).encode()
        key = {"Authorization": f"Bearer {service.a_key()}", "Content_Type": "application/json"}
        assert http_request(service.address, "POST", "/v1/orders", body, **key).status == 201
        service.clock.advance(timedelta(seconds=1))
    assert run("Lists") == [f"{number} scheduled" for number in reversed(range(101))]


def test_the_addresses_that_the_page_names_answer(service: Service) -> None:
    named = set(re.findall(r"^\| `(/v1/\S+)` \|", PAGE, re.MULTILINE))
    assert named == {"/v1/docs", "/v1/openapi.json", "/v1/errors"}
    assert all(http_request(service.address, "GET", path).status == 200 for path in named)
