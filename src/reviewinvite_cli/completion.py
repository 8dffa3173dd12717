"""What a shell offers as the value of an option or an argument."""

from __future__ import annotations

from collections.abc import Sequence

import typer

LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("json", "logfmt", "auto")


def log_levels() -> Sequence[str]:
    """Return the values of `--log-level`."""
    return LOG_LEVELS


def log_formats() -> Sequence[str]:
    """Return the values of `--log-format`."""
    return LOG_FORMATS


def states(context: typer.Context) -> Sequence[str]:
    """Return the states of what is listed: of reviews, or of invitations."""
    from reviewinvite_core import ReviewState, State

    listed = context.parent.info_name if context.parent else None
    return list(ReviewState if listed == "review" else State)


def roles() -> Sequence[str]:
    """Return the roles of a member."""
    from reviewinvite_core.domain.members import Role

    return list(Role)


def snippet_modes() -> Sequence[str]:
    """Return which orders a shop may take from web pages."""
    from reviewinvite_core.domain.snippets import SnippetMode

    return list(SnippetMode)


def reasons_to_hide() -> Sequence[str]:
    """Return why a review may be hidden."""
    from reviewinvite_core.domain.reviews import HideReason

    return list(HideReason)


def reasons_of_doubt() -> Sequence[str]:
    """Return why an invitation may be uncertain, in alphabetical order."""
    from reviewinvite_core.domain.invitation_states import TRANSITIONS, State

    return sorted({str(each) for (_, to), reasons in TRANSITIONS.items() if to is State.UNCERTAIN for each in reasons})


def commands(context: typer.Context) -> Sequence[str]:
    """Return the names that may come next in `help shop add`."""
    shown = context.find_root()
    for name in context.params.get("command") or ():
        group = shown.command
        found = group.get_command(shown, name) if isinstance(group, typer.core.TyperGroup) else None
        if found is None:
            return ()
        shown = typer.Context(found, info_name=name, parent=shown)
    return shown.command.list_commands(shown) if isinstance(shown.command, typer.core.TyperGroup) else ()
