"""Print what the code weighs: `python -m tools.weight`.

Lines and files, what an order passes on its way to its row, and how many files a change touches. Every figure is a
count, so it is the same on any machine; times are in `benchmarks/`.
"""

from __future__ import annotations

from pathlib import Path

from tools.weight.changes import files_touched
from tools.weight.orders import order_calls, order_frames
from tools.weight.tree import Size, average_line, names_at_root, size_of

ROOT = Path(__file__).parents[2]
PACKAGES = ("src/reviewinvite_core", "src/reviewinvite_http", "src/reviewinvite_cli")


def rows() -> list[tuple[str, str]]:
    """Return the name and the figures of each row."""
    packages = {name: size_of(ROOT / name) for name in PACKAGES}
    tests, features = size_of(ROOT / "tests"), size_of(ROOT / "features")
    src = sum(packages.values(), Size())
    everything = src + tests + features
    frames, calls, touched = order_frames(), order_calls(), files_touched(ROOT)
    return [
        ("`src` + `tests` + `features`: lines", f"{everything.lines:,}"),
        ("`src`: lines; files without `__init__.py`", f"{src.lines:,}; {src.files:,}"),
        *((f"`{name.partition('/')[2]}`: the same", f"{it.lines:,}; {it.files:,}") for name, it in packages.items()),
        ("`tests`; `features`: lines", f"{tests.lines:,}; {features.lines:,}"),
        ("a line of `src` that is not empty: characters on average", f"{average_line(ROOT / 'src'):.1f}"),
        ("files of `src` above 400 lines; the longest", f"{src.long_files}; {src.longest:,}"),
        ("our frames below `submit` and an order's INSERT", f"{len(frames)}"),
        ("calls an order on the loop's thread: of our packages; all", f"{calls.ours:.0f}; {calls.all:.0f}"),
        ("the same of a bare handler: all", f"{calls.bare:.0f}"),
        ("files of `src` that a feature touched (the last 20): median; most", f"{touched.median:.0f}; {touched.most}"),
        ("names at the root of the library", f"{names_at_root()}"),
    ]


def main() -> None:
    """Print the table."""
    print("| what | now |\n|---|---|")
    for what, now in rows():
        print(f"| {what} | {now} |")


if __name__ == "__main__":
    main()
