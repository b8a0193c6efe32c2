"""Tables: read back as a spreadsheet or pandas would, against the arrays they came from."""

import csv as csvlib
import io
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bnpexplorer import Run
from bnpexplorer.core.spreadsheet import defused
from bnpexplorer.evaluate import npmi
from bnpexplorer.export import result_of, tables
from bnpexplorer.export.tables import csv, long_table, wide_table
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Event
from tests.tools.export import EVIL, at, learned, own_corpus, small_result


@pytest.fixture(scope="module")
def result():
    return small_result()


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def frames(data):
    return {
        name: pd.read_csv(io.BytesIO(text), keep_default_na=False, na_values={"bound": [""]})
        for name, text in members(data).items()
        if name.endswith(".csv")
    }


def test_topics_have_names_shares_and_marks(result):
    table = frames(tables(result))["topics.csv"]
    topics = result.snapshot.topics
    assert len(table) == len(topics)
    place = [list(topics.topic_ids).index(i) for i in table["topic"]]
    assert np.all(np.diff(topics.size[place]) <= 0)
    np.testing.assert_allclose(table["share"], topics.size[place] / topics.size.sum(), rtol=1e-8)
    assert table["share"].sum() == pytest.approx(1.0)
    assert table["name"][0] == EVIL, "CSV needs no escaping of HTML"
    assert table["name"][1] == "'=1+1"
    assert table["name"][2] == result.moment.name(table["topic"][2])
    assert set(table["name"][2].split()) <= set(result.corpus.vocab), "words of its own"
    assert list(table["hidden"][:3]) == ["no", "yes", "no"]
    assert set(table["hidden"][3:]) == {"no"}
    row = topics.topic_word[place[0]]
    best = [result.corpus.vocab[w] for w in sorted(range(len(row)), key=lambda w: -row[w])[:15]]
    assert table["top_words"][0] == ", ".join(best)


def test_coherence_is_computed_over_the_texts_learned_alone(result):
    table = frames(tables(result))["topics.csv"]
    empty = [not result.moment.top_words(topic, 1) for topic in table["topic"]]
    assert 0 < sum(empty) < len(empty)
    topics = result.snapshot.topics
    probs = topics.topic_word[topics.by_size][~np.array(empty)]
    assert [cell == "" for cell in table["coherence_npmi"]] == empty
    found = np.array([float(cell) for cell in table["coherence_npmi"] if cell != ""])
    np.testing.assert_allclose(found, npmi(probs, result.run.corpus), rtol=1e-5)
    of_all = npmi(probs, result.corpus)
    assert np.abs(found - of_all).max() > 1e-3, "or it could not tell"


def test_documents_stand_in_the_corpus_order_and_say_their_part(result):
    wide = frames(tables(result))["document_topics_wide.csv"]
    corpus, run = result.corpus, result.run
    assert list(wide["document"]) == list(range(1, 161))
    assert list(wide["modelled_words"]) == list(corpus.doc_lengths)
    held = wide["part"] == "held out"
    assert held.sum() == run.heldout.whole.n_docs
    kept = corpus.take(np.flatnonzero(~held))
    assert kept.fingerprint == run.corpus.fingerprint, "independent of how the mask was made"
    shares = wide.filter(regex="^topic").to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-4)


@pytest.mark.parametrize(
    ("order", "whole"), [("shuffled", True), ("stream", True), ("stream", False)]
)
def test_what_was_not_learned_yet_is_not_called_learned(monkeypatch, order, whole):
    """Against the documents themselves, as the run took them."""
    corpus = own_corpus()
    run = learned(corpus, "hdp-svi", steps=0, order=order)
    taken, step = [], type(run.method).step

    def watched(method, state, batch, *more):
        taken.extend(batch.docs.docs.id)
        return step(method, state, batch, *more)

    monkeypatch.setattr(type(run.method), "step", watched)
    run.step()
    result = result_of(run, run.moment(), corpus if whole else None)
    assert result.by_rule == whole
    zipped = tables(result)
    wide = frames(zipped)["document_topics_wide.csv"]
    held_out = {"'" + name for name in run.heldout.whole.docs.id}
    seen = {"'" + name for name in taken}
    assert 0 < len(seen) < run.corpus.n_docs
    expected = {
        name: "held out" if name in held_out else "learned" if name in seen else "not yet learned"
        for name in wide["id"]
    }
    assert dict(zip(wide["id"], wide["part"], strict=True)) == expected
    assert set(expected.values()) == {"held out", "learned", "not yet learned"}
    words = " ".join(members(zipped)["README.txt"].decode().split())
    assert "not yet learned, if the run had not come to it" in words


