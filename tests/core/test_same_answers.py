"""The same commands give the same answers, whichever storage is below: memory, SQLite or PostgreSQL."""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path

import attrs
import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests import postgres
from tests.budgets import in_soak
from tests.links import token_of

from reviewinvite_core import (
    OPERATOR,
    Actor,
    Application,
    Invalid,
    InvitationQuery,
    NewMember,
    OrderReport,
    Reported,
    Role,
    SecretKey,
    Settings,
    ShopChanges,
    SiteId,
    SnippetReport,
    State,
    accepted,
    build,
)
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.application.units import unit_of
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.domains import FailureReason, Rechecked
from reviewinvite_core.domain.errors import Problem
from reviewinvite_core.domain.limits import LimitKey, day_of
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    Done,
    Mailer,
    Message,
    RefusedForNow,
    Rejected,
    Storage,
    Unreachable,
)
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop
from reviewinvite_core.testing.inline_worker_pool import InlineWorkerPool
from reviewinvite_core.usecases.invitations.change import miscounted_invitations
from reviewinvite_core.usecases.orders.report import report_order
from reviewinvite_core.usecases.orders.snippet import report_snippet
from reviewinvite_core.values import (
    ActivityQuery,
    AddedMember,
    Domain,
    Invitation,
    InvitationPage,
    MemberLink,
    NewKey,
    NewSession,
    ProofWay,
    Reach,
    Shop,
    SuppressedBy,
    VerificationResult,
)

ENGINES = ("memory", "sqlite", "postgres")
SITES = ("bakkerij-1", "slagerij-2", "Bakkerij-1")
PER_MINUTE = 4
SNIPPETS_PER_DAY = 6
RETENTION_DAYS = 4
INVALID = Invalid(Problem.INVALID_ADDRESS, "email")

HOSTS = dict(zip(SITES, ("bakkerij.example.nl", "slagerij.example.nl", "www.bakkerij.example.nl"), strict=True))

a_site = st.sampled_from((*SITES, "nobody"))
a_host = st.sampled_from((*HOSTS.values(), "www.bakkerij.example.nl", "example.co.uk", "co.uk", "none"))
an_origin = st.sampled_from((*(f"https://{host}" for host in HOSTS.values()), "https://evil.example.com", "null", None))
a_client = st.sampled_from([ClientAddress(f"203.0.113.{number}") for number in range(1, 7)])
an_email = st.sampled_from(("anna@example.com", "Anna@Example.com", "bert@example.nl"))
a_number = st.sampled_from((None, "1001", "1002", " 1001 ", "geschenk's"))
a_delay = st.sampled_from((None, 0, 0.5, 5, 60))
a_language = st.sampled_from((None, "nl", "en"))
a_span = st.sampled_from(
    (
        *(timedelta(seconds=1), timedelta(seconds=59), timedelta(seconds=60), timedelta(minutes=20)),
        *(timedelta(days=1), timedelta(days=5), timedelta(days=60), timedelta(days=61)),
    )
)
a_state = st.sampled_from((None, *State))
a_site_or_all = st.one_of(st.none(), a_site)
the_shop_or_all = st.sampled_from((SITES[0], None, SITES[1], "nobody"))
a_reach = st.sampled_from(Reach)

ACCEPTED = Accepted("250 2.0.0")


class Killed(BaseException):
    """Stands for the end of the worker's process."""


@attrs.frozen
class MailBehaviour:
    """How the mail server treats every message, and whether the worker survives until then."""

    at_stage: RefusedForNow | Rejected | Unreachable | None = None
    answer: Accepted | RefusedForNow | Rejected | AnswerLost = ACCEPTED
    killed_at_stage: bool = False
    killed_at_the_end: bool = False


