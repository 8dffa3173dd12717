"""Completion by the shells themselves, as `--install-completion` sets it up."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation

BESIDE_PYTHON = str(Path(sys.executable).parent)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("shop a", ["activate", "add", "approve"]),
        ("signing-key r", ["rotate"]),
        ("invitation list --st", ["--state"]),
        ("db re", ["reconcile", "recount", "restore"]),
        ("--log-level ", ["debug", "error", "info", "warning"]),
        ("--log-format l", ["logfmt"]),
        ("review list --state ", ["hidden", "published", "withdrawn"]),
        ("invitation list --state su", ["suppressed"]),
        ("member add molen eva@example.com --role ", ["owner", "staff"]),
        ("review hide ID --reason p", ["personal_data"]),
        ("invitation resolve --all --reason rec", ["reconciled"]),
        ("help inv", ["invitation"]),
        ("help shop a", ["activate", "add", "approve"]),
        ("help shop add ", []),
        ("help nonsense ", []),
    ],
)
def test_bash_completes_commands_options_and_values(
    empty: Installation, as_process: AsProcess, words: str, offered: list[str]
) -> None:
    line = ["reviewinvite", *words.split(" ")]
    script = "\n".join(
        [
            'eval "$(_REVIEWINVITE_COMPLETE=source_bash reviewinvite)"',
            f"COMP_WORDS=({shlex.join(line)}); COMP_CWORD={len(line) - 1}",
            "_reviewinvite_completion reviewinvite",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        ]
    )
    path = os.pathsep.join([BESIDE_PYTHON, os.environ["PATH"]])
    process = as_process(empty)
    process.variables = {**process.variables, "PATH": path}
    ended = process.run_program(["bash", "--norc", "-c", script])
    assert (ended.code, ended.err) == (0, "")
    assert sorted(ended.out.split()) == offered
    assert list(empty.folder.iterdir()) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(empty: Installation, as_process: AsProcess, shell: str) -> None:
    process = as_process(empty)
    process.variables = {**process.variables, "_REVIEWINVITE_COMPLETE": f"source_{shell}"}
    script = process.run()
    assert script.code == 0
    assert f"complete_{shell}" in script.out
    if program := shutil.which(shell):
        assert process.run_program([program, "-n", "-c", script.out]).code == 0
