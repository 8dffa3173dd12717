"""Each command once in a process of its own: it ends as it does in this process, and prints the same."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.cli.applications import application_of
from tests.cli.command import AsProcess
from tests.cli.command_tree import EVERY_COMMAND, CommandPath
from tests.cli.customers import a_review
from tests.cli.harness import Installation
from tests.cli.masking import masked
from tests.cli.orders import make_rejected, make_uncertain, report_due, write_order_file
from tests.core.domain.signing_kit import KEYS, a_statement, document_of

from reviewinvite_core.bootstrap.adapter_factory import machine_time

HOST = "www.molen.example.nl"
ARGUMENTS: Mapping[str, str] = {
    "help": "shop add",
    "demo": "--no-such-option",  # what it tells is in test_demo
    "prove": "--no-such-option",  # what it does is in tests/cli/prove
    "serve": "--host 203.0.113.7 --port 0",  # an address of no machine: it ends when it begins to listen
    "worker": "--once",
    "verify": "statement.json --keys keys.json",
    "init": "--site-id first --shop-name First --owner eva@example.com",
    "doctor": "",
    "settings show": "",
    "mail test": "someone@example.com",
    "shop add": "new --name New",
    "shop list": "",
    "shop show": "molen",
    "shop set": "molen --language en",
    "shop approve": "molen",
    "shop activate": "closed",
    "shop deactivate": "molen",
    "member add": "molen new@example.com",
    "member list": "molen",
    "member remove": "molen tom@example.com --yes",
    "member link": "molen eva@example.com",
    "key create": "molen",
    "key list": "molen",
    "key revoke": "{key} --yes",
    "domain add": "molen shop.example.nl",
    "domain check": f"molen {HOST}",
    "domain list": "molen",
    "domain remove": f"molen {HOST} --yes",
    "order report": "molen customer@example.com --order-number 2",
    "order import": "molen orders.csv --verbose",
    "snippet embed": "molen",
    "snippet secret": "molen",
    "trustmark grant": "closed",
    "trustmark revoke": "molen",
    "signing-key list": "",
    "signing-key rotate": "--now",
    "signing-key compromised": "{signing_key} --yes",
    "badge show": "molen",
    "badge set": "molen --theme dark",
    "badge embed": "molen",
    "invitation list": "",
    "invitation show": "{invitation}",
    "invitation cancel": "{invitation}",
    "invitation send-now": "{invitation}",
    "invitation resolve": "{uncertain} --sent",
    "invitation retry": "{rejected} --yes",
    "review list": "",
    "review show": "{review}",
    "review hide": "{review} --reason spam",
    "review show-again": "{review}",
    "review reply": "{review} Thanks",
    "suppression add": "bert@example.com",
    "suppression list": "",
    "suppression remove": "gone@example.com",
    "privacy erase": "customer@example.com --yes",
    "privacy export": "customer@example.com",
    "privacy purge": "",
    "secret rotate": "--yes",
    "db migrate": "",
    "db check": "",
    "db backup": "new.db",
    "db restore": "backup.db --yes",
    "db reconcile": "--yes",
    "db recount": "",
    "backup record": "",
    "db finish-upgrade": "",
    "db prepare-rollback": "",
    "db copy": "sqlite:///reviewinvite.db sqlite:///copy.db",
}
REPRESENTATIVES = frozenset({"serve", "shop list", "order import", "invitation list"})
"""One that serves, one that reads, one that writes, one with much to print: these start as all others do."""

CODES: Mapping[str, int] = {"doctor": 1, "demo": 2, "prove": 2, "serve": 3, "shop approve": 1}


@pytest.fixture(scope="module")
def known(one_shop: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, str]]:
    """Return an installation with something of everything, to be copied, and the ids in it."""
    made = Installation(shutil.copytree(one_shop, tmp_path_factory.mktemp("known") / "installation"))
    made.ok("shop", "add", "closed", "--name", "Closed")
    made.ok("shop", "deactivate", "closed")
    for member in ("eva@example.com", "tom@example.com"):
        made.ok("member", "add", "molen", member)
    made.ok("domain", "add", "molen", HOST, "--assume-verified")
    made.ok("trustmark", "grant", "molen")
    made.ok("suppression", "add", "gone@example.com")
    write_order_file(made.folder / "orders.csv", 0, 3)
    with application_of(made) as application:
        signing_key = application.signing_keys.published()[0].key_id
    ids = {
        "key": made.json("key", "create", "molen")["keyId"],
        "uncertain": make_uncertain(made),
        "rejected": make_rejected(made),
        "invitation": report_due(made),
        "review": a_review(made, "reviewed"),
        "signing_key": signing_key,
    }
    made.ok("db", "backup", "backup.db")
    return made.folder, ids


@pytest.mark.parametrize(
    "path", [path if " ".join(path) in REPRESENTATIVES else in_full(path) for path in EVERY_COMMAND], ids=" ".join
)
def test_a_command_is_the_same_in_a_process_of_its_own(
    known: tuple[Path, Mapping[str, str]], as_process: AsProcess, tmp_path: Path, path: CommandPath
) -> None:
    folder, ids = known
    name = " ".join(path)
    arguments = (*path, *(each.format(**ids) for each in ARGUMENTS[name].split()))
    here, there = (Installation(shutil.copytree(folder, tmp_path / place)) for place in ("here", "there"))
    for each in (here, there):
        (each.folder / "statement.json").write_bytes(document_of(a_statement(now=machine_time())))
        (each.folder / "keys.json").write_bytes(KEYS)
    ended, expected = as_process(there).run(*arguments), here.run(*arguments)
    assert ended.code == expected.code == CODES.get(name, 0), ended
    assert masked(ended.out) == masked(expected.out)
    assert masked(ended.err) == masked(expected.err)


def test_no_arguments_are_of_a_command_that_is_not_there() -> None:
    assert {tuple(name.split()) for name in ARGUMENTS} == set(EVERY_COMMAND)


def test_a_shop_that_there_is_not_is_named_by_every_command_that_takes_one(
    known: tuple[Path, Mapping[str, str]], tmp_path: Path
) -> None:
    here = Installation(shutil.copytree(known[0], tmp_path / "here"))
    asked = [
        "invitation list --site nobody",
        "invitation resolve --all --site nobody --sent",
        "review list --site nobody",
    ]
    asked += [f"suppression {verb} anna@example.com --site nobody" for verb in ("add", "remove")]
    for path, command in EVERY_COMMAND.items():
        if path != ("shop", "add") and any(each.opts == ["site_id"] for each in command.params):
            _, _, others = ARGUMENTS[" ".join(path)].partition(" ")
            asked.append(f"{' '.join(path)} nobody {others}")
    assert len(asked) > 25
    for line in asked:
        said = here.refused(1, *line.split())
        assert said == 'Error: No shop "nobody". List shops: reviewinvite shop list', line
