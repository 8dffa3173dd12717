"""`python -m reviewinvite_cli`: the same as `reviewinvite`."""

from reviewinvite_cli.main import run

if __name__ == "__main__":
    run()
