"""Refusals and failures in words: one clear sentence on standard error, and an exit code. Spec: §1."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

import typer

if TYPE_CHECKING:
    from reviewinvite_core import (
        AddressErased,
        AlreadyCompromised,
        DomainTaken,
        DomainUnknown,
        Invalid,
        InvitationUnknown,
        KeyUnknown,
        NotSuppressed,
        NotUncertain,
        OptedOut,
        ReviewStateConflict,
        ReviewUnknown,
        ShopExists,
        ShopInactive,
        ShopUnknown,
        SigningKeyUnknown,
        StandbyTooNew,
        TooLate,
        TrustMarkStateConflict,
    )

    Refused = (
        ShopUnknown
        | ShopExists
        | ShopInactive
        | KeyUnknown
        | InvitationUnknown
        | TooLate
        | NotUncertain
        | AddressErased
        | NotSuppressed
        | OptedOut
        | DomainUnknown
        | DomainTaken
        | TrustMarkStateConflict
        | SigningKeyUnknown
        | StandbyTooNew
        | AlreadyCompromised
        | ReviewUnknown
        | ReviewStateConflict
    )

T = TypeVar("T")

OK, FAILURE, USAGE, CONFIGURATION, INTERRUPTED = 0, 1, 2, 3, 130

_PARAMETERS = {
    "siteId": "SITE_ID",
    "email": "EMAIL",
    "name": "--name",
    "label": "--label",
    "orderNumber": "--order-number",
    "language": "--language",
    "delayDays": "--delay-days",
    "replyTo": "--reply-to",
    "host": "HOST",
    "reason": "--reason",
    "text": "TEXT",
    "theme": "--theme",
    "size": "--size",
}
_WORDS = {
    "invalid_address": "is not an e-mail address that can be written to",
    "empty": "must not be empty",
    "too_long": "is too long",
    "forbidden_characters": "holds characters that are not allowed",
    "out_of_range": "must be a number from 0 to 60",
    "not_a_host": "is not a host name: give one like www.example.nl, without https://, port or path",
    "public_suffix": "is a name under which anybody may register one, so it is nobody's own",
    "unknown_language": "must be nl or en",
    "unknown_theme": "must be light, dark or auto",
    "unknown_size": "must be small, medium or large",
    "unknown_reason": "must be unlawful, personal_data, insult, spam, not_a_customer or other",
    "malformed": "is not written as it has to be",
    "wrong_type": "must be a number from 0 to 60",
    "wrong_number_of_fields": "the line has another number of fields than the first line",
    "malformed_csv": "the line cannot be read: a quote or a field does not end where it should",
}
_FLAWS = {
    "too_large": "the statement or the key set is larger than any can be",
    "malformed": "it is not a statement as the service writes it",
    "key_set_malformed": "the key set is not a JWK Set with keys as the service publishes them",
    "wrong_algorithm": "it is signed in another way than with Ed25519",
    "unknown_key": (
        "its key is not in the key set. The set is older than the key (fetch it anew), "
        "or the key is compromised, retired long ago, or another service's"
    ),
    "wrong_signature": "its signature is not that of the key it names: it was changed, or forged",
    "wrong_type": "what was signed is not a statement about a shop",
    "another_site": "it is about another shop",
    "lives_too_long": "it would hold for more than 10 minutes, which no statement does",
    "not_yet_issued": "it was issued in the future, by the clock of this machine",
    "expired": "it has expired, by the clock of this machine",
}


def print_error(sentence: str) -> None:
    """Say what went wrong, on standard error."""
    first_word = sentence.partition(" ")[0]
    is_a_name = not first_word.isalpha()  # of a setting or a file, and so written as it is
    typer.echo(f"Error: {sentence if is_a_name else sentence[0].upper() + sentence[1:]}", err=True)


def warn(sentence: str) -> None:
    """Say what looks wrong, on standard error."""
    typer.echo(f"Warning: {sentence}", err=True)


def unwrap(result: T | Refused) -> T:
    """The result, unless it is a refusal: then its sentence is said, and the command ends with 1."""
    sentence = _refusal_sentence(result)
    if sentence:
        print_error(sentence)
        raise typer.Exit(FAILURE)
    return result  # type: ignore[return-value]  # no refusal, so it is T


def wrong_usage(context: typer.Context, sentence: str, parameter: str | None = None) -> NoReturn:
    """End the command with 2: something in its call cannot be."""
    raise typer.BadParameter(sentence, ctx=context, param_hint=parameter)


def problem_in_words(problem: str, field: str | None) -> str:
    """What is wrong with a value; `field` is its name in the interface."""
    if problem == "forbidden_characters" and field == "siteId":
        return "may hold 1 to 64 letters, digits, - and _, and begins and ends with a letter or digit"
    return _WORDS.get(problem, problem.replace("_", " "))


def flaw_in_words(flaw: str) -> str:
    """Why a statement is not to be believed."""
    return _FLAWS.get(flaw, flaw.replace("_", " "))


def report_exception(error: Exception) -> int:
    """Say on standard error what an exception means to an operator; the exit code. Never a traceback."""
    if isinstance(error, BrokenPipeError):
        return FAILURE
    from reviewinvite_core import ConfigurationError, HighWaterMarkUnwritten, Invalid, StorageUnavailable

    match error:
        case Invalid():
            print_error(_invalid_sentence(error))
            return USAGE
        case ConfigurationError():
            print_error(f"{error}.")
            return CONFIGURATION
        case HighWaterMarkUnwritten():
            print_error(f"{error}. Nothing is sent without it.")
            typer.echo("Let this user write to it; HANDOVER_MARK is the setting that says where it is.", err=True)
            return CONFIGURATION
        case StorageUnavailable():
            print_error(f"the database is not available: {error}. Nothing of this step is half done.")
            typer.echo("Check that it exists, can be written, and that its disk is not full; then try again.", err=True)
            return FAILURE
        case OSError():
            print_error(f"{error.strerror or type(error).__name__}{f': {error.filename}' if error.filename else ''}.")
            return FAILURE
        case _:
            print_error(f"a fault in reviewinvite itself: {type(error).__name__}{_place(error)}. Please report it.")
            return FAILURE


def _invalid_sentence(error: Invalid) -> str:
    parameter = _PARAMETERS.get(error.field or "", error.field)
    return f"invalid value for {parameter}: it {problem_in_words(error.problem, error.field)}."


def _place(error: Exception) -> str:
    """Where it happened. The text of an unexpected error is left out: it might hold an address."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f" ({trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno})" if trace else ""


