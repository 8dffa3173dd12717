"""Write the library's public names and signatures to `tests/core/public_api.txt`: `python -m tools.public_api`.

A change of that file is a change that embedding teams notice, and belongs in the changelog.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from pathlib import Path

import reviewinvite_core
from reviewinvite_core import Refusal, admin, values

FILE = Path(__file__).parents[1] / "tests" / "core" / "public_api.txt"


def lines() -> Iterator[str]:
    """Yield a line for each public name, and below a class one for each of its public members."""
    for module in (reviewinvite_core, values, admin):
        yield f"--- {module.__name__}"
        for name in sorted(vars(module).get("__all__") or [name for name in vars(module) if name[0] != "_"]):
            yield from _of(name, getattr(module, name))
    settings = reviewinvite_core.Settings(database_url="memory:", mail_url="recording:")
    with reviewinvite_core.build(settings) as app:
        for each in (app, reviewinvite_core.AsyncApplication(app)):
            for name, capability in vars(each).items():
                if not name.startswith("_") and type(capability).__module__.startswith("reviewinvite_core."):
                    yield f"{type(each).__name__}.{name}"
                    yield from (f"    {line}" for line in _members(type(capability)))


def _of(name: str, public: object) -> Iterator[str]:
    if inspect.isclass(public):
        yield f"class {name}{'' if issubclass(public, enum.Enum) else _signature(public)}"
        yield from (f"    {line}" for line in _members(public))
    elif callable(public):
        yield f"def {name}{_signature(public)}"
    else:
        yield name


def _members(public: type) -> Iterator[str]:
    """Yield those that this project defines."""
    if issubclass(public, enum.Enum):
        yield from (f"{member.name} = {member.value!r}" for member in public)
    ours = [each for each in public.__mro__ if each.__module__.startswith("reviewinvite_")]
    names = {name for each in ours for name in (*vars(each), *each.__annotations__) if not name.startswith("_")}
    if issubclass(public, Refusal) and public is not Refusal:
        names -= vars(Refusal).keys() | Refusal.__annotations__.keys()  # they have their lines there
    for name in sorted(names - set(getattr(public, "__members__", ()))):
        member = getattr(public, name, None)
        if inspect.isroutine(member):
            awaited = "async " if inspect.iscoroutinefunction(member) else ""
            yield f"{awaited}def {name}{_signature(member)}"
        else:
            yield name


def _signature(public: object) -> str:
    try:
        return str(inspect.signature(public))  # type: ignore[arg-type]
    except ValueError:  # one of C
        return "(...)"


def main() -> None:
    """Write the file."""
    FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
