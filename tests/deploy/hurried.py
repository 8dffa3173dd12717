"""`hurried.py FACTOR ARGUMENT...`: the command, whose monotonic durations that alerts go by are divided by a factor.

They are how often a worker beats and when it is missing, and how often metrics read storage; a clock runs ahead for
all others.
"""

from __future__ import annotations

import sys

import attrs

from reviewinvite_cli.__main__ import run
from reviewinvite_core.domain import workers
from reviewinvite_http.metrics import gauges

if __name__ == "__main__":
    factor = int(sys.argv.pop(1))
    pace = workers.PACE
    workers.PACE = attrs.evolve(pace, beat=pace.beat / factor, missing_after=pace.missing_after / factor)
    gauges.EVERY_SECONDS /= factor
    run()