def test_topics_of_one_name_have_columns_of_their_own(result):
    first, second = result.snapshot.topics.topic_ids[:2].tolist()
    moment = replace(result.moment, labels=Labels({first: "document", second: "document"}))
    wide = frames(tables(replace(result, moment=moment)))["document_topics_wide.csv"]
    assert list(wide["document"]) == list(range(1, 161))
    for k, topic in enumerate((first, second)):
        column = wide[f"topic {topic}: document"]
        np.testing.assert_allclose(column, result.proportions[:, k], atol=1e-6)


def test_long_and_wide_agree(result):
    found = frames(tables(result))
    wide, long = found["document_topics_wide.csv"], found["document_topics_long.csv"]
    heads = {
        int(c.split()[1].rstrip(":")): c for c in wide if c.startswith("topic ") and c != "topics"
    }
    assert len(long) == int((result.proportions >= 0.01).sum())
    for row in long.iloc[:: max(len(long) // 50, 1)].itertuples():
        assert wide[heads[row.topic]][row.document - 1] == pytest.approx(row.share, abs=2e-6)
        assert row.share >= 0.01


def test_words_metrics_and_events(result):
    found = frames(tables(result))
    words = found["topic_words.csv"]
    topics = result.snapshot.topics
    held = topics.total[:, None] * topics.topic_word.astype(float) - topics.eta
    assert len(words) == np.minimum((held >= 0.5).sum(axis=1), 50).sum()
    for row in words.iloc[::37].itertuples():
        k = list(topics.topic_ids).index(row.topic)
        w = result.corpus.vocab.index(row.word)
        assert row.probability == pytest.approx(float(topics.topic_word[k, w]), rel=1e-6)
        assert row.rank <= 1 + (topics.topic_word[k] > topics.topic_word[k, w]).sum() + 3
    metrics = found["metrics.csv"]
    assert list(metrics["documents"]) == [p.docs_seen for p in result.snapshot.trace]
    assert float(metrics["heldout_log_likelihood_per_word"].iloc[-1]) == pytest.approx(result.score)
    assert len(found["events.csv"]) == len(result.snapshot.events)
    assert {"README.txt", "CITATION.bib"} <= set(members(tables(result)))


def test_the_mark_for_excel(result):
    plain, marked = members(tables(result)), members(tables(result, bom=True))
    for name in plain:
        if name.endswith(".csv"):
            assert marked[name] == b"\xef\xbb\xbf" + plain[name]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_dangerous_beginning_is_defused(start):
    assert defused(start + "1") == "'" + start + "1"
    assert defused("a" + start) == "a" + start


@pytest.mark.parametrize("start", [" =", "\n=", "\u00a0=", " \t+", "＝", "＠", "\n"])
def test_a_beginning_that_becomes_dangerous_is_defused(start):
    safe = defused(start + "1")
    assert safe.startswith("'")
    assert safe.replace("'", "") == start + "1"
    assert defused("") == ""
    assert defused(" plain") == " plain"


@pytest.mark.parametrize("before", [";", "\t", "\n", "\r", "; ", ';"', ";\u200b\0", "\t\ufeff"])
def test_what_another_separator_would_make_a_formula_is_defused(before):
    """Semicolons part cells where the comma is the decimal sign: "a;=1" is two cells there."""
    safe = defused(f"a{before}=1")
    assert safe == f"a{before[0]}'{before[1:]}=1"
    assert defused(f"a{before}b-1") == f"a{before}b-1"


@pytest.mark.parametrize("hidden", ["\0", "\u200b", "\ufeff", "\u00ad", "\u2060\u200f"])
def test_what_nobody_sees_does_not_hide_a_formula(hidden):
    frame = pd.DataFrame({f"{hidden}=1": [f"{hidden}=2"]})
    assert csv(frame).decode() == f"'{hidden}=1\n'{hidden}=2\n"


def test_numbers_are_left_alone_and_text_is_not():
    frame = pd.DataFrame({"=head": ["-x", None, "y"], "n": [-1.5, 2.0, np.nan]})
    rows = list(csvlib.reader(io.StringIO(csv(frame).decode())))
    assert rows == [["'=head", "n"], ["'-x", "-1.5"], ["", "2"], ["y", ""]]


def test_cells_are_written_as_pandas_writes_them():
    rng = np.random.default_rng(3)
    shares = np.round(rng.dirichlet(np.ones(40), 200)[:, 0], 6)
    awkward = [0.0, -0.0, np.nan, np.inf, -np.inf, 1 / 3, 1e-12, 123456789.0123, 1e22, 5.0]
    texts = ["plain", 'a "quoted" word', "one, two", "two\nlines", "", "Zürich", "plain"]
    frame = pd.DataFrame(
        {
            "a, share": np.r_[shares, awkward],
            "single": np.r_[shares, awkward].astype(np.float32),
            "count": np.arange(210) % 7,
            "text": [texts[i % 7] for i in range(210)],
            "yes": np.arange(210) % 2 == 0,
        }
    )
    expected = frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")
    assert csv(frame) == expected.encode()
    frame["text"] = [None, *frame["text"][1:]]
    assert csv(frame).decode().splitlines()[1].split(",")[3] == ""


def test_no_text_of_an_upload_begins_dangerously():
    corpus = own_corpus()
    run = learned(corpus, "lda-svi")
    data = members(tables(result_of(run, run.moment(), corpus)))
    for name, text in data.items():
        if not name.endswith(".csv"):
            continue
        rows = list(csvlib.reader(io.StringIO(text.decode(), newline="")))
        for row in rows:
            for cell in row:
                number = cell.lstrip("-").replace(".", "").replace("e-", "").isdigit()
                assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), (name, cell)
    topic_words = data["topic_words.csv"].decode()
    assert "'=cmd" in topic_words


def test_a_run_file_without_its_corpus_puts_held_out_documents_last(tmp_path):
    corpus = own_corpus()
    run = learned(corpus, "hdp-svi")
    run.save(tmp_path / "x.run")
    loaded = Run.load(tmp_path / "x.run")
    result = result_of(loaded, loaded.moment())
    assert not result.by_rule
    assert result.corpus.n_docs == corpus.n_docs
    n = run.corpus.n_docs
    assert list(result.held_out) == [False] * n + [True] * (corpus.n_docs - n)
    ids = frames(tables(result))["document_topics_wide.csv"]["id"]
    assert list(ids) == ["'" + i for i in [*run.corpus.docs.id, *run.heldout.whole.docs.id]]
    both = result_of(loaded, loaded.moment(), corpus)
    assert both.by_rule
    order = np.argsort(both.held_out, kind="stable")
    np.testing.assert_allclose(both.proportions[order], result.proportions, atol=1e-12)


def test_a_run_without_topics_or_scores_still_exports():
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi", steps=0, held_out=False)
    result = result_of(run, run.moment(), corpus)
    assert len(result.snapshot.topics) == 0
    found = members(tables(result))
    assert found["topics.csv"].decode().startswith("topic,name,hidden")
    assert not result.held_out.any()


def test_events_name_parents_and_children():
    result = small_result()
    events = (Event("merge", (3, 4), (3,), 7, 280),)
    changed = at(result, events=events)
    rows = members(tables(changed))["events.csv"].decode().splitlines()
    assert rows == ["step,documents,kind,parents,children", "7,280,merge,3 4,3"]


def test_shares_and_what_is_not_yet_seen_are_those_of_the_run(result):
    """What no column has is left to topics not yet seen; the shares of a run need not add up."""
    shares = result.shares.astype(np.float64)
    part = np.linspace(0.4, 0.9, shares.shape[1])
    fewer = replace(result, folded=lambda: (shares * part).astype(np.float32))
    wide = wide_table(fewer)
    left = 1.0 - (shares * part).sum(axis=1)
    assert np.ptp(left) > 0.01
    np.testing.assert_allclose(wide["topics not yet seen"], left, atol=1e-6)


def test_a_share_that_is_just_enough_is_listed(result):
    shares = np.sort(result.shares[:5].astype(np.float64).ravel())[::-1]
    for least in shares[[3, 7]]:
        expected = int((result.shares[:5].astype(np.float64) >= least).sum())
        assert len(long_table(result, float(least), slice(0, 5))) == expected
