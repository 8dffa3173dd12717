"""The application for asyncio: the same answers, many calls a commit, and nothing that was submitted is lost."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from tests.core.usecases.harness import ScriptedMailer
from tests.members import CLIENT, DEVICE, OWNER, add_member, signed_in_as, token_of
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import (
    OPERATOR,
    Actor,
    Application,
    AsyncApplication,
    InvitationQuery,
    MerchantReviewQuery,
    NewMember,
    Role,
    Settings,
    accepted,
    build,
    build_async,
)
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.domain.errors import ApplicationClosed
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import Executor, Outcome, UnitOfWork
from reviewinvite_core.testing.builders import ManualClock, a_shop, an_order_report
from reviewinvite_core.values import (
    ActivityQuery,
    Bookmark,
    Invitation,
    LastOwner,
    LimitReached,
    MerchantReviews,
    Progress,
    SuppressedBy,
)

T = TypeVar("T")

SITE = "bakkerij-1"
IN_MEMORY = Settings(database_url="memory:", mail_url="recording:")


class CountingStorage(MemoryStorage):
    """Memory that counts its commits."""

    def __init__(self) -> None:
        super().__init__()
        self.commits = 0
        self.held = threading.Event()
        self.held.set()

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        assert self.held.wait(TIMEOUT_SECONDS)
        self.commits += 1
        return super().run_all(units, executor=executor)


@pytest.fixture
def storage() -> CountingStorage:
    return CountingStorage()


@pytest.fixture
def app(storage: CountingStorage) -> Iterator[Application]:
    with build(IN_MEMORY, storage=storage) as made:
        accepted(made.shops.add(a_shop(SITE)))
        yield made


@pytest.fixture
def caller(app: Application) -> Actor:
    return accepted(app.shops.act_for(SITE))


def run(app: Application, scenario: Callable[[AsyncApplication], Awaitable[T]]) -> T:
    """Return what a scenario returns, on an event loop of its own."""

    async def in_loop() -> T:
        async with AsyncApplication(app) as awaited:
            return await asyncio.wait_for(scenario(awaited), TIMEOUT_SECONDS)

    return asyncio.run(in_loop())


def count_invitations(app: Application) -> int:
    return len(accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=1_000))).invitations)


def test_two_hundred_reports_share_a_few_commits(app: Application, storage: CountingStorage, caller: Actor) -> None:
    async def scenario(awaited: AsyncApplication) -> set[str]:
        orders = [an_order_report(f"c{number}@example.com") for number in range(200)]
        answers = await asyncio.gather(*(awaited.orders.report(caller, order) for order in orders))
        return {accepted(answer).invite_id for answer in answers}

    assert len(run(app, scenario)) == count_invitations(app) == 200
    assert storage.commits <= 3


def test_a_cancelled_wait_loses_nothing(app: Application, storage: CountingStorage, caller: Actor) -> None:
    async def scenario(awaited: AsyncApplication) -> None:
        storage.held.clear()
        waiting = asyncio.create_task(awaited.orders.report(caller, an_order_report()))
        await asyncio.sleep(0)  # it has been submitted
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        storage.held.set()
        other = accepted(await awaited.orders.report(caller, an_order_report("bert@example.com")))
        assert not other.duplicate

    run(app, scenario)
    assert count_invitations(app) == 2


def test_what_was_submitted_before_the_end_is_done(app: Application, caller: Actor) -> None:
    async def submit_and_leave() -> AsyncApplication:
        awaited = AsyncApplication(app)
        asyncio.ensure_future(awaited.orders.report(caller, an_order_report()))  # noqa: RUF006 - nobody waits for it
        await asyncio.sleep(0)
        return awaited

    assert asyncio.run(submit_and_leave()).close() == 0
    assert count_invitations(app) == 1


def test_once_closed_it_takes_nothing_more_and_the_application_goes_on(app: Application, caller: Actor) -> None:
    async def scenario() -> None:
        async with AsyncApplication(app) as awaited:
            pass
        with pytest.raises(ApplicationClosed, match="build another one"):
            await awaited.orders.report(caller, an_order_report())
        with pytest.raises(ApplicationClosed, match="build another one"):
            await awaited.shops.list()
        await awaited.aclose()

    asyncio.run(scenario())
    assert not accepted(app.orders.report(caller, an_order_report())).duplicate


def test_a_read_with_a_key_is_charged_and_one_without_is_not(app: Application, caller: Actor) -> None:
    key = accepted(app.api_keys.create(SITE)).secret
    query = MerchantReviewQuery(after=Bookmark.since(EPOCH))
    limit = Settings().reads_per_minute

    async def scenario(awaited: AsyncApplication) -> None:
        for _ in range(limit):
            assert isinstance(await awaited.reviews.list_changes(key, query), MerchantReviews)
        assert isinstance(await awaited.reviews.list_changes(key, query), LimitReached)
        assert isinstance(await awaited.invitations.list(key, InvitationQuery()), LimitReached)
        assert isinstance(await awaited.reviews.list_changes(caller, query), MerchantReviews)

    run(app, scenario)


def test_reads_wait_for_no_commit(app: Application, storage: CountingStorage, caller: Actor) -> None:
    async def scenario(awaited: AsyncApplication) -> None:
        storage.held.clear()
        waiting = asyncio.create_task(awaited.orders.report(caller, an_order_report()))
        await asyncio.sleep(0)
        assert [shop.site_id.text for shop in await awaited.shops.list()] == [SITE]
        assert not waiting.done()
        storage.held.set()
        await waiting

    run(app, scenario)


def test_the_keys_of_statements_are_made_when_first_asked_for(app: Application) -> None:
    async def scenario(awaited: AsyncApplication) -> None:
        first = await awaited.signing_keys.published()
        assert len(first) == 2
        assert await awaited.signing_keys.published() == first

    run(app, scenario)


def test_deliveries_run_beside_the_event_loop_until_they_are_cancelled(app: Application, caller: Actor) -> None:
    async def scenario(awaited: AsyncApplication) -> list[str]:
        accepted(await awaited.orders.report(caller, an_order_report(delay_days=0)))
        states = [invitation.state.value for invitation in await awaited.delivery.once()]
        worker = asyncio.create_task(awaited.delivery.continually())
        later = accepted(await awaited.orders.report(caller, an_order_report("bert@example.com", delay_days=0)))
        while True:
            record = accepted(await awaited.invitations.show(OPERATOR, later.invite_id))
            if record.invitation.state.final:
                break
            await asyncio.sleep(0.01)
        worker.cancel()
        with pytest.raises(asyncio.CancelledError):
            await worker
        return [*states, record.invitation.state.value]

    assert run(app, scenario) == ["sent", "sent"]


def test_a_worker_ends_when_it_is_told_to(app: Application) -> None:
    stop = threading.Event()

    async def scenario(awaited: AsyncApplication) -> None:
        worker = asyncio.create_task(awaited.delivery.continually(stop))
        await asyncio.sleep(0)
        stop.set()
        await worker
        assert await awaited.delivery.paused() is None
        assert await awaited.delivery.reconcile() == 0

    run(app, scenario)


def test_deliveries_report_to_callbacks(app: Application, caller: Actor) -> None:
    changed: list[Invitation] = []
    counted: list[Progress] = []
    sent = threading.Event()

    def note(invitation: Invitation) -> None:
        changed.append(invitation)
        sent.set()

    async def scenario(awaited: AsyncApplication) -> None:
        accepted(await awaited.orders.report(caller, an_order_report(delay_days=0)))
        stop = threading.Event()
        worker = asyncio.create_task(
            awaited.delivery.continually(
                stop, on_change=note, on_progress=counted.append, grace_seconds=TIMEOUT_SECONDS
            )
        )
        await asyncio.to_thread(sent.wait, TIMEOUT_SECONDS)
        stop.set()
        await worker

    run(app, scenario)
    assert [invitation.state.value for invitation in changed] == ["sent"]
    assert counted


def test_domains_are_checked_beside_the_event_loop(app: Application) -> None:
    accepted(app.domains.add(SITE, "www.molen.example", assume_verified=True))

    async def scenario(awaited: AsyncApplication) -> None:
        rechecker = awaited.domain_rechecker
        assert accepted(await rechecker.check(SITE, "www.molen.example")).proved
        assert await rechecker.once() == []
        checks = asyncio.create_task(rechecker.continually(on_change=print))
        await asyncio.sleep(0)
        checks.cancel()
        with pytest.raises(asyncio.CancelledError):
            await checks

    run(app, scenario)


def test_readiness_is_asked_of_storage(app: Application) -> None:
    async def scenario(awaited: AsyncApplication) -> None:
        assert await awaited.check_ready() == app.check_ready()

    run(app, scenario)


def test_a_members_request_is_a_read_but_for_one_in_five_minutes(storage: CountingStorage) -> None:
    clock = ManualClock()
    with build(IN_MEMORY, storage=storage, clock=clock) as app:
        accepted(app.shops.add(a_shop(SITE)))
        add_member(app)
        session = signed_in_as(app)

        async def scenario(awaited: AsyncApplication) -> None:
            for minutes, commits in ((0, 0), (4, 0), (1, 1), (0, 1)):
                clock.advance(timedelta(minutes=minutes))
                assert await awaited.sign_in.resume(session.secret.text)
                assert storage.commits == commits
            await awaited.sign_in.sign_out(session.secret.text)
            assert await awaited.sign_in.resume(session.secret.text) is None

        run(app, scenario)


def test_members_and_sign_ins_have_the_answers_of_their_twins(app: Application) -> None:
    async def scenario(awaited: AsyncApplication) -> None:
        added = accepted(await awaited.members.add(SITE, NewMember(email=OWNER, role=Role.OWNER)))
        assert await awaited.members.list(SITE) == app.members.list(SITE) == [added.member]
        member_id = added.member.member_id
        assert await awaited.members.set_role(SITE, member_id, Role.STAFF) == LastOwner(member_id)
        assert await awaited.members.remove(SITE, member_id) == LastOwner(member_id)
        await awaited.sign_in.request_link(OWNER, CLIENT)
        token = token_of(accepted(await awaited.members.link(SITE, OWNER)).link)
        assert await awaited.sign_in.show_link(token) == app.sign_in.show_link(token)
        new = await awaited.sign_in.use_link(token, DEVICE)
        assert new
        signed_in = await awaited.sign_in.resume(new.secret.text)
        assert signed_in
        assert await awaited.sign_in.list_sessions(signed_in) == [new.session]
        assert await awaited.sign_in.end_session(signed_in, new.session.session_id)
        query = ActivityQuery()
        assert await awaited.members.list_activity(SITE, query) == app.members.list_activity(SITE, query)

    run(app, scenario)


def test_every_other_call_has_the_answer_of_its_twin(app: Application, caller: Actor) -> None:
    async def scenario(awaited: AsyncApplication) -> None:
        key = accepted(await awaited.api_keys.create(SITE, "tests"))
        assert accepted(await awaited.api_keys.authenticate(key.secret.text)).key_id == key.api_key.key_id
        assert list(accepted(await awaited.api_keys.list(SITE))) == app.api_keys.list(SITE)
        accepted(await awaited.domains.add(SITE, "www.molen.example", assume_verified=True))
        assert accepted(await awaited.domains.check(SITE, "www.molen.example")).proved
        assert await awaited.domains.list(SITE) == app.domains.list(SITE)
        accepted(await awaited.domains.remove(SITE, "www.molen.example"))
        accepted(await awaited.privacy.suppress("anna@example.com"))
        assert await awaited.privacy.list_suppressions() == app.privacy.list_suppressions()
        accepted(await awaited.privacy.remove_suppression("anna@example.com", None, SuppressedBy.CUSTOMER))
        assert (await awaited.privacy.erase_address("anna@example.com", keep_reviews=True)).erased == 0
        assert [batch async for batch in awaited.privacy.purge()] == []
        assert accepted(await awaited.trust_marks.grant(SITE)) == app.shops.show(SITE)
        assert accepted(await awaited.reviews.show_public(SITE)).shop == app.shops.show(SITE)

    run(app, scenario)


def test_one_that_is_built_from_settings_is_closed_after_the_block(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path}/shop.db", mail_url="recording:")

    async def scenario() -> None:
        async with build_async(settings) as awaited:
            accepted(await awaited.shops.add(a_shop(SITE)))
            assert (tmp_path / "shop.db-wal").exists()

    asyncio.run(scenario())
    assert not (tmp_path / "shop.db-wal").exists()  # the last connection that is closed takes it away
    with build(settings) as app:
        assert [shop.site_id.text for shop in app.shops.list()] == [SITE]


def test_adapters_replace_those_of_the_settings_as_in_build(storage: CountingStorage) -> None:
    assert inspect.signature(build_async).parameters == inspect.signature(build).parameters
    mailer = ScriptedMailer()

    async def scenario() -> None:
        async with build_async(IN_MEMORY, storage=storage, mailer=mailer) as awaited:
            accepted(await awaited.shops.add(a_shop(SITE)))
            caller = accepted(await awaited.shops.act_for(SITE))
            accepted(await awaited.orders.report(caller, an_order_report(delay_days=0)))
            await awaited.delivery.once()

    asyncio.run(scenario())
    assert storage.commits
    assert (len(mailer.committed), mailer.closed) == (1, True)
