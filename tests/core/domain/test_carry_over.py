"""A restored database keeps the stricter of two decisions. Spec: §6, ADR-21, ADR-47."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from tests.builders import a_suppression, an_address_hash, an_invitation

from reviewinvite_core.domain.carry_over import carried_invitation, carried_role, carried_shop, carried_suppression
from reviewinvite_core.domain.members import Role
from reviewinvite_core.domain.provenance import Confirmation, Provenance, Source
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.testing.builders import NOON, a_shop

BOUNCED = Suppression.of_dead_mailbox(an_address_hash(), NOON)
AGAIN = Suppression.of_dead_mailbox(an_address_hash(), NOON + timedelta(days=1))
OPERATORS = a_suppression(None, by=SuppressedBy.OPERATOR)
CUSTOMERS = a_suppression(None)


@pytest.mark.parametrize(("backup", "since", "after"), [(0, 30, 30), (30, 7, 30), (7, 30, 30), (30, 0, 30)])
def test_the_stricter_frequency_holds(backup: int, since: int, after: int) -> None:
    shop = a_shop(frequency_days=backup).numbered(1)
    carried = carried_shop(shop, attrs.evolve(shop, frequency_days=since))
    assert (carried or shop).frequency_days == after
    assert (carried is None) == (backup == after)


@pytest.mark.parametrize(
    ("backup", "since", "after"), [("open", "signed", "signed"), ("off", "open", "off"), ("signed", "signed", "signed")]
)
def test_the_stricter_snippet_mode_holds(backup: str, since: str, after: str) -> None:
    shop = attrs.evolve(a_shop().numbered(1), snippet=SnippetMode(backup))
    carried = carried_shop(shop, attrs.evolve(shop, snippet=SnippetMode(since)))
    assert (carried or shop).snippet == after
    assert (carried is None) == (backup == after)


def test_the_later_snippet_secrets_hold_so_that_none_that_was_replaced_comes_back() -> None:
    shop = attrs.evolve(a_shop().numbered(1), snippet_secrets=(b"two", b"one"))
    carried = carried_shop(shop, attrs.evolve(shop, snippet_secrets=(b"three", b"two")))
    assert carried is not None
    assert carried.snippet_secrets == (b"three", b"two")


@pytest.mark.parametrize(
    ("backup", "since", "after"),
    [
        (None, BOUNCED, BOUNCED),
        (BOUNCED, AGAIN, AGAIN),
        (AGAIN, BOUNCED, AGAIN),
        (BOUNCED, BOUNCED, BOUNCED),
        (BOUNCED, OPERATORS, OPERATORS),
        (OPERATORS, BOUNCED, OPERATORS),
        (CUSTOMERS, BOUNCED, CUSTOMERS),
        (OPERATORS, CUSTOMERS, CUSTOMERS),
        (CUSTOMERS, OPERATORS, CUSTOMERS),
    ],
)
def test_the_suppression_that_outranks_the_other_holds(
    backup: Suppression | None, since: Suppression, after: Suppression
) -> None:
    carried = carried_suppression(backup, since)
    assert (carried or backup) == after
    assert (carried is None) == (backup == after)


@pytest.mark.parametrize(
    ("backup", "since", "after"),
    [
        (Confirmation.MISSING, Confirmation.TOO_LATE, Confirmation.TOO_LATE),
        (Confirmation.MISSING, Confirmation.GIVEN, Confirmation.MISSING),
        (Confirmation.GIVEN, Confirmation.TOO_LATE, Confirmation.GIVEN),
        (Confirmation.TOO_LATE, Confirmation.MISSING, Confirmation.TOO_LATE),
    ],
)
def test_no_confirmation_is_gained_and_one_that_came_too_late_stays_so(
    backup: Confirmation, since: Confirmation, after: Confirmation
) -> None:
    backed_up, latest = (
        an_invitation(a_shop().numbered(1), provenance=Provenance(source=Source.SNIPPET, confirmation=each))
        for each in (backup, since)
    )
    carried = carried_invitation(backed_up, latest)
    assert (carried or backed_up).provenance.confirmation is after
    assert (carried is None) == (backup is after)


@pytest.mark.parametrize(
    ("backup", "since", "carried"),
    [
        (Role.OWNER, Role.STAFF, Role.STAFF),
        (Role.STAFF, Role.OWNER, None),
        (Role.OWNER, Role.OWNER, None),
        (Role.STAFF, Role.STAFF, None),
    ],
)
def test_a_role_is_lowered_and_never_raised(backup: Role, since: Role, carried: Role | None) -> None:
    assert carried_role(backup, since) is carried
