"""What an installation has been through by the end: every state, for every reason that something real can lead to.

Each customer's address says what happens to the order. `fill` checks in the end that nothing of the state tables is
left out but what `UNREACHED` names.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Set as AbstractSet
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from itertools import pairwise
from typing import TypeVar

import attrs
from tests.data.installation import Installation, Reaction, kill
from tests.messages import queue
from tests.older_high_water_marks import write_first_edition
from tests.snippet_signature import signed_with

from reviewinvite_core import (
    OPERATOR,
    Actor,
    ClientAddress,
    InvitationQuery,
    NewMember,
    NewReply,
    NewShop,
    OrderReport,
    Reason,
    ReviewDraft,
    ReviewQuery,
    Role,
    SecretKey,
    ShopChanges,
    SiteId,
    SnippetReport,
    State,
    accepted,
)
from reviewinvite_core.domain import invitation_states, reviews
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.snippets import SnippetSignature
from reviewinvite_core.ports import Accepted, AnswerLost, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.values import (
    BadgeChanges,
    CountMode,
    Form,
    HideReason,
    KeyState,
    LinkClosed,
    LinkState,
    Permission,
    Reach,
    ReviewLink,
    SuppressedBy,
    TrustMark,
    VerificationStatus,
)

T = TypeVar("T")
T2 = TypeVar("T2")

BEGIN = datetime(2024, 11, 4, 9, 0, 0, 120_000, tzinfo=UTC)
MOLEN, TEA, BIKES, NEW = "bakkerij-de-molen", "tea-and-more", "fietsen", "nieuw"
OFTEN = "vaak"
LEASE = timedelta(seconds=900)

REFUSED = Rejected("550 5.1.1")
GREYLISTED = RefusedForNow("451 4.7.1")
MAILBOX_FULL = RefusedForNow("452 4.2.2")

UNREACHED = {
    (State.CLAIMED, State.REJECTED, Reason.NOT_RENDERABLE): "every value that the domain admits can be rendered",
    (State.REJECTED, State.UNCERTAIN, Reason.RECONCILED): "no copy is put back here that is older than a retry",
}


@attrs.frozen(kw_only=True)
class Given:
    """What people hold that the database does not: API keys, the links of their e-mails, statements of earlier days."""

    keys: dict[str, str]
    addresses: list[str]
    review_tokens: dict[str, str]
    unsubscribe_tokens: dict[str, str]
    statements: list[str]


def fill(installation: Installation) -> Given:
    """Lead a new installation through everything, and return what people hold in the end."""
    keys = _shops(installation)
    _domains(installation)
    _mail(installation)
    _tried_again(installation)
    _late_answers(installation)
    _tries_of_three_days(installation)
    _older_copy(installation)
    _reviews(installation)
    statements = list(_signing_keys(installation))
    _privacy(installation)
    _often(installation)
    installation.wait(days=40)
    _last_weeks(installation)
    _messages(installation)
    statements += _last_minute(installation, keys)
    _members(installation)
    _killed_worker(installation)
    _outage(installation)
    _require_everything(installation)
    return Given(
        keys=keys,
        addresses=sorted({recipient for recipient, _ in installation.mailer.sent} | {"never-mailed@example.com"}),
        review_tokens={invite_id: links.review for invite_id, links in installation.mailer.links.items()},
        unsubscribe_tokens={invite_id: links.unsubscribe for invite_id, links in installation.mailer.links.items()},
        statements=statements,
    )


def _killed_worker(installation: Installation) -> None:
    """Leave the heartbeat of a worker that has had no clean stop."""
    host, transactions = installation.mark.make().host, installation.app.delivery._transactions()
    transactions.run(lambda ctx: ctx.store.workers.beat(b"a worker", host, ctx.now))


def _outage(installation: Installation) -> None:
    """Leave a mail server that has just refused the mail of two shops to five domains."""

    def refuse(ctx: UnitContext) -> None:
        relay = ctx.store.relay.lock()
        ctx.store.relay.note_mail({(1 + number % 2, bytes([number]) * 16) for number in range(1, 6)}, ctx.now)
        refused = relay.refused(ctx.now, 5, ctx.store.relay.refused_mail())
        ctx.store.relay.keep(attrs.evolve(refused, probe_at=ctx.now))

    installation.app.delivery._transactions().run(refuse)


def _shops(installation: Installation) -> dict[str, str]:
    app = installation.app
    accepted(app.shops.add(NewShop(site_id=MOLEN, name="Bäckerij De Mólen 🍞", reply_to="winkel@molen.example")))
    installation.wait(minutes=1)
    accepted(app.shops.add(NewShop(site_id=TEA, name="Tea & More", language="en", delay_days=0.5)))
    accepted(app.shops.add(NewShop(site_id=BIKES, name='Fietsen "Oké"')))
    accepted(app.shops.add(NewShop(site_id=NEW, name="Nieuw")))
    accepted(app.shops.update(MOLEN, ShopChanges(delay_days=3)))
    accepted(app.badges.configure(MOLEN, BadgeChanges(theme="dark", size="large", language="en")))
    accepted(app.badges.configure(TEA, BadgeChanges(theme="light", size="small")))
    for site_id in (MOLEN, TEA, BIKES):
        accepted(app.trust_marks.grant(site_id))
    made = {label: accepted(app.api_keys.create(site_id, label)) for label, site_id in _KEYS.items()}
    installation.wait(hours=1)
    accepted(app.api_keys.revoke(made["lost laptop"].api_key.key_id))
    return {label: key.secret.text for label, key in made.items()}


_KEYS = {"web shop": MOLEN, "lost laptop": MOLEN, "": TEA, "Kassa № 1": BIKES}


def _domains(installation: Installation) -> None:
    """Have hosts verified, vouched for and unproved; what goes missing is seen in `_last_weeks`."""
    app = installation.app
    installation.proof.published = {"www.molen.example.nl", "oud.molen.example.nl", "weg.molen.example.nl"}
    for host in (*sorted(installation.proof.published), "shop.molen.example.nl"):
        accepted(app.domains.add(MOLEN, host))
        accepted(app.domains.check(MOLEN, host))
    accepted(app.domains.add(TEA, "tea.example.org", assume_verified=True))
    accepted(app.domains.add(TEA, "unchecked.example.org"))
    accepted(app.domains.add(BIKES, "bücher-fietsen.example"))
    accepted(app.domains.add(BIKES, "let-go.example"))
    accepted(app.domains.remove(BIKES, "let-go.example"))


def _mail(installation: Installation) -> None:
    """Deliver to mail servers of all kinds, while all kinds of things happen."""
    app, react, disk = installation.app, installation.react, installation.disk
    reactions = {
        "refused-at-once@example.com": Reaction(stage=REFUSED),
        "refused-in-the-end@example.com": Reaction(answer=REFUSED),
        "greylisted-at-once@example.com": Reaction(stage=GREYLISTED),
        "greylisted-in-the-end@example.com": Reaction(answer=GREYLISTED),
        "unreachable@example.com": Reaction(stage=Unreachable("ConnectionRefusedError")),
        "answer-lost@example.com": Reaction(answer=AnswerLost()),
        "answer-lost-opened@example.com": Reaction(answer=AnswerLost()),
        "answer-lost-found@example.com": Reaction(answer=AnswerLost()),
        "answer-lost-again@example.com": Reaction(answer=AnswerLost()),
        "added-while-claimed@example.com": Reaction(
            before_fence=lambda: accepted(app.privacy.suppress("added-while-claimed@example.com", None))
        ),
        "erased-while-claimed@example.com": Reaction(
            before_fence=lambda: app.privacy.erase_address("erased-while-claimed@example.com")
        ),
    }
    made = {}
    for serial, (address, reaction) in enumerate(reactions.items()):
        react(address, reaction)
        made[address] = installation.report(MOLEN, address, f"M-{serial}")
    made["sent@example.com"] = installation.report(MOLEN, "sent@example.com", "№ 1 / 2024")
    installation.report(TEA, "sent@example.com")
    installation.deliver()
    installation.mailer.reactions.clear()
    accepted(app.invitations.resolve_as_sent(made["answer-lost-found@example.com"]))
    accepted(app.invitations.resolve_by_resending(made["answer-lost-again@example.com"]))
    links = installation.mailer.links
    app.reviews.note_opened(links[made["answer-lost-opened@example.com"]].review)

    def cancel() -> None:
        accepted(app.invitations.cancel(OPERATOR, cancelled))

    cancelled = installation.report(TEA, "cancelled-while-claimed@example.com")
    react("cancelled-while-claimed@example.com", Reaction(before_fence=cancel))
    installation.deliver()

    react("inactive@example.com", Reaction(before_fence=lambda: app.shops.update(TEA, ShopChanges(active=False))))
    installation.report(TEA, "inactive@example.com")
    installation.deliver()
    accepted(app.shops.update(TEA, ShopChanges(active=True)))
    stop = threading.Event()
    react("inactive@example.com", Reaction())
    react("shutdown@example.com", Reaction(before_fence=stop.set))
    installation.report(TEA, "shutdown@example.com")
    installation.deliver(stop)

    def fail() -> None:
        raise LookupError

    react("fault@example.com", Reaction(before_fence=fail))
    installation.report(MOLEN, "fault@example.com")
    installation.deliver()
    for address, fault in (("mark-unwritten@example.com", OSError()), ("mark-fault@example.com", LookupError())):
        disk.fault = fault
        installation.report(MOLEN, address)
        installation.deliver()
    disk.fault = None

    react("died-before-fence@example.com", Reaction(before_fence=kill))
    installation.report(MOLEN, "died-before-fence@example.com")
    installation.deliver()
    react("died-after-fence@example.com", Reaction(before_answer=kill))
    installation.report(MOLEN, "died-after-fence@example.com")
    installation.deliver()
    installation.wait(hours=1)
    installation.mailer.reactions.clear()
    installation.deliver()  # what was refused for now is taken, and what the dead worker held is given up


def _tried_again(installation: Installation) -> None:
    """Have an operator try again what a mail server has rejected."""
    installation.react("mailbox-full@example.com", Reaction(stage=Rejected("552 5.2.2")))
    invite_id = installation.report(MOLEN, "mailbox-full@example.com")
    installation.deliver()
    installation.mailer.reactions.clear()
    assert installation.app.invitations.retry([invite_id]).scheduled == [invite_id]
    installation.deliver()


def _late_answers(installation: Installation) -> None:
    """Have answers arrive after another worker has given the hand-over up."""

    def take_too_long() -> None:
        installation.wait(seconds=LEASE.total_seconds() + 1)
        installation.deliver()

    for address, answer in (
        ("late-accepted@example.com", Accepted("250 2.0.0")),
        ("late-refused@example.com", REFUSED),
        ("late-greylisted@example.com", GREYLISTED),
    ):
        installation.react(address, Reaction(before_answer=take_too_long, answer=answer))
        installation.report(MOLEN, address)
        installation.deliver()
    installation.mailer.reactions.clear()
    installation.wait(hours=1)
    installation.deliver()


def _tries_of_three_days(installation: Installation) -> None:
    """Try what is never taken until three days are over."""

    def take_too_long() -> None:
        installation.wait(seconds=LEASE.total_seconds() + 1)
        installation.deliver()

    at_once, in_the_end = Reaction(stage=MAILBOX_FULL), Reaction(answer=MAILBOX_FULL)
    for address, reaction in (("full-at-once@example.com", at_once), ("full-in-the-end@example.com", in_the_end)):
        installation.react(address, reaction)
        installation.report(MOLEN, address)
    installation.react("full-late@example.com", in_the_end)
    for turn in range(20):
        if turn == 1:  # later than the others, so that its last try is one of its own
            installation.report(MOLEN, "full-late@example.com")
        if turn == 19:
            installation.react("full-late@example.com", Reaction(before_answer=take_too_long, answer=MAILBOX_FULL))
        installation.deliver()
        installation.wait(hours=4)
    installation.mailer.reactions.clear()


def _older_copy(installation: Installation) -> None:
    """Find out that the database is an older copy of what has sent, and reconcile."""
    app, mark = installation.app, installation.mark
    installation.wait(days=1)
    installation.deliver()
    installation.react("doubt-claimed@example.com", Reaction(before_fence=kill))
    installation.report(MOLEN, "doubt-claimed@example.com")
    installation.deliver()
    installation.react("doubt-handed-over@example.com", Reaction(before_answer=kill))
    installation.report(MOLEN, "doubt-handed-over@example.com")
    installation.deliver()

    def run_ahead() -> None:
        before = mark.read()
        assert before is not None
        write_first_edition(installation.mark_file, before.host, before.number + 2, installation.clock.now())

    installation.react("paused@example.com", Reaction(before_fence=run_ahead))
    installation.report(MOLEN, "paused@example.com")
    installation.report(TEA, "doubt@example.com")
    installation.deliver()
    assert app.delivery.paused()
    assert app.delivery.reconcile()
    assert app.delivery.paused() is None
    installation.mailer.reactions.clear()


def _reviews(installation: Installation) -> None:
    """Have reviews written, changed, withdrawn, hidden, answered and erased: what a shop had more than a year ago."""
    app = installation.app

    def write(token: str, draft: ReviewDraft) -> str:
        review = _open(app.reviews.write(token, draft)).review
        assert review is not None
        return review.review_id

    tokens = {}
    for serial, address in enumerate(_WRITERS):
        invite_id = installation.report(MOLEN, address, f"R-{serial}", delay=0)
        installation.deliver()
        tokens[address] = installation.mailer.links[invite_id].review
    written = {}
    for rating, (address, token) in enumerate(tokens.items()):
        installation.wait(minutes=7)
        text = "Snel geleverd.\nLekker brood! 🍞" if rating % 2 else None
        draft = ReviewDraft(
            rating=rating % 5 + 1, text=text, author="Anna" if rating % 3 or "nameless" in address else None
        )
        written[address] = write(token, draft)
    again = ReviewDraft(rating=2, text="Toch niet zo lekker.", author="Bert", language="en")
    caller = installation.caller(MOLEN)

    def hide(address: str, reason: HideReason = HideReason.INSULT) -> None:
        installation.wait(minutes=1)
        accepted(app.reviews.hide(written[address], reason))

    def reply(address: str, text: str = "Hartelijk dank!\nTot ziens.") -> None:
        installation.wait(minutes=1)
        accepted(app.reviews.reply(caller, written[address], NewReply(text=text)))

    installation.wait(hours=1)
    write(tokens["changed@example.com"], again)
    for address in ("withdrawn@example.com", "written-again@example.com"):
        _open(app.reviews.withdraw(tokens[address]))
    write(tokens["written-again@example.com"], again)
    for serial, reason in enumerate(HideReason):
        hide(f"hidden-{serial}@example.com", reason)
    hide("hidden-0@example.com", HideReason.OTHER)
    hide("shown-again@example.com")
    accepted(app.reviews.show_again(written["shown-again@example.com"]))
    hide("hidden-changed@example.com")
    write(tokens["hidden-changed@example.com"], again)
    hide("hidden-withdrawn@example.com")
    _open(app.reviews.withdraw(tokens["hidden-withdrawn@example.com"]))
    hide("hidden-written-again@example.com")
    _open(app.reviews.withdraw(tokens["hidden-written-again@example.com"]))
    write(tokens["hidden-written-again@example.com"], again)
    reply("replied@example.com")
    reply("replied-twice@example.com")
    reply("replied-twice@example.com", "Nogmaals dank.")
    reply("reply-removed@example.com")
    reply("reply-removed@example.com", "")
    reply("hidden-reply-removed@example.com")
    hide("hidden-reply-removed@example.com")
    reply("hidden-reply-removed@example.com", "")
    hide("hidden-nameless@example.com")
    hide("hidden-erased@example.com")
    for address in ("nameless@example.com", "hidden-nameless@example.com"):
        app.privacy.erase_address(address, keep_reviews=True)
    for address in ("erased@example.com", "hidden-erased@example.com"):
        app.privacy.erase_address(address)
    installation.wait(days=300)


_WRITERS = [
    "changed@example.com",
    "withdrawn@example.com",
    "written-again@example.com",
    *(f"hidden-{serial}@example.com" for serial, _ in enumerate(HideReason)),
    "shown-again@example.com",
    "hidden-changed@example.com",
    "hidden-withdrawn@example.com",
    "hidden-written-again@example.com",
    "replied@example.com",
    "replied-twice@example.com",
    "reply-removed@example.com",
    "hidden-reply-removed@example.com",
    "nameless@example.com",
    "hidden-nameless@example.com",
    "erased@example.com",
    "hidden-erased@example.com",
    "untouched@example.com",
    "answered-and-named@example.com",
]


def _signing_keys(installation: Installation) -> Iterator[str]:
    """Have keys retired and compromised; yields statements that were signed by each."""
    app = installation.app
    for _ in range(3):
        for form in Form:
            yield accepted(app.trust_marks.verify(MOLEN, form, CountMode.DRY_RUN)).document.decode()
        installation.wait(days=2)
        accepted(app.signing_keys.rotate())
    signing = next(key for key in app.signing_keys.list() if key.state is KeyState.SIGNING)
    accepted(app.signing_keys.revoke(signing.key_id))
    installation.wait(hours=2)


def _privacy(installation: Installation) -> None:
    """Have customers and the operator suppress addresses, at one shop and at all; and take some of it back."""
    app = installation.app
    links = {}
    for address in ("stopped@example.com", "stopped-everywhere@example.com", "stopped-then-erased@example.com"):
        invite_id = installation.report(TEA, address, "S-1")
        installation.deliver()
        links[address] = installation.mailer.links[invite_id].unsubscribe
        installation.report(TEA, address, "S-2", delay=3)
        installation.report(MOLEN, address, "S-3", delay=3)
    app.privacy.unsubscribe(links["stopped@example.com"], Reach.THIS_SHOP)
    installation.wait(minutes=1)
    app.privacy.unsubscribe(links["stopped-everywhere@example.com"], Reach.EVERY_SHOP)
    app.privacy.unsubscribe(links["stopped-then-erased@example.com"], Reach.THIS_SHOP)
    app.privacy.erase_address("stopped-then-erased@example.com")
    installation.wait(minutes=1)
    accepted(app.privacy.suppress("operator-one-shop@example.com", MOLEN))
    accepted(app.privacy.suppress("operator-everywhere@example.com", None))
    accepted(app.privacy.suppress("stopped@example.com", MOLEN))
    installation.report(MOLEN, "operator-everywhere@example.com", "S-4", delay=3)
    installation.report(MOLEN, "erased-while-waiting@example.com", "S-5", delay=3)
    app.privacy.erase_address("erased-while-waiting@example.com")
    accepted(app.invitations.cancel(OPERATOR, installation.report(MOLEN, "cancelled@example.com", "S-6", delay=3)))
    installation.report(BIKES, "overdue@example.com", "S-7", delay=3)
    accepted(app.shops.update(BIKES, ShopChanges(active=False)))
    installation.wait(days=2)
    installation.deliver()


def _often(installation: Installation) -> None:
    """Have a shop limit its invitations, a mailbox found dead, and reviews written before a second e-mail."""
    app, react = installation.app, installation.react
    accepted(app.shops.add(NewShop(site_id=OFTEN, name="Vaak", delay_days=0)))
    for number in ("O-1", "O-2"):  # of which the rule, introduced since, stops one at its hand-over
        installation.report(OFTEN, "too-often@example.com", number)
    accepted(app.shops.update(OFTEN, ShopChanges(frequency_days=30)))
    installation.deliver()
    installation.report(OFTEN, "too-often@example.com", "O-3")
    react("no-mailbox@example.com", Reaction(stage=Rejected("550 5.1.1", no_mailbox=True)))
    installation.report(OFTEN, "no-mailbox@example.com", "O-4")
    react("reviewed-before-resent@example.com", Reaction(answer=AnswerLost()))
    doubtful = installation.report(OFTEN, "reviewed-before-resent@example.com", "O-5")
    react("reviewed-while-sent@example.com", Reaction(answer=GREYLISTED, before_answer=lambda: write(greylisted)))
    greylisted = installation.report(OFTEN, "reviewed-while-sent@example.com", "O-6")

    def write(invite_id: str) -> None:
        token = installation.mailer.links[invite_id].review
        _open(app.reviews.write(token, ReviewDraft(rating=4, text="Al gekregen.", author="Bo")))

    installation.deliver()
    accepted(app.invitations.resolve_by_resending(doubtful))
    write(doubtful)
    installation.wait(hours=1)
    installation.mailer.reactions.clear()
    installation.deliver()


def _last_weeks(installation: Installation) -> None:
    """Reach the present: a revoked mark, proofs that went missing, recent orders and reviews of all ages."""
    app, proof = installation.app, installation.proof
    accepted(app.trust_marks.revoke(TEA))
    proof.published -= {"weg.molen.example.nl"}
    for _ in range(9):
        installation.wait(hours=25)
        assert app.domain_rechecker.once()
    proof.published -= {"oud.molen.example.nl"}
    installation.wait(hours=25)
    assert app.domain_rechecker.once()
    recent = {}
    for address, rating, days in (
        ("final@example.com", 4, 31),
        ("spent@example.com", 3, 1),
        ("recent@example.com", 5, 1),
    ):
        invite_id = installation.report(MOLEN, address, "1001", delay=0)
        installation.deliver()
        recent[address] = token = installation.mailer.links[invite_id].review
        _open(app.reviews.write(token, ReviewDraft(rating=rating, text="Goed", author="Ça va")))
        installation.wait(days=days)
    while _open(app.reviews.write(recent["spent@example.com"], _writing(installation))).state is LinkState.CHANGEABLE:
        installation.wait(seconds=1)
    for address, number in (("read-me@example.com", "1002"), ("read-me-too@example.com", None)):
        installation.report(MOLEN, address, number)
    installation.report(TEA, "english@example.com", "T-1")
    installation.deliver()
    installation.report(MOLEN, "waiting@example.com", "1003", delay=30)
    installation.wait(days=1)


def _writing(installation: Installation) -> ReviewDraft:
    """Return a text that was not written before."""
    return ReviewDraft(rating=3, text=f"Om {installation.clock.now():%H:%M:%S} vond ik het matig.")


def _last_minute(installation: Installation, keys: dict[str, str]) -> Iterator[str]:
    """Leave two workers that died a moment ago, limits that are nearly used up, and a signing key that just retired.

    Yields a statement that the retired key has signed.
    """
    app = installation.app
    for address, reaction in (
        ("just-handed-over@example.com", Reaction(before_answer=kill)),
        ("just-claimed@example.com", Reaction(before_fence=kill)),
    ):
        installation.react(address, reaction)
        installation.report(MOLEN, address, "1006")
        installation.deliver()
    installation.mailer.reactions.clear()
    installation.wait(seconds=20)
    accepted(app.invitations.send_now(OPERATOR, installation.report(MOLEN, "sooner@example.com", "1004", delay=30)))
    installation.report(MOLEN, "due@example.com", "1005")
    installation.report(TEA, "due@example.com", "T-2")
    key = SecretKey.parse(keys["web shop"])
    assert key is not None
    for number in ("1008", "1009"):
        accepted(app.orders.report(key, OrderReport(email="by-key@example.com", order_number=number)))
    client = ClientAddress.of(ip_address("192.0.2.7"))
    report = SnippetReport(
        site_id=SiteId.parse(MOLEN), order=OrderReport(email="by-snippet@example.com", order_number="1010")
    )
    accepted(app.orders.report_from_snippet(client, "https://www.molen.example.nl", report))
    secret, email = accepted(app.shops.snippet_secret(MOLEN)), "signed@example.com"
    for host, made in enumerate((signed_with(secret.text, MOLEN, email, "1011"), "0" * 64), 8):
        order = OrderReport(email=email, order_number="1011")
        signature = SnippetSignature(value=made, site_id=MOLEN, email=email, order_number="1011")
        signed = SnippetReport(site_id=SiteId.parse(MOLEN), order=order, signature=signature)
        client = ClientAddress.of(ip_address(f"192.0.2.{host}"))
        accepted(app.orders.report_from_snippet(client, "https://www.molen.example.nl", signed))
    accepted(app.shops.snippet_secret(MOLEN, rotate=True))
    for site_id in (MOLEN, MOLEN, TEA, NEW):
        app.badges.show(site_id, "https://www.molen.example.nl" if site_id == MOLEN else None, CountMode.COUNT)
        app.trust_marks.verify(site_id, Form.JSON, CountMode.COUNT)
    yield accepted(app.trust_marks.verify(MOLEN, Form.COMPACT_JWS, CountMode.DRY_RUN)).document.decode()
    accepted(app.signing_keys.rotate())


def _messages(installation: Installation) -> None:
    """Leave messages that were sent, refused for now and refused, that are in doubt, and in hand."""
    for address, kind, reaction in (
        ("member-sent@example.com", NoticeKind.SIGN_IN_LINK, Reaction()),
        ("member-later@example.com", NoticeKind.NEW_DEVICE, Reaction(answer=GREYLISTED)),
        ("member-refused@example.com", NoticeKind.KEY_CREATED, Reaction(answer=REFUSED)),
        ("member-in-doubt@example.com", NoticeKind.MEMBER_ADDED, Reaction(answer=AnswerLost())),
        ("member-in-hand@example.com", NoticeKind.REPLY_TO_CHANGED, Reaction(before_answer=kill)),
    ):
        installation.react(address, reaction)
        queue(installation.app, kind, to=address, expires_after=timedelta(days=1))
        installation.deliver()
    installation.mailer.reactions.clear()


def _open(answer: ReviewLink | LinkClosed | None) -> ReviewLink:
    """Return what a link's page shows; fail where the link can no longer be used for this."""
    assert isinstance(answer, ReviewLink), answer
    return answer


