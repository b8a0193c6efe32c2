"""`fit` finds out language and clean-up as the page does, says so, and does as it is told."""

import random
import re

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.corpus.intake.api import read_files
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words.suggesting import settled
from bnpexplorer.runs.run import Run
from tests.cli.learning import at_root_and_home

GERMAN = (
    ("Der Hafen und das Schiff", "Die Küste ist nicht weit und der Sturm kommt"),
    ("Das Feld und der Bauer", "Die Ernte ist nicht gut und der Acker ist trocken"),
)
QUICK = ["--method", "lda-svi", "--passes", "1", "--batch-size", "50", "--set", "n-topics=3"]
QUICK += ["--max-df", "1.0"]


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    yield from at_root_and_home(monkeypatch, request, tmp_path)


@pytest.fixture
def german(tmp_path):
    """The path of 120 German texts with links, an accent apart and new_york; ten are short."""
    draw = random.Random(1)
    words = ["hafen", "schiff", "sturm", "welle", "anker", "bauer", "feld", "ernte", "acker"]
    lines = ["text"]
    for i in range(120):
        more = " ".join(draw.choices(words, k=8))
        first, second = GERMAN[i % 2]
        lines.append(f"{first}. {second} me\u0301decin new_york {more} http://t.co/{i}")
    lines += ["Hafen Schiff"] * 10
    path = tmp_path / "texte.csv"
    path.write_text("\n".join(lines))
    return path


def fitted(path, tmp_path, *more):
    out = tmp_path / "own.run"
    assert main(["fit", str(path), *QUICK, *more, "--out", str(out), "--force"]) == 0
    return set(Run.load(out).corpus.vocab)


def test_fit_detects_the_language_cleans_up_and_says_so(german, tmp_path, capsys):
    vocab = fitted(german, tmp_path)
    said = capsys.readouterr().out
    assert "The texts are German: German stop words are left out." in said
    assert re.search(r"Links in 9\d % of the texts: left out", said)
    assert {"die", "ist", "nicht", "und", "http", "decin"}.isdisjoint(vocab)
    assert {"médecin", "new_york", "hafen"} <= vocab
    source = read_files([(german.name, german.read_bytes())])
    as_page = make_corpus(source, settled(source, {"max_df": 1.0}, as_forms=True).settings)[0]
    assert vocab == set(as_page.vocab)
    assert as_page.n_docs == 130, "short ones stay"


def test_fit_does_as_it_is_told(german, tmp_path, capsys):
    asked = ["--language", "en", "--clean", "none", "--whole-words", "false", "--min-tokens", "5"]
    vocab = fitted(german, tmp_path, *asked)
    captured = capsys.readouterr().out
    assert {"die", "ist", "http", "decin"} <= vocab
    assert "new_york" not in vocab
    assert "German" not in captured
    assert re.search(r"left out +10 of 130 documents", captured)
    assert "Documents with at least 1 word that counts: 130; 2: 130; 3: 120; 5: 120." in captured
    assert re.search(r"because they hold _, such as new_york\. .*: --whole-words true\.", captured)


def test_fit_keeps_words_with_digits_where_it_is_told(german, tmp_path):
    german.write_text(german.read_text().replace("new_york", "covid-19 co2"))
    assert {"covid-19", "co2"}.isdisjoint(fitted(german, tmp_path))
    assert {"covid-19", "co2"} <= fitted(german, tmp_path, "--digits", "true")
