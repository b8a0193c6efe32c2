"""The file that somebody read, with the topics of each of its rows beside its own columns."""

from ..corpus.intake.api import write_back
from ..explore.file_rows import rows_of, topic_columns
from .result import Result

MIMES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".parquet": "application/vnd.apache.parquet",
}


def your_file(result: Result, all_shares: bool = False, suffix: str = "") -> bytes:
    """Return the file with topics, as a file with this `suffix` (empty: its own form) has them.

    Cells of the file stand as they stood there; see `explore.file_rows.topic_columns` for what is
    added. It is written in a child process, since it unpacks what the file held.

    Raises CorpusError.
    """
    added = topic_columns(result.moment, result.corpus, result.shares, result.part, all_shares)
    return write_back(rows_of(result.corpus)[0], added, suffix)
