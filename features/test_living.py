"""What `--living` records: each scenario once, over HTTP where it can be, and nothing secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from features.living import masker, one_driver
from features.tags import GENERAL, TAGS


@pytest.mark.parametrize(
    ("drivers", "chosen"),
    [
        (GENERAL, "http-memory"),
        (TAGS["http"].drivers, "http-sqlite"),
        (TAGS["lasting"].drivers, "http-sqlite"),
        (TAGS["library"].drivers, "library-memory"),
        (TAGS["cli"].drivers, "cli-sqlite"),
    ],
)
def test_a_scenario_is_recorded_on_one_driver(drivers: tuple[str, ...], chosen: str) -> None:
    assert one_driver(drivers) == [chosen]


def test_keys_tokens_and_folders_are_masked(tmp_path: Path) -> None:
    token = "AAAAAQGiA6Z9CnEQoAnAgzQJruPyoulCdJ_1LBJ_cIQTYK0K"
    told = (
        f"Bearer rvi_OjjUPtvwdnwecFD8UeVpTmvpgzqbpa1w6Wxj, /r/{token}, https://example.com/u/{token}?x, {tmp_path}/b.db"
    )
    assert masker(tmp_path)(told) == "Bearer rvi_…, /r/TOKEN, https://example.com/u/TOKEN?x, /srv/b.db"
    assert masker(tmp_path)(f"/dashboard/sign-in/{token}") == "/dashboard/sign-in/TOKEN"
    assert masker(tmp_path)('csrf_token=9f1c&email=a, name="csrf_token" value="9f1c">').count("TOKEN") == 2
