"""Why a report is refused."""

from __future__ import annotations

from features.steps.context import ScenarioContext
from pytest_bdd import parsers, then

WORDS = {
    "the key is not valid": ("key_invalid", None),
    "the shop is not active": ("shop_inactive", None),
    "the page is not the shop's own": ("origin_refused", None),
    "the shop takes no orders from pages": ("snippet_off", None),
    "the signature is missing or wrong": ("signature_refused", None),
    "the limit is reached": ("limit_reached", None),
    "the storage is not available": ("storage_unavailable", None),
    "the e-mail address is not valid": ("invalid_address", "email"),
    "the order number is too long": ("too_long", "orderNumber"),
    "the order number holds forbidden characters": ("forbidden_characters", "orderNumber"),
    "the language is not known": ("unknown_language", "language"),
    "the delay is out of range": ("out_of_range", "delayDays"),
}


@then(parsers.parse("the report is refused, because {reason}"))
def refused_because(context: ScenarioContext, reason: str) -> None:
    assert (context.latest_rejection.code, context.latest_rejection.field) == WORDS[reason]


@then(parsers.re(r"the report is refused, and may be tried again in (?P<seconds>\d+) seconds?"))
def refused_for(context: ScenarioContext, seconds: str) -> None:
    assert (context.latest_rejection.code, context.latest_rejection.wait_seconds) == ("limit_reached", int(seconds))
