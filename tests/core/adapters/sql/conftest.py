"""The databases that the tests of copying begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import postgres
from tests.core.adapters.sql.copying import fill


@pytest.fixture(params=["sqlite", "postgresql"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database to copy from, on each engine."""
    return database_on(request, tmp_path)


def database_on(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{folder / 'source.db'}"
    address: str = request.getfixturevalue("postgres_url")
    return address


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path, postgres_server: str) -> Iterator[str]:
    """The address of an empty database to copy into, on each engine."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'target.db'}"
    else:
        with postgres.database(postgres_server) as url:
            yield url


@pytest.fixture
def files(sqlite_folder: Path) -> tuple[str, str]:
    """Two files, for what does not depend on the engine; the first is filled."""
    source = f"sqlite:///{sqlite_folder / 'source.db'}"
    fill(source)
    return source, f"sqlite:///{sqlite_folder / 'target.db'}"


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is left in the current directory, such as a hand-over mark, is of one test alone."""
    monkeypatch.chdir(tmp_path)
