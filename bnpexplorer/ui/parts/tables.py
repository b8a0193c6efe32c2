"""The numbers behind a figure: to read, and to download as CSV."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from ...export.tables import defused

SHOWN_ROWS = 500


def read_as_table(
    name: str,
    frame: Callable[[], pd.DataFrame],
    last: bool = False,
    note: str = "",
    label: str = "Read as table",
    lazy: bool = False,
    rows: tuple[int, Callable[[int], pd.DataFrame]] | None = None,
) -> None:
    """A button below a figure that opens its numbers, with a download of all of them.

    `name` is the figure's key on its page and part of the file's name. A long table shows its first
    500 rows, or its last ones; the file has all. A `lazy` one is made when it is opened. `rows`: of
    a table of all documents how many rows there are, and what makes the first so many of them, so
    that what is shown does not cost what is not; `frame` is then for the file alone.
    """
    popover = st.popover(
        label,
        icon=":material/table:",
        type="tertiary",
        key=f"popover-{name}",
        on_change="rerun" if lazy else "ignore",
    )
    if lazy and not popover.open:
        return
    with popover:
        if rows is None:
            table = frame()
            n_rows, part = len(table), table.tail(SHOWN_ROWS) if last else table.head(SHOWN_ROWS)
        else:
            n_rows, part = rows[0], rows[1](SHOWN_ROWS)
        # A page that ticks draws the button anew. Streamlit keeps the file of the tick before for a
        # click that is on its way, and forgets a function of the tick before at once.
        data = csv_bytes(table) if lazy and rows is None else lambda: csv_bytes(frame())
        # Above the table: by keyboard, a table is left only past its last cell.
        st.download_button(
            "Download as CSV",
            data,
            file_name=f"bnpexplorer-{name}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            key=f"download-{name}",
        )
        # A gap is a blank; of the usual width some columns would be hidden.
        st.dataframe(part, hide_index=True, height=280, width="content", placeholder="")
        if n_rows > SHOWN_ROWS:
            which = "last" if last else "first"
            note = f"The {which} {SHOWN_ROWS} of {n_rows:,} rows; the file has all. {note}"
        if note:
            st.caption(note)


def csv_bytes(table: pd.DataFrame) -> bytes:
    """The table as UTF-8; text that a spreadsheet would compute gets an apostrophe in front."""
    safe = table.copy()
    for column in safe.select_dtypes(include=["object", "string"]):
        safe[column] = [defused(x) if isinstance(x, str) else x for x in safe[column]]
    safe.columns = [defused(str(name)) for name in safe.columns]
    return safe.to_csv(index=False).encode()
