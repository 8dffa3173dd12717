"""The worker, and what it brings to customers."""

from __future__ import annotations

import email
import re
from concurrent.futures import ThreadPoolExecutor
from email import policy
from email.message import EmailMessage

from features.drivers.library import Library
from features.steps.invitation import cancel
from features.steps.shop import deactivated
from features.steps.story import Story
from pytest_bdd import parsers, then, when

from reviewinvite_core.ports import Message

TAG = re.compile(r"<[^>]*>")


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
        shown = TAG.sub("", letter.get_body((kind,)).get_content())
        assert docstring in " ".join(shown.split())


@then(parsers.parse("{customer}'s e-mail holds one personal link"))
def one_link(driver: Library, customer: str) -> None:
    content = the_letter(driver, customer).get_body(("plain",)).get_content()
    links = [word for word in content.split() if "://" in word]
    assert len(links) == 1
    assert "/r/" in links[0]
