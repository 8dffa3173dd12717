"""The log, on a stream that fails."""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator

import pytest
import structlog

from reviewinvite_cli.log import log_to


class Failing(io.StringIO):
    """A stream whose `method`, `write` or `flush`, finds the disk full until it is set to None."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method: str | None = method

    def write(self, text: str) -> int:
        if self.method == "write":
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)

    def flush(self) -> None:
        if self.method == "flush":
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize("method", ["write", "flush"])
def test_what_cannot_be_written_stops_nobody_and_later_lines_are_written_again(method: str) -> None:
    stream = Failing(method)
    log = log_to(stream)
    log.info("lost")
    stream.method = None
    log.info("found")
    assert '"event":"found"' in stream.getvalue().replace(" ", "")
