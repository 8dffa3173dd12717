"""What an application tells its telemetry: once it is durable, and without harm if telemetry fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import attrs
import pytest
from tests.core.usecases.harness import MailScript, ScriptedMailer

from reviewinvite_core import (
    Actor,
    Application,
    ClientAddress,
    OrderReport,
    Reported,
    Settings,
    SnippetReport,
    StorageUnavailable,
    accepted,
    build,
    build_async,
)
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.ports import AnswerLost, Rejected
from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_core.values import Acknowledged, BadgeHidden, BadgeShown, CountMode, LimitReached, MailItem

SITE = "bakkerij-1"
IN_MEMORY = Settings(database_url="memory:", mail_url="recording:", orders_per_minute=1, views_per_day_free=1)


@attrs.define
class Recorded:
    """Telemetry that remembers what it was told."""

    answers: list[tuple[str, Any]] = attrs.field(factory=list)
    commits: list[tuple[int, bool]] = attrs.field(factory=list)
    states: list[str] = attrs.field(factory=list)
    seconds: list[float | None] = attrs.field(factory=list)
    most_in_flight: int = 0
    last_in_flight: int | None = None

    def answered(self, use_case: str, result: object) -> None:
        self.answers.append((use_case, result))

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        assert seconds >= 0
        self.commits.append((units, stored))

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        self.states.append(item.state.value)
        self.seconds.append(seconds)

    def in_flight(self, count: int) -> None:
        self.most_in_flight, self.last_in_flight = max(self.most_in_flight, count), count

    def of(self, use_case: str) -> list[Any]:
        """The results of one use case, in order."""
        return [result for name, result in self.answers if name == use_case]


def an_application(telemetry: Any, **parts: Any) -> tuple[Application, Actor]:
    app = build(IN_MEMORY, telemetry=telemetry, **parts)
    app.shops.add(a_shop(SITE))
    return app, accepted(app.shops.act_for(SITE))


def report(number: str = "1", email: str = "anna@example.com") -> OrderReport:
    return OrderReport(email=email, order_number=number, delay_days=0)


def test_it_learns_what_became_of_each_order() -> None:
    told = Recorded()
    app, caller = an_application(told)
    with app:
        app.privacy.suppress("bram@example.com")
        app.orders.report(caller, report())
        app.orders.report(caller, report())
        app.orders.report(caller, report("2", "bram@example.com"))
        app.orders.report(caller, report("2", "bram@example.com"))
    assert [each.result for each in told.of("report_order")] == ["created", "duplicate", "suppressed", "duplicate"]


def test_it_learns_what_a_browser_must_not() -> None:
    told = Recorded()
    app, _ = an_application(told)
    with app:
        app.domains.add(SITE, "shop.nl", assume_verified=True)
        for number in (1, 1, 2, 3, 4):
            order = SnippetReport(site_id=SITE, order=OrderReport(email="anna@example.com", order_number=str(number)))
            answer = app.orders.report_from_snippet(ClientAddress("192.0.2.1"), "https://shop.nl", order)
            assert answer == Acknowledged()
    results = [each.result for each in told.of("report_snippet")]
    assert results == ["created", "duplicate", "created", "created", "dropped"]


def test_a_limit_has_the_name_of_its_setting() -> None:
    told = Recorded()
    app, _ = an_application(told)
    with app:
        key = accepted(app.api_keys.create(SITE, "till")).secret
        app.orders.report(key, report())
        app.orders.report(key, report("2"))
        for _ in range(2):
            app.badges.show(SITE)
    assert [each.limit for each in told.of("report_order") if isinstance(each, LimitReached)] == ["orders_per_minute"]
    assert [each.limit for each in told.of("show_badge") if isinstance(each, BadgeHidden)] == ["views_per_day_free"]


def test_a_dry_run_is_no_view() -> None:
    told = Recorded()
    app, _ = an_application(told)
    with app:
        app.badges.show(SITE, count_mode=CountMode.DRY_RUN)
        app.badges.show(SITE)
    assert [each.counted for each in told.of("show_badge") if isinstance(each, BadgeShown)] == [False, True]


def test_deliveries_are_told_by_how_they_end() -> None:
    told, clock = Recorded(), ManualClock()
    mailer = ScriptedMailer(MailScript(), MailScript(at_stage=Rejected("550 5.1.1")), MailScript(answer=AnswerLost()))
    app, caller = an_application(told, clock=clock, mailer=mailer)
    with app:
        for number in range(3):
            app.orders.report(caller, report(str(number), f"c{number}@example.com"))
        clock.advance(timedelta(hours=1))
        assert app.delivery.backlog().due == 3
        assert app.delivery.backlog().oldest_due == timedelta(hours=1)
        app.delivery.once()
        assert app.delivery.backlog().due == 0
        assert app.delivery.backlog().uncertain == 1
    assert sorted(told.states) == ["rejected", "sent", "uncertain"]
    assert (told.most_in_flight, told.last_in_flight) == (3, 0)


def test_each_commit_is_told_with_its_units() -> None:
    told = Recorded()

    async def report_many() -> None:
        async with build_async(IN_MEMORY, telemetry=told) as app:
            await app.shops.add(a_shop(SITE))
            caller = accepted(await app.shops.act_for(SITE))
            told.commits.clear()
            await asyncio.gather(*(app.orders.report(caller, report(str(number))) for number in range(40)))

    asyncio.run(report_many())
    assert sum(units for units, _ in told.commits) == 40
    assert len(told.commits) < 40
    assert all(stored for _, stored in told.commits)
    assert [type(each) for each in told.of("report_order")] == [Reported] * 40


def test_a_write_that_storage_lost_is_told_as_lost_and_answers_nothing() -> None:
    told, storage = Recorded(), FailingStorage()
    app, caller = an_application(told, storage=storage)
    with app:
        storage.fails = True
        with pytest.raises(StorageUnavailable):
            app.orders.report(caller, report())
    assert told.commits[-1] == (1, False)
    assert told.of("report_order") == []


def test_what_telemetry_raises_harms_no_order_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    app, caller = an_application(Broken())
    with app:
        assert isinstance(app.orders.report(caller, report()), Reported)
        assert [each.state for each in app.delivery.once()] == ["sent"]
    failures = [each for each in caplog.records if "telemetry failed" in each.getMessage()]
    assert len(failures) == 1
    assert "anna" not in caplog.text


class FailingStorage(MemoryStorage):
    """Memory that fails its writes if told to."""

    fails = False

    def run(self, unit: Callable[[Any], Any]) -> Any:
        if self.fails:
            raise StorageUnavailable("full")
        return super().run(unit)


class Broken:
    """Telemetry that always raises."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        def fail(*_: object, **__: object) -> None:
            raise RuntimeError("anna@example.com")

        return fail
