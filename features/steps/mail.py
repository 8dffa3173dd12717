"""The worker, and what it brings to customers."""

from __future__ import annotations

import email
import html
import re
from concurrent.futures import ThreadPoolExecutor
from email import policy
from email.message import EmailMessage

import pytest
from features.drivers.base import Driver
from features.steps.context import ScenarioContext
from features.steps.invitation import cancel
from features.steps.shop import LANGUAGES, deactivated
from pytest_bdd import parsers, then, when

from reviewinvite_core import DeliveryPaused
from reviewinvite_core.ports import Message, Rejected

TAG = re.compile(r"<[^>]*>")
LINK = re.compile(r"https?://\S+")

# The headers of an invitation; an address for replies adds one.
HEADERS = ["From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post"]
HEADERS += ["MIME-Version", "Content-Type"]


def messages_to(driver: Driver, customer: str) -> list[Message]:
    """Return the messages that the customer has been sent."""
    return [message for message in driver.mailer.messages if message.recipient == customer]


def emails_to(driver: Driver, customer: str) -> list[EmailMessage]:
    """Return the e-mails that the customer has been sent, parsed as a mail program does."""
    contents = [message.content for message in messages_to(driver, customer)]
    return [email.message_from_bytes(content, policy=policy.default) for content in contents]


def only_email_to(driver: Driver, customer: str) -> EmailMessage:
    """Return the one e-mail that the customer has been sent."""
    [message] = emails_to(driver, customer)
    return message


def part_of(message: EmailMessage, kind: str) -> str:
    """Return the text of the message's `plain` or `html` part."""
    part = message.get_body((kind,))
    assert isinstance(part, EmailMessage)
    return str(part.get_content())


@when("the worker runs")
def deliver(driver: Driver) -> None:
    driver.deliver()


@then("the worker sends nothing, since sending is paused")
def sends_nothing_while_paused(driver: Driver) -> None:
    before = len(driver.mailer.messages)
    with pytest.raises(DeliveryPaused):
        driver.deliver()
    assert len(driver.mailer.messages) == before


@when("the worker runs, and the answer of the mail server is lost")
def deliver_without_an_answer(driver: Driver) -> None:
    driver.mailer.responds = False
    driver.deliver()
    driver.mailer.responds = True


@when(parsers.parse("the worker runs, and the mail server knows no mailbox of {customer}"))
def deliver_to_no_mailbox(driver: Driver, customer: str) -> None:
    deliver_refused(driver, Rejected("550 5.1.1", no_mailbox=True))
    assert messages_to(driver, customer) == []


@when("the worker runs, and the mail server refuses the recipient")
def deliver_to_refused(driver: Driver) -> None:
    deliver_refused(driver, Rejected("550"))


@when("the worker runs, and the mail server says that the mailbox is full")
def deliver_to_full_mailbox(driver: Driver) -> None:
    deliver_refused(driver, Rejected("552 5.2.2"))


def deliver_refused(driver: Driver, refusal: Rejected) -> None:
    driver.mailer.refusal = refusal
    driver.deliver()
    driver.mailer.refusal = None


@when("the worker runs, and the operator cancels the invitation at the last moment")
def deliver_and_cancel(driver: Driver, context: ScenarioContext) -> None:
    driver.mailer.before_commit = lambda: cancel(driver, context)
    driver.deliver()


@when(parsers.parse("the worker runs, and the operator deactivates {shop} at the last moment"))
def deliver_and_deactivate(driver: Driver, shop: str) -> None:
    driver.mailer.before_commit = lambda: deactivated(driver, shop)
    driver.deliver()


@when(parsers.parse("{count:d} workers run at the same time"))
def deliver_at_once(driver: Driver, count: int) -> None:
    with ThreadPoolExecutor(count) as workers:
        for ended in [workers.submit(driver.deliver) for _ in range(count)]:
            ended.result()


@then(parsers.re(r"(?P<customer>\S+@\S+) has got (?P<count>no|\d+) e-mails?"))
def has_got(driver: Driver, customer: str, count: str) -> None:
    assert len(messages_to(driver, customer)) == (0 if count == "no" else int(count))


