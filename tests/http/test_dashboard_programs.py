"""The programs in the dashboard's integrations run as they are shown, whatever the shop is called. Spec: §10.5."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.http.service import Service
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import OPERATOR, InvitationQuery, NewShop, SiteId, accepted
from reviewinvite_http.dashboard.integrations.programs import programs

MADE = "made"
"""The file that each of these names makes, if any of it is run."""

HOSTILE = (
    f"$(touch {MADE}) `touch {MADE}`",
    f"'; touch {MADE}; '",
    f"*/ touch('{MADE}'); /*",
    f"?><?php touch('{MADE}'); /*",
    f"\u2028require('fs').writeFileSync('{MADE}', '') //",
    f"\nopen('{MADE}', 'w') #\ntouch {MADE}\rtouch {MADE}",
    f"coding: utf-7 +AAo-open('{MADE}', 'w')",
    f"</script><script>{MADE}</script> <!-- {MADE}",
    '""" \u202eneploM eD\u2066 \ud800 \0 \\',
)
NAMES = (*HOSTILE, " ".join(HOSTILE), "O'Neill & Zoon, مخبز 🥐")
RUN: dict[str, Callable[[str], Sequence[str]]] = {
    "curl": lambda file: (require("sh", "it runs curl"), file),
    "PHP": lambda file: (require("php", "its program needs it"), file),
    "Python": lambda file: (sys.executable, file),
    "Node.js": lambda file: (require("node", "its program needs it"), file),
}
_numbers = itertools.count(1)


def run(folder: Path, name: str, text: str, key: str = "") -> subprocess.CompletedProcess[str]:
    file = folder / "program"
    file.write_text(text, encoding="utf-8")
    return subprocess.run(
        [*RUN[name](str(file)), "anna@example.com", "1001"],
        cwd=folder,
        env={**os.environ, "REVIEWS_KEY": key},
        capture_output=True,
        text=True,
        timeout=4 * TIMEOUT_SECONDS,
        check=False,
    )


@pytest.mark.process
@pytest.mark.parametrize("name", RUN)
def test_a_program_reports_an_order_and_does_nothing_else(service: Service, tmp_path: Path, name: str) -> None:
    if name == "curl":
        require("curl", "its program needs it")
    for shop_name in NAMES:
        site = f"programs-{next(_numbers)}"
        service.app.shops.add(NewShop(site_id=site, name="De Molen"))
        key = accepted(service.app.api_keys.create(site)).secret.text
        (program,) = [each for each in programs(service.address, SiteId(site), shop_name) if each.name == name]
        done = run(tmp_path, name, program.text, key)
        assert (done.returncode, done.stderr) == (0, ""), shop_name
        (listed,) = accepted(service.app.invitations.list(OPERATOR, InvitationQuery(site_id=site))).invitations
        assert listed.invitation.invite_id in done.stdout, shop_name
        assert listed.invitation.order_number == "1001"
        assert not (tmp_path / MADE).exists(), shop_name


def test_a_shell_that_takes_the_comment_for_a_command_runs_nothing_of_a_name(tmp_path: Path) -> None:
    """As interactive zsh does with what is pasted."""
    for shop_name in NAMES:
        text = programs("https://reviews.example.nl", SiteId("molen"), shop_name)[0].text
        comment, _, rest = text.partition("\n")
        assert comment.startswith("# ")
        assert rest.startswith("curl ")
        done = run(tmp_path, "curl", f"echo{comment[1:]}\n")
        assert (done.returncode, done.stderr) == (0, ""), shop_name
        assert done.stdout.startswith("Reports orders of ")
        assert done.stdout.endswith(", molen.\n")
        assert not (tmp_path / MADE).exists(), shop_name
