"""`domain`: the hosts that belong to a shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import YesOption, require_consent
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import FAILURE, print_error, unwrap
from reviewinvite_cli.options import JsonOption, SiteIdArgument, argument
from reviewinvite_cli.output import print_facts, print_json, print_table, tell
from reviewinvite_cli.times import moment, timed

if TYPE_CHECKING:
    from reviewinvite_core import Application
    from reviewinvite_core.domain.origins import HostName
    from reviewinvite_core.values import Domain, DomainCheck
    from reviewinvite_core.wire.domains import OperatorDomain

app = typer.Typer(help="Verify which hosts belong to a shop.", rich_markup_mode=None)

_Host = Annotated[str, argument("HOST", "The host, such as www.example.nl.")]
_SEEN_IN_DNS = {
    "no_record": "there is no such record",
    "other_token": "the record contains another token",
    "no_answer": "no name server answered",
}
_SEEN_AT_HOST = {
    "no_record": "the host has no such file, or the file does not contain the line",
    "other_token": "the file contains another token",
    "no_answer": "the host did not answer",
    "not_public": "the host's address is not public, so it was not contacted",
    "no_host": "the host has no address",
    "refused": "the host did not serve the file; redirects are not followed",
    "too_large": "the host sent more than 1 KiB",
    "not_trusted": "the host has no trusted certificate for its name",
}


@app.command()
def add(
    context: typer.Context,
    site_id: SiteIdArgument,
    host: _Host,
    assume_verified: Annotated[
        bool, typer.Option("--assume-verified", help="Vouch for it yourself: no proof is needed or checked.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Add a host to a shop, and print the proof to publish.

    The shop publishes the proof in its DNS or on the host. A host without www. also covers the one with www. in front.
    Running this again prints the same proof.
    """
    with open_application(context) as application:
        domain = unwrap(application.domains.add(site_id, host, assume_verified))
        offer = _offer(application, domain, site_id)
    if json:
        print_json(_shape_of(domain, site_id))
        return
    _print_domain(domain, site_id)
    _tell_coverage(domain, offer, site_id)
    if domain.verified_at is None:
        tell("Publish either one and keep it: we re-check it regularly.")
        tell(f"Then run: reviewinvite domain check {site_id} {domain.host}")


@app.command()
def check(context: typer.Context, site_id: SiteIdArgument, host: _Host, json: JsonOption = False) -> None:
    """Check a host's proof now, in the DNS and on the host.

    Exits with 0 if the proof is there or the operator vouches for the host, and with 1 otherwise.
    """
    with open_application(context) as application:
        checked = unwrap(application.domains.check(site_id, host))
        offer = _offer(application, checked.domain, site_id)
    if json:
        from reviewinvite_core.wire.domains import absences_of
        from reviewinvite_core.wire.json_converter import as_json

        found = {"found": checked.result and checked.result.found, "absences": absences_of(checked.result)}
        print_json({**as_json(_shape_of(checked.domain, site_id)), **found})
    else:
        _print_domain(checked.domain, site_id)
        _print_seen(checked)
        _tell_coverage(checked.domain, offer, site_id)
    if not checked.proved:
        raise typer.Exit(FAILURE)


@app.command("list")
def list_(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """List a shop's hosts and their verification status."""
    with open_application(context) as application:
        domains = unwrap(application.domains.list(site_id))
    if json:
        print_json([_shape_of(domain, site_id) for domain in domains])
    elif not domains:
        tell(f"The shop has no domains. Add one: reviewinvite domain add {site_id} HOST")
    else:
        rows = [(each.host, each.status, each.verified_at, each.checked_at, each.reason) for each in domains]
        print_table(("HOST", "STANDING", timed("VERIFIED"), timed("CHECKED"), "REASON"), rows)


@app.command()
def remove(
    context: typer.Context, site_id: SiteIdArgument, host: _Host, yes: YesOption = False, json: JsonOption = False
) -> None:
    """Remove a host, so that another shop can verify it.

    Reports from its pages are rejected from now on.
    """
    warning = f"orders reported by pages at {host} are rejected from now on, and another shop may verify it."
    require_consent(context, yes=yes, warning=warning, question="Remove this host?")
    with open_application(context) as application:
        domain = unwrap(application.domains.remove(site_id, host))
    if json:
        print_json(_shape_of(domain, site_id))
    else:
        tell(f"Removed: {domain.host}, which was {domain.status}.")


def _print_domain(domain: Domain, site_id: str) -> None:
    facts: list[tuple[str, object]] = [("Domain", domain.host), ("Shop", site_id), ("Standing", domain.status)]
    if domain.verified_at:
        facts.append(("Verified", domain.verified_at))
    if not domain.vouched:
        facts += [
            ("TXT record", domain.record_name),
            ("with the value", domain.proof),
            ("or the file", domain.well_known_url),
            ("with the line", domain.proof),
        ]
    print_facts(facts)


def _offer(application: Application, domain: Domain, site_id: str) -> HostName | None:
    """Return the host that covers more than this one, if the shop may add it and has not done so."""
    apex = application.domains.apex_to_add(domain)
    return None if apex in {each.host for each in unwrap(application.domains.list(site_id))} else apex


def _tell_coverage(domain: Domain, offer: HostName | None, site_id: str) -> None:
    """Tell which pages the host stands for; if it is only the one with www., offer the host that covers both."""
    apex = domain.host.apex
    if apex is None:
        tell(f"{domain.host} covers pages at https://{domain.host} and https://www.{domain.host}.")
        return
    tell(f"{domain.host} covers only pages at https://{domain.host}, not at https://{apex}.")
    if offer:
        tell(f"To cover both, run: reviewinvite domain add {site_id} {offer}")


def _print_seen(checked: DomainCheck) -> None:
    """Print what the check found, and what follows."""
    from reviewinvite_core.domain.policy import DOMAIN_LOST_AFTER

    domain, result = checked.domain, checked.result
    if result is None:
        tell("The operator vouches for the host, so nothing was checked.")
        return
    if result.found:
        tell(f"The proof is there: {'in the DNS' if result.found == 'dns' else 'in the file'}.")
        return
    print_error("the proof is not there.")
    for way, absence in result.absences:
        words = _SEEN_IN_DNS if way == "dns" else _SEEN_AT_HOST
        tell(f"{'DNS' if way == 'dns' else 'File'}: {words[absence]}.")
    if domain.status == "missing" and domain.missing_since:
        until = domain.missing_since + DOMAIN_LOST_AFTER
        if domain.checked_at and domain.checked_at >= until:  # a check itself does not end a verification
            tell(
                "It has been missing for 7 days: a worker's next check ends the verification unless the proof is back."
            )
        else:
            tell(f"Unless the proof is back by then, the verification ends at {moment(until)}.")
    elif domain.status == "lost" and domain.lost_at:
        tell(f"It lost its verification at {moment(domain.lost_at)}.")
    else:
        tell("A new DNS record may take some time to become visible; try again later.")


def _shape_of(domain: Domain, site_id: str) -> OperatorDomain:
    from reviewinvite_core.wire.domains import OperatorDomain

    return OperatorDomain.of(domain, site_id)
