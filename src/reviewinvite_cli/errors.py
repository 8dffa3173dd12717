"""Refusals and failures as one clear sentence on standard error, and an exit code. Spec: §1."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

import typer

from reviewinvite_cli.output import safe

if TYPE_CHECKING:
    from reviewinvite_core import Invalid, Refusal
    from reviewinvite_core.values import Flaw

T = TypeVar("T")

OK, FAILURE, USAGE, CONFIGURATION, INTERRUPTED = 0, 1, 2, 3, 130

UNLOCK = "Wait for that process, or end it (`fuser` with the file names it); then try again."
GO_ON = ("must ", "is not ")
CURSOR = "is not a cursor: copy it from the line 'Next page'."


def print_error(sentence: str) -> None:
    """Print what went wrong on standard error."""
    first_word = sentence.partition(" ")[0]
    is_a_name = not first_word.isalpha()  # of a setting or a file: keep its spelling
    typer.echo(f"Error: {safe(sentence if is_a_name else sentence[0].upper() + sentence[1:])}", err=True)


def warn(sentence: str) -> None:
    """Print a warning on standard error."""
    typer.echo(f"Warning: {safe(sentence)}", err=True)


def unwrap(result: T | Refusal) -> T:
    """Return the result, unless it is a refusal: then print its sentence and exit with 1."""
    from reviewinvite_core import Refused, accepted

    try:
        return accepted(result)
    except Refused as refused:
        from reviewinvite_cli.sentences import refusal_in_words

        print_error(refusal_in_words(refused.refusal))
        raise typer.Exit(FAILURE) from None


def wrong_usage(context: typer.Context, sentence: str, parameter: str | None = None) -> NoReturn:
    """Exit with 2: the command was called wrongly. `sentence` may go on from the parameter's name: `must be ...`."""
    if parameter and sentence.startswith(GO_ON):
        context.fail(f"{parameter} {sentence}")
    raise typer.BadParameter(sentence, ctx=context, param_hint=parameter)


def problem_in_words(problem: str, field: str | None) -> str:
    """Return what is wrong with a value; `field` is its name in Python."""
    from reviewinvite_cli.sentences import PROBLEMS

    if problem == "forbidden_characters" and field == "site_id":
        return "must be 1-64 letters, digits, - or _, and start and end with a letter or digit"
    if problem == "malformed" and field == "before":
        return CURSOR.removesuffix(".")
    if problem == "malformed" and field == "role":
        return "must be owner or staff"
    return PROBLEMS.get(problem, problem.replace("_", " "))


def flaw_in_words(flaw: Flaw) -> str:
    """Return why a statement must not be trusted."""
    from reviewinvite_cli.sentences import FLAWS

    return FLAWS[flaw]


def fault_in_words(error: OSError) -> str:
    """Return what the operating system says is wrong, and the file's name if there is one."""
    return f"{error.strerror or type(error).__name__}{f': {error.filename}' if error.filename else ''}"


def report_exception(error: Exception) -> int:
    """Print what an exception means for an operator, never a traceback; return the exit code."""
    if isinstance(error, BrokenPipeError):
        return FAILURE
    from reviewinvite_core import ConfigurationError, Invalid, StorageUnavailable
    from reviewinvite_core.admin import DatabaseDamaged
    from reviewinvite_core.domain.errors import DatabaseLocked
    from reviewinvite_core.ports import HighWaterMarkUnwritten

    match error:
        case Invalid():
            print_error(_invalid_sentence(error))
            return USAGE
        case ConfigurationError() | DatabaseDamaged():
            print_error(f"{error}.")
            return CONFIGURATION
        case HighWaterMarkUnwritten():
            print_error(f"{error}. Nothing is sent without it.")
            typer.echo(
                "Make it writable for this user (setting HANDOVER_MARK). If it was moved, move it back.", err=True
            )
            typer.echo(
                "If it is lost or damaged, delete what is left of it and run `reviewinvite db reconcile`.", err=True
            )
            return CONFIGURATION
        case DatabaseLocked():
            print_error(f"{error}.")
            typer.echo(UNLOCK, err=True)
            return FAILURE
        case StorageUnavailable():
            print_error(" ".join((f"database unavailable: {error}.", *getattr(error, "__notes__", ()))))
            typer.echo(
                "Check that it is reachable and writable, and that its disk is not full; then try again.", err=True
            )
            return FAILURE
        case OSError():
            print_error(f"{fault_in_words(error)}.")
            return FAILURE
        case _:
            print_error(f"a bug in reviewinvite: {type(error).__name__}{_place(error)}. Please report it.")
            return FAILURE


def _invalid_sentence(error: Invalid) -> str:
    from reviewinvite_cli.sentences import PARAMETERS

    parameter = PARAMETERS.get(error.field or "", error.field)
    return f"{parameter} {problem_in_words(error.problem, error.field)}."


def _place(error: Exception) -> str:
    """Return where the error was raised, without the error's text, which might contain an address."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f" ({trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno})" if trace else ""
