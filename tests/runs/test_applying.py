"""The topics of a run for new texts: told which words are new, and which texts do not fit."""

import json

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.source import ReadOptions, Source, strings
from bnpexplorer.corpus.words.known import count_known
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.explore import doc_topic
from bnpexplorer.runs.applying import apply
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from tests.tools.surveys import THEMES, as_csv

pytestmark = pytest.mark.second


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A run with four topics of the survey, and its report."""
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    path.write_bytes(as_csv())
    found = api.load_with_report(path, None, ReadOptions(text="Answer"))
    run = Plan.of("lda-gibbs", "default", {"n_topics": 4}, seed=2, passes=60).split_and_start(
        found.corpus
    )
    while not run.done:
        run.step()
    return run, found.report


def given(*texts):
    return Source("new.txt", "text", texts, docs=DocTable(text=strings(texts)))


def test_a_text_of_the_run_has_the_topics_that_it_has_there(learned):
    run, report = learned
    corpus = run.corpus.take(range(8))
    found = apply(run, run.moment(), given(*corpus.docs.text), report)
    np.testing.assert_array_equal(found.corpus.to_csr().toarray(), corpus.to_csr().toarray())
    expected = doc_topic(run.method.model, run.topics, corpus)
    np.testing.assert_allclose(found.share, expected, atol=1e-6)
    assert not any(found.unfit)
    assert found.n_unknown.tolist() == [0] * 8


def test_new_words_are_counted_and_texts_that_do_not_fit_are_told(learned):
    run, report = learned
    known = THEMES[0]
    texts = (
        known,
        f"{known} zeppelin zeppelin",
        "zeppelin submarine telescope harbour vessel",
        "harbour the vessel",
        "",
        "zeppelin of submarine",
    )
    found = apply(run, run.moment(), given(*texts), report)
    assert found.n_unknown.tolist() == [0, 2, 3, 0, 0, 2]
    assert [bool(why) for why in found.unfit] == [False, False, True, True, False, True]
    assert found.unfit[2] == "most of its words are unknown"
    assert found.unfit[3] == "fewer than 5 known words"
    assert found.unknown[0] == ("zeppelin", 3)
    rows = found.corpus.file_rows
    assert [rows.reason(p) for p in (3, 4, 5)] == ["", "no text", "no word that the run knows"]
    assert "does not know 7 of" in found.said
    columns = {column.name: column.values() for column in found.columns()}
    assert columns["known_words"] == [10, 10, 2, 2, 0, 0]
    assert columns["topic"][4:] == [None, None]


def test_every_unknown_word_counts():
    """Where words are of one kind, as the kind."""
    settings = TextSettings(stop_words="english", stem="stem", language="en")
    texts = given("harbours and zeppelin zeppelin of dogs", "the harbour", "")
    found = count_known(texts, settings, ("harbour",), ("dog",))
    assert found.n_unknown.tolist() == [2, 0, 0]
    assert found.corpus.to_csr().toarray().tolist() == [[1], [1]]
    assert found.corpus.docs.id.tolist() == [0, 1]


def test_words_that_are_unlikely_together_do_not_fit(learned):
    run, report = learned
    mixed = " ".join(word for words in zip(*map(str.split, THEMES), strict=True) for word in words)
    whole = " ".join([*THEMES[1].split()] * 4)
    found = apply(run, run.moment(), given(mixed, whole), report)
    assert found.unfit == ("its words are unlikely together", "")


def test_a_run_of_counts_is_refused(learned):
    run, _ = learned
    with pytest.raises(CorpusError, match="does not say how its texts were cut"):
        apply(run, run.moment(), given("sea"))


def test_the_command_gives_a_file_its_topics(tmp_path, capsys):
    path, saved, new, out = (tmp_path / n for n in ("a.csv", "run.zip", "new.csv", "out.csv"))
    path.write_bytes(as_csv())
    fit = ["fit", str(path), "--text", "Answer", "--method", "lda-svi", "--passes", "2"]
    assert main([*fit, "--out", str(saved)]) == 0
    assert Run.load(saved).reading.options.text == "Answer"
    new.write_text(f'code,Answer\n=1,{THEMES[0]}\n007,"zeppelin\nsubmarine"\n')
    capsys.readouterr()
    command = ["apply", str(saved), str(new), "--write-back", str(out)]
    assert main([*command, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {
        "texts": 2,
        "with_topics": 1,
        "known_words": 10,
        "unknown_words": 2,
        "do_not_fit": 1,
    }
    text = out.read_text()
    assert text.startswith("code,Answer,topic,topic_name,topic_share")
    assert '\n007,"zeppelin\nsubmarine",' in text
    assert main(command) == 2
    assert "exists" in capsys.readouterr().err
    new.write_text("words\nsea\n")
    assert main(["apply", str(saved), str(new)]) == 2
    assert "new.csv has no column 'Answer' for the text" in capsys.readouterr().err
