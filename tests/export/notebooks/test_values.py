"""What values show of themselves in a notebook: inert, escaped, and true."""

import math
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

from bnpexplorer import Plan, load, score
from bnpexplorer.compare import side_by_side
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.core import store
from bnpexplorer.core.faults import NotNow
from bnpexplorer.evaluate import Score, between_starts, unigram_score
from bnpexplorer.export.notebooks.card import STYLE
from bnpexplorer.state.labels import Labels
from tests.tools.export import EVIL, learned, own_corpus
from tests.tools.markup import inert

HOSTILE = ("<img", "<b>bold", "</script>", "onerror=alert(1)>")


@pytest.fixture(scope="module")
def run():
    return learned(own_corpus(), "hdp-tsvi")


def shown(value) -> str:
    html = value._repr_html_()
    assert type(html) is str
    inert(html)
    return html


def read(value) -> str:
    """The words of it, without style and markup."""
    plain = re.sub(r"<style>.*?</style>", "", shown(value), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", plain)).split())


def values(run):
    other = learned(own_corpus(), "hdp-svi")
    topics = run.snapshot().topics
    first = int(topics.topic_ids[topics.by_size[0]])
    return {
        "run": run,
        "not begun": Plan.of("lda-svi").start(own_corpus(), None),
        "topics": topics,
        "moment": run.moment(labels=Labels({first: EVIL})),
        "corpus": own_corpus(),
        "comparison": side_by_side({EVIL: run, f"{EVIL}2": other}),
        "race": race_of([Plan.of("lda-svi", passes=1), Plan.of("hdp-svi", passes=1)], own_corpus()),
        "score": score(run.method.model, topics, run.heldout),
    }


def test_hostile_words_titles_and_names_stay_text(run):
    for kind, value in values(run).items():
        html = shown(value)
        for words in HOSTILE:
            assert words not in html, kind
        if kind not in ("score", "race"):
            assert EVIL in read(value) or "<b>bold</b>" in read(value), kind


def test_the_style_reaches_nothing_else(run):
    plain = re.sub(r"</?style>", "", STYLE)
    depth, head, heads = 0, "", []
    for letter in plain:
        if letter == "{":
            if depth == 0:
                heads.append(head)
            depth += 1
        if depth == 0:
            head = "" if letter == "}" else head + letter
        if letter == "}":
            depth -= 1
            head = ""
    assert depth == 0
    assert len(heads) > 15
    for rule in heads:
        for selector in rule.split(","):
            assert ".bnpexplorer" in selector, selector
    assert "@import" not in plain
    assert "url(" not in plain


def test_a_run_shows_where_it_stands(run):
    words, moment = read(run), run.moment()
    assert f"{len(moment.in_use):,} topics in use" in words
    assert f"after {run.passes_said(run.docs_seen)}" in words
    assert f"{run.snapshot().heldout:.2f}".replace("-", "−") in words
    largest = moment.in_use[0]
    assert " · ".join(moment.top_words(largest, 12)) in words
    assert f"{100 * moment.share(largest):.1f} %" in words
    assert shown(run).count('<path class="curve"') == 2


def test_a_run_that_has_not_begun_is_shown_and_stays_so():
    run = Plan.of("hdp-tsvi").start(own_corpus(), None)
    assert "has not begun" in read(run)
    assert "60 documents" in read(run)
    assert run.state is None


def test_topics_show_their_words_where_a_run_published_them(run):
    topics = run.snapshot().topics
    k = topics.by_size[0]
    words = [run.corpus.vocab[w] for w in np.argsort(-topics.topic_word[k], kind="stable")[:3]]
    assert " · ".join(words) in read(topics)
    assert f"{topics.topic_ids[k]} {100 * topics.shares[k]:.1f} %" in read(topics)
    assert re.search(r"word \d+ · word \d+", read(replace(topics))), "nobody told their words"
    assert "No topic is in use" in read(replace(topics, size=0 * topics.size))


def test_topics_are_listed_by_their_sizes(run):
    """Whatever their places: sizes are put in the opposite order of those they have."""
    topics = run.snapshot().topics
    ranks = np.empty(len(topics), np.int64)
    ranks[topics.by_size[::-1]] = np.arange(len(topics))
    turned = replace(topics, size=np.sort(topics.size)[::-1][ranks])
    assert (turned.by_size != topics.by_size).any()
    largest = turned.by_size[turned.in_use[turned.by_size]]
    listed = [int(i) for i in re.findall(r'<tr><td class="n">(\d+)</td>', shown(turned))]
    assert len(listed) > 2
    assert listed == turned.topic_ids[largest].tolist()[: len(listed)]
    sizes = dict(zip(turned.topic_ids.tolist(), turned.size.tolist(), strict=True))
    assert all(sizes[a] >= sizes[b] for a, b in pairwise(listed))


def test_many_topics_are_not_all_listed():
    corpus = load("sample_data/small.csv")
    run = Plan.of("lda-svi", values={"n_topics": 30}, passes=1).split_and_start(corpus)
    run.step()
    n = len(run.moment().in_use)
    assert n > 20
    assert shown(run).count("<tr>") == 1 + 20
    assert f"… and {n - 20} smaller topic" in read(run)


def test_a_corpus_shows_its_size_and_words():
    corpus = own_corpus()
    words = read(corpus)
    assert f"60 documents with {corpus.n_tokens:,} words" in words
    most = int(corpus.word_totals.argmax())
    expected = f"{corpus.vocab[most]} {corpus.word_totals[most]:,} {corpus.word_docs[most]}"
    assert expected in words
    assert "2001-01-05" in words, "the fifth document"
    assert "2001-01-06" not in words


def test_a_comparison_leaves_out_what_stands_on_other_ground(run):
    runs = {"mine": run, "theirs": learned(own_corpus(), "hdp-svi")}
    apart = learned(own_corpus(seed=9), "hdp-svi")
    comparison = side_by_side({**runs, "apart": apart})
    words = read(comparison)
    assert "2 runs on" in words
    assert "apart is left out: other texts or words of" in words
    for kept in runs.values():
        assert f"{kept.snapshot().heldout:.4g}" in words
    level = f"{unigram_score(run.corpus, run.heldout):.4g}"
    assert float(level) < 0
    assert shown(comparison).count('<path class="curve"') == 4
    best = max(runs, key=lambda name: runs[name].snapshot().heldout)
    assert comparison.table()[0]["run"] == best
    with pytest.raises(ValueError, match="no run to compare"):
        side_by_side([])


def test_runs_of_one_method_have_names_and_colours_of_their_own():
    runs = [learned(own_corpus(), "hdp-svi", steps=n, held_out=False) for n in (1, 2)]
    html = shown(side_by_side(runs))
    inks = set(re.findall(r'class="curve" style="--l:(#\w+)', html))
    assert len(inks) == 2
    assert {"hdp-svi #1", "hdp-svi #2"} == {row.name for row in side_by_side(runs).inside}
    heights = [float(y) for y in re.findall(r'class="end ink"[^>]* y="([\d.]+)"', html)]
    assert abs(heights[0] - heights[1]) >= 31, "no name lies on another"


def test_a_score_is_a_number_that_knows_its_protocol(run):
    found = score(run.method.model, run.snapshot().topics, run.heldout)
    assert isinstance(found, float)
    assert found == run.history[-1].heldout
    assert type(run.history[-1].heldout) is float, "files and pages hold plain numbers"
    words = read(found)
    assert f"{found:.4f}".replace("-", "−") in words
    assert f"{math.exp(-found):,.0f} words of equal probability" in words
    assert f"it would be −{math.log(run.corpus.n_words):.2f}" in words
    assert f"{run.heldout.hidden.n_tokens} words of {run.heldout.whole.n_docs} documents" in words
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.protocol) == (found, run.heldout.protocol)
    assert "log likelihood" in read(Score(-2.0))
    assert "between starts" not in read(Score(-2.0))
    found = Score(-2.0)
    found.spread, found.n_docs = 0.002, 400
    assert f"{between_starts(0.002, 400)}." in read(found)


