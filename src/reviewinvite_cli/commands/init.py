"""`init`: set up a new installation, with its first shop, key and owner."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.context import GivenOptions, built, load_settings
from reviewinvite_cli.errors import FAILURE, print_error, wrong_usage
from reviewinvite_cli.options import JsonOption, option
from reviewinvite_cli.output import print_facts, print_json, tell

if TYPE_CHECKING:
    from reviewinvite_core import Settings

_Text = str | None


def init(
    context: typer.Context,
    base_url: Annotated[_Text, option("--base-url", "TEXT", "Public address of the service.")] = None,
    operator_name: Annotated[
        _Text, option("--operator-name", "TEXT", "Your name, which e-mails and pages show.")
    ] = None,
    mail_url: Annotated[_Text, option("--mail-url", "TEXT", "Mail server; - reads it from standard input.")] = None,
    mail_from: Annotated[_Text, option("--mail-from", "TEXT", "Address that e-mails come from.")] = None,
    trusted_proxies: Annotated[_Text, option("--trusted-proxies", "TEXT", "Addresses of the proxies in front.")] = None,
    site_id: Annotated[_Text, option("--site-id", "TEXT", "Site id of the first shop.")] = None,
    shop_name: Annotated[_Text, option("--shop-name", "TEXT", "Name of the first shop.")] = None,
    owner: Annotated[_Text, option("--owner", "TEXT", "Address of its owner; - reads it from standard input.")] = None,
    keep_settings: Annotated[
        bool, typer.Option("--keep-settings", help="Use the settings file that is there, and make the rest.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; use defaults for what is not given.")] = False,
    json: JsonOption = False,
) -> None:
    """Set up a new installation.

    It makes the settings file, the database, its secret, the first shop, an API key and an owner. It asks for what is
    not given, makes everything or nothing, and then checks it as `doctor` does. It never overwrites a settings file.
    """
    from reviewinvite_cli import first_run

    given: GivenOptions = context.obj
    file = given.config or Path("reviewinvite.toml")
    if keep_settings and not file.exists():
        wrong_usage(context, f"there is no {file}.", "--keep-settings")
    if file.exists() and not keep_settings:
        print_error(f"{file} exists already, and nothing was changed.")
        tell("See what applies: reviewinvite settings show. Check it: reviewinvite doctor.")
        raise typer.Exit(FAILURE)
    options = {"base_url": base_url, "operator_name": operator_name, "mail_url": mail_url}
    options |= {"mail_from": mail_from, "trusted_proxies": trusted_proxies}
    if keep_settings and any(options.values()):
        wrong_usage(context, "only the shop and its owner can be given with it.", "--keep-settings")
    options |= {"site_id": site_id, "shop_name": shop_name, "owner": owner}
    known = first_run.from_options(options, os.environ)
    for name, value in known.items():
        if fault := first_run.fault_of(name, value):
            wrong_usage(context, f"{fault}.", f"--{name.replace('_', '-')}")
    kept = load_settings(context) if keep_settings else None
    if kept:
        known |= dict.fromkeys(first_run.SETTINGS, "")  # nothing is asked that the file has
    if yes or not sys.stdin.isatty():
        missing = [f"--{name.replace('_', '-')}" for name in first_run.PEOPLE if name not in known]
        if missing:
            wrong_usage(context, f"give {', '.join(missing)}, as there is nobody to ask.")
        defaults = {name: first_run.default_of(name, known) or "" for name in ("mail_from", "trusted_proxies")}
        answers = {**defaults, **known}
    else:
        answers = first_run.ask(known)
    _make(context, file, answers, kept, json=json)


def _make(context: typer.Context, file: Path, answers: dict[str, str], kept: Settings | None, *, json: bool) -> None:
    from reviewinvite_cli.doctor.examine import CHECKS, COME_LATER, as_json, examine, patient_of, show, summary
    from reviewinvite_cli.first_run import SETTINGS, fill, undone_unless_finished, write_settings

    given: GivenOptions = context.obj
    values = {name: answers[name] for name in SETTINGS if answers.get(name)}
    values = {name: each for name, each in values.items() if os.environ.get(f"REVIEWINVITE_{name.upper()}") != each}
    if given.database_url:
        values["database_url"] = given.database_url
    settings = kept or _settings(values)
    with undone_unless_finished(file, settings):
        application = built(context, settings, create_database=True)
        try:
            made = fill(application, answers["site_id"], answers["shop_name"], answers["owner"])
        finally:
            application.close()
        if not kept:
            write_settings(file, values, is_secret=_holds_password(values))
    flags = {"database_url": given.database_url}
    patient = patient_of(flags, os.environ, file)
    findings = examine(patient, [each for each in CHECKS if each not in COME_LATER])
    patient.inspection.close()
    if json:
        facts = {"siteId": answers["site_id"], "keyId": made.key_id, "key": made.key, "url": made.link}
        print_json({"settingsFile": str(file), **facts, "findings": as_json(findings)})
        return
    print_facts(
        (
            ("Settings", file),
            ("Shop", answers["site_id"]),
            ("Key", made.key or "there was one already"),
            ("Link", made.link or "the owner is a member already"),
        )
    )
    show(findings)
    tell(summary(findings))
    site_id = answers["site_id"]
    if made.key:
        tell("Save the key now; it won't be shown again.")
    else:
        tell(f"Make another key: reviewinvite key create {site_id}")
    if made.link:
        tell("The link signs in once; it will be e-mailed, too.")
    else:
        tell(f"Make another link: reviewinvite member link {site_id} EMAIL")
    tell(f"Next: start `reviewinvite serve`, open {'the' if made.link else 'a'} link, then run `reviewinvite doctor`.")


def _settings(values: dict[str, str]) -> Settings:
    from reviewinvite_core import Settings

    return Settings.load(values, environment=os.environ, file=Path(os.devnull))


def _holds_password(values: dict[str, str]) -> bool:
    from reviewinvite_core.bootstrap.settings_report import without_password

    return any(without_password(value) != value for name, value in values.items() if name.endswith("_url"))