def _members(installation: Installation) -> None:
    """Have members of two shops, one who left, links and sessions that were used and not, and a name that waits."""
    app, client = installation.app, ClientAddress.of(ip_address("192.0.2.8"))
    link = accepted(app.members.add(MOLEN, NewMember(email="owner@molen.example", role="owner"))).link
    accepted(app.members.add(TEA, NewMember(email="owner@tea.example", role="owner")))
    left = accepted(app.members.add(MOLEN, NewMember(email="left@molen.example"))).member
    assert link is not None
    new = app.sign_in.use_link(link.rpartition("/")[2], "Firefox, Linux")
    assert new is not None
    signed_in = app.sign_in.resume(new.secret.text)
    assert signed_in is not None
    app.sign_in.note_opened(signed_in, MOLEN)
    own = OrderReport(email="Owner+1@molen.example", order_number="own")
    assert accepted(app.orders.report(installation.caller(MOLEN), own)).suppressed
    owner = signed_in.actor(MOLEN, Permission(Role.OWNER, recent=True), installation.clock.now())
    assert isinstance(owner, Actor)
    accepted(app.shops.update(owner, ShopChanges(name="Bäckerij De Nieuwe Mólen")))
    accepted(app.members.remove(owner, left.member_id))
    app.sign_in.sign_out(new.secret.text)
    for email in ("owner@molen.example", "stranger@example.com"):
        app.sign_in.request_link(email, client, signed_in.session.device_token)


