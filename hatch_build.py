"""Compiles the catalogues of texts into the wheel; an installation in place reads them as they are written."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueBuildHook(BuildHookInterface[Any]):
    """Adds a compiled catalogue (`.mo`) to the wheel for each that is in the source tree (`.po`)."""

    _folder: tempfile.TemporaryDirectory[str]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile them, and name them to the builder."""
        self._folder = tempfile.TemporaryDirectory()
        if version == "editable":
            return
        source = Path(self.root, "src")
        for written in sorted(source.glob("reviewinvite_core/locale/*/LC_MESSAGES/*.po")):
            target = written.relative_to(source).with_suffix(".mo")
            compiled = Path(self._folder.name, target)
            compiled.parent.mkdir(parents=True)
            with written.open("rb") as read, compiled.open("wb") as file:
                write_mo(file, read_po(read))
            build_data["force_include"][str(compiled)] = str(target)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was compiled: it is in the wheel."""
        self._folder.cleanup()
