"""Where settings come from, and what is refused of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reviewinvite_core import OrderReport, Reported, accepted, build
from reviewinvite_core.bootstrap.settings import Settings, unknown_variables
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.testing.builders import a_shop

PASSWORD = "hunter2-hunter2-hunter2-hunter2"


def a_file(folder: Path, text: str) -> Path:
    path = folder / "reviewinvite.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("in_flag", "in_environment", "in_file", "expected"),
    [
        (5, "4", 3, 5),
        (None, "4", 3, 4),
        (None, None, 3, 3),
        (None, None, None, 120),
        (0, "4", 3, 0),
        (5, None, None, 5),
        (None, "4", None, 4),
    ],
)
def test_flag_goes_before_environment_before_file_before_default(
    tmp_path: Path, in_flag: int | None, in_environment: str | None, in_file: int | None, expected: int
) -> None:
    environment = {} if in_environment is None else {"REVIEWINVITE_ORDERS_PER_MINUTE": in_environment}
    file = a_file(tmp_path, "" if in_file is None else f"orders_per_minute = {in_file}")
    settings = Settings.load({"orders_per_minute": in_flag}, environment=environment, file=file)
    assert settings.orders_per_minute == expected


def test_each_source_gives_its_own_settings(tmp_path: Path) -> None:
    file = a_file(tmp_path, 'secret_file = "secret.txt"\nmail_from = "shop@example.com"')
    environment = {"REVIEWINVITE_SECRET": PASSWORD, "UNRELATED": "x"}
    settings = Settings.load({"base_url": "https://example.com"}, environment=environment, file=file)
    assert settings.secret_file == tmp_path / "secret.txt"  # beside the file that names it
    assert (settings.mail_from, settings.secret) == ("shop@example.com", PASSWORD)
    assert settings.base_url == "https://example.com"


def test_the_file_in_the_current_directory_is_read_where_there_is_one(tmp_path: Path) -> None:
    a_file(tmp_path, "orders_per_minute = 7")
    before = Path.cwd()
    try:
        os.chdir(tmp_path)
        assert Settings.load().orders_per_minute == 7
        (tmp_path / "reviewinvite.toml").unlink()
        assert Settings.load().orders_per_minute == 120
    finally:
        os.chdir(before)


@pytest.mark.parametrize(
    "text",
    [
        "orders_per_minute = true",
        "orders_per_minute = 1.5",
        "orders_per_minute = [1]",
        'orders_per_minute = "many"',
        "lease_seconds = 659",
        "shutdown_seconds = 0",
        "database_url = 5",
        "mail_url = false",
        'base_url = "example.com"',
        'base_url = " http://example.com"',
        'mail_from = "nobody"',
        'mail_from = "a@localhost\\nBcc: b@example.com"',
        "not toml at all",
        "orders_per_minute = 1\norders_per_minute = 2",
        "\u0000",
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(file=a_file(tmp_path, text))
    assert str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("orders_per_minute = -1", "orders_per_minute must be a whole number from 0 to 1000000"),
        ("orders_per_minute = 99999999999999999999", "orders_per_minute must be a whole number from 0 to 1000000"),
        ("lease_seconds = 99999999999999", "lease_seconds must be a whole number from 660 to 86400"),
        ("shutdown_seconds = 3601", "shutdown_seconds must be a whole number from 1 to 3600"),
        ("lease_seconds = 1.5", "lease_seconds must be a whole number"),
        ("secret = 5", "the secret must be text"),
        ("secret_file = 5", "secret_file must be text"),
        ("mail_from = '<>@localhost'", "mail_from must be an e-mail address and nothing else"),
        ("secret = 5\nlease_seconds = []", "the secret must be text; lease_seconds must be a whole number"),
        (
            "lease_secs = 5\nfoo = 'x'",
            "unknown setting in reviewinvite.toml: foo, lease_secs (did you mean lease_seconds?)",
        ),
        ("[mail]\nurl = 'x'", "unknown setting in reviewinvite.toml: mail"),
        (
            "ORDERS_PER_MINUTE = 1",
            "unknown setting in reviewinvite.toml: ORDERS_PER_MINUTE (did you mean orders_per_minute?)",
        ),
        ('secret_file = "a\\u0000b"', "secret_file, mail_token_file and handover_mark must be file paths"),
    ],
)
def test_what_does_not_fit_is_told_in_plain_words(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(file=a_file(tmp_path, text))
    assert str(caught.value) == words


def test_a_file_that_cannot_be_read_is_told_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(file=tmp_path)
    assert str(caught.value) == f"{tmp_path} cannot be read: is a directory"


@pytest.mark.parametrize("environment", [{}, {"REVIEWINVITE_ORDERS_PER_MINUTE": "1000000"}])
def test_the_bounds_themselves_fit(environment: dict[str, str]) -> None:
    app = build(Settings.load({"database_url": "memory:", "lease_seconds": 86_400}, environment=environment))
    app.shops.add(a_shop())
    order = OrderReport(email="customer@example.com", delay_days=0)
    answer = app.orders.report(accepted(app.api_keys.create("bakkerij-1", "x")).secret, order)
    assert isinstance(answer, Reported)
    app.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("info@bücher.nl", "info@xn--bcher-kva.nl"),
        (" invitations@example.com ", "invitations@example.com"),
        ("invitations@EXAMPLE.com", "invitations@example.com"),
        ("invitations@localhost", "invitations@localhost"),
        ("o'brien+shop@localhost", "o'brien+shop@localhost"),
    ],
)
def test_the_sender_is_kept_as_mail_servers_take_it(text: str, address: str) -> None:
    assert Settings(mail_from=text).mail_from == address
    assert Settings.load(environment={"REVIEWINVITE_MAIL_FROM": text}).mail_from == address


@pytest.mark.parametrize(
    "text",
    [
        *("<>@localhost", "a,b@localhost", "@localhost", ".a@localhost", "a.@localhost", "a..b@localhost"),
        *('a"b@localhost', "a b@localhost", "a@localhost\n", "ü@localhost", "a@b@localhost", "a" * 65 + "@localhost"),
        *("Shop <shop@example.com>", "a@example.com, b@example.com", ""),
    ],
)
def test_what_is_no_address_is_no_sender(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^mail_from must be an e-mail address"):
        Settings(mail_from=text)


def test_from_every_sender_that_is_taken_an_invitation_leaves() -> None:
    for sender in ("info@bücher.nl", " invitations@example.com", "o'brien+shop@localhost"):
        app = build(Settings(database_url="memory:", mail_url="recording:", mail_from=sender))
        app.shops.add(a_shop())
        app.orders.report(
            accepted(app.shops.act_for("bakkerij-1")), OrderReport(email="customer@example.com", delay_days=0)
        )
        assert [one.state.value for one in app.delivery.once()] == ["sent"]
        app.close()


@pytest.mark.parametrize(
    "text",
    [
        *("http://", "https:///path", "http://x?y=1", "http://x?", "http://x#", "http://x/#top", "//x", "example.com"),
        *("https://exa mple\n.com", "https://example.com\n", "http://user@x", "http://user:word@x", "ftp://x"),
        *("http://x:", "http://x:0", "http://x:65536", "http://x..y", "http://-x", "http://[::zz]", "http://[1.2.3.4]"),
        *("http://bücher.nl", 'https://x/"onload', "https://x/<b>", "https://x/a b"),
    ],
)
def test_what_is_no_web_address_is_no_base_url(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^base_url must be an http"):
        Settings(base_url=text)


@pytest.mark.parametrize(
    "text",
    ["https://example.com", "http://127.0.0.1:8000/", "http://[::1]:8000", "https://a-b.example.com/x/y_z~1/%20"],
)
def test_what_is_a_web_address_is_kept_as_it_is(text: str) -> None:
    assert Settings(base_url=text).base_url == text


def test_a_web_address_too_long_for_the_links_of_an_e_mail_is_refused() -> None:
    longest = "https://example.com/".ljust(200, "x")
    assert Settings(base_url=longest).base_url == longest
    with pytest.raises(ConfigurationError, match=r"^base_url must be at most 200 characters"):
        Settings(base_url=longest + "x")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reviewinvite.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError):
        Settings.load(file=path)


@pytest.mark.parametrize("name", ["nowhere.toml", "."])
def test_a_file_that_was_named_and_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError):
        Settings.load(file=tmp_path / name)


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("ORDERS_PER_MINUTE", PASSWORD),
        ("LEASE_SECONDS", "1.5"),
        ("SHUTDOWN_SECONDS", "true"),
        ("ORDERS_PER_MINUTE", ""),
        ("BASE_URL", PASSWORD),
        ("MAIL_FROM", PASSWORD),
    ],
)
def test_an_environment_that_does_not_fit_is_refused_without_its_value(variable: str, text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(environment={f"REVIEWINVITE_{variable}": text})
    assert variable.lower() in str(caught.value)
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        f'secret = ["{PASSWORD}"]',
        f'secret = "{PASSWORD}"\nlease_seconds = 1',
        f'mail_url = {{ password = "{PASSWORD}" }}',
        f'secret = "{PASSWORD}',
        f"secret = {PASSWORD}",
        f'mail_url = ["smtp://user:{PASSWORD}@host"]\nunknown = "{PASSWORD}"',
    ],
)
def test_no_secret_is_in_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(file=a_file(tmp_path, text))
    shown = ""
    error: BaseException | None = caught.value
    while error is not None:  # what a traceback would show too
        shown += f"{error} {error!r}"
        error = error.__cause__ if error.__cause__ or error.__suppress_context__ else error.__context__
    assert PASSWORD not in shown


def test_settings_show_no_secret() -> None:
    settings = Settings(secret=PASSWORD, mail_url=f"smtp://user:{PASSWORD}@mail.example.com")
    assert PASSWORD not in f"{settings!r} {settings}"


def test_a_variable_that_looks_like_a_setting_and_is_none_is_worth_a_warning() -> None:
    environment = {"REVIEWINVITE_SECRET": "x", "REVIEWINVITE_SECRETS": "x", "REVIEWINVITE_a": "", "HOME": "/"}
    assert unknown_variables(environment) == ["REVIEWINVITE_SECRETS", "REVIEWINVITE_a"]


@pytest.mark.parametrize(
    ("name", "given", "taken"),
    [
        ("operator_name", " Molen & Zoon B.V. ", "Molen & Zoon B.V."),
        ("operator_name", "", None),
        ("operator_contact", "hallo@example.com", "hallo@example.com"),
        ("operator_contact", "mailto:hallo@EXAMPLE.com", "hallo@example.com"),
        ("operator_contact", "https://example.com/contact?topic=reviews", "https://example.com/contact?topic=reviews"),
        ("operator_contact", " ", None),
        ("privacy_url", "https://example.com/privacy#reviews", "https://example.com/privacy#reviews"),
        ("privacy_url", "http://localhost:8000/privacy", "http://localhost:8000/privacy"),
        ("privacy_url", "", None),
    ],
)
def test_who_runs_the_service_is_kept_as_pages_show_it(name: str, given: str, taken: str | None) -> None:
    assert getattr(Settings.load({name: given}), name) == taken


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("operator_name", "two\nlines"),
        ("operator_name", "x" * 101),
        ("operator_name", "a\u202eb"),
        ("operator_contact", "http://example.com/contact"),
        ("operator_contact", "javascript:alert(1)"),
        ("operator_contact", "nobody"),
        ("operator_contact", 'https://example.com/"onclick'),
        ("operator_contact", "https://user@example.com/"),
        ("operator_contact", "hallo@example.com\nExpires: never"),
        ("privacy_url", "javascript:alert(1)"),
        ("privacy_url", "/privacy"),
        ("privacy_url", "https://"),
        ("privacy_url", "https://example.com/a b"),
    ],
)
def test_who_runs_the_service_is_refused_if_pages_cannot_show_it(name: str, given: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        Settings.load({name: given})
