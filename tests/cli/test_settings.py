"""Where a command gets its settings from, and what it says when they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import COMMAND, POWERLESS, AsProcess
from tests.cli.harness import Installation


def test_an_option_wins_over_the_environment_and_that_over_the_file(empty: Installation) -> None:
    (empty.folder / "reviewinvite.toml").write_text('database_url = "sqlite:///file.db"\n')
    add = ("shop", "add", "molen", "--name", "Molen")
    empty.ok(*add)
    assert (empty.folder / "file.db").exists()
    empty.ok(*add, REVIEWINVITE_DATABASE_URL="sqlite:///variable.db")
    assert (empty.folder / "variable.db").exists()
    empty.ok("--database-url", "sqlite:///option.db", *add, REVIEWINVITE_DATABASE_URL="sqlite:///other.db")
    assert (empty.folder / "option.db").exists()
    assert not (empty.folder / "other.db").exists()
    assert not (empty.folder / "reviewinvite.db").exists()


def test_a_settings_file_can_be_named(empty: Installation, tmp_path: Path) -> None:
    (empty.folder / "reviewinvite.toml").write_text("nonsense")
    (tmp_path / "other.toml").write_text('database_url = "sqlite:///named.db"\n')
    empty.ok("--config", str(tmp_path / "other.toml"), "shop", "add", "molen", "--name", "Molen")
    assert (empty.folder / "named.db").exists()


@pytest.mark.parametrize("command", [("shop", "list"), ("serve", "--port", "0"), ("worker", "--once")], ids=" ".join)
def test_a_settings_file_that_cannot_be_read_is_wrong_configuration(
    molen: Installation, as_process: AsProcess, command: tuple[str, ...]
) -> None:
    """So that systemd does not start it again and again."""
    (molen.folder / "settings.d").mkdir()
    (molen.folder / "mine.toml").write_text("")
    (molen.folder / "mine.toml").chmod(0)
    said = molen.refused(3, "--config", "settings.d", *command)
    assert "settings.d cannot be read: is a directory" in said
    ended = as_process(molen).run_program([*POWERLESS, *COMMAND, "--config", "mine.toml", *command])
    assert ended.code == 3
    assert "mine.toml cannot be read: permission denied" in ended.err


def test_an_unknown_variable_is_a_warning(molen: Installation) -> None:
    ended = molen.run("review", "list", "--json", REVIEWINVITE_DATABSE_URL="sqlite:///typo.db")
    assert (ended.code, ended.out) == (0, "[]\n")
    assert ended.err == "Warning: REVIEWINVITE_DATABSE_URL is not a setting and has no effect.\n"


def test_a_wrong_secret_is_a_configuration_error_and_is_not_repeated(molen: Installation) -> None:
    said = molen.refused(3, "shop", "list", REVIEWINVITE_SECRET="not-the-secret-it-was-made-with")
    assert "wrong secret for this database" in said.lower()
    assert "not-the-secret" not in said


def test_a_wrong_value_is_shown_with_its_source_unless_it_may_be_secret_or_an_address(empty: Installation) -> None:
    (empty.folder / "mine.toml").write_text(
        "mail_from = 'geheim@'\nbase_url = 'http://u:geheim@x'\n"
        "widget_url = 'https://x?k=geheim'\nmail_connections = 0\n"
    )
    said = empty.refused(3, "--config", "mine.toml", "shop", "list", REVIEWINVITE_METRICS_TOKEN="geheim")
    assert "mail_connections must be a whole number from 1 to 100, not 0 (mine.toml)" in said
    assert "mail_from must be an e-mail address and nothing else (mine.toml)" in said
    assert "(REVIEWINVITE_METRICS_TOKEN)" in said
    assert "geheim" not in said


@pytest.mark.parametrize("command", ["worker", "demo"])
def test_a_level_or_format_that_does_not_exist_is_a_configuration_error(empty: Installation, command: str) -> None:
    level = "Error: log_level must be debug, info, warning or error, not 'loud' ({})."
    form = "Error: log_format must be json, logfmt or auto, not 'xml' ({})."
    by_variable = level.format("REVIEWINVITE_LOG_LEVEL"), form.format("REVIEWINVITE_LOG_FORMAT")
    assert empty.refused(3, command, "--once", REVIEWINVITE_LOG_LEVEL="loud") == by_variable[0]
    assert empty.refused(3, command, "--once", REVIEWINVITE_LOG_FORMAT="xml") == by_variable[1]
    assert empty.refused(3, "--log-level", "loud", command, "--once") == level.format("--log-level")
    said = empty.refused(3, "--log-format", "xml", command, "--once", REVIEWINVITE_LOG_FORMAT="json")
    assert said == form.format("--log-format")


@pytest.mark.parametrize("content", ["", "\xff\xfe", "a folder"])
def test_a_secret_file_that_cannot_be_read_is_told_in_plain_words(empty: Installation, content: str) -> None:
    secret = empty.folder / "secret"
    if content == "a folder":
        secret.mkdir()
    else:
        secret.write_bytes(content.encode("latin-1"))
    said = empty.refused(3, "shop", "add", "molen", "--name", "M", REVIEWINVITE_SECRET_FILE="secret")
    assert said.startswith("Error: The secret ")
    for raw in ("Errno", "codec", "0x"):
        assert raw not in said


def test_a_settings_file_that_is_not_utf8_is_a_configuration_error(empty: Installation) -> None:
    (empty.folder / "reviewinvite.toml").write_bytes(b'mail_from = "caf\xe9@example.com"\n')
    empty.refused(3, "shop", "list")


@pytest.mark.parametrize("url", ["mysql://localhost/x", "reviewinvite.db", "sqlite:///", ""])
def test_a_database_url_that_cannot_be_is_a_configuration_error(empty: Installation, url: str) -> None:
    assert "database_url" in empty.refused(3, "--database-url", url, "shop", "list")


@pytest.mark.parametrize("command", [("worker", "--once"), ("serve", "--port", "0")])
def test_a_mail_url_that_cannot_be_stops_those_who_deliver(empty: Installation, command: tuple[str, ...]) -> None:
    said = empty.refused(3, *command, REVIEWINVITE_MAIL_URL="pigeon:coop")
    assert said.rpartition("} ")[2].startswith("Error: mail_url must be")  # after the warnings that `serve` logs
    assert "pigeon" not in said
