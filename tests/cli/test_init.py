"""`init`: it makes a whole installation or none, and never overwrites one."""

from __future__ import annotations

import json
import os
import signal
import tomllib
from pathlib import Path

from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_cli.first_run import default_of

SHOP = ("--site-id", "bakery", "--shop-name", "De Molen", "--owner", "eva@example.com")
MAIL_URL = "smtp://shop:geheim@localhost:1"


def test_it_makes_an_installation_that_works(empty: Installation) -> None:
    ended = empty.run("init", *SHOP, "--base-url", "https://localhost:1", "--json")
    assert ended.code == 0, ended
    made = json.loads(ended.out)
    assert tomllib.loads((empty.folder / "reviewinvite.toml").read_text()) == {
        "base_url": "https://localhost:1",
        "mail_from": "invitations@localhost",
        "trusted_proxies": "127.0.0.1",
    }
    assert made["url"].startswith("https://localhost:1/dashboard/sign-in/")
    assert empty.json("key", "list", "bakery")[0]["keyId"] == made["keyId"]
    assert made["key"].startswith("rvi_")
    assert [each["role"] for each in empty.json("member", "list", "bakery")] == ["owner"]
    checked = {each["check"]: each["status"] for each in made["findings"]}
    assert checked["database"] == "ok"
    assert not {"base_url", "https"} & set(checked)  # nothing serves yet


def test_the_sender_has_the_host_of_the_public_address() -> None:
    assert default_of("mail_from", {"base_url": "https://reviews.example.nl"}) == "invitations@reviews.example.nl"


def test_a_password_comes_from_standard_input_and_its_file_is_for_its_owner(
    empty: Installation, as_process: AsProcess
) -> None:
    process = as_process(empty)
    program = ("python", "-m", "reviewinvite_cli", "init", *SHOP, "--mail-url", "-")
    ended = process.run_program(program, stdin=f"{MAIL_URL}\n".encode())
    assert ended.code == 0, ended
    file = empty.folder / "reviewinvite.toml"
    assert file.stat().st_mode & 0o777 == 0o600
    assert tomllib.loads(file.read_text())["mail_url"] == MAIL_URL
    assert "geheim" not in ended.out + ended.err


def test_a_second_run_changes_nothing_and_says_what_to_do(empty: Installation) -> None:
    empty.ok("init", *SHOP)
    before = {file: file.read_bytes() for file in empty.folder.iterdir()}
    said = empty.refused(1, "init", *SHOP)
    assert "reviewinvite.toml exists already" in said
    assert "reviewinvite doctor" in said
    assert {file: file.read_bytes() for file in empty.folder.iterdir()} == before


def test_what_an_earlier_run_has_stored_is_kept(empty: Installation) -> None:
    empty.ok("init", *SHOP)
    (empty.folder / "reviewinvite.toml").unlink()
    assert "there was one already" in empty.ok("init", *SHOP)
    assert len(empty.json("key", "list", "bakery")) == len(empty.json("member", "list", "bakery")) == 1


def test_a_settings_file_that_is_there_can_be_kept(empty: Installation) -> None:
    file = empty.folder / "reviewinvite.toml"
    assert "there is no reviewinvite.toml" in empty.refused(2, "init", *SHOP, "--keep-settings")
    file.write_text('base_url = "https://localhost:1"\ndatabase_url = "sqlite:///other.db"\n')
    before = file.read_bytes()
    assert "--keep-settings" in empty.refused(2, "init", *SHOP, "--keep-settings", "--mail-from", "a@example.nl")
    assert [path.name for path in empty.folder.iterdir()] == [file.name]
    made = json.loads(empty.ok("init", *SHOP, "--keep-settings", "--json"))
    assert made["url"].startswith("https://localhost:1/dashboard/sign-in/")
    assert empty.json("key", "list", "bakery")[0]["keyId"] == made["keyId"]
    assert (empty.folder / "other.db").exists()
    assert file.read_bytes() == before


def test_only_a_key_and_a_link_that_were_printed_are_spoken_of(empty: Installation) -> None:
    first = empty.run("init", *SHOP)
    assert "Save the key now" in first.err
    assert "The link signs in once" in first.err
    again = empty.run("init", *SHOP, "--keep-settings")
    assert again.code == 0
    assert "Save the key" not in again.err
    assert "signs in" not in again.err
    for command in ("key create bakery", "member link bakery EMAIL"):
        assert f"reviewinvite {command}" in again.err
        assert f"reviewinvite {command}" not in first.err


def test_without_a_terminal_what_is_missing_or_wrong_is_wrong_usage(empty: Installation) -> None:
    assert "--shop-name, --owner" in empty.refused(2, "init", "--site-id", "bakery")
    assert "mail_from" in empty.refused(2, "init", *SHOP, "--mail-from", "nobody")
    assert not list(empty.folder.iterdir())


def test_on_a_terminal_it_asks_and_asks_again_for_what_is_wrong(empty: Installation, as_process: AsProcess) -> None:
    typed = "\nKeurig & Co.\n\n\n\nno good\nbakery\nDe Molen\neva@example.com\n"
    shown = as_process(empty).on_terminal("init", typed=typed, columns=200)
    assert "Public address of the service [http://127.0.0.1:8000]" in shown
    assert tomllib.loads((empty.folder / "reviewinvite.toml").read_text())["operator_name"] == "Keurig & Co."
    assert "must be 1-64 letters" in shown
    assert shown.count("Site id of the first shop") == 3  # twice as a question, once in the error
    assert (empty.folder / "reviewinvite.db").exists()


def test_ctrl_c_while_it_works_leaves_nothing(empty: Installation, as_process: AsProcess) -> None:
    module = "reviewinvite_cli.first_run"
    with as_process(empty).halted(module, "write_settings", 1, "init", *SHOP) as process:
        assert (empty.folder / "reviewinvite.db").exists()
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait(TIMEOUT_SECONDS) == 130
    assert not list(Path(empty.folder).iterdir())


def test_the_file_suggests_a_share_of_views_which_doctor_mentions_without_a_warning(empty: Installation) -> None:
    def settings_found(**more: str) -> dict[str, str]:
        found = json.loads(empty.run("doctor", "--json", **more).out)
        return next(each for each in found if each["check"] == "settings")

    empty.ok("init", *SHOP, "--base-url", "https://localhost:1", "--mail-url", MAIL_URL, "--mail-from", "a@example.nl")
    settings = (empty.folder / "reviewinvite.toml").read_text()
    assert "\n# views_per_client_percent = 25\n" in settings
    found, odd = settings_found(), settings_found(REVIEWINVITE_BASE_URL="http://localhost:1")
    assert "VIEWS_PER_CLIENT_PERCENT" in found["detail"]
    assert (odd["status"], "VIEWS_PER_CLIENT_PERCENT" in odd["next"]) == ("warning", True)
    assert "OPERATOR_NAME" in found["detail"]


def test_the_name_of_the_operator_is_an_option(empty: Installation) -> None:
    empty.ok("init", *SHOP, "--operator-name", "Keurig & Co.")
    assert tomllib.loads((empty.folder / "reviewinvite.toml").read_text())["operator_name"] == "Keurig & Co."