MAIL_BEHAVIOURS = (
    MailBehaviour(),
    MailBehaviour(at_stage=RefusedForNow("451 4.7.1")),
    MailBehaviour(at_stage=Rejected("550 5.1.1")),
    MailBehaviour(at_stage=Unreachable()),
    MailBehaviour(answer=RefusedForNow("452 4.2.2")),
    MailBehaviour(answer=Rejected("554 5.6.0")),
    MailBehaviour(answer=AnswerLost()),
    MailBehaviour(killed_at_stage=True),
    MailBehaviour(killed_at_the_end=True),
)


class FakeMailer:
    """A mailer that records what is handed over, and answers as its behaviour says."""

    def __init__(self) -> None:
        self.behaviour = MailBehaviour()
        self.out: list[Message] = []

    async def stage(self, message: Message) -> _Staged | RefusedForNow | Rejected | Unreachable:
        if self.behaviour.killed_at_stage:
            raise Killed
        return self.behaviour.at_stage or _Staged(self, message)

    async def close(self) -> None:
        """Do nothing; no connection is open."""


@attrs.frozen
class _Staged:
    server: FakeMailer
    message: Message

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        self.server.out.append(self.message)
        if self.server.behaviour.killed_at_the_end:
            raise Killed
        return self.server.behaviour.answer

    def abandon(self) -> None:
        """Do nothing; nothing was sent."""


class FakeDomainProof:
    """A domain proof that finds every shop's proof, or none."""

    def __init__(self) -> None:
        self.published = True

    def verify(self, _: Domain) -> VerificationResult:
        if self.published:
            return VerificationResult(found=ProofWay.DNS)
        return VerificationResult(found=None, absences=((ProofWay.DNS, FailureReason.NO_RECORD),))