def _refusal_sentence(result: object) -> str | None:
    from reviewinvite_core import (
        DomainTaken,
        DomainUnknown,
        KeyUnknown,
        NotSuppressed,
        OptedOut,
        ShopExists,
        ShopInactive,
        ShopUnknown,
    )

    match result:
        case ShopUnknown(site_id):
            return f"there is no shop {site_id}."
        case ShopExists(site_id):
            return f"there is a shop {site_id} already."
        case ShopInactive():
            return "the shop is not active; `reviewinvite shop activate SITE_ID` makes it so."
        case KeyUnknown(key_id):
            return f"there is no key {key_id}."
        case DomainUnknown(host):
            return f"the shop has no domain {host}; `reviewinvite domain add SITE_ID {host}` adds it."
        case DomainTaken(host):
            return f"another shop has verified {host}, or one that covers it; that shop has to remove it first."
        case NotSuppressed(elsewhere):
            hint = " It is elsewhere: `reviewinvite privacy export EMAIL` tells where." if elsewhere else ""
            return f"the address is not suppressed there.{hint}"
        case OptedOut():
            return "the customer opted out; add --customer-asked if it is the customer who wants it taken back."
        case _:
            return _key_sentence(result) or _invitation_sentence(result)


def _key_sentence(result: object) -> str | None:
    from reviewinvite_core import AlreadyCompromised, SigningKeyUnknown, StandbyTooNew, TrustMarkStateConflict

    match result:
        case TrustMarkStateConflict(mark):
            return f"there is nothing to revoke: the shop's trust mark is {mark}."
        case SigningKeyUnknown(key_id):
            return f"there is no signing key {key_id}; `reviewinvite signing-key list` lists them."
        case StandbyTooNew(ready_at):
            return (
                f"the standby can take over from {ready_at:%Y-%m-%d %H:%M:%S} UTC on, when every verifier knows it; "
                "--now does not wait for that."
            )
        case AlreadyCompromised(key_id):
            return f"the signing key {key_id} is withdrawn already."
        case _:
            return None


def _invitation_sentence(result: object) -> str | None:
    from reviewinvite_core import (
        AddressErased,
        InvitationUnknown,
        NotUncertain,
        ReviewStateConflict,
        ReviewUnknown,
        TooLate,
    )

    match result:
        case ReviewUnknown(review_id):
            return f"there is no review {review_id}."
        case ReviewStateConflict(state):
            return f"that cannot be done: the review is {state}."
        case InvitationUnknown(invite_id):
            return f"there is no invitation {invite_id}."
        case TooLate(state):
            return f"it is too late: the invitation is {state}."
        case NotUncertain(state):
            return f"there is nothing to resolve: the invitation is {state}, not uncertain."
        case AddressErased():
            return "the customer's address is erased: there is nothing to send to."
        case _:
            return None
