"""What a run leaves behind: report, tables, script, notebook, arrays for other programs.

Pure functions of a `Result`: nothing here writes a file, changes a run or knows a page.
"""

from .formats import mallet, pyldavis, pyldavis_arrays
from .report import report
from .result import Result, result_of, text_settings_of
from .script import (
    load_beginning,
    load_texts,
    needs_texts,
    notebook,
    recreation,
    sample_behind,
    sample_of_run,
    script,
    texts_file,
)
from .tables import tables

__all__ = [
    "Result",
    "load_beginning",
    "load_texts",
    "mallet",
    "needs_texts",
    "notebook",
    "pyldavis",
    "pyldavis_arrays",
    "recreation",
    "report",
    "result_of",
    "sample_behind",
    "sample_of_run",
    "script",
    "tables",
    "text_settings_of",
    "texts_file",
]
