"""Files with topics that commands write: `--write-back` of `fit` and `apply`."""

import sys
from pathlib import Path

from ..core.store import replacing
from ..corpus.documents.added import SUFFIXES
from .printing import may_write


def may_write_table(out: str, force: bool, *inputs: str) -> None:
    """Refuse what `may_write` refuses, and an ending that no table has."""
    if Path(out).suffix.lower() not in SUFFIXES:
        raise ValueError(
            f"--write-back {out}: a table cannot be written with this ending; choose one of "
            f"{', '.join(SUFFIXES)}."
        )
    may_write(out, force, *inputs)


def write_table(out: Path, data: bytes) -> None:
    """Write the file and say so on standard error."""
    with replacing(out) as file:
        file.write(data)
    print(f"bnpexplorer: wrote {out}", file=sys.stderr)
