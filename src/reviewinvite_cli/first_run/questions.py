"""What `init` has to know: asked on a terminal, otherwise taken from options, variables and defaults."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from urllib.parse import quote, urlsplit, urlunsplit

import typer

from reviewinvite_cli.errors import print_error, problem_in_words

STANDARD_INPUT = "-"
LONGEST_LINE = 1000
SETTINGS = ("base_url", "operator_name", "mail_url", "mail_from", "trusted_proxies")
PEOPLE = ("site_id", "shop_name", "owner")
_TEXTS: Mapping[str, str] = {
    "base_url": "Public address of the service",
    "operator_name": "Your name as operator, which e-mails and pages show; empty for the host of the address",
    "mail_url": "Mail server, such as smtp://mail.example.nl:587?starttls=required",
    "mail_from": "Address that e-mails come from",
    "trusted_proxies": "Addresses of the proxies in front, separated by commas",
    "site_id": "Site id of the first shop, such as bakery",
    "shop_name": "Its name, as customers see it",
    "owner": "E-mail address of its owner",
}


def from_options(given: Mapping[str, str | None], environment: Mapping[str, str]) -> dict[str, str]:
    """Return what is known without asking; `-` is the next line of standard input."""
    known = {name: value for name, value in given.items() if value is not None}
    for name, value in known.items():
        if value == STANDARD_INPUT:
            known[name] = sys.stdin.readline(LONGEST_LINE).strip()
    variables = {name: environment.get(f"REVIEWINVITE_{name.upper()}") for name in SETTINGS}
    return {**{name: value for name, value in variables.items() if value is not None}, **known}


def ask(known: Mapping[str, str]) -> dict[str, str]:
    """Return everything, after asking for what is not known; a value that is not valid is asked for again."""
    answers = dict(known)
    for name in (*SETTINGS, *PEOPLE):
        while name not in answers:
            value = _with_login(_prompt(name, answers)) if name == "mail_url" else _prompt(name, answers)
            if fault := fault_of(name, value):
                print_error(f"{fault}.")
            else:
                answers[name] = value
    return answers


def default_of(name: str, answers: Mapping[str, str]) -> str | None:
    """Return the default, which may follow from earlier answers, or None if there is none."""
    from reviewinvite_core import Settings

    host = urlsplit(answers.get("base_url", "")).hostname or ""
    if name == "mail_from" and "." in host and not host.replace(".", "").isdigit():
        return f"invitations@{host}"
    if name == "trusted_proxies":
        return "127.0.0.1" if answers.get("base_url", "").startswith("https://") else ""
    return str(getattr(Settings(), name) or "") if name in SETTINGS else None


def fault_of(name: str, value: str) -> str | None:
    """Return what is wrong with a value, or None."""
    from reviewinvite_core import ConfigurationError, Invalid, NewMember, NewShop, Settings
    from reviewinvite_core.maintenance.mail_trial import require_mail_url

    checks: Mapping[str, Callable[[], object]] = {
        "site_id": lambda: NewShop(site_id=value, name="Shop"),
        "shop_name": lambda: NewShop(site_id="shop", name=value),
        "owner": lambda: NewMember(email=value, role="owner"),
        "mail_url": lambda: require_mail_url(Settings(mail_url=value)),
    }
    try:
        checks.get(name, lambda: Settings(**{name: value}))()  # type: ignore[arg-type]
    except ConfigurationError as fault:
        return str(fault)
    except Invalid as fault:
        return f"{_TEXTS[name].partition(',')[0]}: {problem_in_words(fault.problem, fault.field)}"
    return None


def _prompt(name: str, answers: Mapping[str, str]) -> str:
    return str(typer.prompt(_TEXTS[name], default=default_of(name, answers), err=True)).strip()


def _with_login(url: str) -> str:
    """Return the URL with the login that is asked for; the password is not shown as it is typed."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or parts.username is not None:
        return url
    user = str(typer.prompt("User at the mail server, empty for none", default="", show_default=False, err=True))
    if not user:
        return url
    password = str(typer.prompt("Password", hide_input=True, err=True))
    return urlunsplit(parts._replace(netloc=f"{quote(user, safe='')}:{quote(password, safe='')}@{parts.netloc}"))
