"""The dashboard when something is in the way, in a real browser: refused, too late, too often, or storage is away."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

import attrs
import pytest
from playwright.sync_api import Page as Tab, Route, expect
from tests.browser.dashboard import WINDOWS, assert_usable, sign_in
from tests.browser.fake_web import BASE_URL, HOST, SITE
from tests.browser.page_visit import PageVisit, TakePicture
from tests.http.absent_storage import AbsentStorage
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import OPERATOR, Application, NewMember, Role, Settings, accepted, build
from reviewinvite_core.testing.builders import ManualClock, a_shop, an_order_report
from reviewinvite_core.values import BadgeChanges, Domain, FailureReason, LimitReached, ProofWay, VerificationResult

OWNER, STAFF = "anna@example.com", "bert@example.com"
CROWDED = "crowded"
"""A shop whose owner has mailed others as often as possible."""

CLOCK = ManualClock()
_numbers = itertools.count(1)


class SlowVerifier:
    """Finds no proof, once it may answer. Implements `ports.DomainVerifier`."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.may_answer.set()

    def verify(self, domain: Domain) -> VerificationResult:  # noqa: ARG002 - as in the port
        self.may_answer.wait(TIMEOUT_SECONDS)
        absences = ((ProofWay.DNS, FailureReason.OTHER_TOKEN), (ProofWay.WELL_KNOWN, FailureReason.NOT_TRUSTED))
        return VerificationResult(found=None, absences=absences)


@pytest.fixture(scope="module")
def storage() -> AbsentStorage:
    return AbsentStorage()


@pytest.fixture(scope="module")
def verifier() -> SlowVerifier:
    return SlowVerifier()


@pytest.fixture(scope="module")
def app(storage: AbsentStorage, verifier: SlowVerifier) -> Iterator[Application]:
    """A service with two shops, a domain that waits for its proof, and an owner and a member of staff."""
    settings = Settings(database_url="memory:", mail_url="recording:", base_url=BASE_URL)
    application = build(settings, storage=storage, clock=CLOCK, domain_verifier=verifier)
    for site in (SITE, CROWDED):
        application.shops.add(a_shop(site))
        application.members.add(site, NewMember(email=OWNER, role=Role.OWNER))
        application.members.add(site, NewMember(email=STAFF))
    application.domains.add(SITE, HOST)
    yield application
    application.close()


@attrs.frozen
class Member:
    """A member at work, and what can get in the way."""

    tab: Tab
    app: Application
    storage: AbsentStorage
    verifier: SlowVerifier
    site: str

    def open(self, path: str) -> None:
        self.tab.goto(f"{BASE_URL}/dashboard/{self.site}/{path}")

    def send(self, field: str, value: str) -> None:
        """Fill in a field, and send its form."""
        self.tab.locator(field).fill(value)
        self.tab.locator("form", has=self.tab.locator(field)).get_by_role("button").click()


def storage_away(member: Member) -> None:
    member.open("settings")
    member.storage.away = True
    member.send("#delay_days", "7")


def too_many(member: Member) -> None:
    use_up_notices(member)
    member.open("integrations")
    member.send("#label", "Webwinkel")


def member_too_often(member: Member) -> None:
    use_up_notices(member)
    member.open("members")
    member.send("#email", "new@example.com")


def use_up_notices(member: Member) -> None:
    owner = next(each for each in accepted(member.app.members.list(CROWDED)) if each.email == OWNER)
    acting = attrs.evolve(accepted(member.app.shops.act_for(CROWDED)), member_id=owner.member_id)
    while not isinstance(member.app.api_keys.create(acting), LimitReached):
        pass


def sign_in_too_old(member: Member) -> None:
    member.open("settings")
    CLOCK.advance(timedelta(minutes=16))
    member.send("#name", "Bakkerij De Nieuwe Molen")


def asks_again(member: Member) -> None:
    CLOCK.advance(timedelta(minutes=16))
    member.open("integrations")


def check_domain(member: Member) -> None:
    member.open("integrations")
    member.tab.locator("form[action$='/check'] button").click()


def wait_for_check(member: Member) -> None:
    member.verifier.may_answer.clear()
    check_domain(member)


def check_removed_domain(member: Member) -> None:
    host = f"removed-{next(_numbers)}.example.nl"
    accepted(member.app.domains.add(member.site, host))
    member.open("integrations")
    accepted(member.app.domains.remove(member.site, host))
    member.tab.locator(f"form[action*='/{host}/check'] button").click()


def badge_conflict(member: Member) -> None:
    look = accepted(member.app.shops.show(member.site)).badge
    member.open("integrations")
    member.app.badges.configure(member.site, BadgeChanges(size="large" if look.size != "large" else "small"))
    member.tab.locator("#theme").select_option("dark")
    member.tab.locator("#badge-form button").click()


