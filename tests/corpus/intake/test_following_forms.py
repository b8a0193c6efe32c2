"""Whoever follows the reading of a file is told how far it is, in every form, and may cancel."""

import io
import json
import re
import zipfile

import pandas as pd
import pytest

from bnpexplorer.corpus.intake import api, refusing
from bnpexplorer.corpus.intake.following import Follower, following
from tests.tools.spreadsheets import excel

pytestmark = pytest.mark.second
N = 300
ROWS = [(f"row {i}", f"storms of the harbour and hills number {i}") for i in range(N)]
TABLE = pd.DataFrame(ROWS, columns=["title", "text"])


def zipped():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for title, text in ROWS:
            archive.writestr(f"{title}.txt", text)
    return data.getvalue()


def parquet():
    data = io.BytesIO()
    TABLE.to_parquet(data)
    return data.getvalue()


FORMS = {
    "a.csv": lambda: TABLE.to_csv(index=False).encode(),
    "a.tsv": lambda: TABLE.to_csv(index=False, sep="\t").encode(),
    "a.jsonl": lambda: TABLE.to_json(orient="records", lines=True).encode(),
    "a.json": lambda: json.dumps(TABLE.to_dict("records")).encode(),
    "a.txt": lambda: "\n".join(text for _, text in ROWS).encode(),
    "a.zip": zipped,
    "a.xlsx": lambda: excel({"Sheet": [("title", "text"), *ROWS]}),
    "a.parquet": parquet,
}


class Listener(Follower):
    """Keeps all that it is told; cancels when it is told what matches `until`."""

    def __init__(self, until=None):
        super().__init__()
        self.told, self.until = [], until

    def tell(self, said):
        super().tell(said)
        self.told.append(said)
        if self.until and re.search(self.until, said):
            self.cancel()


@pytest.mark.parametrize("name", FORMS)
def test_rows_are_counted_as_they_are_read(name):
    follower = Listener()
    with following(follower):
        source = api.read_files([(name, FORMS[name]())])
    assert source.n_docs == N
    said = " | ".join(follower.told)
    assert re.search(r"\d\.\d MB to read", said)
    assert re.search(r"64(?: of 300)? (?:lines|rows|items|files)( \||$)", said), said


def test_a_large_file_is_cancelled_while_its_rows_are_read():
    large = pd.concat([TABLE] * 400).to_csv(index=False).encode()
    follower = Listener(until=r"\d lines")
    with (
        following(follower),
        pytest.raises(refusing.Cancelled, match=r"Reading a.csv was cancelled"),
    ):
        api.read_files([("a.csv", large)])
    follower = Listener()
    with following(follower):
        assert api.read_files([("a.csv", FORMS["a.csv"]())]).n_docs == N, "another child reads on"
