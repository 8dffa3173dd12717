"""`python -m tools.weight` counts what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.weight.orders import order_calls, order_frames
from tools.weight.tree import Size, average_line, size_of


def test_the_frames_of_an_order_lead_from_the_application_to_its_row() -> None:
    frames = order_frames()
    names = [frame.partition(":")[2] for frame in frames]
    assert len(set(frames)) == len(frames)
    assert names[0] == "_ObservedLitestar.__call__"
    assert names.index("report_order") < names.index("GroupCommit.submit") < names.index("report_orders")
    assert frames[-1].startswith("core.adapters.sql.")


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*Reserved kwarg 'data'")  # the bare handler's, as its baseline has it
def test_calls_of_an_order_are_counted_the_same_again() -> None:
    first, again = order_calls(), order_calls()
    assert abs(first.all - again.all) < first.all / 20
    assert 0 < first.ours < first.all
    assert 0 < first.bare < first.all


def test_lines_are_counted_as_wc_does_and_packages_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "__init__.py").write_text("import os\n")
    (tmp_path / "a" / "b.py").write_text("a = 1\n\n" + "x\n" * 400 + "no end")
    (tmp_path / "note.md").write_text("not Python\n")
    assert size_of(tmp_path) == Size(lines=403, files=1, long_files=1, longest=402)
    assert size_of(tmp_path / "a") + Size(1, 1, 1, 500) == Size(lines=404, files=2, long_files=2, longest=500)
    assert average_line(tmp_path) == (9 + 5 + 400 + 6) / 403
