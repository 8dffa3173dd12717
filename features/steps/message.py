"""Messages to members, which are no invitations."""

from __future__ import annotations

from ipaddress import ip_address

from features.drivers.base import Driver
from features.steps.mail import messages_to, only_email_to, part_of
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import ClientAddress, NewMember, accepted

BROWSER = ClientAddress.of(ip_address("198.51.100.80"))


@given(parsers.re(r"(?P<member>\S+@\S+) is an owner of (?P<shop>\w+)"))
def is_owner(driver: Driver, member: str, shop: str) -> None:
    accepted(driver.app.members.add(shop, NewMember(email=member, role="owner")))
    driver.deliver()
    assert messages_to(driver, member)
    driver.mailer.forget()


@when(parsers.parse("{member} asks for a sign-in link"))
def asks_for_link(driver: Driver, member: str) -> None:
    driver.app.sign_in.request_link(member, BROWSER)


@then(parsers.re(r"the e-mail number (?P<place>\d+) goes to (?P<recipient>\S+)"), converters={"place": int})
def goes_to(driver: Driver, place: int, recipient: str) -> None:
    assert driver.mailer.messages[place - 1].recipient == recipient


@then(parsers.parse("{member}'s e-mail has the headers of a message"))
def has_headers(driver: Driver, member: str) -> None:
    assert only_email_to(driver, member).keys() == [
        "From",
        "To",
        "Subject",
        "Date",
        "Message-ID",
        "Auto-Submitted",
        "MIME-Version",
        "Content-Type",
    ]


@then(parsers.parse("{member}'s e-mail has a sign-in link in both parts"))
def has_link(driver: Driver, member: str) -> None:
    message = only_email_to(driver, member)
    for kind in ("plain", "html"):
        assert f"{driver.app.dashboard_url}/dashboard/sign-in/" in part_of(message, kind)
