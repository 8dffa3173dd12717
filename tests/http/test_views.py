"""Views of badge and verification over HTTP: counted together, exactly, and on disk before the answer. Spec: §8."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

import pytest
from tests.http.service import SITE, Answer, Deployment, Service, connect, counted, http_request, send_request
from tests.http.serving import serving
from tests.http.storages import address_of
from tests.logs import captured_logs
from tests.waiting import run_concurrently

from reviewinvite_core import Application
from reviewinvite_core.testing.builders import NOON, a_shop
from reviewinvite_core.values import CountMode

AT_ONCE = 64
LIMIT = 200  # views a day; the 1,000 that they are by default are in test_widget.py
MIDNIGHT = datetime(2026, 3, 3, tzinfo=UTC)

_numbers = count(1)


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server that shows each shop's badge and statement so often a day."""
    url = address_of(request, tmp_path_factory.mktemp("service"), "module_postgres_url")
    with serving(database_url=url, views_per_day_free=LIMIT) as service:
        yield service


def a_site(service: Service) -> str:
    site = f"kijkers-{next(_numbers)}"
    service.app.shops.add(a_shop(site))
    return site


def badge(address: str, site: str, method: str = "GET") -> Answer:
    return http_request(address, method, f"/w/{site}.js")


def verification(address: str, site: str, method: str = "GET") -> Answer:
    return http_request(address, method, f"/v1/verify/{site}")


def is_seen(answer: Answer) -> bool:
    """Whether there was something to see; no badge is no error, and no statement is."""
    assert answer.status in (200, 429)
    return answer.status == 200 and answer.body != b""


def use_up(app: Application, site: str, *, but: int) -> None:
    """Count views until `but` are left of the day's."""
    for _ in range(LIMIT - but - counted(app, site)):
        app.badges.show(site, None, CountMode.COUNT)
    assert counted(app, site) == LIMIT - but


def ask_for_site(
    addresses: Sequence[str], asks: Sequence[Callable[[str, str], Answer]], site: str, number: int
) -> Answer:
    return asks[number % len(asks)](addresses[number // len(asks) % len(addresses)], site)


def exactly_what_is_left_is_seen(
    addresses: Sequence[str], app: Application, sites: Sequence[str], asks: Sequence[Callable[[str, str], Answer]]
) -> None:
    """64 ask at the same moment for what is left for 20 of them."""
    for site in sites:
        use_up(app, site, but=20)
        answers = run_concurrently(AT_ONCE, partial(ask_for_site, addresses, asks, site))
        assert Counter(map(is_seen, answers)) == {True: 20, False: 44}
        assert counted(app, site) == LIMIT


@pytest.mark.usefixtures("one_day")
def test_64_at_once_at_two_processes_see_exactly_what_is_left_of_the_day(deployment_under_load: Deployment) -> None:
    deployment = deployment_under_load
    deployment.command.variables["REVIEWINVITE_VIEWS_PER_DAY_FREE"] = str(LIMIT)
    addresses = [deployment.serve("--no-worker").address for _ in range(2)]
    with deployment.library() as app:
        app.shops.add(a_shop("another"))
        exactly_what_is_left_is_seen(addresses, app, [SITE, "another"], [badge, verification])


@pytest.mark.usefixtures("one_day")
def test_a_view_is_on_disk_before_its_answer(deployment: Deployment) -> None:
    process = deployment.serve("--no-worker")
    connection = connect(process.address)
    for nth in range(1, 6):
        assert is_seen(send_request(connection, "GET", f"/w/{SITE}.js"))
        with deployment.library() as app:
            assert counted(app, SITE) == nth
    process.kill()
    connection.close()
    with deployment.library() as app:
        assert counted(app, SITE) == 5


def test_the_view_above_the_limit_sees_nothing_and_the_first_of_the_next_day_something(service: Service) -> None:
    for first, second in ((badge, verification), (verification, badge)):
        site = a_site(service)
        service.clock.set(MIDNIGHT - timedelta(seconds=90.5))
        use_up(service.app, site, but=1)
        assert is_seen(first(service.address, site))
        assert not is_seen(second(service.address, site))
        refused = verification(service.address, site)
        assert (refused.status, refused.code, refused.headers["Retry-After"]) == (429, "limit_reached", "91")
        assert refused.headers["Cache-Control"] == "no-store"
        assert badge(service.address, site).headers["Cache-Control"] == "private, max-age=90"
        service.clock.set(MIDNIGHT - timedelta(microseconds=1))
        assert not is_seen(first(service.address, site))
        assert verification(service.address, site).headers["Retry-After"] == "1"
        service.clock.set(MIDNIGHT)
        assert is_seen(second(service.address, site))
        assert is_seen(first(service.address, site))
        assert counted(service.app, site) == 2
        service.clock.set(NOON)


def test_a_share_that_many_at_once_jump_over_is_logged_once(service: Service) -> None:
    site = a_site(service)
    use_up(service.app, site, but=130)
    with captured_logs() as logs:
        run_concurrently(AT_ONCE, lambda n: (badge if n % 2 else verification)(service.address, site))
    told = [(line["siteId"], line["percent"], line["limit"]) for line in logs if "percent" in line]
    assert told == [(site, 50, LIMIT)]
    assert counted(service.app, site) == 134


# --- each client's share --------------------------------------------------------------------------------------------


def view_from(service: Service, path: str, client: str, method: str = "GET") -> Answer:
    return http_request(service.address, method, path, X_Forwarded_For=client)


def test_one_line_asks_for_the_proxy_that_is_not_named() -> None:
    with serving(views_per_day_free=120) as service, captured_logs() as logs:
        for site in ("winkel", "markt"):
            service.app.shops.add(a_shop(site))
            for number in range(61):
                view_from(service, f"/w/{site}.js", f"203.0.113.{number}")
    assert [line for line in logs if "TRUSTED_PROXIES" in line["event"]] == [
        {
            "event": "one client makes most views: if it is a proxy, name it in TRUSTED_PROXIES",
            "log_level": "warning",
            "siteId": "winkel",
        }
    ]
