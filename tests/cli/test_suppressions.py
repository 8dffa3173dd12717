"""`suppression`: an operator says who must not be written to."""

from __future__ import annotations

from contextlib import closing

import pytest
from tests.cli.customers import opt_out
from tests.cli.harness import Installation

from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.adapters.system import SystemClock
from reviewinvite_core.domain.suppressions import Suppression
from reviewinvite_core.values import Reach

ANNA = "anna@example.com"


def test_what_is_added_stops_what_waits_and_is_listed_without_the_address(molen: Installation) -> None:
    invite_id = molen.json("order", "report", "molen", ANNA)["inviteId"]
    added = molen.run("suppression", "add", ANNA)
    assert (added.code, added.err) == (0, "1 pending invitation suppressed.\n")
    assert molen.json("invitation", "show", invite_id)["reason"] == "opted_out"
    molen.json("order", "report", "molen", "bert@example.com")
    of_molen = molen.json("suppression", "add", "bert@example.com", "--site", "molen")
    assert of_molen.pop("invitationsSuppressed") == 1
    listed = molen.json("suppression", "list")
    assert [one["siteId"] for one in listed] == ["molen", None]
    assert listed[0] == of_molen
    assert set(of_molen) == {"siteId", "addressHash", "origin", "suppressedAt"}
    assert molen.json("suppression", "list", "--limit", "1") == [of_molen]
    shown = molen.ok("suppression", "list")
    assert [line.split()[:2] for line in shown.splitlines()[1:]] == [["molen", "operator"], ["all", "operator"]]
    assert "example.com" not in added.out + added.err + shown


def test_the_list_shows_until_when_a_dead_mailbox_is_suppressed(molen: Installation) -> None:
    now = SystemClock().now()
    with closing(SqliteStorage(molen.folder / "reviewinvite.db")) as storage:
        storage.run(lambda store: store.suppressions.add(Suppression.of_dead_mailbox(b"1" * 16, now)))
    [bounced] = molen.json("suppression", "list")
    heading, row = molen.ok("suppression", "list").splitlines()
    assert heading.endswith("UNTIL (UTC)")
    assert row.endswith(bounced["expiresAt"][:19].replace("T", " "))
    molen.ok("suppression", "add", ANNA)
    assert {line.split()[1]: line.split()[-1] for line in molen.ok("suppression", "list").splitlines()[1:]} == {
        "operator": "-",
        "bounce": row.split()[-1],
    }


def test_an_empty_list_says_so_beside_the_data(molen: Installation) -> None:
    assert molen.run("suppression", "list") == (0, "", "There are no suppressions.\n")
    assert molen.json("suppression", "list") == []


def test_an_operator_takes_back_an_operators_and_only_the_customers_wish_a_customers(molen: Installation) -> None:
    invite_id = molen.json("order", "report", "molen", ANNA)["inviteId"]
    added = molen.json("suppression", "add", ANNA)
    del added["invitationsSuppressed"]
    assert molen.json("suppression", "remove", ANNA) == added
    opt_out(molen, invite_id, Reach.THIS_SHOP)
    said = molen.refused(1, "suppression", "remove", ANNA)
    assert "not suppressed. It is suppressed elsewhere: `reviewinvite privacy export EMAIL` shows where." in said
    said = molen.refused(1, "suppression", "remove", ANNA, "--site", "molen")
    assert said.startswith("Error: The customer opted out; add --customer-asked")
    removed = molen.json("suppression", "remove", ANNA, "--site", "molen", "--customer-asked")
    assert removed["origin"] == "customer"
    assert molen.refused(1, "suppression", "remove", ANNA) == "Error: That address is not suppressed."
    assert molen.json("invitation", "show", invite_id)["state"] == "suppressed"


@pytest.mark.parametrize("verb", ["add", "remove"])
def test_impossible_addresses_are_refused(shared: Installation, verb: str) -> None:
    assert "EMAIL is not a valid e-mail address" in shared.refused(2, "suppression", verb, "anna")


@pytest.mark.parametrize("noun", ["suppression", "invitation"])
@pytest.mark.parametrize("limit", ["0", "-1", "100001", "many", "1.5"])
def test_a_limit_that_cannot_be_says_what_it_must_be(shared: Installation, noun: str, limit: str) -> None:
    assert "Error: --limit must be a whole number from 1 to 100,000." in shared.refused(
        2, noun, "list", "--limit", limit
    )
