"""`settings show`: what applies, where it comes from, and no secret in it."""

from __future__ import annotations

import json

import attrs
import pytest
from tests.cli.harness import Installation

from reviewinvite_core import Settings
from reviewinvite_core.bootstrap.settings_report import without_password

TOML = """
mail-url = "smtps://shop:geheim@mail.example.nl"
retention_days = 30
secret_file = "kept/secret"
"""


def shown(installation: Installation, *options: str, **variables: str) -> dict[str, dict[str, object]]:
    listed = json.loads(installation.ok(*options, "settings", "show", "--json", **variables))
    assert all(set(each) == {"name", "value", "source"} for each in listed)
    return {each["name"]: each for each in listed}


def test_every_setting_is_shown_with_its_value_and_its_source(empty: Installation) -> None:
    (empty.folder / "reviewinvite.toml").write_text(TOML)
    found = shown(empty, "--database-url", "sqlite:///a.db", REVIEWINVITE_RETENTION_DAYS="40")
    assert list(found) == [field.name for field in attrs.fields(Settings)]
    assert found["database_url"] == {"name": "database_url", "value": "sqlite:///a.db", "source": "--database-url"}
    assert found["retention_days"] == {"name": "retention_days", "value": 40, "source": "REVIEWINVITE_RETENTION_DAYS"}
    assert found["mail_url"]["source"] == "reviewinvite.toml"
    assert found["secret_file"]["value"] == str(empty.folder / "kept" / "secret")
    assert found["handover_mark"] == {"name": "handover_mark", "value": "a.db.mark", "source": "default"}
    assert found["widget_url"]["value"] == found["base_url"]["value"] == "http://127.0.0.1:8000"


def test_no_secret_and_no_password_is_shown(empty: Installation) -> None:
    (empty.folder / "reviewinvite.toml").write_text(TOML)
    ended = empty.run("settings", "show", REVIEWINVITE_SECRET="Qm9uam91ciBtb24gYW1pLCBjb21tZW50")
    assert ended.code == 0
    assert "smtps://shop:***@mail.example.nl" in ended.out
    assert "geheim" not in ended.out + ended.err
    assert "Qm9uam91" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("postgresql://me:a/b@c@db.example.nl/reviews", "postgresql://me:***@db.example.nl/reviews"),
        ("postgresql://db/reviews?user=me&password=geheim&x=1", "postgresql://db/reviews?user=me&password=***&x=1"),
        ("smtp://token:token@mail.example.nl", "smtp://***:***@mail.example.nl"),
        ("smtp://:geheim@mail.example.nl:587", "smtp://:***@mail.example.nl:587"),
        ("smtp://mail.example.nl:587?starttls=required", "smtp://mail.example.nl:587?starttls=required"),
        ("sqlite:////srv/reviews.db", "sqlite:////srv/reviews.db"),
    ],
)
def test_of_a_url_only_what_is_secret_is_masked(url: str, masked: str) -> None:
    assert without_password(url) == masked


def test_each_fault_is_reported_and_everything_is_shown_as_given(empty: Installation) -> None:
    (empty.folder / "reviewinvite.toml").write_text(TOML + "retention = 1\n")
    ended = empty.run("settings", "show", REVIEWINVITE_BASE_URL="ftp://x", REVIEWINVITE_MAIL_CONNECTIONS="many")
    assert ended.code == 3
    for words in ("unknown setting in reviewinvite.toml: retention", "base_url must be", "mail_connections must be"):
        assert words in ended.err.replace("Unknown", "unknown")
    assert "ftp://x" in ended.out
    assert "smtps://shop:***@mail.example.nl" in ended.out


@pytest.mark.parametrize("content", ["a b", None], ids=["no TOML", "no file"])
def test_without_a_readable_file_the_rest_is_shown(empty: Installation, content: str | None) -> None:
    if content is not None:
        (empty.folder / "named.toml").write_text(content)
    ended = empty.run("--config", "named.toml", "settings", "show", "--changed", REVIEWINVITE_RETENTION_DAYS="40")
    assert ended.code == 3
    assert "named.toml" in ended.err
    assert "REVIEWINVITE_RETENTION_DAYS" in ended.out


def test_nothing_is_created(empty: Installation) -> None:
    empty.ok("settings", "show")
    assert not list(empty.folder.iterdir())
