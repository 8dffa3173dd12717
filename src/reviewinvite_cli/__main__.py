"""Entry points `python -m reviewinvite_cli` and `reviewinvite`; they report if the command line is not installed."""

from __future__ import annotations

import sys


def run() -> None:
    """Run `main.run`; exit with 3 if only the core is installed."""
    try:
        from reviewinvite_cli import main  # takes a moment, in which Ctrl-C may be pressed
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "typer":
            raise
        sys.stderr.write("Error: the command line is not installed: install reviewinvite[cli].\n")
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)
    main.run()


if __name__ == "__main__":
    run()
