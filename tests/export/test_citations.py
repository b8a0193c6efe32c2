"""Every method names its papers, and the papers are those of its source."""

import re
from pathlib import Path

import pytest

from bnpexplorer.export.citations import PAPERS, bibtex, papers_in, papers_of
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.base import Method

ROOT = Path(__file__).resolve().parents[2]
OURS = papers_in(PAPERS)


def test_every_paper_is_used_and_none_was_lost_in_reading():
    used = {key for name in METHODS.ours for key in METHODS[name].papers}
    assert used == set(OURS)
    assert len(OURS) == PAPERS.read_text(encoding="utf-8").count("\n@")
    years = [paper.year for paper in OURS.values()]
    assert years == sorted(years)


@pytest.mark.parametrize("name", METHODS)
def test_the_papers_are_those_of_the_source(name):
    source, papers = METHODS[name].source, papers_of(METHODS[name])
    years = [int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", source)]
    assert sorted(paper.year for paper in papers) == sorted(years)
    for paper in papers:
        family = paper.authors[0].split(",")[0]
        assert re.search(rf"\b{family}\b[^;]*\b{paper.year}\b", source), paper.key


@pytest.mark.parametrize("key", OURS)
def test_an_entry_is_well_formed(key):
    paper = OURS[key]
    assert key == paper.authors[0].split(",")[0].lower() + str(paper.year)
    assert paper.entry.count("{") == paper.entry.count("}")
    assert f"year = {{{paper.year}}}" in paper.entry
    assert re.search(r"pages = \{\d+--\d+\}", paper.entry)
    first, last = map(int, paper.pages.split("-"))
    assert first < last
    assert all(re.fullmatch(r"[^,]+, [^,]+", author) for author in paper.authors)
    assert paper.venue
    for part in (paper.title, str(paper.year)):
        assert part in paper.text()
        assert "{" not in paper.text()


def test_a_paper_is_told_in_one_line(tmp_path):
    """Of a journal with volume and number, and of proceedings with neither."""
    path = tmp_path / "papers.bib"
    path.write_text(
        "@article{a2001,\n  author = {Doe, Ann and Roe, Bo},\n  title = {{Sums \\& Parts}},\n"
        "  journal = {Annals},\n  volume = {7},\n  number = {3},\n  pages = {12--34},\n"
        "  year = {2001}\n}\n"
        "@inproceedings{b2002,\n  author = {Poe, Cy},\n  title = {{One}},\n"
        "  booktitle = {Proceedings},\n  pages = {5--6},\n  year = {2002}\n}\n"
    )
    assert [paper.text() for paper in papers_in(path).values()] == [
        "Doe, Ann · Roe, Bo (2001). Sums & Parts. Annals 7(3): 12-34.",
        "Poe, Cy (2002). One. Proceedings: 5-6.",
    ]


def test_the_program_comes_first_and_a_paper_once():
    text = bibtex(["hdp-tsvi", "dpm-tsvi", "hdp-svi"])
    assert re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE) == [
        "bnpexplorer",
        "wang2012",
        "wang2011",
    ]
    assert "The bnpexplorer developers" in text


def test_a_method_from_outside_brings_its_own_papers(tmp_path, monkeypatch):
    (tmp_path / "elsewhere.py").write_text(
        "from bnpexplorer.methods.lda_svi import LdaSvi\n"
        "class Elsewhere(LdaSvi):\n    papers = ('own2024', 'hoffman2013')\n"
    )
    entry = (
        "@article{own2024,\n  author = {Own, A. & Other, B.},\n  title = {{Ours}},\n"
        "  journal = {A Journal},\n  pages = {1--2},\n  year = {2024}\n}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from elsewhere import Elsewhere

    method: type[Method] = Elsewhere
    with pytest.raises(ValueError, match="'own2024', which no papers"):
        papers_of(method)
    papers_in.cache_clear()
    (tmp_path / "papers.bib").write_text(entry)
    own, ours = papers_of(method)
    assert own.entry == entry
    assert ours == OURS["hoffman2013"]
    assert own.text() == "Own, A. & Other, B. (2024). Ours. A Journal: 1-2."


def test_the_citation_file_agrees_with_the_package():
    citation = (ROOT / "CITATION.cff").read_text()
    project = (ROOT / "pyproject.toml").read_text()
    (number,) = re.findall(r'^version = "(.+)"$', project, re.MULTILINE)
    assert f"version: {number}\n" in citation
    assert "name: The bnpexplorer developers" in citation