@then(parsers.parse("{count:d} customers have got one e-mail each"))
def each_has_got_one(driver: Driver, count: int) -> None:
    recipients = [message.recipient for message in driver.mailer.messages]
    assert len(recipients) == len(set(recipients)) == count


@then(parsers.parse("the subject of {customer}'s e-mail is"))
def subject(driver: Driver, customer: str, docstring: str) -> None:
    """What is seen: a name in a script that runs from right to left stands between two invisible marks."""
    assert only_email_to(driver, customer)["Subject"].translate({0x2068: None, 0x2069: None}) == docstring


@then(parsers.parse('the last e-mail to {member} says "{words}"'))
def last_email_says(driver: Driver, member: str, words: str) -> None:
    message = emails_to(driver, member)[-1]
    for kind in ("plain", "html"):
        said = " ".join(html.unescape(TAG.sub("", part_of(message, kind))).split())
        assert words in said.replace("\u2068", "").replace("\u2069", "")


@then(parsers.parse("{customer}'s e-mail says"))
def says(driver: Driver, customer: str, docstring: str) -> None:
    message = only_email_to(driver, customer)
    for kind in ("plain", "html"):
        shown = html.unescape(TAG.sub("", part_of(message, kind)))
        assert " ".join(docstring.split()) in " ".join(shown.split())


@then(parsers.parse("{customer}'s e-mail holds one personal link to {page}"))
def one_link(driver: Driver, customer: str, page: str) -> None:
    message = only_email_to(driver, customer)
    for kind in ("plain", "html"):
        links = [link for link in LINK.findall(part_of(message, kind)) if link.startswith(page)]
        assert len(links) == 1
        assert len(links[0].removeprefix(page)) >= 48


@then(parsers.parse("{customer}'s e-mail holds no other link"))
def two_links(driver: Driver, customer: str) -> None:
    message = only_email_to(driver, customer)
    for kind in ("plain", "html"):
        assert len(LINK.findall(part_of(message, kind))) == 2


@then(parsers.parse("{customer}'s mail program can stop them with one click"))
def one_click(driver: Driver, customer: str) -> None:
    message = only_email_to(driver, customer)
    _, link = LINK.findall(part_of(message, "plain"))
    assert message["List-Unsubscribe"] == f"<{link}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@then(parsers.parse("{customer}'s e-mail comes from {address}, in the name of"))
def comes_from(driver: Driver, customer: str, address: str, docstring: str) -> None:
    (sender,) = only_email_to(driver, customer)["From"].addresses
    assert (sender.addr_spec, sender.display_name) == (address, docstring)


@then(parsers.parse("an answer to {customer}'s e-mail goes to {address}"))
def answer_goes_to(driver: Driver, customer: str, address: str) -> None:
    message = only_email_to(driver, customer)
    assert [each.addr_spec for each in (message["Reply-To"] or message["From"]).addresses] == [address]


@then(parsers.parse("{customer}'s e-mail is known by its invitation"))
def known_by(driver: Driver, context: ScenarioContext, customer: str) -> None:
    assert only_email_to(driver, customer)["Message-ID"] == f"<{context.latest_invitation.invite_id}@localhost>"


@then(parsers.parse("{customer}'s e-mail says that a program wrote it"))
def by_a_program(driver: Driver, customer: str) -> None:
    assert only_email_to(driver, customer)["Auto-Submitted"] == "auto-generated"


@then(parsers.parse("{customer}'s e-mail tells mail programs what every invitation does, and nothing more"))
def tells_no_more(driver: Driver, customer: str) -> None:
    message = only_email_to(driver, customer)
    assert message.keys() == HEADERS
    assert [each.addr_spec for each in message["To"].addresses] == [customer]


@then(parsers.re(r"(?P<customer>\S+@\S+)'s e-mail is marked as (?P<language>Dutch|English)"))
def marked_as(driver: Driver, customer: str, language: str) -> None:
    page = part_of(only_email_to(driver, customer), "html")
    assert f'<html lang="{LANGUAGES[language]}"' in page
