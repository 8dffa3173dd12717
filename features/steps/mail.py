"""The worker, and what it brings to customers."""

from __future__ import annotations

import email
import html
import re
from concurrent.futures import ThreadPoolExecutor
from email import policy
from email.message import EmailMessage

import pytest
from features.drivers.library import Library
from features.steps.invitation import cancel
from features.steps.shop import LANGUAGES, deactivated
from features.steps.story import Story
from pytest_bdd import parsers, then, when

from reviewinvite_core import DeliveryPaused
from reviewinvite_core.ports import Message

TAG = re.compile(r"<[^>]*>")
LINK = re.compile(r"https?://\S+")

# What an e-mail tells to mail programs; with an address for replies there is one line more.
TOLD = ["From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post"]
TOLD += ["MIME-Version", "Content-Type"]


def got(driver: Library, customer: str) -> list[Message]:
    """What the customer has been sent."""
    return [message for message in driver.mailer.messages if message.recipient == customer]


def the_letter(driver: Library, customer: str) -> EmailMessage:
    """The one e-mail that the customer has been sent, read as a mail program does."""
    [message] = got(driver, customer)
    return email.message_from_bytes(message.content, policy=policy.default)


@when("the worker runs")
def deliver(driver: Library) -> None:
    driver.deliver()


@then("the worker sends nothing, since sending is paused")
def paused(driver: Library) -> None:
    before = len(driver.mailer.messages)
    with pytest.raises(DeliveryPaused):
        driver.deliver()
    assert len(driver.mailer.messages) == before


@when("the worker runs, and the answer of the mail server is lost")
def deliver_without_an_answer(driver: Library) -> None:
    driver.mailer.answers = False
    driver.deliver()
    driver.mailer.answers = True


@when("the worker runs, and the operator cancels the invitation at the last moment")
def deliver_and_cancel(driver: Library, story: Story) -> None:
    driver.mailer.before_the_end = lambda: cancel(driver, story)
    driver.deliver()


@when(parsers.parse("the worker runs, and the operator deactivates {shop} at the last moment"))
def deliver_and_deactivate(driver: Library, shop: str) -> None:
    driver.mailer.before_the_end = lambda: deactivated(driver, shop)
    driver.deliver()


@when(parsers.parse("{count:d} workers run at the same time"))
def deliver_at_once(driver: Library, count: int) -> None:
    with ThreadPoolExecutor(count) as workers:
        for ended in [workers.submit(driver.deliver) for _ in range(count)]:
            ended.result()


@then(parsers.re(r"(?P<customer>\S+@\S+) has got (?P<count>no|\d+) e-mails?"))
def has_got(driver: Library, customer: str, count: str) -> None:
    assert len(got(driver, customer)) == (0 if count == "no" else int(count))


@then(parsers.parse("{count:d} customers have got one e-mail each"))
def each_has_got_one(driver: Library, count: int) -> None:
    recipients = [message.recipient for message in driver.mailer.messages]
    assert len(recipients) == len(set(recipients)) == count


@then(parsers.parse("the subject of {customer}'s e-mail is"))
def subject(driver: Library, customer: str, docstring: str) -> None:
    assert the_letter(driver, customer)["Subject"] == docstring


@then(parsers.parse("{customer}'s e-mail says"))
def says(driver: Library, customer: str, docstring: str) -> None:
    letter = the_letter(driver, customer)
    for kind in ("plain", "html"):
        shown = html.unescape(TAG.sub("", letter.get_body((kind,)).get_content()))
        assert " ".join(docstring.split()) in " ".join(shown.split())


@then(parsers.parse("{customer}'s e-mail holds one personal link to {page}"))
def one_link(driver: Library, customer: str, page: str) -> None:
    letter = the_letter(driver, customer)
    for kind in ("plain", "html"):
        links = [link for link in LINK.findall(letter.get_body((kind,)).get_content()) if link.startswith(page)]
        assert len(links) == 1
        assert len(links[0].removeprefix(page)) >= 48


@then(parsers.parse("{customer}'s e-mail holds no other link"))
def two_links(driver: Library, customer: str) -> None:
    letter = the_letter(driver, customer)
    for kind in ("plain", "html"):
        assert len(LINK.findall(letter.get_body((kind,)).get_content())) == 2


@then(parsers.parse("{customer}'s mail program can stop them with one click"))
def one_click(driver: Library, customer: str) -> None:
    letter = the_letter(driver, customer)
    _, link = LINK.findall(letter.get_body(("plain",)).get_content())
    assert letter["List-Unsubscribe"] == f"<{link}>"
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@then(parsers.parse("{customer}'s e-mail comes from {address}, in the name of"))
def comes_from(driver: Library, customer: str, address: str, docstring: str) -> None:
    (sender,) = the_letter(driver, customer)["From"].addresses
    assert (sender.addr_spec, sender.display_name) == (address, docstring)


@then(parsers.parse("an answer to {customer}'s e-mail goes to {address}"))
def answer_goes_to(driver: Library, customer: str, address: str) -> None:
    letter = the_letter(driver, customer)
    assert [each.addr_spec for each in (letter["Reply-To"] or letter["From"]).addresses] == [address]


@then(parsers.parse("{customer}'s e-mail is known by its invitation"))
def known_by(driver: Library, story: Story, customer: str) -> None:
    assert the_letter(driver, customer)["Message-ID"] == f"<{story.latest.invite_id}@localhost>"


@then(parsers.parse("{customer}'s e-mail says that a program wrote it"))
def by_a_program(driver: Library, customer: str) -> None:
    assert the_letter(driver, customer)["Auto-Submitted"] == "auto-generated"


@then(parsers.parse("{customer}'s e-mail tells mail programs what every invitation does, and nothing more"))
def tells_no_more(driver: Library, customer: str) -> None:
    letter = the_letter(driver, customer)
    assert letter.keys() == TOLD
    assert [each.addr_spec for each in letter["To"].addresses] == [customer]


@then(parsers.re(r"(?P<customer>\S+@\S+)'s e-mail is marked as (?P<language>Dutch|English)"))
def marked_as(driver: Library, customer: str, language: str) -> None:
    page = the_letter(driver, customer).get_body(("html",)).get_content()
    assert f'<html lang="{LANGUAGES[language]}"' in page
