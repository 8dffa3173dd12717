"""The tutorial for operators works: an empty Debian boots, and its commands run there in their order.

The machine is a folder with namespaces of its own. Its systemd applies the units, with their sandboxes. It has no
network but loopback, so packages are installed before it boots, and Caddy's own authority issues the certificate.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from tests.deploy.debian import empty_debian, let_pip_trust_what_we_trust
from tests.deploy.machine import Shell, before_boot, booted
from tests.deploy.shipped import ROOT
from tests.docs.commands import Command, commands_of, masked
from tests.waiting import wait_until

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]  # it fetches packages

PAGE = (ROOT / "docs" / "tutorial" / "production.md").read_text(encoding="utf-8")
BEFORE_BOOT, AFTER_BOOT = PAGE.split("## 2. ")
SOURCE = "usr/local/src/reviewinvite"
VARYING = (
    r"(?<=[GU]ID )\d+",
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?= UTC)",
    r"(?<=reviewinvite-)\d{8}T\d{6}Z",
    r"(?<=^reviewinvite )\d[\w.]+|(?<=that of release )\d[\w.]+",
    r"[\d,.]+ [KMGT]iB",
    r"(?<=: 220 )\S+|(?<=queued as )\w+",
)
SIZE = re.compile(r"^/opt/reviewinvite: (\d+) MiB$", re.MULTILINE)
OF_A_MACHINE = ("systemd", "systemd-sysv", "dbus", "iproute2", "procps")  # what each Debian has that boots
UNPRINTED = ("apt-get",)  # the page leaves out what it prints


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A machine on which the whole tutorial has been followed."""
    with empty_debian(OF_A_MACHINE) as root:
        shutil.copytree(ROOT, root / SOURCE, ignore=not_in_git)
        shutil.copy(let_pip_trust_what_we_trust(root / "pip"), root / "etc" / "pip.conf")
        with before_boot(root) as shell:
            follow(shell, BEFORE_BOOT)
        with booted(root, tmp_path_factory.mktemp("machine") / "log") as shell:
            shell.run(f"cd /{SOURCE}")
            follow(shell, AFTER_BOOT)
            yield shell


def not_in_git(folder: str, names: list[str]) -> list[str]:
    """Return the names in a folder that git ignores, and git's own."""
    if not names:
        return []
    done = subprocess.run(
        ["git", "check-ignore", "--", *names], cwd=folder, env=os.environ, capture_output=True, text=True, check=False
    )
    return [".git", *done.stdout.splitlines()]


def follow(shell: Shell, text: str) -> None:
    """Run the commands of a part of the page, and compare what they print."""
    for command in commands_of(text):
        printed = shell.run(command.text)
        if not command.text.startswith(UNPRINTED):
            assert without_varying(printed) == without_varying(command.printed), command.text


def without_varying(text: str) -> str:
    for pattern in VARYING:
        text = re.sub(pattern, "...", text, flags=re.MULTILINE)
    return masked(text)


def test_every_command_prints_what_the_page_says(machine: Shell) -> None:
    assert machine.ok("systemctl is-active reviewinvite-serve caddy reviewinvite-backup.timer") == "active\n" * 3
    assert machine.ok("systemctl list-units --failed --plain --no-legend") == ""


def test_the_page_says_how_large_the_installation_is(machine: Shell) -> None:
    measured = int(machine.ok("du --summarize --block-size=1M /opt/reviewinvite | cut --fields=1"))
    [written] = map(int, SIZE.findall(PAGE))
    assert abs(measured - written) <= written / 10, measured


def test_before_there_is_a_secret_a_command_says_how_to_make_one(machine: Shell) -> None:
    machine.ok("mv /etc/reviewinvite/secret /root/")
    try:
        said = machine.run("reviewinvite-admin shop list; echo $?")
    finally:
        machine.ok("mv /root/secret /etc/reviewinvite/")
    assert said.startswith(
        "Error: there is no secret yet. Create it: reviewinvite-make-secret /etc/reviewinvite/secret"
    )
    assert said.endswith("\n3\n")


def test_the_service_runs_without_privileges(machine: Shell) -> None:
    pid = machine.ok("systemctl show --property=MainPID --value reviewinvite-serve").strip()
    status = machine.ok(f"cat /proc/{pid}/status")
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
    assert re.search(r"^Seccomp:\s+2$", status, re.MULTILINE)
    assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE)
    assert machine.ok(f"stat --format=%U /proc/{pid}") == "reviewinvite\n"
    variables = machine.ok(f"tr '\\0' '\\n' < /proc/{pid}/environ")
    assert machine.ok("cat /etc/reviewinvite/secret").strip() not in variables


