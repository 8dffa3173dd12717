"""Each step of a change of the secret is on disk before the next begins, as a loss of power may come between them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from tests.core.secret.rotation_harness import Installation

from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.admin import rotate_secret

ON_DISK = {"fsync", "rename", "link"}


def test_what_a_step_needs_is_on_disk_before_it_begins(installation: Installation) -> None:
    steps: list[str] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call" and argument.__name__ in ON_DISK:
            steps.append(argument.__name__)
        if event == "call" and frame.f_code is SqlStore.replace_key_ring.__code__:
            steps.append("seal")

    sys.setprofile(note)
    try:
        rotate_secret(installation.settings)
    finally:
        sys.setprofile(None)
    new_secret_waits = ["fsync", "rename", "fsync"]
    old_one_is_kept = ["link", "fsync"]
    new_one_is_in_place = ["rename", "fsync"]
    assert steps == [*new_secret_waits, "seal", *old_one_is_kept, *new_one_is_in_place]