def _require_everything(installation: Installation) -> None:
    """Raise unless each state was reached, for each reason, from each state that the tables know."""
    app = installation.app
    moves = set()
    for listed in accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=10_000))).invitations:
        history = accepted(app.invitations.show(OPERATOR, listed.invitation.invite_id)).history
        moves |= {(one.state, other.state, other.reason) for one, other in pairwise(history)}
    _require("invitations", _moves_of(invitation_states.TRANSITIONS) - set(UNREACHED), moves)
    acts = set()
    for written in accepted(app.reviews.list(ReviewQuery(limit=10_000))):
        changes = accepted(app.reviews.show(OPERATOR, written.review.review_id)).history
        acts |= {(one.state, other.state, other.act) for one, other in pairwise(changes)}
    _require("reviews", _moves_of(reviews.TRANSITIONS), acts)
    shops = app.shops.list()
    _require("trust marks", set(TrustMark), {shop.trust_mark for shop in shops})
    domains = [each for shop in shops for each in accepted(app.domains.list(shop.site_id.text))]
    _require("domains", set(VerificationStatus), {each.status for each in domains})
    _require("signing keys", set(KeyState), {key.state for key in app.signing_keys.list()})
    suppressions = [each.suppression for each in app.privacy.list_suppressions(1_000)]
    people = (SuppressedBy.CUSTOMER, SuppressedBy.OPERATOR)
    words = {(word, reach) for word in people for reach in (True, False)}
    words.add((SuppressedBy.BOUNCE, True))  # a mailbox is dead for every shop
    _require("suppressions", words, {(each.by, each.shop_number is None) for each in suppressions})
    links = [app.reviews.show_link(each.review) for each in installation.mailer.links.values()]
    _require("links", set(LinkState), {link.state for link in links if link})


def _moves_of(table: Mapping[tuple[T, T], frozenset[T2]]) -> set[tuple[T, T, T2]]:
    return {(before, after, reason) for (before, after), reasons in table.items() for reason in reasons}


def _require(what: str, wanted: AbstractSet[object], reached: AbstractSet[object]) -> None:
    assert wanted == reached, f"{what}: missing {wanted - reached}, unforeseen {reached - wanted}"
