"""A change of the secret on a disk that is full, and beside files that cannot be written."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.core.secret.rotation_harness import Installation, on_sqlite, with_an_order
from tests.disks import fill, small_disk, unwritable
from tests.logs import captured_logs

from reviewinvite_core import StorageUnavailable, build
from reviewinvite_core.adapters.secret_file import read_secret
from reviewinvite_core.admin import RotationIncomplete, is_secret_changing, rotate_secret
from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.sealing import NONCE_BYTES, KeyRing, Secret

PAGE = 4096


def changed_on_a_disk_with(pages: int, folder: Path) -> str:
    """Return how a change ended on a disk with this many free pages; afterwards all works, with one secret."""
    with small_disk(folder, megabytes=2) as disk:
        installation = with_an_order(on_sqlite(disk))
        first, ring = read_secret(installation.file), installation.ring()
        with closing(build(installation.settings)):  # somebody else has it open, so that its log is there
            ballast = fill(disk, leaving=pages * PAGE)
            try:
                rotate_secret(installation.settings)
                ended = "done"
            except (OSError, StorageUnavailable, RotationIncomplete) as failed:
                ended = type(failed).__name__
            ballast.unlink()
        assert installation.works()
        assert not is_secret_changing(installation.settings)
        assert installation.ring() == ring
        assert first in installation.secrets()
        if ended != "RotationIncomplete":
            assert (read_secret(installation.file) == first) == (ended != "done")
        return ended


@pytest.mark.parametrize("free_pages", [(0, 1, 3, 8), in_full((*range(16), 24, 64))], ids=["some", "all"])
def test_on_a_disk_that_fills_up_it_is_done_or_not_done_and_works_either_way(
    tmp_path: Path, free_pages: tuple[int, ...]
) -> None:
    ended = {changed_on_a_disk_with(pages, tmp_path / str(pages)) for pages in free_pages}
    assert {"done", "OSError", "RotationIncomplete"} <= ended


@pytest.fixture
def apart(tmp_path: Path) -> Installation:
    """An installation whose secret is in another folder than its database."""
    (tmp_path / "installation").mkdir()
    installation = with_an_order(Installation(tmp_path / "installation", f"sqlite:///{tmp_path / 'r.db'}"))
    with closing(build(installation.settings)):
        return installation


def test_where_the_file_cannot_be_replaced_nothing_is_changed_and_it_says_what_to_do(apart: Installation) -> None:
    first = read_secret(apart.file)
    with unwritable(apart.folder):
        with pytest.raises(ConfigurationError, match="--new-secret-file"):
            rotate_secret(apart.settings)
        assert apart.works()
    assert read_secret(apart.file) == first
    assert [file.name for file in apart.folder.iterdir()] == ["secret"]


def test_a_start_that_may_not_put_the_secret_in_place_works_all_the_same_and_says_so(apart: Installation) -> None:
    first = apart.secret()
    new = Secret.parse("the secret that was to take its place")
    waiting = apart.file.with_name("secret.next")
    waiting.write_text(new.text)
    store_sealed(apart, first, new)
    with unwritable(apart.folder):
        for _ in range(2):
            with captured_logs() as told:
                assert apart.works()
            assert [line["outcome"] for line in told if "outcome" in line] == ["left as it is"]
    assert read_secret(waiting) == new
    assert apart.works()
    assert read_secret(apart.file) == new


def store_sealed(installation: Installation, first: Secret, new: Secret) -> None:
    """Seal the key ring under the new secret, as a change that is killed right afterwards does."""
    with closing(open_storage(installation.database_url)) as storage:
        sealed = storage.read(lambda store: store.sealed_key_ring())
        assert sealed
        resealed = KeyRing.opened(sealed, first).sealed(new, bytes(NONCE_BYTES))
        storage.run(lambda store: store.keep_key_ring(resealed))
