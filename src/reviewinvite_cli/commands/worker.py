"""`worker`: deliver messages and the invitations that are due, without the HTTP API."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn

import typer

from reviewinvite_cli.context import built, load_settings, require_http
from reviewinvite_cli.errors import FAILURE, print_error, warn
from reviewinvite_cli.fault_reports import report_faults
from reviewinvite_cli.log import log_to
from reviewinvite_cli.options import JsonOption
from reviewinvite_cli.progress import can_be_drawn, drawn

if TYPE_CHECKING:
    from types import FrameType

    from structlog.stdlib import BoundLogger

    from reviewinvite_core import Application, ConfigurationError, Settings
    from reviewinvite_core.ports import Telemetry
    from reviewinvite_core.values import Invitation, Notice, Progress
    from reviewinvite_http.metrics.metrics import Metrics


# Time to store what is in doubt, after the time for the mail server's answers.
_STOP_SECONDS = 3.0


class _Output(NamedTuple):
    """Callbacks for changes and warnings, and for figures if those are drawn."""

    change: Callable[[Invitation], None]
    message: Callable[[Notice], None]
    warning: Callable[[str], None] = warn
    progress: Callable[[Progress], None] | None = None


def worker(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Exit when nothing is due; re-check no domains.")] = False,
    json: JsonOption = False,
) -> None:
    """Deliver invitations that are due, and re-check domains.

    Without --once it runs until SIGTERM or Ctrl-C. On a terminal it shows its progress in one line, below the
    invitations that were not sent. Otherwise, and with --once or --json, it prints one line for each invitation with
    its result: key=value on a terminal without --json, JSON elsewhere.
    """
    from reviewinvite_cli.doctor.settings import warn_of_suspicious_settings
    from reviewinvite_http.tracing import traced

    settings = load_settings(context)
    warn_of_suspicious_settings(settings)
    report_faults(settings)
    with traced(os.environ) as spans:
        _work(context, settings, spans, once=once, json=json)


def _work(context: typer.Context, settings: Settings, spans: Telemetry | None, *, once: bool, json: bool) -> None:
    """Deliver until the end, and tell `spans` of each delivery, if they are recorded."""
    metrics = None if once else _metrics(settings)
    application = built(context, settings, telemetry=metrics)
    if spans:
        application.telemetry.add(spans)
    stop, ending = _stop_on_signals(), threading.Event()
    shown = _showing_metrics(metrics, application, settings, is_running=lambda: not ending.is_set())
    with shown, _showing(settings, once=once, json=json) as output:
        deliver = _once(application, stop, output) if once else _continually(application, stop, output)
        rechecker = None if once else application.domain_rechecker.in_background()
        ended, failure = _run_until(stop, deliver, seconds=settings.shutdown_seconds + _STOP_SECONDS)
        ending.set()
        if rechecker:
            ended = rechecker.end(_STOP_SECONDS if ended else 0) and ended
    if ended:
        application.close()
    else:
        warn("the database or the mail server did not answer in time; a delivery in progress ends with its lease.")
    if isinstance(failure, MailServerUnreachable):
        print_error(f"the mail server cannot be reached: check MAIL_URL. {failure} will be tried again.")
        raise typer.Exit(FAILURE)
    if failure:
        raise failure


def _metrics(settings: Settings) -> Metrics | None:
    """Return the metrics of this worker, or None if `METRICS_PORT` is not set.

    Raises: `ConfigurationError` if the packages for HTTP are not installed.
    """
    if not settings.metrics_port:
        return None
    require_http()
    from reviewinvite_http.metrics.metrics import Metrics

    return Metrics()


@contextmanager
def _showing_metrics(
    metrics: Metrics | None, application: Application, settings: Settings, *, is_running: Callable[[], bool]
) -> Iterator[None]:
    """Show the metrics, if there are any, on a port of their own, as long as the block runs.

    Raises: `ConfigurationError` if the port is taken.
    """
    if metrics is None:
        yield
        return
    from reviewinvite_http.metrics.listener import shown

    with metrics.reading(application, is_worker_running=is_running), shown(metrics, settings):
        yield


@contextmanager
def _showing(settings: Settings, *, once: bool, json: bool) -> Iterator[_Output]:
    """Show figures on a terminal, below what was not sent; elsewhere, one line for each invitation and message."""
    if once or json or not can_be_drawn():
        logger = log_to(sys.stdout, settings, json=json)
        yield _Output(change=partial(_log_change, logger), message=partial(_log_message, logger))
        return
    with drawn() as line:
        logger = log_to(sys.stdout, settings)
        yield _Output(
            change=lambda invitation: None if invitation.state == "sent" else _log_change(logger, invitation),
            message=lambda message: None if message.state == "sent" else _log_message(logger, message),
            warning=line.warn,
            progress=line.note,
        )


class MailServerUnreachable(Exception):
    """Nobody answered at the mail server; the message says how many invitations and messages were not handed over."""


def _once(application: Application, stop: threading.Event, output: _Output) -> Callable[[], None]:
    def deliver() -> None:
        unreachable = {"invitations": 0, "other messages": 0}

        def note_notice(message: Notice) -> None:
            unreachable["other messages"] += message.reason == "unreachable"
            if message.state != "sent":
                output.message(message)

        def note_change(invitation: Invitation) -> None:
            output.change(invitation)
            unreachable["invitations"] += invitation.reason == "unreachable"

        application.delivery.once(stop, on_change=note_change, on_notice=note_notice)
        if any(unreachable.values()):
            counts = (
                f"{number:,} {what if number != 1 else what[:-1]}" for what, number in unreachable.items() if number
            )
            raise MailServerUnreachable(" and ".join(counts))

    return deliver


def _continually(application: Application, stop: threading.Event, output: _Output) -> Callable[[], None]:
    from reviewinvite_core import StorageUnavailable
    from reviewinvite_core.ports import HighWaterMarkUnwritten
    from reviewinvite_core.values import ClockJumped

    warned = threading.Event()

    def warn_once(trouble: Exception) -> None:
        if isinstance(trouble, ClockJumped):
            output.warning(f"{trouble}.")
            return
        if warned.is_set():
            return
        warned.set()
        if isinstance(trouble, StorageUnavailable):
            output.warning(f"database unavailable, trying again: {trouble}.")
        elif isinstance(trouble, HighWaterMarkUnwritten):
            output.warning(f"{trouble} (the setting HANDOVER_MARK says where it is). Nothing is sent; trying again.")
        else:  # its text may contain anything, including an address
            output.warning(f"a delivery failed, continuing: {type(trouble).__name__}.")

    def tell_and_recover(invitation: Invitation) -> None:
        warned.clear()
        output.change(invitation)

    def end(why: ConfigurationError) -> NoReturn:
        raise why

    return lambda: application.delivery.continually(
        stop,
        on_change=tell_and_recover,
        on_notice=output.message,
        on_trouble=warn_once,
        on_pause=end,
        on_progress=output.progress,
    )


def _stop_on_signals() -> threading.Event:
    """Return a stop signal set by SIGTERM and Ctrl-C; a second Ctrl-C interrupts at once."""
    stop = threading.Event()

    def on_signal(number: int, _: FrameType | None) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    return stop


def _run_until(stop: threading.Event, deliver: Callable[[], None], *, seconds: float) -> tuple[bool, Exception | None]:
    """Run `deliver` on another thread.

    Return whether it ended within `seconds` of the stop signal, and what it raised, or None.
    """
    failures: list[Exception] = []
    ended = threading.Event()

    def run() -> None:
        try:
            deliver()
        except Exception as error:
            failures.append(error)
        finally:
            ended.set()

    threading.Thread(target=run, name="deliveries", daemon=True).start()
    while not ended.wait(0.2) and not stop.is_set():
        pass
    ended.wait(seconds)
    return ended.is_set(), next(iter(failures), None)


def _log_change(logger: BoundLogger, invitation: Invitation) -> None:
    """Log one line; a full disk or a closed pipe does not stop deliveries."""
    logger.info("invitation_changed", inviteId=invitation.invite_id, **_facts(invitation))


def _log_message(logger: BoundLogger, message: Notice) -> None:
    """Log one line, as for an invitation."""
    logger.info("message_changed", messageId=message.message_id, kind=message.kind.value, **_facts(message))


def _facts(item: Invitation | Notice) -> Mapping[str, str]:
    """Return the state, its reason, and the mail server's reply if there was one."""
    facts = {"state": item.state.value, "reason": item.reason.value if item.reason else "", "reply": item.reply or ""}
    return {name: fact for name, fact in facts.items() if fact}