def key_twice(member: Member) -> None:
    member.open("integrations")
    once = member.tab.locator("input[name=once]").input_value()
    accepted(member.app.api_keys.create(member.site, "Webwinkel", idempotency_key=once))
    member.send("#label", "Webwinkel")


def too_late(button: str, page: str = "") -> Callable[[Member], None]:
    def act(member: Member) -> None:
        caller = accepted(member.app.shops.act_for(member.site))
        email, number = f"customer{next(_numbers)}@example.com", f"2026-{next(_numbers):04}"
        reported = accepted(member.app.orders.report(caller, an_order_report(email, order_number=number, delay_days=5)))
        member.open(f"invitations/{reported.invite_id}{page}")
        accepted(member.app.invitations.send_now(OPERATOR, reported.invite_id))
        member.app.delivery.once()
        member.tab.locator(f"button[name={button}]").click()

    return act


def add_member(email: str) -> Callable[[Member], None]:
    def act(member: Member) -> None:
        member.open("members")
        member.send("#email", email)

    return act


@attrs.frozen
class Trouble:
    """How a member gets into a trouble, and what then is to be seen."""

    act: Callable[[Member], None]
    shown: str
    site: str = SITE
    email: str = OWNER


PROBLEM = ".narrow-frame main h1"
TYPED = ".typed dd"
TROUBLES: Mapping[str, Trouble] = {
    "storage-away": Trouble(storage_away, f"{PROBLEM}, {TYPED}"),
    "too-many": Trouble(too_many, TYPED, CROWDED),
    "staff-at-owners-page": Trouble(lambda member: member.open("settings"), PROBLEM, email=STAFF),
    "sign-in-too-old": Trouble(sign_in_too_old, TYPED),
    "asks-again": Trouble(asks_again, "#keys a[href*='/sign-in']"),
    "check-failed": Trouble(check_domain, "#domains .notice-warn"),
    "check-running": Trouble(wait_for_check, "#domains .htmx-request .htmx-indicator"),
    "domain-removed": Trouble(check_removed_domain, PROBLEM),
    "badge-conflict": Trouble(badge_conflict, "#badge [role=alert]"),
    "key-twice": Trouble(key_twice, "main .facts"),
    "cancel-too-late": Trouble(too_late("cancel"), "main [role=alert]"),
    "send-too-late": Trouble(too_late("send-now", "/send-now"), "main [role=alert]"),
    "member-no-address": Trouble(add_member("anna@example"), "#email[aria-invalid=true]"),
    "member-exists": Trouble(add_member(STAFF), "#email[aria-invalid=true]"),
    "member-too-often": Trouble(member_too_often, "main [role=alert]", CROWDED),
}


@pytest.fixture
def ways_out(storage: AbsentStorage, verifier: SlowVerifier) -> Iterator[Callable[[], None]]:
    """End what a test has put in the way."""

    def end() -> None:
        storage.away = False
        verifier.may_answer.set()

    yield end
    end()


@pytest.mark.pictures
@pytest.mark.parametrize("name", TROUBLES)
def test_a_trouble_fits_any_window_and_hinders_nobody(
    visit: PageVisit,
    app: Application,
    storage: AbsentStorage,
    verifier: SlowVerifier,
    ways_out: Callable[[], None],
    take_picture: TakePicture,
    name: str,
) -> None:
    trouble, tab = TROUBLES[name], visit.tab
    for width, scheme, language in WINDOWS:
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        sign_in(visit, app, trouble.site, trouble.email)
        visit.open(f"{BASE_URL}/dashboard/sessions?language={language}")
        trouble.act(Member(tab, app, storage, verifier, trouble.site))
        expect(tab.locator(trouble.shown).first).to_be_visible()
        assert tab.locator("html").get_attribute("lang") == language
        assert_usable(tab, take_picture, f"dashboard-{name}-{width}-{scheme}")
        ways_out()
        tab.context.clear_cookies()


def test_a_form_whose_connection_breaks_is_sent_as_without_scripts(
    visit: PageVisit, app: Application, storage: AbsentStorage, verifier: SlowVerifier
) -> None:
    def break_htmx(route: Route) -> None:
        if "hx-request" in route.request.headers:
            route.abort()
        else:
            route.fallback()

    sign_in(visit, app, SITE, OWNER)
    visit.tab.route("**/check", break_htmx)
    check_domain(Member(visit.tab, app, storage, verifier, SITE))
    visit.tab.wait_for_url("**/check")
    expect(visit.tab.locator("#domains .notice-warn")).to_be_visible()
    visit.tab.unroute("**/check")
    visit.tab.context.clear_cookies()
