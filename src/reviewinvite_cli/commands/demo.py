"""`demo`: one order from report to e-mail, then a whole shop to look at; on this machine, in a temporary folder."""

from __future__ import annotations

import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.context import log_as_set, require_http
from reviewinvite_cli.errors import FAILURE, print_error, unwrap, wrong_usage
from reviewinvite_cli.output import tell

if TYPE_CHECKING:
    from email.message import EmailMessage

    from reviewinvite_core import Application
    from reviewinvite_http.client import ReportedOrder

_CUSTOMER = "customer@example.com"
_DELIVERED_WITHIN_SECONDS = 30
_WIDTH = 74  # of a message, which is printed indented


def demo(
    context: typer.Context, once: Annotated[bool, typer.Option("--once", help="Exit at the end of the demo.")] = False
) -> None:
    """Run a complete demo.

    An order arrives over HTTP and its invitation is delivered. Then a page in the browser links all there is to see: a
    shop, its customers' inbox and its reviews. The demo uses its own database and outbox in a temporary folder, which
    is removed at the end.
    """
    if context.obj.config or context.obj.database_url:
        wrong_usage(context, "demo uses its own database: remove --config and --database-url.")
    require_http()
    log_as_set(context)
    from reviewinvite_core import Settings, accepted, build
    from reviewinvite_core.bootstrap.adapter_factory import machine_time
    from reviewinvite_http.demo.app import create_demo
    from reviewinvite_http.demo.history import SHOP, live_through
    from reviewinvite_http.server import running

    stop = _stop_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="reviewinvite-") as folder:
        port, outbox = _free_port(), Path(folder) / "outbox"
        settings = Settings(
            database_url=f"sqlite:///{folder}/orders.db",
            mail_url=f"outbox:{outbox}",
            base_url=f"http://127.0.0.1:{port}",
            operator_name="reviewinvite demo",
            snippets_per_recipient=0,
            snippets_per_person=0,
        )
        if not once:
            tell("Preparing a shop with a year behind it ...")
            live_through(settings, outbox, machine_time())
        application = build(settings)
        try:
            if once:
                accepted(application.shops.add(SHOP))
            around = partial(create_demo, app=application, outbox=outbox)
            with running(application, host="127.0.0.1", port=port, worker=True, around=around) as base_url:
                key = _tell_story(application, base_url, outbox)
                if once:
                    _say_what_is_next()
                    return
                _say_what_to_try(base_url, key, settings.database_url, outbox)
                with _ended_by_ctrl_c():
                    stop.wait()
        finally:
            application.close()
    typer.echo(err=True)  # Ctrl-C leaves its sign on the line
    tell("The demo has ended and its folder was removed.")


def _tell_story(application: Application, base_url: str, outbox: Path) -> str:
    """Report an order, deliver it and print what happens; return the API key."""
    from reviewinvite_http.client import Client
    from reviewinvite_http.demo.history import REPORTED_NUMBER, SITE_ID

    typer.echo(f"1. A shop, Bakkerij De Molen, gets an API key. The API is at\n   {base_url}")
    key = unwrap(application.api_keys.create(SITE_ID, "demo")).secret.text
    before = _messages(outbox)

    typer.echo(
        "\n2. Its server reports an order with no delay; then again, like a shop that\n   did not get the answer."
    )
    with Client(base_url, key) as client:
        first, again = (client.report_order(_CUSTOMER, order_number=REPORTED_NUMBER, delay_days=0) for _ in range(2))
    _print_answer(first)
    _print_answer(again)
    if (first.duplicate, again.duplicate, again.invite_id) != (False, True, first.invite_id):
        print_error("the API gave an unexpected answer.")
        raise typer.Exit(FAILURE)

    typer.echo("\n3. The worker delivers the only invitation, here into a Maildir:")
    _await_delivery(application, first.invite_id)
    invitations = _mails_to_customer(outbox, apart_from=before)
    for message, text in invitations:
        _print_mail(message, text)
    typer.echo("   (The first link opens the page for writing the review.)")
    e_mails = "1 e-mail" if len(invitations) == 1 else f"{len(invitations)} e-mails"
    typer.echo(f"\nTwo reports, one order, {e_mails}.")
    return key


def _messages(outbox: Path) -> set[Path]:
    return set((outbox / "new").glob("*.eml"))


def _print_answer(reported: ReportedOrder) -> None:
    status, what = (200, "the same one") if reported.duplicate else (201, "new")
    typer.echo(f"   POST /v1/orders -> {status}  {reported.invite_id}  {what}")


def _await_delivery(application: Application, invite_id: str) -> None:
    """Wait until the invitation is in a final state; exit with an error if that takes too long."""
    from reviewinvite_core import OPERATOR

    waiting = threading.Event()
    for _ in range(_DELIVERED_WITHIN_SECONDS * 20):
        state = unwrap(application.invitations.show(OPERATOR, invite_id)).invitation.state
        if state.final:
            return
        waiting.wait(0.05)
    print_error("the invitation was not delivered in time.")
    raise typer.Exit(FAILURE)


def _read(path: Path) -> tuple[EmailMessage, str]:
    """Return a message and its text."""
    from email import message_from_bytes, policy

    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    text = message.get_body(("plain",))
    return message, text.get_content().strip() if text else ""


def _mails_to_customer(outbox: Path, apart_from: set[Path]) -> list[tuple[EmailMessage, str]]:
    """Return the new mails to the customer, without the notices to the shop's members."""
    mails = [_read(path) for path in sorted(_messages(outbox) - apart_from)]
    return [mail for mail in mails if mail[0]["To"] == _CUSTOMER]


def _print_mail(message: EmailMessage, text: str) -> None:
    lines = [f"{name}: {message[name]}" for name in ("From", "To", "Subject")]
    for line in [*lines, "", *text.splitlines()]:
        for part in wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False) or [""]:
            typer.echo(f"   | {part}".rstrip())


def _say_what_is_next() -> None:
    typer.echo(
        """
Next, run the demo again and keep it running:
   reviewinvite demo
Or set up your own service in the current folder:
   reviewinvite shop add SITE_ID --name NAME
   reviewinvite key create SITE_ID
   reviewinvite serve"""
    )


def _say_what_to_try(base_url: str, key: str, database_url: str, outbox: Path) -> None:
    command = f"reviewinvite --database-url {database_url} \\\n      "
    typer.echo(
        f"""
The demo runs until Ctrl-C. Open its start page in your browser:

   {base_url}/demo

It links the shop's website, an inbox for all mails, the public page, and more.
In another terminal, try:

   curl {base_url}/v1/orders -H 'Content-Type: application/json' \\
     -H 'Authorization: Bearer {key}' \\
     -d '{{"email": "{_CUSTOMER}", "orderNumber": "A2", "delayDays": 0}}'

   ls {outbox}/new

   {command}invitation list
   {command}shop show bakkerij-de-molen"""
    )
    sys.stdout.flush()


def _free_port() -> int:
    """Return a free port; it must be known before the links in the e-mail can be written."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _stop_on_sigterm() -> threading.Event:
    """Return a stop signal set by SIGTERM and by a closed terminal; Ctrl-C may also interrupt the demo."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    return stop


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Treat Ctrl-C as the normal end of a demo."""
    try:
        yield
    except KeyboardInterrupt:
        return
