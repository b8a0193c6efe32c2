"""Every method names its papers, and the papers are those of its source."""

import re
from pathlib import Path

import pytest

from bnpexplorer.export.citations import BEHIND, PAPERS, bibtex, papers_of
from bnpexplorer.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]


def test_every_method_is_covered_and_every_paper_is_used():
    assert list(BEHIND) == list(METHODS)
    assert {key for keys in BEHIND.values() for key in keys} == set(PAPERS)


@pytest.mark.parametrize("name", METHODS)
def test_the_papers_are_those_of_the_source(name):
    source, papers = METHODS[name].source, papers_of(name)
    years = [int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", source)]
    assert sorted(paper.year for paper in papers) == sorted(years)
    for paper in papers:
        family = paper.authors[0].split(",")[0]
        assert re.search(rf"\b{family}\b[^;]*\b{paper.year}\b", source), paper.key


@pytest.mark.parametrize("key", PAPERS)
def test_an_entry_is_well_formed(key):
    paper = PAPERS[key]
    entry = paper.bibtex()
    assert key == paper.authors[0].split(",")[0].lower() + str(paper.year)
    assert entry.count("{") == entry.count("}")
    assert f"year = {{{paper.year}}}" in entry
    assert re.search(r"pages = \{\d+--\d+\}", entry)
    first, last = map(int, paper.pages.split("-"))
    assert first < last
    assert all(re.fullmatch(r"[^,]+, [^,]+", author) for author in paper.authors)
    assert str(paper.year) in paper.text()


def test_the_program_comes_first_and_a_paper_once():
    text = bibtex(["hdp-tsvi", "dpm-tsvi", "hdp-svi"])
    assert re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE) == [
        "bnpexplorer",
        "wang2012",
        "wang2011",
    ]
    assert "The bnpexplorer developers" in text


def test_the_citation_file_agrees_with_the_package():
    citation = (ROOT / "CITATION.cff").read_text()
    project = (ROOT / "pyproject.toml").read_text()
    (number,) = re.findall(r'^version = "(.+)"$', project, re.MULTILINE)
    assert f"version: {number}\n" in citation
    assert "name: The bnpexplorer developers" in citation
