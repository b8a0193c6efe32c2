"""Files of a run that is shown with fewer topics than it has."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.checks.expecting import finish
from bnpexplorer.export import report, result_of, script
from bnpexplorer.export.tables import readme, topics_table
from bnpexplorer.runs.about import granularities
from bnpexplorer.samples import load_sample
from bnpexplorer.state.labels import Labels
from tests.tools.scripts import execute, unpacked


@pytest.fixture(scope="module")
def chosen():
    """The result of all its topics, and what four in their place are."""
    corpus = load_sample("small-csv").corpus
    run = finish(Plan.of("hdp-gibbs", passes=40).split_and_start(corpus))
    result = result_of(run, run.moment(), corpus)
    return result, granularities(result.run, (4,))[0]


@pytest.fixture
def result(chosen):
    whole, four = chosen
    ids = four.topics.topic_ids.tolist()
    labels = Labels({ids[2]: "mine"}, groups={ids[1]: (ids[3],)})
    moment = replace(whole.moment, labels=labels).about(four)
    return replace(whole, moment=moment)


def test_the_script_makes_them_again_with_their_names(result, tmp_path):
    unpacked(result, tmp_path)
    code = script(result)
    assert "run = run.about(4)  # in place of all topics" in code
    found, printed = execute(tmp_path)
    assert "The exported run had" not in printed
    assert found == {"heldout": round(result.score, 9), "topics": 4}
    names = eval(code.partition("NAMES = ")[2].partition("\nEXPECTED")[0])
    assert names[2] == "mine"
    assert sorted(names) == [0, 1, 2]


def test_tables_have_them_alone_and_say_what_they_keep(chosen, result):
    whole, four = chosen
    rows = topics_table(result)
    ids = four.topics.topic_ids
    assert set(rows["topic"]) == {ids[0], ids[1], ids[2]}
    sizes = dict(zip(rows["topic"], rows["size_in_words"], strict=True))
    assert sizes[ids[1]] == four.topics.size[1] + four.topics.size[3]
    assert result.shares.shape == (whole.corpus.n_docs, 3)
    np.testing.assert_allclose(result.shares.sum(axis=1), 1.0, atol=1e-5)
    n_all = len(result.moment.whole.in_use)
    said = (
        f"topics        4 topics keep {100 * four.kept:.0f} % (± {100 * four.error:.0f}) of what "
        f"{n_all} gain over word frequencies on held-out words. Each began at one of the 4 "
        f"largest of {n_all}, and the "
        "sampler read the texts 20 more times with these alone.\n"
    )
    assert said in readme(result).replace("\u00a0", " ")


def test_the_report_has_their_score_and_what_they_keep(chosen, result):
    _, four = chosen
    page = report(result).replace("\u00a0", " ")
    assert f", in place of {len(result.moment.whole.in_use)}, by hdp-gibbs" in page
    assert f"held-out log likelihood per word −{-four.score:.2f}." in page
    assert f"4 topics keep {100 * four.kept:.0f} % (± {100 * four.error:.0f}) of what" in page


def test_without_a_score_there_is_none(chosen):
    whole, four = chosen
    moment = whole.moment.about(replace(four, score=float("nan"), kept=float("nan")))
    result = replace(whole, moment=moment)
    assert result.score is None
    assert "EXPECTED = {'heldout': None, 'topics': 4}" in script(result)
    assert "read the texts 20 more times" in report(result)
    assert moment.score is None


def test_files_of_topics_without_words_say_so(chosen):
    """One holds a word, which its prior hides; another came to its end."""
    whole, four = chosen
    topics, n_words = four.topics, four.topics.topic_word.shape[1]
    words, total, size = topics.topic_word.copy(), topics.total.copy(), topics.size.copy()
    words[2:], total[2:], size[2:] = 1.0 / n_words, n_words * topics.eta, (1.0, 0.0)
    bare = replace(topics, topic_word=words, total=total, size=size)
    anew = replace(whole.moment, snapshot=replace(whole.snapshot))
    result = replace(whole, moment=anew.about(replace(four, topics=bare)))
    said = "1 of these 4 topics holds no word, since the others took them all: choose 3 or fewer."
    assert said in readme(result)
    page = report(result).replace("\u00a0", " ")
    assert said in page
    assert page.count("(no words)") == 2, "in the table, and with its details"
    table = topics_table(result).set_index("topic")
    rows = table.loc[topics.topic_ids[2:]]
    assert rows["in_use"].tolist() == ["yes", "no"]
    assert rows["coherence_npmi"].isna().all()
    assert rows["top_words"].tolist() == ["", ""]
    assert table.loc[topics.topic_ids[:2], "coherence_npmi"].notna().all()
