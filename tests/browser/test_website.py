"""The check of the documentation's site sees each request that a page makes to somebody else."""

from __future__ import annotations

from pathlib import Path

from tools.website import browser


def test_a_request_to_somebody_else_is_seen(chromium: str, tmp_path: Path) -> None:
    assert Path(chromium).exists()
    (tmp_path / "own.js").write_text("fetch('https://api.example.com/count')", encoding="utf-8")
    (tmp_path / "good.html").write_text("<!doctype html><p>x<img src='own.png'>", encoding="utf-8")
    (tmp_path / "bad.html").write_text("<!doctype html><p>x<script src='own.js'></script>", encoding="utf-8")
    with browser.chromium() as opened:
        assert browser.requests_to_others(opened, tmp_path, ["good.html"]) == []
        assert browser.requests_to_others(opened, tmp_path, ["bad.html"]) == ["https://api.example.com/count"]


def test_a_picture_shows_the_page_and_runs_no_script(chromium: str, tmp_path: Path) -> None:
    assert Path(chromium).exists()
    with browser.chromium() as opened:
        browser.take_pictures(
            opened, {"a.png": "<p>x", "b.png": "<p>x<script>document.body.remove()</script>"}, tmp_path
        )
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