def test_texts_that_cannot_be_read_now_are_a_sentence(run, monkeypatch):
    def lost(*_):
        raise NotNow("The disk with <these> texts is gone; bring it back.")

    monkeypatch.setattr("bnpexplorer.export.notebooks.values.level_of", lost)
    assert "The disk with <these> texts is gone" in read(run)


ALONE = """
import sys
from bnpexplorer.runs.run import Run
from bnpexplorer.corpus.corpus import Corpus
corpus = Corpus.from_csr([[1, 2], [2, 1]], ["yes", "no"])
assert "bnpexplorer.export.notebooks" not in sys.modules
print("yes" in corpus._repr_html_(), "streamlit" in sys.modules, "anywidget" in sys.modules)
"""


@pytest.mark.second
def test_whoever_imports_one_module_can_show_its_values(pytestconfig):
    done = subprocess.run(
        [sys.executable, "-c", ALONE], cwd=pytestconfig.rootpath, capture_output=True, text=True
    )
    assert done.stdout.split() == ["True", "False", "False"], done.stderr


def test_words_beside_topics_are_no_part_of_what_is_saved(run):
    topics, arrays = run.snapshot().topics, {}
    assert topics.vocab == run.corpus.vocab
    packed = store.pack(topics, arrays)
    assert "vocab" not in packed
    again = store.unpack(type(topics), packed, arrays)
    assert again.vocab == ()
    np.testing.assert_array_equal(again.topic_word, topics.topic_word)
