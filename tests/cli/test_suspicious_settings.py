"""What `serve` and `worker` say of settings that look unintended: each sentence, and when there is none."""

from __future__ import annotations

import pytest

from reviewinvite_cli.doctor.settings import openable, suspicious_settings
from reviewinvite_core import Settings

SMTP = "smtp://mail.example.com:587?starttls=required"
SENDER = "invitations@example.com"


def about_base_url(base_url: str, served_at: str | None = None, *, sends: bool = False) -> list[str]:
    """Return what is said of the base URL."""
    mail_url = SMTP if sends else "outbox:outbox"
    settings = Settings(base_url=base_url, mail_url=mail_url, mail_from=SENDER)
    return [each for each in suspicious_settings(settings, served_at=served_at) if each.startswith("base_url")]


@pytest.mark.parametrize(
    ("base_url", "served_at"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8199"),
        ("http://localhost:8000", "http://[::1]:8199"),
        ("http://127.0.0.1:8000", "http://192.0.2.1:8000"),
        ("http://192.0.2.1:8000", "http://127.0.0.1:8000"),
        ("http://192.0.2.1:8000", "http://192.0.2.2:8000"),
        ("http://reviews.example.com", "http://0.0.0.0:8000"),
        ("http://127.0.0.1:8000", "http://0.0.0.0:8199"),
    ],
)
def test_links_that_lead_elsewhere_are_told(base_url: str, served_at: str) -> None:
    (told,) = about_base_url(base_url, served_at)
    leads_to, listens_on = (url.removeprefix("http://") for url in (base_url, served_at))
    assert told == (
        f"base_url leads to {leads_to}, but this process listens on {listens_on}: "
        "links work only if a proxy forwards them."
    )


@pytest.mark.parametrize(
    ("base_url", "served_at"),
    [
        ("http://127.0.0.1:8199", "http://127.0.0.1:8199"),
        ("http://localhost:8199/reviews", "http://127.0.0.1:8199"),
        ("http://127.0.0.1:8199", "http://0.0.0.0:8199"),
        ("http://192.0.2.1:8199", "http://[::]:8199"),
        ("http://reviews.example.com:8000", "http://192.0.2.2:8000"),
        ("http://reviews.example.com", "http://192.0.2.2:80"),
        ("https://reviews.example.com", "http://127.0.0.1:8199"),
    ],
)
def test_links_that_may_fit_are_not(base_url: str, served_at: str) -> None:
    assert about_base_url(base_url, served_at) == []


@pytest.mark.parametrize("served_at", [None, "http://127.0.0.1:8000"])
def test_without_https_a_real_mail_server_makes_the_difference(served_at: str | None) -> None:
    assert about_base_url("http://127.0.0.1:8000", served_at, sends=True) == [
        "base_url is http://127.0.0.1:8000: links in invitations open on this machine only, "
        "and badges, the snippet and one-click opt-out need https://."
    ]
    assert about_base_url("http://reviews.example.com:8000", served_at, sends=True) == [
        "base_url is http://reviews.example.com:8000: badges, the snippet and one-click opt-out need https://."
    ]
    assert about_base_url("http://127.0.0.1:8000", served_at) == []


def test_badges_need_https_too() -> None:
    reviews, widget = "https://reviews.example.com", "http://widget.example.com"
    told = suspicious_settings(Settings(mail_url=SMTP, mail_from=SENDER, base_url=reviews, widget_url=widget))
    assert told == ["widget_url is http://widget.example.com: badges need https://, as shops' pages have it."]
    assert suspicious_settings(Settings(mail_url=SMTP, mail_from=SENDER, base_url=reviews)) == []


def test_signing_in_needs_https_too() -> None:
    settings = Settings(
        mail_url=SMTP, mail_from=SENDER, base_url="https://example.com", dashboard_url="http://shops.example.com"
    )
    assert suspicious_settings(settings) == ["dashboard_url is http://shops.example.com: signing in needs https://."]


@pytest.mark.parametrize(
    ("address", "opens"),
    [
        ("http://0.0.0.0:8199", "http://127.0.0.1:8199"),
        ("http://[::]:8199", "http://[::1]:8199"),
        ("http://10.0.0.0:8199", "http://10.0.0.0:8199"),
    ],
)
def test_a_service_on_all_addresses_is_opened_at_one(address: str, opens: str) -> None:
    assert openable(address) == opens
