"""docs/cli.md is true: every command stands there, and its examples print what they say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.command_tree import EVERY_COMMAND
from tests.cli.customers import a_review
from tests.cli.harness import Installation
from tests.cli.masking import VARYING, masked

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


class Example(NamedTuple):
    """A command of the page, and what the page says that it prints."""

    command: str
    printed: str


def examples() -> Iterator[Example]:
    """The examples of the page, in its order."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield Example(command, printed)


@pytest.mark.parametrize("path", EVERY_COMMAND, ids=" ".join)
def test_every_command_stands_in_the_page(path: tuple[str, ...]) -> None:
    assert re.search(rf"reviewinvite {' '.join(path)}\b", PAGE.read_text(encoding="utf-8"))


def test_every_example_prints_what_the_page_says(empty: Installation) -> None:
    real: dict[str, str] = {}
    count, reviewed = 0, ""
    for example in examples():
        name, *arguments = shlex.split(example.command)
        if name == "cat":
            (empty.folder / arguments[0]).write_text(example.printed)
            continue
        assert name == "reviewinvite"
        if arguments[0] == "review" and not reviewed:  # no command writes one: a customer does
            reviewed = a_review(
                empty, "2026-0193", 2, email="customer@example.com", text="Het brood was oud.", author="Anna"
            )
        ended = empty.run(*(real.get(argument, argument) for argument in arguments))
        printed = ended.out + ended.err
        assert ended.code in (0, 1)
        assert masked(printed) == masked(example.printed), example.command
        for kind in ("ID", "KEY_ID", "SIGNING_KEY_ID"):
            pairs = zip(re.findall(VARYING[kind], example.printed), re.findall(VARYING[kind], printed), strict=True)
            real.update(pairs)
        count += 1
    assert count > 15
