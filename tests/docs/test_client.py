"""The examples of docs/client.md do what the page says: each is run as it is printed there, and is typed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.http.clients import trusted_shop
from tests.http.faulty_proxy import FaultyProxy, answer, faulty_proxy, lose_answer, lose_request
from tests.http.merchant import a_review, an_invitation
from tests.http.service import Service
from tests.http.serving import serving

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.bootstrap.adapter_factory import machine_time
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.values import HideReason
from reviewinvite_http.client import Retries

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^```python (\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
SITE = "molen"
SECONDS = 120

Run = Callable[..., str]


@pytest.fixture
def service() -> Iterator[Service]:
    """A service with a shop, whose clock shows the real time: the verifiers have no other."""
    with serving(clock=ManualClock(machine_time())) as service:
        trusted_shop(service, SITE)
        yield service


@pytest.fixture
def proxy(service: Service) -> Iterator[FaultyProxy]:
    with faulty_proxy(service.address) as proxy:
        yield proxy


@pytest.fixture
def run(service: Service, proxy: FaultyProxy, tmp_path: Path, interpreter: str) -> Run:
    """Return a function that runs a program of the page through the proxy, and returns what it prints."""
    environment = {**os.environ, "REVIEWS_URL": proxy.address, "REVIEWS_KEY": service.a_key(SITE)}

    def run_program(name: str, *arguments: str) -> str:
        (tmp_path / name).write_text(PROGRAMS[name], encoding="utf-8")
        command = [interpreter, "-W", "error", name, *arguments]
        ended = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout.rstrip("\n")

    return run_program


def test_an_order_is_reported_through_trouble_and_known_when_it_comes_again(run: Run, proxy: FaultyProxy) -> None:
    proxy.faults = [lose_request, lose_answer]
    first = run("report.py", "anna@example.com", "1001").split()
    assert first[1] == "known"  # the answer to the attempt that made it was lost
    assert run("report.py", "anna@example.com", "1001").split() == first
    assert run("report.py", "anna@example.com", "1002").split()[1] == "new"
    assert run("patience.py", "anna@example.com", "1001") == first[0]


def test_errors_are_told_apart(run: Run, proxy: FaultyProxy) -> None:
    assert run("errors.py", "nobody", "1") == "email invalid_address The field 'email' is not a valid e-mail address."
    proxy.faults = [answer(429, b"{}", Retry_After="3600")]
    assert run("errors.py", "anna@example.com", "1") == "again later: retry_after 1"
    assert run("errors.py", "anna@example.com", "1") == ""


def test_what_is_left_of_the_limit_is_printed(run: Run) -> None:
    assert run("limits.py", "anna@example.com", "bob@example.com") == "orders 118 of 120 in 60 s"


def test_a_copy_of_the_reviews_follows_by_the_cursor(run: Run, service: Service, proxy: FaultyProxy) -> None:
    for number in range(3):
        a_review(service.app, SITE, str(number))
    assert run("reviews.py") == "3"
    service.clock.advance(timedelta(seconds=1))
    a_review(service.app, SITE, "later")
    assert run("reviews.py") == "4"
    assert "cursor=" in proxy.received[-1].path


def test_reviews_are_replied_to_and_invitations_cancelled(run: Run, service: Service) -> None:
    published, hidden = a_review(service.app, SITE, "1000"), a_review(service.app, SITE, "999")
    accepted(service.app.reviews.hide(hidden, HideReason.SPAM))
    an_invitation(service.app, SITE, "1001")
    assert run("reply.py") == "cancelled"
    replies = [accepted(service.app.reviews.show(OPERATOR, each)).review.reply for each in (published, hidden)]
    assert [reply.text if reply else None for reply in replies] == ["Dank u wel!", None]


def test_the_shops_settings_are_changed(run: Run, service: Service) -> None:
    domain = accepted(service.app.domains.add(SITE, "example.nl"))
    assert f"example.nl unproved {domain.record_name} {domain.proof}" in run("settings.py").splitlines()
    shop = accepted(service.app.shops.show(SITE))
    assert (shop.delay_days.days, shop.badge.size) == (7, "large")


def test_a_shop_is_verified_on_line_and_off(run: Run, tmp_path: Path, service: Service) -> None:
    assert run("verify.py", SITE) == "Bakkerij De Molen True 0 None"
    (tmp_path / "statement").write_text("{}")
    assert run("offline.py", "statement", SITE) == "invalid: malformed"


def test_many_orders_are_reported_together(run: Run) -> None:
    assert run("together.py", *(f"c{number}@example.com" for number in range(5))) == "5\n5"


@pytest.mark.full
def test_the_examples_are_typed(tmp_path: Path, interpreter: str) -> None:
    for name, program in PROGRAMS.items():
        (tmp_path / name).write_text(program, encoding="utf-8")
    command = [interpreter, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *PROGRAMS]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_page_gives_the_defaults_that_there_are() -> None:
    retries = Retries()
    assert re.search(rf"^\| `attempts` \|.*\| {retries.attempts} \|$", PAGE, re.MULTILINE)
    assert re.search(rf"^\| `seconds` \|.*\| {retries.seconds:g} \|$", PAGE, re.MULTILINE)
    assert f"| {retries.first_pause:g}, {retries.longest_pause:g} |" in PAGE


def test_the_page_names_every_error() -> None:
    from reviewinvite_http.client import errors

    classes = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert [each.__name__ for each in classes if f"`{each.__name__}`" not in PAGE] == []
