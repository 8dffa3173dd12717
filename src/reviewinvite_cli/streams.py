"""The standard streams: who reads them, and what happens if the reader goes away."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer


def is_decorated(stream: TextIO | None = None) -> bool:
    """Return whether a stream, by default standard output, is a terminal that should show colours and frames."""
    stream = stream or sys.stdout
    if "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") in {"dumb", "unknown"}:
        return False
    return stream is not None and stream.isatty()


class _LastingFile(io.FileIO):
    """A file that drops what is written after its reader has gone, as for `| head`.

    The command then goes on, and its exit code says how it ended, not that nobody read it to the end.
    """

    def write(self, data: Buffer, /) -> int:
        """Write, or drop everything from now on."""
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.fileno())
            os.close(null)
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Make output last when its reader goes away, and when it has characters that the terminal cannot show."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _lasting(stream))


def _lasting(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    try:
        descriptor = stream.fileno()
    except OSError:  # in memory
        stream.reconfigure(errors="backslashreplace")
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_LastingFile(descriptor, "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",  # a name that the terminal cannot show is not a failure
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
