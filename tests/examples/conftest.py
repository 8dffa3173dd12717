"""Running the programs in `examples/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.examples.programs import EXAMPLES, Program

Start: TypeAlias = Callable[..., Program]


@pytest.fixture
def start_program(tmp_path: Path) -> Iterator[Start]:
    """Start Python in the test's folder; an argument that names an example becomes its path."""
    with ExitStack() as stack:

        def start(*arguments: str, **environment: str) -> Program:
            paths = [str(EXAMPLES / each) if (EXAMPLES / each).is_file() else each for each in arguments]
            program = Program(tmp_path, paths, environment)
            stack.callback(program.kill)
            return program

        yield start
