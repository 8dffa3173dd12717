"""Lines and files."""

from __future__ import annotations

from pathlib import Path

import attrs

LONG = 400


@attrs.frozen
class Size:
    """Lines of Python as `wc -l` counts them; `files` are those that are not `__init__.py`."""

    lines: int = 0
    files: int = 0
    long_files: int = 0
    longest: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(
            self.lines + other.lines,
            self.files + other.files,
            self.long_files + other.long_files,
            max(self.longest, other.longest),
        )


def size_of(folder: Path) -> Size:
    """Return the size of all Python files below a folder."""
    return sum(map(_size_of_file, folder.rglob("*.py")), Size())


def _size_of_file(file: Path) -> Size:
    lines = file.read_bytes().count(b"\n")
    return Size(lines, int(file.name != "__init__.py"), int(lines > LONG), lines)


def average_line(folder: Path) -> float:
    """Return the average length of the lines that are not empty, so that fewer lines by longer ones show."""
    lengths = [
        len(line)
        for file in folder.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    return sum(lengths) / len(lengths)


def names_at_root() -> int:
    """Return the number of public names of `reviewinvite_core`."""
    import reviewinvite_core

    return len(vars(reviewinvite_core)["__all__"])
