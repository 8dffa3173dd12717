"""Killed at any instant, a change of the secret leaves a database that opens with a secret that is on disk."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.core.secret.crashing_rotation import KILLED, SURVIVED, Act, RotationForkServer
from tests.core.secret.rotation_harness import NEW, OLD, PREPARED, SEALED, Installation, opens, state_of, with_an_order
from tests.logs import captured_logs

from reviewinvite_core.adapters.secret_file import read_secret
from reviewinvite_core.admin import RotationRecovery, is_secret_changing, rotate_secret
from reviewinvite_core.domain.sealing import KeyRing

SUPPLIED = "a secret that the operator keeps"
LOGGED = {OLD: [], PREPARED: ["undone"], SEALED: ["finished"], NEW: []}
EARLIER = {
    OLD: RotationRecovery.NOTHING,
    PREPARED: RotationRecovery.UNDONE,
    SEALED: RotationRecovery.FINISHED,
    NEW: RotationRecovery.NOTHING,
}


def every(lines: int) -> object:
    """Return a parameter of the full run: kill at every `lines`-th line."""
    return in_full(lines)


def killed_at_lines(
    installation: Installation, act: Act, server: RotationForkServer, *, step: int
) -> Generator[Installation, None, None]:
    """Yield a copy of the installation for every `step`-th line of `act`, killed there; the last one survives."""
    for line in range(1, 100_000, step):
        killed = installation.copied("killed")
        status = server.run(killed.job(act, line))
        assert status in (KILLED, SURVIVED)
        yield killed
        shutil.rmtree(killed.folder)
        if status == SURVIVED:
            return


@pytest.mark.parametrize("step", [23, every(1)])
def test_wherever_it_is_killed_the_next_start_finishes_or_undoes_it_and_says_so(
    installation: Installation, rotation_server: RotationForkServer, step: int
) -> None:
    first, ring = installation.secret(), installation.ring()
    states = []
    for killed in killed_at_lines(installation, "rotate", rotation_server, step=step):
        states.append(state_of(killed, first))
        assert first in killed.secrets()
        with captured_logs() as logs:
            assert killed.works()
        assert [line["outcome"] for line in logs if "outcome" in line] == LOGGED[states[-1]]
        assert not is_secret_changing(killed.settings)
        assert killed.ring() == ring
        assert (read_secret(killed.file) == first) == (states[-1] in {OLD, PREPARED})
        assert first in killed.secrets()
    assert list(dict.fromkeys(states)) == [OLD, PREPARED, SEALED, NEW]


@pytest.mark.parametrize("step", [in_full(29), every(3)])
def test_wherever_it_is_killed_it_can_be_run_again_and_changes_the_secret_once(
    installation: Installation, rotation_server: RotationForkServer, step: int
) -> None:
    first, ring = installation.secret(), installation.ring()
    for killed in killed_at_lines(installation, "rotate", rotation_server, step=step):
        state = state_of(killed, first)
        if state == NEW:
            continue
        assert rotate_secret(killed.settings).earlier is EARLIER[state]
        assert killed.ring() == ring
        assert sorted(file.name.partition("before-rotate-")[0] for file in killed.folder.glob("secret*")) == [
            "secret",
            "secret.",
        ]
        assert first in killed.secrets()


@pytest.mark.parametrize("step", [in_full(23), every(2)])
@pytest.mark.parametrize("left", [PREPARED, SEALED])
def test_a_start_that_is_killed_while_it_puts_things_in_order_is_made_good_by_the_next(
    installation: Installation, rotation_server: RotationForkServer, left: str, step: int
) -> None:
    first, ring = installation.secret(), installation.ring()
    sweep = killed_at_lines(installation, "rotate", rotation_server, step=20)
    base = next(killed for killed in sweep if state_of(killed, first) == left).copied("base")
    sweep.close()
    shutil.rmtree(installation.folder.with_name("killed"))
    count = 0
    for killed in killed_at_lines(base, "start", rotation_server, step=step):
        count += 1
        assert first in killed.secrets()
        assert killed.works()
        assert not is_secret_changing(killed.settings)
        assert killed.ring() == ring
        assert (read_secret(killed.file) == first) == (left == PREPARED)
    assert count * step > 40


@pytest.mark.parametrize("step", [45, every(9)])  # odd, so that the file is there half of the time
def test_with_a_secret_of_the_operators_own_either_the_old_or_the_new_one_opens_it(
    installation: Installation, rotation_server: RotationForkServer, step: int
) -> None:
    first, ring = installation.secret(), installation.ring()
    opened_by = set()
    for line in range(1, 100_000, step):
        killed = installation.copied("killed")
        supplied = killed.folder / "supplied"
        if line % 2:
            supplied.write_text(SUPPLIED)
        status = rotation_server.run(killed.job("rotate", line, supplied))
        sealed = killed.sealed()
        found = [secret for secret in (first, read_secret(supplied)) if secret and opens(sealed, secret)]
        assert len(found) == 1
        opened_by.add(found[0] == first)
        assert read_secret(killed.file) == first
        rotate_secret(killed.settings, new_secret_file=supplied)
        new = read_secret(supplied)
        assert new
        assert KeyRing.opened(killed.sealed(), new) == ring
        shutil.rmtree(killed.folder)
        if status == SURVIVED:
            break
    assert opened_by == {True, False}


@pytest.mark.parametrize("step", [every(11)])
def test_on_postgresql_too(tmp_path: Path, postgres_url: str, rotation_server: RotationForkServer, step: int) -> None:
    installation = with_an_order(Installation(tmp_path / "installation", postgres_url))
    ring = installation.ring()
    states = set()
    for line in range(1, 100_000, step):
        before = installation.secret()
        status = rotation_server.run(installation.job("rotate", line))
        states.add(installation.state(before))
        assert before in installation.secrets()
        assert installation.works()
        assert not is_secret_changing(installation.settings)
        assert installation.ring() == ring
        if status == SURVIVED:
            break
        assert status == KILLED
    assert states == {OLD, PREPARED, SEALED, NEW}