class SameAnswers(RuleBasedStateMachine):
    """Three applications that get the same commands, and whose answers are compared after each."""

    _serials = itertools.count(1)

    def __init__(self, folder: Path, url: str, on_postgres: PostgresStorage) -> None:
        super().__init__()
        postgres.empty(url)
        self.clock = ManualClock()
        self.storages: Sequence[Storage] = [
            MemoryStorage(),
            SqliteStorage(folder / f"{next(self._serials)}.db"),
            on_postgres,
        ]
        self.mail = tuple(FakeMailer() for _ in ENGINES)
        self.proof = FakeDomainProof()
        self.apps = tuple(map(self.application_on, self.storages, self.mail))
        self.keys: list[NewKey] = []
        self.invite_ids: list[str] = ["00000000-0000-7000-8000-000000000000", "none"]
        self.member_ids: list[str] = ["mem_none", "\0", "\udc80"]
        self.links: list[str] = ["none", "x" * 43]
        self.sessions: list[str] = ["none", "x" * 43]

    def application_on(self, storage: Storage, mailer: Mailer) -> Application:
        return build(
            Settings(
                secret="a secret for tests, long enough",
                orders_per_minute=PER_MINUTE,
                snippets_per_minute=PER_MINUTE,
                snippets_per_day=SNIPPETS_PER_DAY,
                snippets_per_recipient=2,
                retention_days=RETENTION_DAYS,
            ),
            clock=self.clock,
            entropy=CountingEntropy(),
            storage=storage,
            mailer=mailer,
            domain_verifier=self.proof,
            worker_pool=InlineWorkerPool,
        )

    def teardown(self) -> None:
        self.storages[1].close()

    def same(self, command: Callable[[Application], object]) -> object:
        """Run a command on all applications and return their common answer; no two commands share an instant."""
        self.clock.advance(timedelta(milliseconds=1))
        answers = {engine: command(app) for engine, app in zip(ENGINES, self.apps, strict=True)}
        assert answers == dict.fromkeys(ENGINES, answers["memory"])
        return answers["memory"]

    def note(self, answer: object) -> None:
        if isinstance(answer, Reported):
            self.invite_ids.append(answer.invite_id)

    @initialize(orders=st.lists(st.tuples(an_email, a_number), min_size=1, max_size=4))
    def begin_with_a_shop_a_key_and_orders(self, orders: list[tuple[str, str | None]]) -> None:
        self.add_shop(SITES[0], "nl")
        self.make_key(SITES[0], "web shop")
        self.add_domain(SITES[0], HOSTS[SITES[0]], vouched=True)
        self.import_orders(SITES[0], orders)

    # --- shops and keys

    @rule(site=st.sampled_from(SITES), language=st.sampled_from(("nl", "en")))
    def add_shop(self, site: str, language: str) -> None:
        self.same(lambda app: app.shops.add(a_shop(site, language=language)))

    @rule(site=a_site, active=st.booleans())
    def activate_or_deactivate(self, site: str, active: bool) -> None:
        self.same(lambda app: app.shops.update(site, ShopChanges(active=active)))

    @rule(site=a_site, delay=st.sampled_from((0, 1.25, 60)), name=st.sampled_from((None, "Café Zoë")))
    def change_shop(self, site: str, delay: float, name: str | None) -> None:
        self.same(lambda app: app.shops.update(site, ShopChanges(delay_days=delay, name=name)))

    @rule(site=a_site, label=st.sampled_from(("", "web shop")))
    def make_key(self, site: str, label: str) -> None:
        made = self.same(lambda app: app.api_keys.create(site, label))
        if isinstance(made, NewKey):
            self.keys.append(made)

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def revoke_key(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(self.keys)).api_key.key_id
        self.same(lambda app: app.api_keys.revoke(key))

    @rule(site=a_site)
    def read_shops_and_keys(self, site: str) -> None:
        self.same(lambda app: [app.shops.list(), app.shops.show(site), app.api_keys.list(site)])

    @rule(text=st.sampled_from(("none", "", "\0", "key_\0", "\udc80")))
    def name_what_nobody_has(self, text: str) -> None:
        self.same(
            lambda app: [
                app.shops.show(text),
                app.api_keys.revoke(text),
                app.invitations.show(OPERATOR, text),
                app.shops.act_for(text),
            ]
        )

    @rule(site=a_site)
    def read_overview(self, site: str) -> None:
        self.same(lambda app: app.shops.overview(site))

    # --- members

    @rule(site=a_site, email=an_email, role=st.sampled_from(Role))
    def add_member(self, site: str, email: str, role: Role) -> None:
        added = self.same(lambda app: app.members.add(site, NewMember(email=email, role=role)))
        if isinstance(added, AddedMember):
            self.member_ids.append(added.member.member_id)
            self.links.append(str(added.link).rpartition("/")[2])

    @rule(site=a_site, data=st.data(), role=st.sampled_from(Role))
    def change_role(self, site: str, data: st.DataObject, role: Role) -> None:
        member_id = data.draw(st.sampled_from(self.member_ids))
        self.same(lambda app: app.members.set_role(site, member_id, role))

    @rule(site=a_site, data=st.data())
    def remove_member(self, site: str, data: st.DataObject) -> None:
        member_id = data.draw(st.sampled_from(self.member_ids))
        self.same(lambda app: app.members.remove(site, member_id))

    @rule(site=a_site, email=an_email)
    def make_link(self, site: str, email: str) -> None:
        made = self.same(lambda app: app.members.link(site, email))
        if isinstance(made, MemberLink):
            self.links.append(made.link.rpartition("/")[2])

    @rule(email=an_email, client=a_client)
    def request_link(self, email: str, client: ClientAddress) -> None:
        for app in self.apps:
            app.sign_in.request_link(email, client)
        self.same(lambda app: app.privacy.export(email))

    @rule(data=st.data(), device=st.sampled_from(("phone", "laptop")), goes_on=st.booleans())
    def use_link(self, data: st.DataObject, device: str, goes_on: bool) -> None:
        token = data.draw(st.sampled_from(self.links))
        previous = self.sessions[-1] if goes_on else None
        shown = self.same(lambda app: app.sign_in.show_link(token))
        new = self.same(lambda app: app.sign_in.use_link(token, device, previous))
        assert (shown is None) == (new is None)
        if isinstance(new, NewSession):
            self.sessions.append(new.secret.text)

    @rule(data=st.data())
    def resume(self, data: st.DataObject) -> None:
        secret = data.draw(st.sampled_from(self.sessions))
        self.same(lambda app: _sessions(app, secret))

    @rule(data=st.data())
    def sign_out(self, data: st.DataObject) -> None:
        secret = data.draw(st.sampled_from(self.sessions))
        self.same(lambda app: app.sign_in.sign_out(secret))

    @rule(site=a_site, limit=st.sampled_from((1, 3, 100)))
    def read_members(self, site: str, limit: int) -> None:
        self.same(lambda app: [app.members.list(site), app.members.list_activity(site, ActivityQuery(limit=limit))])

    @invariant()
    def stored_figures_are_those_of_a_recount(self) -> None:
        assert [storage.read(miscounted_invitations) for storage in self.storages] == [[]] * len(ENGINES)

    # --- orders

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), email=an_email, number=a_number, delay=a_delay, language=a_language)
    def report_by_key(
        self, data: st.DataObject, email: str, number: str | None, delay: float | None, language: str | None
    ) -> None:
        secret = data.draw(st.sampled_from(self.keys)).secret
        report = OrderReport(email=email, order_number=number, delay_days=delay, language=language)
        self.note(self.same(lambda app: app.orders.report(secret, report)))

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), orders=st.lists(st.tuples(an_email, a_number, a_delay, st.booleans()), max_size=8))
    def report_many_in_one_batch(
        self, data: st.DataObject, orders: list[tuple[str, str | None, float | None, bool]]
    ) -> None:
        """In memory one after the other; on the databases those that have nothing in common as one."""
        nobodys = SecretKey.make(bytes(23))
        asked = [
            (
                data.draw(st.sampled_from([*(key.secret for key in self.keys), nobodys])),
                OrderReport(email=email, order_number=number, delay_days=delay) if valid else INVALID,
            )
            for email, number, delay, valid in orders
        ]
        self.clock.advance(timedelta(milliseconds=1))
        answers = [
            storage.run_all([unit_of(app, report_order, key, report) for key, report in asked])
            for storage, app in zip(self.storages, self.apps, strict=True)
        ]
        assert answers == [answers[0]] * len(ENGINES)
        for answer in answers[0]:
            assert isinstance(answer, Done)
            self.note(answer.result)

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def report_something_invalid(self, data: st.DataObject) -> None:
        secret = data.draw(st.sampled_from(self.keys)).secret
        self.same(lambda app: app.orders.report(secret, INVALID))

    @rule()
    def report_by_a_key_that_nobody_has(self) -> None:
        secret = SecretKey.make(bytes(23))
        report = OrderReport(email="anna@example.com")
        self.same(lambda app: [app.orders.report(secret, report), app.api_keys.authenticate(secret.text)])

    @rule(site=a_site, email=an_email, number=a_number, delay=a_delay)
    def report_by_caller(self, site: str, email: str, number: str | None, delay: float | None) -> None:
        report = OrderReport(email=email, order_number=number, delay_days=delay)
        self.note(self.same(lambda app: _as_caller(app, site, lambda caller: app.orders.report(caller, report))))

    @rule(site=a_site, orders=st.lists(st.tuples(an_email, a_number), max_size=4))
    def import_orders(self, site: str, orders: list[tuple[str, str | None]]) -> None:
        # each has a delay of its own, since what is due at one instant has no order
        reports = [OrderReport(email=email, order_number=n, delay_days=1 + i) for i, (email, n) in enumerate(orders)]
        answers = self.same(lambda app: _as_caller(app, site, lambda caller: app.orders.import_many(caller, reports)))
        for answer in answers if isinstance(answers, Sequence) else []:
            self.note(answer)

    # --- hosts, and what browsers report from there

    @rule(site=a_site, host=a_host, vouched=st.booleans())
    def add_domain(self, site: str, host: str, vouched: bool) -> None:
        self.same(lambda app: _or_invalid(lambda: app.domains.add(site, host, assume_verified=vouched)))

    @rule(site=a_site, host=a_host, published=st.booleans())
    def check_proof(self, site: str, host: str, published: bool) -> None:
        self.proof.published = published
        self.same(lambda app: _or_invalid(lambda: app.domains.check(site, host)))

    @rule(after=st.sampled_from((timedelta(days=1), timedelta(days=7))), published=st.booleans())
    def recheck_proofs(self, after: timedelta, published: bool) -> None:
        self.proof.published = published
        self.clock.advance(after)
        self.same(lambda app: sorted(app.domain_rechecker.once(), key=_name_of))

    @rule(site=a_site, host=a_host)
    def remove_domain(self, site: str, host: str) -> None:
        self.same(lambda app: _or_invalid(lambda: app.domains.remove(site, host)))

    @rule(site=a_site)
    def list_domains(self, site: str) -> None:
        self.same(lambda app: app.domains.list(site))

    @rule(client=a_client, origin=an_origin, site=a_site, email=an_email, number=a_number)
    def report_from_a_page(
        self, client: ClientAddress, origin: str | None, site: str, email: str, number: str | None
    ) -> None:
        self.same(lambda app: app.orders.report_from_snippet(client, origin, _a_snippet(site, email, number)))

    @rule(client=a_client, site=st.sampled_from(SITES), email=an_email, vouched=st.booleans(), proved=st.booleans())
    def report_from_a_host_that_may_be_proved(
        self, client: ClientAddress, site: str, email: str, vouched: bool, proved: bool
    ) -> None:
        self.add_shop(site, "nl")
        self.remove_domain(site, HOSTS[site])
        self.add_domain(site, HOSTS[site], vouched)
        if not vouched:
            self.check_proof(site, HOSTS[site], proved)
        self.report_from_a_page(client, f"https://{HOSTS[site]}", site, email, None)

    @rule(own=st.lists(st.tuples(a_client, st.sampled_from(SITES), an_email, a_number), max_size=8), data=st.data())
    def report_from_many_pages_in_one_batch(
        self, own: list[tuple[ClientAddress, str, str, str | None]], data: st.DataObject
    ) -> None:
        """Some pages are elsewhere. Most reports are sound."""
        if any(not self.has_room(site, len(own)) for _, site, _, _ in own):
            # there those of several shops take their turns, and their ids, in another order when they run as one
            own = [(client, own[0][1], email, number) for client, _, email, number in own]
        asked = [
            (
                client,
                data.draw(an_origin) if place % 4 == 3 else f"https://{HOSTS[site]}",
                INVALID if place % 5 == 4 else _a_snippet(site, email, number),
            )
            for place, (client, site, email, number) in enumerate(own)
        ]
        self.ask_in_one_batch(asked)

    @rule(many=st.uuids(), fresh=st.booleans())
    def fill_a_shops_day(self, many: uuid.UUID, fresh: bool) -> None:
        """On a fresh day one comes first, then as many as one as fit but for one; else more than fit, by turns."""
        if fresh:
            self.clock.advance(timedelta(days=1))
            self.report_from_a_customer(many, 0)
        batch = range(1, SNIPPETS_PER_DAY - 1) if fresh else range(SNIPPETS_PER_DAY + 2)
        self.ask_in_one_batch([self.of_a_customer(many, number) for number in batch])
        for number in (100, 101):
            self.report_from_a_customer(many, number)

    def report_from_a_customer(self, many: uuid.UUID, number: int) -> None:
        client, page, report = self.of_a_customer(many, number)
        self.same(lambda app: app.orders.report_from_snippet(client, page, report))

    def of_a_customer(self, many: uuid.UUID, number: int) -> tuple[ClientAddress, str, SnippetReport]:
        report = _a_snippet(SITES[0], f"customer-{number}@example.com", f"{many}")
        return ClientAddress(f"198.51.100.{number}"), f"https://{HOSTS[SITES[0]]}", report

    @rule(number=st.uuids())
    def bring_orders_of_one_customer_by_both_ways(self, number: uuid.UUID) -> None:
        for way in ("a", "b"):
            self.report_by_caller(SITES[0], "anna@example.com", f"{number} {way}", None)
        for way in ("a", "c", "d", "e"):
            client, page = ClientAddress(f"198.51.100.2{ord(way)}"), f"https://{HOSTS[SITES[0]]}"
            self.report_from_a_page(client, page, SITES[0], "anna@example.com", f"{number} {way}")
        self.list_invitations(SITES[0], None, None, 1000)

    def ask_in_one_batch(self, asked: Sequence[tuple[ClientAddress, str | None, SnippetReport | Invalid]]) -> None:
        """In memory one after the other; on the databases those that have nothing in common as one."""
        self.clock.advance(timedelta(milliseconds=1))
        answers = [
            storage.run_all([unit_of(app, report_snippet, *each) for each in asked])
            for storage, app in zip(self.storages, self.apps, strict=True)
        ]
        assert answers == [answers[0]] * len(ENGINES)
        assert all(isinstance(answer, Done) for answer in answers[0])
        self.list_invitations(None, None, None, 1000)

    def has_room(self, site: str, count: int) -> bool:
        """Return whether the shop's ceiling admits `count` more today."""
        shop = self.apps[0].shops.show(site)
        if not isinstance(shop, Shop):
            return True
        subject = LimitKey(shop.number, "snippets")
        today = day_of(self.clock.now() + timedelta(milliseconds=1))
        counted = self.storages[0].read(lambda store: store.daily_counters.counted([subject], today))
        return counted.get(subject, 0) + count <= SNIPPETS_PER_DAY

    # --- what becomes of them

    @rule(span=a_span)
    def time_passes(self, span: timedelta) -> None:
        self.clock.advance(span)

    @rule(number=st.uuids(), behaviour=st.sampled_from(MAIL_BEHAVIOURS))
    def report_what_is_due_at_once_and_deliver(self, number: uuid.UUID, behaviour: MailBehaviour) -> None:
        self.report_by_caller(SITES[0], "anna@example.com", str(number), 0)
        self.deliver(behaviour, timedelta(0))

    @rule(behaviour=st.sampled_from(MAIL_BEHAVIOURS), after=st.one_of(st.just(timedelta(0)), a_span))
    def deliver(self, behaviour: MailBehaviour, after: timedelta) -> None:
        self.clock.advance(after)
        for server in self.mail:
            server.behaviour = behaviour
        self.same(_delivered)
        out = [[_without_boundaries(message) for message in server.out] for server in self.mail]
        assert out == [out[0]] * len(ENGINES)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        invite_id = data.draw(st.sampled_from(self.invite_ids))
        self.same(lambda app: app.invitations.cancel(OPERATOR, invite_id))

    @rule(data=st.data())
    def read_invitation(self, data: st.DataObject) -> None:
        invite_id = data.draw(st.sampled_from(self.invite_ids))
        self.same(lambda app: app.invitations.show(OPERATOR, invite_id))

    @rule(site=a_site_or_all, state=a_state, number=a_number, limit=st.sampled_from((0, 1, 3, 1000)))
    def list_invitations(self, site: str | None, state: State | None, number: str | None, limit: int) -> None:
        query = InvitationQuery(site_id=site, state=state, order_number=number, limit=limit)
        page = self.same(lambda app: app.invitations.list(OPERATOR, query))
        if isinstance(page, InvitationPage) and page.next:
            further = attrs.evolve(query, before=page.next)
            self.same(lambda app: app.invitations.list(OPERATOR, further))

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), state=a_state, number=a_number, limit=st.sampled_from((0, 1, 3, 1000)))
    def list_own_invitations(self, data: st.DataObject, state: State | None, number: str | None, limit: int) -> None:
        key = data.draw(st.sampled_from(self.keys)).secret
        before = data.draw(st.sampled_from((None, *(each for each in self.invite_ids if each != "none"))))
        query = InvitationQuery(state=state, order_number=number, before=before, limit=limit)
        self.same(lambda app: app.invitations.list(key, query))

    @rule(data=st.data())
    def send_now(self, data: st.DataObject) -> None:
        invite_id = data.draw(st.sampled_from(self.invite_ids))
        self.same(lambda app: app.invitations.send_now(OPERATOR, invite_id))

    @rule(data=st.data(), arrived=st.booleans())
    def resolve(self, data: st.DataObject, arrived: bool) -> None:
        invite_id = data.draw(st.sampled_from(self.in_state(State.UNCERTAIN) or self.invite_ids))
        self.same(
            lambda app: (app.invitations.resolve_as_sent if arrived else app.invitations.resolve_by_resending)(
                invite_id
            )
        )

    @rule(data=st.data(), all_=st.booleans())
    def retry(self, data: st.DataObject, all_: bool) -> None:
        """Try one again, or all that were rejected in the last three days."""
        invite_id = data.draw(st.sampled_from(self.in_state(State.REJECTED) or self.invite_ids))
        since = self.clock.now() - timedelta(days=3)
        self.same(lambda app: app.invitations.count_rejected(since))
        self.same(
            lambda app: app.invitations.retry_rejected(since) if all_ else app.invitations.retry([invite_id, "none"])
        )

    @rule(number=st.uuids(), arrived=st.booleans())
    def lose_an_answer_and_resolve(self, number: uuid.UUID, arrived: bool) -> None:
        self.report_what_is_due_at_once_and_deliver(number, MailBehaviour(answer=AnswerLost()))
        if uncertain := self.in_state(State.UNCERTAIN):
            self.same(
                lambda app: (app.invitations.resolve_as_sent if arrived else app.invitations.resolve_by_resending)(
                    uncertain[0]
                )
            )

    # --- opting out, forgetting, telling

    @rule(email=an_email, site=the_shop_or_all)
    def suppress(self, email: str, site: str | None) -> None:
        self.same(lambda app: app.privacy.suppress(email, site))

    @rule(email=an_email, site=the_shop_or_all, word=st.sampled_from(SuppressedBy))
    def let_it_be_written_to_again(self, email: str, site: str | None, word: SuppressedBy) -> None:
        self.same(lambda app: app.privacy.remove_suppression(email, site, word))

    @rule(limit=st.sampled_from((1, 2, 1000)))
    def list_suppressions(self, limit: int) -> None:
        self.same(lambda app: app.privacy.list_suppressions(limit))

    @rule(data=st.data(), reach=a_reach)
    def unsubscribe_by_the_link_of_an_invitation(self, data: st.DataObject, reach: Reach) -> None:
        invite_id = data.draw(st.sampled_from([*self.invite_ids[2:], None]))
        self.same(lambda app: _opted_out(app, token_of(app, invite_id) if invite_id else "none", reach))

    @precondition(lambda self: self.mail[0].out)
    @rule(data=st.data(), reach=a_reach)
    def unsubscribe_by_a_message(self, data: st.DataObject, reach: Reach) -> None:
        token = data.draw(st.sampled_from([_token_in(message) for message in self.mail[0].out]))
        self.same(lambda app: _opted_out(app, token, reach))

    @rule(data=st.data())
    def resubscribe_by_the_link_of_an_invitation(self, data: st.DataObject) -> None:
        invite_id = data.draw(st.sampled_from([*self.invite_ids[2:], None]))
        self.same(lambda app: app.privacy.resubscribe(token_of(app, invite_id) if invite_id else "none"))

    @rule(reach=a_reach, stands_already=st.booleans(), word=st.sampled_from(SuppressedBy))
    def opt_out_and_come_back(self, reach: Reach, stands_already: bool, word: SuppressedBy) -> None:
        site = SITES[0] if reach is Reach.THIS_SHOP else None
        if stands_already:
            self.suppress("anna@example.com", site)
        self.report_by_caller(SITES[0], "anna@example.com", None, 5)
        invite_id = self.invite_ids[-1]
        if invite_id != "none":
            self.same(lambda app: _opted_out(app, token_of(app, invite_id), reach))
        self.let_it_be_written_to_again("anna@example.com", site, word)

    @rule(email=an_email)
    def erase(self, email: str) -> None:
        self.same(lambda app: app.privacy.erase_address(email))

    @rule(after=st.sampled_from((timedelta(days=65), timedelta(days=5), timedelta(0))))
    def erase_what_is_expired(self, after: timedelta) -> None:
        self.clock.advance(after)
        self.same(lambda app: app.privacy.erase_expired())

    @rule(email=an_email)
    def export(self, email: str) -> None:
        self.same(lambda app: app.privacy.export(email))

    @rule(text=st.sampled_from(("", "nobody", "\0@example.com", "\udc80@example.com")))
    def name_what_is_no_address(self, text: str) -> None:
        self.same(
            lambda app: [
                _or_invalid(lambda: app.privacy.suppress(text, None)),
                _or_invalid(lambda: app.privacy.remove_suppression(text, None, SuppressedBy.CUSTOMER)),
                _or_invalid(lambda: app.privacy.erase_address(text)),
                _or_invalid(lambda: app.privacy.export(text)),
                app.privacy.show_subscription(text),
            ]
        )

    def in_state(self, state: State) -> list[str]:
        found = self.apps[0].invitations.list(OPERATOR, InvitationQuery(state=state, limit=1000))
        return [record.invitation.invite_id for record in accepted(found).invitations]


