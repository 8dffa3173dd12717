"""What is broken during a trial, at random."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping

from reviewinvite_cli.prove.installation import Installation

_FROZEN_SECONDS = (0.3, 2.0)


class Faults:
    """Break one thing at a time, and let it recover; `counts` says how often each was done."""

    def __init__(self, installation: Installation, dice: random.Random) -> None:
        self._installation, self._dice = installation, dice
        self.counts: Counter[str] = Counter()
        self._kinds: Mapping[str, tuple[int, Callable[[], None]]] = {
            "serve killed": (4, lambda: self._kill_and_start(0)),
            "worker killed": (3, lambda: self._kill_and_start(1)),
            "mail server killed": (4, self._kill_mail_server),
            "all killed": (2, self._kill_everything),
            "service stopped": (1, self._stop_service),
            "process frozen": (2, self._freeze),
        }

    def strike(self) -> str:
        """Do one of these, and return which."""
        names = list(self._kinds)
        (name,) = self._dice.choices(names, [self._kinds[each][0] for each in names])
        self._kinds[name][1]()
        self.counts[name] += 1
        return name

    def fill_disk(self, seconds: float) -> None:
        """Let the service find its disk full for a while; some of its processes may be killed meanwhile."""
        installation = self._installation
        ids = installation.service_ids()
        installation.database.fill_disk(ids)
        try:
            time.sleep(seconds / 2)
            if self._dice.random() < 0.5:  # a coin
                installation.worker.kill()
            time.sleep(seconds / 2)
        finally:
            installation.database.free_disk(ids)
        installation.start()
        self.counts["disk full"] += 1

    def _kill_and_start(self, which: int) -> None:
        program = self._installation.service[which]
        program.kill()
        program.start()

    def _kill_mail_server(self) -> None:
        self._installation.mail_server.kill()
        self._installation.start_mail_server()

    def _kill_everything(self) -> None:
        self._installation.kill_all()
        self._installation.start()

    def _stop_service(self) -> None:
        self._installation.stop_service()
        self._installation.start()

    def _freeze(self) -> None:
        program = self._dice.choice([*self._installation.service, self._installation.mail_server])
        program.signal(signal.SIGSTOP)
        time.sleep(self._dice.uniform(*_FROZEN_SECONDS))
        program.signal(signal.SIGCONT)