def test_a_backup_is_private_and_the_mark_is_elsewhere(machine: Shell) -> None:
    assert machine.ok("stat --format='%U %a' /var/lib/reviewinvite-backups/*.db") == "reviewinvite 600\n"
    assert machine.ok("ls /var/lib/reviewinvite-mark") == "mark\n"
    log = machine.ok("journalctl --unit reviewinvite-backup --output cat")
    assert "killed" not in log  # it sees that the service has the database open
    assert machine.ok("ls /var/lib/reviewinvite | grep -c mark; true") == "0\n"


def test_the_secret_is_changed_as_the_guide_says(machine: Shell) -> None:
    """The guide: docs/how-to/deploy-with-systemd.md."""
    guide = (ROOT / "docs" / "how-to" / "deploy-with-systemd.md").read_text(encoding="utf-8")
    before = machine.ok("cat /etc/reviewinvite/secret")
    found: list[Command] = list(commands_of(guide.partition("## Change the secret")[2].partition("\n## ")[0]))
    for command in found:
        assert without_varying(machine.run(command.text)) == without_varying(command.printed), command.text
    assert found
    assert machine.ok("cat /etc/reviewinvite/secret") != before
    assert machine.ok("stat --format='%U %a' /etc/reviewinvite/secret") == "root 600\n"
    machine.ok("systemctl restart reviewinvite-serve")
    machine.ok("reviewinvite-admin db check")


def test_the_purge_runs_in_its_sandbox_once_the_clock_is_synchronised(machine: Shell) -> None:
    machine.run("systemctl start reviewinvite-purge.service")
    failed = machine.ok("systemctl show --property=Result --value reviewinvite-purge.service")
    assert failed == "exit-code\n"  # no machine without a network has a synchronised clock
    assert "clock is not synchronised" in machine.ok("cat /var/lib/reviewinvite/reviewinvite.state.purge")
    trust_the_clock(machine)
    machine.ok("systemctl start reviewinvite-purge.service")
    assert "reason" not in machine.ok("cat /var/lib/reviewinvite/reviewinvite.state.purge")


@pytest.mark.parametrize("name", ["backup", "purge"])
def test_a_timer_starts_its_service(machine: Shell, name: str) -> None:
    timer, service = f"reviewinvite-{name}.timer", f"reviewinvite-{name}.service"

    def shown(value: str) -> str:
        return machine.ok(f"systemctl show --property={value} --value {service}").strip()

    before = shown("ExecMainStartTimestampMonotonic")
    override(machine, timer, "[Timer]\nOnActiveSec=1\nRandomizedDelaySec=0\n")
    trust_the_clock(machine)
    machine.ok(f"systemctl restart {timer}")
    wait_until(lambda: shown("ExecMainStartTimestampMonotonic") != before)
    wait_until(lambda: shown("ActiveState") == "inactive")
    assert shown("Result") == "success"
    assert machine.ok(f"systemctl is-active {timer}") == "active\n"


def trust_the_clock(machine: Shell) -> None:
    """Let the purge run as on a machine whose clock is synchronised."""
    unit = (ROOT / "deploy" / "systemd" / "reviewinvite-purge.service").read_text(encoding="utf-8")
    (start,) = re.findall(r"^(ExecStart=.*) --require-synchronised-clock$", unit, re.MULTILINE)
    override(machine, "reviewinvite-purge.service", f"[Service]\nExecStart=\n{start}\n")


def override(machine: Shell, unit: str, lines: str) -> None:
    """Add these lines to a unit until the next boot."""
    folder = f"/run/systemd/system/{unit}.d"
    machine.ok(f"mkdir --parents {folder} && printf '{lines}' > {folder}/test.conf && systemctl daemon-reload")


def test_the_worker_runs_in_a_unit_of_its_own(machine: Shell) -> None:
    machine.ok("systemctl start reviewinvite-worker && systemctl is-active reviewinvite-worker")
    machine.ok("systemctl stop reviewinvite-worker")
    assert machine.ok("systemctl show --property=Result --value reviewinvite-worker") == "success\n"


def test_a_wrong_setting_is_not_tried_again(machine: Shell) -> None:
    settings = "/etc/reviewinvite/reviewinvite.toml"
    machine.ok(f"cp --preserve {settings} /root/ && echo 'no_such_setting = 1' >> {settings}")
    try:
        machine.run("systemctl restart reviewinvite-serve")
        state = "systemctl show --property=ActiveState --value reviewinvite-serve"
        machine.ok(f"timeout 120 sh -c 'until [ $({state}) = failed ]; do sleep 0.1; done'")
        assert machine.ok("systemctl show --property=ExecMainStatus --value reviewinvite-serve") == "3\n"
    finally:
        machine.ok(f"cp --preserve /root/reviewinvite.toml {settings} && systemctl restart reviewinvite-serve")
