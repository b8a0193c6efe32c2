"""A demonstration for slides: its frame, its file, and what the guide says of both."""

import contextlib
import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bnpexplorer.lab import DEMONSTRATIONS
from bnpexplorer.lab.controls import CONCENTRATIONS
from bnpexplorer.lab.toy import Case
from bnpexplorer.ui.frame import look
from bnpexplorer.ui.lab import demonstration, page
from tests.tools.pages import check, open_lab
from tests.tools.waiting import NEVER

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "lecturers.md"
SET = {
    "update": {"lab_words": "12", "lab_word1": "2", "lab_rest": "0.5", "lab_second": "0.2"},
    "sticks": {"lab_gem": "10", "lab_gem_shown": "12"},
    "restaurant": {"lab_crp": "5", "lab_crp_seed": "3"},
}
"""Of each that comes as a file: settings unlike the usual ones."""
FILES = {
    "update": lambda: demonstration.toy(Case(12, 2.0, 0.5, 0.2)),
    "sticks": lambda: demonstration.sticks(10.0, 12),
    "restaurant": lambda: demonstration.tables(5.0, 3),
}


def frame_of(page):
    """Where the frame leads, and its title."""
    (code,) = [c.value for c in page.code if c.value.startswith("<iframe")]
    address, title = re.search(r'src="([^"]+)" title="([^"]+)"', code).groups()
    query = parse_qs(urlparse(address.replace("&amp;", "&")).query)
    return {name: value for name, (value,) in query.items()}, title


def offered(page):
    return [b.proto.label for b in page.get("download_button") if "HTML" in b.proto.label]


@pytest.mark.parametrize("name", list(DEMONSTRATIONS))
def test_each_comes_as_a_frame_with_its_settings(name):
    address = {"lab_show": name, **SET.get(name, {})}
    page = open_lab(**address)
    assert frame_of(page) == (address | {"embed": "true"}, f"bnpexplorer: {DEMONSTRATIONS[name]}")
    assert bool(offered(page)) == (name in FILES)


def test_what_is_taken_along_is_named_by_its_demonstration(monkeypatch):
    """The frame has the view of the address and not its secrets."""
    files, codes = [], []
    monkeypatch.setattr(st, "popover", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(st, "caption", lambda *_, **__: None)
    monkeypatch.setattr(st, "download_button", lambda *what, **__: files.append(what[1:4]))
    monkeypatch.setattr(st, "code", lambda code, **_: codes.append(code))
    monkeypatch.setattr(st, "query_params", {"lab_gem": "5", "own": "secret", "lesson": "x"})
    monkeypatch.setattr(type(st.context), "url", "http://a.example/lab")

    def make():
        return "the file"

    page.take_along("sticks", "Stick-breaking", make)
    page.take_along("ordered", "Ordered sticks")
    assert files == [(make, "bnpexplorer-sticks.html", "text/html")]
    address = "http://a.example/lab?lab_gem=5&amp;lab_show=sticks&amp;embed=true"
    assert f'src="{address}" title="bnpexplorer: Stick-breaking"' in codes[0]
    assert "lab_show=ordered" in codes[1]
    monkeypatch.setattr(look, "is_embedded", lambda: True)
    page.take_along("sticks", "Stick-breaking", make)
    assert len(codes) == 2


def test_the_guide_names_those_that_are_files():
    told = " ".join(GUIDE.read_text("utf-8").split())
    names = [DEMONSTRATIONS[name] for name in FILES]
    assert f"{names[0]}, {names[1]} and {names[2]} also come as one HTML file" in told


@pytest.mark.second
@pytest.mark.parametrize("name", list(FILES))
def test_the_file_has_the_settings_of_the_page(name):
    alone = (
        "import streamlit as st\nfrom bnpexplorer.ui.lab.page import SHOW\n"
        f"st.session_state['file'] = SHOW[{name!r}]()()"
    )
    page = AppTest.from_string(alone, default_timeout=NEVER)
    for key, value in SET[name].items():
        page.query_params[key] = value
    check(page.run())
    file = page.session_state["file"]
    assert file == FILES[name]()
    (label,) = offered(open_lab(lab_show=name))
    least, most = map(int, re.search(r"(\d+) to (\d+) MB", label).groups())
    assert least <= round(len(file.encode()) / 1e6) <= most


@pytest.mark.second
def test_the_largest_file_is_as_large_as_the_button_says():
    largest = demonstration.tables(max(CONCENTRATIONS), 0)
    assert round(len(largest.encode()) / 1e6) == 6
