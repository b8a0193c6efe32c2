"""A pytest plugin under which one module of the package is imported with a mistake in it.

The sources are left alone: the mistake that BNPEXPLORER_PLANTED names is put in as its module is
read, and what was compiled of it is not kept.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType

from .mistakes import ROOT, Mistake, named

VARIABLE = "BNPEXPLORER_PLANTED"


class Wrong(importlib.machinery.SourceFileLoader):
    """Reads a module with the mistake, never from or to a folder of compiled modules."""

    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake.module, str(ROOT / mistake.file))
        self.mistake = mistake

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        return compile(self.mistake.planted(source), self.path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    """Finds the one module."""

    def __init__(self, mistake: Mistake) -> None:
        self.mistake = mistake

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.mistake.module:
            return None
        return importlib.util.spec_from_loader(name, Wrong(self.mistake))


if VARIABLE in os.environ:
    sys.meta_path.insert(0, Finder(named(os.environ[VARIABLE])))
