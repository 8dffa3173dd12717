"""`order`: report one order, or import many from a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import EmailArgument
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import FAILURE, print_error, problem_in_words, unwrap, wrong_usage
from reviewinvite_cli.options import JsonOption, SiteIdArgument, argument, number_of_days, option
from reviewinvite_cli.output import print_facts, print_json, tell
from reviewinvite_cli.progress import progress_of

if TYPE_CHECKING:
    from reviewinvite_cli.order_import import ImportReport

app = typer.Typer(help="Report orders.", rich_markup_mode=None)


@app.command()
def report(
    context: typer.Context,
    site_id: SiteIdArgument,
    email: EmailArgument,
    order_number: Annotated[str | None, option("--order-number", "X", "The shop's order number.")] = None,
    language: Annotated[str | None, option("--language", "LANGUAGE", "nl, en, ...; default: the shop's.")] = None,
    delay_days: Annotated[
        float | None, option("--delay-days", "DAYS", "Default: the shop's.", parser=number_of_days)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Report one order; a repeat returns the existing invitation."""
    import attrs

    from reviewinvite_core import OrderReport

    order = OrderReport(email=email, order_number=order_number, language=language, delay_days=delay_days)
    with open_application(context) as application:
        caller = attrs.evolve(unwrap(application.shops.act_for(site_id)), operator=True)
        reported = unwrap(application.orders.report(caller, order))
    if json:
        from reviewinvite_core.wire.orders import ReportedOrder

        print_json(ReportedOrder.of(reported))
    else:
        known = "yes, the order was reported before" if reported.duplicate else "no"
        facts = (("Invitation", reported.invite_id), ("Scheduled for", reported.scheduled_for), ("Duplicate", known))
        print_facts(facts)


@app.command("import")
def import_(
    context: typer.Context,
    site_id: SiteIdArgument,
    file: Annotated[Path, argument("FILE", "A CSV file in UTF-8; - reads standard input.")],
    map_: Annotated[
        list[str] | None,
        option("--map", "FIELD=COLUMN", "The file's name of a field; repeatable. Other columns are then skipped."),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="List each accepted line with its invitation.")] = False,
    json: JsonOption = False,
) -> None:
    """Report the orders in a CSV file. Safe to run again: known orders count as duplicates.

    The first line names the columns: email, and optionally orderNumber, language and delayDays. For other names, use
    --map email=MAIL --map orderNumber=ORDER. A refused line does not affect others; the command then exits with 1.
    """
    from reviewinvite_cli.order_file import FileRefused, OrderFile, WrongFile, names_of
    from reviewinvite_cli.order_import import ImportReport, import_orders

    account = ImportReport(keep_lines=verbose)
    try:
        names = names_of(map_ or ())
    except ValueError as wrong:
        wrong_usage(context, f"{wrong}.", "--map")
    try:
        with OrderFile(file, names) as source, open_application(context) as application:
            caller = unwrap(application.shops.act_for(site_id))
            try:
                with progress_of("Importing") as progress:
                    refusal = import_orders(
                        application,
                        caller,
                        source.orders(),
                        account,
                        advance=lambda: progress(source.bytes_read, source.size),
                    )
                unwrap(refusal)
            except BaseException:
                tell(f"Stopped. Stored so far: {account.new} new, {account.duplicate} duplicate.")
                tell("It is safe to run the import again.")
                raise
    except WrongFile as refused:
        wrong_usage(context, f"{refused}.", "FILE")
    except FileRefused as refused:
        print_error(f"{refused}.")
        raise typer.Exit(FAILURE) from None
    if json:
        counted = {"new": account.new, "duplicate": account.duplicate, "refused": account.refused}
        print_json({**counted, "lines": account.lines} if verbose else counted)
    else:
        _print_account(account)
    if account.refused:
        raise typer.Exit(FAILURE)


def _print_account(account: ImportReport) -> None:
    for line in account.lines:
        typer.echo(f"line {line.line}: {'duplicate' if line.duplicate else 'new'} {line.invite_id}")
    for refused in account.refused:
        where = f"line {refused.line}: refused: {refused.field or ''}".rstrip()
        typer.echo(f"{where} {problem_in_words(refused.problem, refused.field)}")
    typer.echo(f"{account.new} new, {account.duplicate} duplicate, {len(account.refused)} refused")