def _sessions(app: Application, secret: str) -> list[object]:
    """Who is signed in, and all sessions of that person."""
    signed_in = app.sign_in.resume(secret)
    return [signed_in, app.sign_in.list_sessions(signed_in) if signed_in else None]


def _opted_out(app: Application, token: str, reach: Reach) -> list[object]:
    """What the link's page says before and after."""
    return [
        app.privacy.show_subscription(token),
        app.privacy.unsubscribe(token, reach),
        app.privacy.show_subscription(token),
    ]


def _token_in(message: Message) -> str:
    link = str(message_from_bytes(message.content)["List-Unsubscribe"])
    return "".join(link.split()).strip("<>").rpartition("/")[2]


def _or_invalid(command: Callable[[], object]) -> object:
    try:
        return command()
    except Invalid as invalid:
        return invalid


def _a_snippet(site: str, email: str, number: str | None) -> SnippetReport:
    return SnippetReport(site_id=SiteId(site), order=OrderReport(email=email, order_number=number))


def _name_of(rechecked: Rechecked) -> tuple[str, str]:
    return rechecked.site_id, rechecked.after.host.text


def _without_boundaries(message: Message) -> tuple[str, str, bytes]:
    """Return all that a message says, without its random boundaries."""
    return message.message_id, message.recipient, re.sub(rb"=====+\d+==", b"", message.content)


