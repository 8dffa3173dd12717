"""`invitation`, and the tables that people see."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.cli.orders import make_rejected, make_uncertain, report_due
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import State


@pytest.fixture(scope="module")
def three(shared: Installation) -> list[dict[str, str]]:
    """Three orders: the invitation results, the oldest first."""
    shared.ok("shop", "add", "kaas", "--name", "Kaashandel")
    return [
        shared.json("order", "report", site_id, "customer@example.com", "--order-number", number)
        for site_id, number in (("molen", "first"), ("kaas", "second"), ("molen", "X" * 128))
    ]


def test_invitations_are_listed_the_newest_first(shared: Installation, three: list[dict[str, str]]) -> None:
    listed = shared.json("invitation", "list")
    assert [one["inviteId"] for one in listed] == [one["inviteId"] for one in reversed(three)]
    first = listed[-1]
    assert first["siteId"] == "molen"
    assert first["orderNumber"] == "first"
    assert first["scheduledFor"] == three[0]["scheduledFor"]
    assert (first["state"], first["reason"], first["attempts"]) == ("scheduled", "reported", 0)


def test_a_list_can_be_of_one_shop_in_one_state_and_short(shared: Installation, three: list[dict[str, str]]) -> None:
    def listed(*options: str) -> list[str]:
        return [one["inviteId"] for one in shared.json("invitation", "list", *options)]

    assert listed("--site", "kaas") == [three[1]["inviteId"]]
    assert listed("--limit", "1") == [three[2]["inviteId"]]
    assert len(listed("--state", "scheduled")) == 3
    assert listed("--state", "sent") == []


def test_an_empty_list_says_so_beside_the_data(shared: Installation) -> None:
    ended = shared.run("invitation", "list", "--state", "sent")
    assert (ended.code, ended.out, ended.err) == (0, "", "There are no such invitations.\n")


@pytest.mark.parametrize("limit", ["0", "-1", "9" * 30, "many"])
def test_a_limit_that_cannot_be_is_wrong_usage(shared: Installation, limit: str) -> None:
    assert "--limit" in shared.refused(2, "invitation", "list", "--limit", limit)


def test_an_unknown_state_is_wrong_usage_and_the_known_ones_are_told(shared: Installation) -> None:
    said = shared.refused(2, "invitation", "list", "--state", "gone")
    assert "--state" in said
    assert all(state in said for state in State)


def test_unknown_invitations_are_refused(shared: Installation) -> None:
    unknown = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"
    for command in (("show",), ("cancel",), ("send-now",), ("resolve", "--sent"), ("resolve", "--resend", "--yes")):
        for invite_id in (unknown, "no-uuid"):
            said = shared.refused(1, "invitation", *command, invite_id)
            assert said == f"Error: There is no invitation {invite_id}. List them: reviewinvite invitation list"


def test_an_id_is_taken_only_as_it_is_printed(shared: Installation, three: list[dict[str, str]]) -> None:
    invite_id = three[0]["inviteId"]
    assert shared.json("invitation", "show", invite_id)["inviteId"] == invite_id
    for other in (invite_id.upper(), invite_id.replace("-", ""), f"{{{invite_id}}}", f"urn:uuid:{invite_id}"):
        said = shared.refused(1, "invitation", "show", other)
        assert said == f"Error: There is no invitation {other}. List them: reviewinvite invitation list"


def test_a_cancelled_invitation_shows_its_history(molen: Installation) -> None:
    invite_id = molen.json("order", "report", "molen", "customer@example.com")["inviteId"]
    cancelled = molen.json("invitation", "cancel", invite_id)
    assert (cancelled["state"], cancelled["reason"]) == ("cancelled", "cancelled")
    assert [change["state"] for change in cancelled["history"]] == ["scheduled", "cancelled"]
    assert molen.json("invitation", "cancel", invite_id) == cancelled
    shown = molen.ok("invitation", "show", invite_id)
    assert re.search(r"^State +cancelled \(cancelled\)$", shown, re.MULTILINE)
    assert re.search(r"^[\d-]+ [\d:]+ +cancelled +cancelled +-$", shown, re.MULTILINE)


def test_what_was_sent_can_not_be_cancelled(molen: Installation) -> None:
    invite_id = molen.json("order", "report", "molen", "customer@example.com", "--delay-days", "0")["inviteId"]
    molen.ok("worker", "--once")
    said = molen.refused(1, "invitation", "cancel", invite_id)
    assert said == "Error: It is too late: the invitation is sent."


def test_a_piped_table_has_one_line_each_and_cuts_nothing(shared: Installation, three: list[dict[str, str]]) -> None:
    heading, *lines = shared.ok("invitation", "list").splitlines()
    assert heading.split() == ["INVITATION", "STATE", "REASON", "SCHEDULED", "(UTC)", "SHOP", "ORDER", "SOURCE"]
    assert [line.split()[0] for line in lines] == [one["inviteId"] for one in reversed(three)]
    assert lines[0].endswith(f"{'X' * 128}  operator")
    assert all(line == line.rstrip() and line.isascii() and line.isprintable() for line in lines)


def test_a_scheduled_invitation_is_sent_at_once_by_a_worker_that_runs_already(
    molen: Installation, as_process: AsProcess
) -> None:
    reported = molen.json("order", "report", "molen", "customer@example.com")
    process = as_process(molen).start("worker")
    try:
        assert process.stdout
        first = molen.json("order", "report", "molen", "customer@example.com", "--order-number", "1", "--delay-days=0")
        assert first["inviteId"] in process.stdout.readline()  # it runs
        said = molen.json("invitation", "send-now", reported["inviteId"])
        decided = said["history"][1]  # the worker may have it in hand by now
        assert (decided["state"], decided["reason"]) == ("scheduled", "operator")
        assert said["scheduledFor"] == reported["scheduledFor"] > said["dueAt"]
        sent = json.loads(process.stdout.readline())
        assert (sent["inviteId"], sent["state"]) == (reported["inviteId"], "sent")
        made, left = (datetime.fromisoformat(each) for each in (said["dueAt"], sent["timestamp"]))
        assert left - made < timedelta(seconds=20)  # not only with the next tidying
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_SECONDS)
    late = molen.refused(1, "invitation", "send-now", reported["inviteId"])
    assert late == "Error: It is too late: the invitation is sent."


def test_the_history_says_that_sending_was_brought_forward(molen: Installation) -> None:
    invite_id = molen.json("order", "report", "molen", "customer@example.com")["inviteId"]
    assert "brought forward" not in molen.ok("invitation", "show", invite_id)
    for command in ("send-now", "show"):
        shown = molen.ok("invitation", command, invite_id).splitlines()
        assert "State          scheduled (brought forward by the operator)" in shown
        assert shown[-1].split(maxsplit=2)[2] == "scheduled  brought forward by the operator  -"
    assert molen.json("invitation", "show", invite_id)["history"][1]["reason"] == "operator"


def test_what_is_to_be_sent_now_is_said_to_wait_while_its_shop_is_inactive(molen: Installation) -> None:
    invite_id = molen.json("order", "report", "molen", "customer@example.com")["inviteId"]
    assert molen.run("invitation", "send-now", invite_id).err == ""
    molen.ok("shop", "deactivate", "molen")
    ended = molen.run("invitation", "send-now", invite_id)
    assert ended.code == 0
    assert ended.err == "The shop is not active: the message is sent after `reviewinvite shop activate molen`.\n"


@pytest.fixture
def uncertain(molen: Installation) -> str:
    """Return an invitation whose message may have arrived."""
    return make_uncertain(molen)


def test_an_uncertain_invitation_is_resolved_as_sent(molen: Installation, uncertain: str) -> None:
    assert [one["inviteId"] for one in molen.json("invitation", "list", "--state", "uncertain")] == [uncertain]
    said = molen.json("invitation", "resolve", uncertain, "--sent")
    assert (said["state"], said["reason"]) == ("sent", "operator")
    assert [change["state"] for change in said["history"]][-2:] == ["uncertain", "sent"]
    assert molen.ok("worker", "--once") == ""
    for flags in (("--sent",), ("--resend", "--yes")):
        again = molen.refused(1, "invitation", "resolve", uncertain, *flags)
        assert again == "Error: There is nothing to resolve: the invitation is sent, not uncertain."


def test_an_uncertain_invitation_is_sent_once_more(molen: Installation, uncertain: str) -> None:
    said = molen.json("invitation", "resolve", uncertain, "--resend", "--yes")
    assert (said["state"], said["reason"]) == ("scheduled", "operator")
    assert json.loads(molen.ok("worker", "--once"))["inviteId"] == uncertain
    assert len(list((molen.folder / "outbox" / "new").iterdir())) == 1


@pytest.mark.parametrize("flags", [(), ("--sent", "--resend"), ("--yes",)])
def test_resolving_takes_exactly_one_word(molen: Installation, uncertain: str, flags: tuple[str, ...]) -> None:
    assert "exactly one of --sent and --resend" in molen.refused(2, "invitation", "resolve", uncertain, *flags)


@pytest.mark.parametrize(("typed", "state"), [("y\n", "scheduled"), ("n\n", "uncertain"), ("\n", "uncertain")])
def test_on_a_terminal_a_person_is_warned_and_asked(
    molen: Installation, as_process: AsProcess, uncertain: str, typed: str, state: str
) -> None:
    terminal = as_process(molen).on_terminal("invitation", "resolve", uncertain, "--resend", typed=typed)
    shown = " ".join(terminal.split())
    assert "Warning: the message may already have arrived: the customer may get it twice." in shown
    assert "Send it again? [y/N]:" in shown
    assert ("Nothing was changed." in shown) == (state == "uncertain")
    assert molen.json("invitation", "show", uncertain)["state"] == state


def test_what_cannot_be_sent_once_more_is_not_asked_about(molen: Installation, as_process: AsProcess) -> None:
    invite_id = molen.json("order", "report", "molen", "customer@example.com")["inviteId"]
    shown = as_process(molen).on_terminal("invitation", "resolve", invite_id, "--resend")
    assert "the invitation is scheduled, not uncertain." in shown
    assert "Send it again" not in shown


def test_all_that_is_uncertain_at_a_shop_is_resolved_at_once(molen: Installation, uncertain: str) -> None:
    said = molen.json("invitation", "resolve", "--all", "--site", "molen", "--sent")
    assert said == {"erased": 0, "resolved": 1}
    assert molen.json("invitation", "show", uncertain)["state"] == "sent"
    assert molen.ok("invitation", "resolve", "--all", "--reason", "reconciled", "--sent") == "Resolved as sent: 0.\n"


def test_all_of_a_reason_are_sent_once_more(molen: Installation, uncertain: str) -> None:
    ended = molen.run("invitation", "resolve", "--all", "--reason", "answer_lost", "--resend", "--yes")
    assert ended == (0, "Due again: 1.\n", "")
    assert json.loads(molen.ok("worker", "--once"))["inviteId"] == uncertain


@pytest.mark.parametrize("which", [("--site", "molen"), ("--reason", "answer_lost")])
def test_invitations_of_an_inactive_shop_wait_even_if_all_are_sent_once_more(
    molen: Installation, uncertain: str, which: tuple[str, str]
) -> None:
    molen.ok("shop", "deactivate", "molen")
    ended = molen.run("invitation", "resolve", "--all", *which, "--resend", "--yes")
    assert (ended.code, ended.out) == (0, "Due again: 1.\n")
    assert "Those of inactive shops are sent after `reviewinvite shop activate SITE_ID`." in ended.err
    assert molen.ok("worker", "--once") == ""
    assert molen.json("invitation", "show", uncertain)["state"] == "scheduled"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--all", "--sent"), "add --site, --reason or both"),
        (("--all", "--site", "molen"), "exactly one of --sent and --resend"),
        (("--site", "molen", "--sent"), "--site and --reason go with --all"),
        (("--reason", "reconciled", "--sent"), "--site and --reason go with --all"),
        (
            ("019cadd4-cbc8-73c1-9e5f-0a94c27d3b86", "--all", "--site", "molen", "--sent"),
            "give an ID or --all, not both",
        ),
        (("--sent",), "give an ID, or --all"),
        (("--all", "--reason", "gone", "--sent"), "answer_lost, process_died, reconciled"),
        (("--all", "--reason", "accepted", "--sent"), "answer_lost, process_died, reconciled"),
        (("--all", "--site", "molen", "--resend"), "add --yes"),
    ],
)
def test_resolving_many_wants_to_know_which(
    molen: Installation, uncertain: str, arguments: tuple[str, ...], says: str
) -> None:
    assert says in " ".join(molen.refused(2, "invitation", "resolve", *arguments).split())
    assert molen.json("invitation", "show", uncertain)["state"] == "uncertain"


@pytest.mark.parametrize(("typed", "state"), [("y\n", "scheduled"), ("\n", "uncertain")])
def test_before_many_are_sent_once_more_a_person_is_asked_and_told_how_many(
    molen: Installation, as_process: AsProcess, uncertain: str, typed: str, state: str
) -> None:
    terminal = as_process(molen).on_terminal(
        "invitation", "resolve", "--all", "--site", "molen", "--resend", typed=typed
    )
    shown = " ".join(terminal.split())
    assert "Warning: the message may already have arrived: the customer may get it twice." in shown
    assert "Send 1 again? [y/N]:" in shown
    assert molen.json("invitation", "show", uncertain)["state"] == state


def test_a_rejected_invitation_is_tried_again(molen: Installation) -> None:
    rejected = make_rejected(molen)
    assert molen.ok("invitation", "retry", rejected, "--yes") == f"Scheduled again: 1.\n  {rejected}\n"
    assert molen.json("invitation", "show", rejected)["reason"] == "retried"
    assert json.loads(molen.ok("worker", "--once"))["inviteId"] == rejected


def test_what_is_not_tried_again_is_told_by_reason_and_fails(molen: Installation) -> None:
    rejected, waiting, unknown = make_rejected(molen), report_due(molen), "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"
    ended = molen.run("invitation", "retry", waiting, rejected, unknown, "no-uuid\x1b", "--yes")
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.splitlines() == [
        "Scheduled again: 1.",
        f"  {rejected}",
        "Left alone, because only a rejected invitation can be tried again: 1.",
        f"  {waiting}",
        "Left alone, because there is no such invitation: 2.",
        f"  {unknown}",
        "  no-uuid\\x1b",
    ]
    again = molen.run("invitation", "retry", rejected, "--yes", "--json")
    assert (again.code, json.loads(again.out)) == (1, {"scheduled": [], "refused": {"not_rejected": [rejected]}})


def test_all_that_were_rejected_since_are_tried_again(molen: Installation) -> None:
    tried = [make_rejected(molen, number) for number in ("1", "2")]
    assert molen.ok("invitation", "retry", "--rejected-since", "2999-01-01", "--yes") == "Scheduled again: 0.\n"
    molen.ok("suppression", "add", "customer@example.com")
    told = molen.ok("invitation", "retry", "--rejected-since", "1h", "--yes")
    assert told == "Scheduled again: 0.\nLeft alone, because the customer's address is suppressed: 2.\n"
    molen.ok("suppression", "remove", "customer@example.com")
    said = molen.json("invitation", "retry", "--rejected-since", "2026-01-01", "--yes")
    assert (sorted(said["scheduled"]), said["refused"]) == (sorted(tried), {})


def test_how_many_would_be_tried_again_is_asked(molen: Installation, as_process: AsProcess) -> None:
    for number in ("1", "2"):
        make_rejected(molen, number)
    shown = as_process(molen).on_terminal("invitation", "retry", "--rejected-since", "1h", typed="n\n")
    assert "Try 2 again? [y/N]:" in shown
    assert "Nothing was changed." in shown
    assert len(molen.json("invitation", "list", "--state", "rejected")) == 2
    shown = as_process(molen).on_terminal("invitation", "retry", "--rejected-since", "1h", typed="y\n")
    assert "Scheduled again: 2." in shown


@pytest.mark.parametrize("arguments", [(), ("id", "--rejected-since", "1d")], ids=["neither", "both"])
def test_a_retry_takes_ids_or_a_time(shared: Installation, arguments: tuple[str, ...]) -> None:
    assert "give either IDs or --rejected-since" in shared.refused(2, "invitation", "retry", *arguments, "--yes")


def test_nothing_is_tried_again_while_deliveries_are_paused(molen: Installation) -> None:
    rejected = make_rejected(molen)
    molen.ok("worker", "--once")
    (molen.folder / "reviewinvite.db.mark").unlink()
    said = molen.refused(3, "invitation", "retry", rejected, "--yes")
    assert "deliveries are paused" in said.lower()
    molen.ok("db", "reconcile", "--yes")
    told = molen.run("invitation", "retry", rejected, "--yes").out
    assert "it was rejected before a migration or `db reconcile`" in told
