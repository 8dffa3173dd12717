"""The library's examples in the README are code that a type checker accepts."""

from __future__ import annotations

import doctest
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_examples_pass_mypy_strict(interpreter: str, tmp_path: Path) -> None:
    """That they run, and print what they say, the doctests show."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(readme)
    assert len(examples) > 10
    program = tmp_path / "example.py"
    program.write_text("".join(each.source for each in examples) + "reveal_type(first)\n", encoding="utf-8")
    checked = subprocess.run(
        [interpreter, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}", str(program)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        cwd=tmp_path,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert 'Revealed type is "reviewinvite_core.domain.orders.Reported"' in checked.stdout
