"""Processes of our own: an interpreter that finds what this one finds."""

import json
import os
import sys

from .folders import PACKAGE

BEGIN = """
import json, sys
sys.path[:], told = json.loads(sys.argv[1])
"""


def isolated(work: str, *told: object) -> list[str]:
    """Return the command of an interpreter that does `work`, lines of Python.

    The lines find `told`, values that JSON can carry, in a list of that name. The interpreter is
    isolated (-I): neither the folder where it starts nor variables of Python decide what it
    imports. It looks where this one does, and last beside this package.
    """
    paths = [os.path.abspath(path) for path in sys.path if path]
    given = json.dumps([[*paths, str(PACKAGE.parent)], told])
    return [sys.executable or "python3", "-I", "-c", BEGIN + work, given]