def _as_caller(app: Application, site: str, command: Callable[[Actor], object]) -> object:
    caller = app.shops.act_for(site)
    return command(caller) if isinstance(caller, Actor) else caller


def _delivered(app: Application) -> list[Invitation | str]:
    """Each invitation as a delivery left it, by id: those whose lease ran out together have no order."""
    left: list[Invitation | str] = []
    try:
        app.delivery.once(on_change=left.append)  # what was left before a kill counts
    except Killed:
        return [*_by_id(left), "killed"]
    return _by_id(left)


def _by_id(invitations: list[Invitation | str]) -> list[Invitation | str]:
    return sorted(invitations, key=lambda each: each.invite_id if isinstance(each, Invitation) else each)


@pytest.mark.parametrize("examples", [15, in_soak(1000)])
def test_the_same_commands_give_the_same_answers_on_every_storage(
    tmp_path: Path, postgres_url: str, examples: int
) -> None:
    on_postgres = PostgresStorage(postgres_url)

    class Machine(SameAnswers):
        def __init__(self) -> None:
            super().__init__(tmp_path, postgres_url, on_postgres)

    run_state_machine_as_test(
        Machine,
        settings=settings(max_examples=examples, stateful_step_count=50, suppress_health_check=list(HealthCheck)),
    )
    on_postgres.close()
