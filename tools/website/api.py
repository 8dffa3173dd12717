"""Write the pages of the API reference: the packages decide which names they show, and docstrings what they say."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import attrs

FACADE = "reviewinvite_core.application"
BASES = ".facade"  # the module with what its classes share


@attrs.frozen
class Page:
    """A page of the reference: its file, its title, its introduction, and the modules whose names it shows."""

    file: str
    title: str
    about: str
    modules: Sequence[str]


def modules_of(package: str) -> list[str]:
    """Return a package and the modules in it."""
    return [package, *(each.name for each in pkgutil.iter_modules(import_module(package).__path__, f"{package}."))]


PAGES = (
    Page(
        "core",
        "reviewinvite_core",
        "The public names of the library. What is not on this page may change.",
        ["reviewinvite_core"],
    ),
    Page(
        "ports",
        "reviewinvite_core.ports",
        "What the use cases need from the world. Implement these to bring your own.",
        ["reviewinvite_core.ports"],
    ),
    Page(
        "testing",
        "reviewinvite_core.testing",
        "The contract suite that proves a mailer, a mail server, a clock that tests set, and values for tests.",
        modules_of("reviewinvite_core.testing"),
    ),
    Page(
        "http",
        "reviewinvite_http",
        "The ASGI application, and a client for the HTTP API.",
        ["reviewinvite_http.app", "reviewinvite_http.client"],
    ),
)


def write_reference(folder: Path) -> None:
    """Write a page for the calls of an application, one for each of `PAGES`, and one that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    shown: set[int] = set()
    pages = {"application": list(_calls(shown)), **{page.file: list(_lines(page, shown)) for page in PAGES}}
    for file, lines in pages.items():
        (folder / f"{file}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
    listed = [*_title("Python API"), "Generated from the docstrings.", "", ".. toctree::", "   :maxdepth: 1", ""]
    listed += [f"   {file}" for file in pages]
    (folder / "index.rst").write_text("\n".join(listed) + "\n", encoding="utf-8")


def _calls(shown: set[int]) -> Iterator[str]:
    """Yield the page of the facade: the application, and the class of each capability."""
    yield from _title("The calls of an application")
    core = import_module("reviewinvite_core")
    for value in (core.Application, core.AsyncApplication, *facade_of()):
        yield from _entry(f"{value.__module__}.{value.__qualname__}", value, again=False)
        shown.add(id(value))


def _lines(page: Page, shown: set[int]) -> Iterator[str]:
    yield from _title(page.title)
    yield from [page.about, ""]
    for name in page.modules:
        module = import_module(name)
        if len(page.modules) > 1:
            yield from [name, "-" * len(name), ""]
        if page.file != "core":
            yield from [f".. automodule:: {name}", "   :no-members:", ""]
        yield from _members(module, shown)


def _members(module: ModuleType, shown: set[int]) -> Iterator[str]:
    named = _public(module)
    for title, kind in (("Functions", _is_function), ("Classes", inspect.isclass)):
        found = {name: value for name, value in named.items() if kind(value)}
        if not found:
            continue
        yield from [f".. rubric:: {title}", ""]
        for path, value in sorted({f"{module.__name__}.{name}": value for name, value in found.items()}.items()):
            yield from _entry(path, value, again=id(value) in shown)
            shown.add(id(value))


def _entry(path: str, value: object, *, again: bool) -> list[str]:
    index = ["   :no-index:"] if again else []  # a name is found where it is shown first
    if not inspect.isclass(value):
        return [f".. autofunction:: {path}", *index, ""]
    directive = "autoexception" if issubclass(value, BaseException) else "autoclass"
    return [f".. {directive}:: {path}", "   :members:", *index, ""]


def _public(module: ModuleType) -> Mapping[str, object]:
    """Return the names that a module defines, or re-exports if it is a package."""
    package = hasattr(module, "__path__")
    return {
        name: value
        for name in dir(module)  # a package may import some on first use
        if not name.startswith("_")
        and str(getattr(value := getattr(module, name), "__module__", "")).startswith("reviewinvite_")
        and (package or getattr(value, "__module__", None) == module.__name__)
    }


def facade_of(package: str = FACADE) -> Sequence[type]:
    """Return the classes whose instances are an application's attributes: those in the modules of its package."""
    modules = [import_module(name) for name in modules_of(package) if not name.endswith(BASES)]
    base = import_module(f"{package}.facade").CheckedArguments
    own = {value for module in modules for value in _public(module).values() if isinstance(value, type)}
    return sorted((each for each in own if issubclass(each, base)), key=lambda each: each.__name__)


def _is_function(value: object) -> bool:
    return inspect.isroutine(value)


def _title(text: str) -> list[str]:
    return [text, "=" * len(text), ""]
