"""What a run leaves behind: report, tables, script, notebook (`interchange` has what goes to other
programs).

Pure functions of a `Result`: nothing here writes a file, changes a run or knows a page.
"""

from .report import report
from .result import Result, result_of
from .script import notebook, recreation, script
from .tables import tables, write_tables
from .texts import load_beginning, load_texts, needs_texts, sample_behind, sample_of_run, texts_file
from .your_file import your_file

__all__ = [
    "Result",
    "load_beginning",
    "load_texts",
    "needs_texts",
    "notebook",
    "recreation",
    "report",
    "result_of",
    "sample_behind",
    "sample_of_run",
    "script",
    "tables",
    "texts_file",
    "write_tables",
    "your_file",
]
