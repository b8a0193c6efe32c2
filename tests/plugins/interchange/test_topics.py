"""Topics handed to pyLDAvis, topicwizard and ArviZ, and read back from what these made of them."""

import shutil
import sys
import warnings
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.chains import chains_of
from bnpexplorer.evaluate.settling import rhat_and_ess
from bnpexplorer.plugins.interchange import to_arviz, to_pyldavis, to_topicwizard
from bnpexplorer.runs.draws import Draw
from tests.tools.export import EVIL, learned, own_corpus, small_result
from tests.tools.neighbours import neighbour

METHODS = ("hdp-tsvi", "lda-gibbs", "dpm-tsvi")


@pytest.mark.parametrize("method", METHODS)
def test_pyldavis_shows_the_topics_in_our_order(method):
    prepare = neighbour("pyLDAvis").prepare
    result = small_result(method)
    arrays = to_pyldavis(result)
    prepared = prepare(**arrays, R=6, n_jobs=1)
    n_topics = len(result.moment.in_use)
    assert prepared.topic_order == list(range(1, n_topics + 1))
    documents = result.shares[:, [result.moment.row[t] for t in result.moment.in_use]].astype(float)
    tokens = (documents / documents.sum(axis=1, keepdims=True)).T @ arrays["doc_lengths"]
    shown = prepared.topic_coordinates.Freq.to_numpy()
    np.testing.assert_allclose(shown, 100 * tokens / tokens.sum(), rtol=1e-6)
    words = prepared.topic_info
    exact = result.moment.topics.topic_word
    for number, topic in enumerate(result.moment.in_use, 1):
        own = words[words.Category == f"Topic{number}"]
        row = exact[result.moment.row[topic]].astype(float)
        wanted = [row[result.corpus.vocab.index(word)] for word in own.Term]
        # Of topics that hold no words at all pyLDAvis shows none; it rounds to four digits.
        assert len(own) >= 6
        np.testing.assert_allclose(own.logprob, np.log(wanted), atol=6e-5)


def test_topicwizard_draws_the_topics_with_their_names():
    figures = neighbour("topicwizard.figures")
    result = small_result("lda-gibbs")
    data = to_topicwizard(result)
    assert data["topic_names"] == [result.moment.name(topic) for topic in result.moment.in_use]
    assert data["topic_names"][0] == EVIL
    assert data["corpus"] == list(result.corpus.docs.text)
    drawn = figures.topic_barcharts(data, top_n=4, n_columns=4)
    bars = [trace for trace in drawn.data if trace.name == "Estimated frequency in topic"]
    bars = bars or [trace for trace in drawn.data if trace.type == "bar"]
    assert len(bars) >= len(result.moment.in_use)
    words = {word for trace in bars for word in trace.y}
    for topic in result.moment.in_use:
        assert set(result.moment.top_words(topic, 2)) & words
    points = figures.document_map(data).data
    assert sum(len(trace.x) for trace in points) == result.corpus.n_docs


def test_topicwizards_app_opens_on_them(tmp_path, monkeypatch):
    app, matplotlib = neighbour("topicwizard.app"), neighbour("matplotlib")
    fonts = tmp_path / ".topicwizard" / "fonts"  # where it would put one that it fetches
    fonts.mkdir(parents=True)
    own = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans-Bold.ttf"
    shutil.copy(own, fonts / "OpenSans-Bold.otf")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)  # it keeps a folder where it is opened
    data = to_topicwizard(small_result("lda-gibbs"))
    opened = app.get_dash_app(data, group_labels=np.array(["a", "b"] * (len(data["corpus"]) // 2)))
    layout = opened.server.test_client().get("/_dash-layout")
    assert layout.status_code == 200
    shown = layout.get_data(as_text=True)
    for name in data["topic_names"][2:]:
        assert name in shown


def test_topicwizard_gets_names_where_no_texts_are_kept():
    """And counts whose columns are those of the topics, without words that never occur."""
    corpus = own_corpus().without_text()
    data = to_topicwizard(learned(corpus, "lda-gibbs"))
    assert data["corpus"][0] == EVIL
    assert "never" in corpus.vocab
    assert "never" not in data["vocab"]
    dense = corpus.to_csr().toarray()[:, [corpus.vocab.index(word) for word in data["vocab"]]]
    assert sorted(map(tuple, data["document_term_matrix"].toarray())) == sorted(map(tuple, dense))
    assert data["topic_term_matrix"].shape[1] == len(data["vocab"])
    kept = to_topicwizard(learned(own_corpus(), "lda-gibbs", held_out=False))
    assert kept["corpus"] == [f"text of {d}" for d in range(60)]
    bare = to_topicwizard(learned(corpus.unnamed(), "lda-gibbs", held_out=False))
    assert bare["corpus"][:2] == ["document 1", "document 2"]


# ---- ArviZ -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there will be another ArviZ
        return neighbour("arviz")


@cache
def four_chains():
    chains = chains_of(Plan.of("lda-gibbs", passes=30, chains=4), own_corpus())
    while not chains.done:
        chains.step()
    return chains


def test_draws_of_chains_are_those_that_we_judge(arviz):
    chains = four_chains()
    data = to_arviz(chains.runs)
    assert set(data.posterior) == {"topics", "entropy", "heldout"}
    assert set(data.sample_stats) == {"lp"}
    n_draws = len(chains.draws[0])
    assert dict(data.posterior.sizes) == {"chain": 4, "draw": n_draws}
    assert n_draws >= 30
    for name, group in (("entropy", data.posterior), ("heldout", data.posterior)):
        wanted = [[draw.values[name] for draw in chain] for chain in chains.draws]
        np.testing.assert_array_equal(group[name].to_numpy(), wanted)
        assert group[name].dtype == np.float64
    joint = np.array([[draw.values["log_joint"] for draw in chain] for chain in chains.draws])
    np.testing.assert_array_equal(data.sample_stats["lp"].to_numpy(), joint)
    gaps = np.diff([draw.docs_seen for draw in chains.draws[0]])
    assert set(gaps) == {data.attrs["docs_per_draw"]}


def test_arvizs_diagnostics_of_them_are_ours(arviz):
    """Without the first half, as the verdict on chains leaves it out."""
    data = to_arviz(four_chains().runs)
    half = data.sel(draw=slice(data.posterior.sizes["draw"] // 2, None))
    wanted = rhat_and_ess(half.sample_stats["lp"].to_numpy())
    assert float(arviz.rhat(half.sample_stats)["lp"]) == pytest.approx(wanted[0], rel=1e-9)
    assert float(arviz.ess(half.sample_stats)["lp"]) == pytest.approx(wanted[1], rel=1e-6)


def test_a_run_that_nobody_judges_gives_its_whole_sweeps(arviz):
    run = Plan.of("lda-gibbs", passes=6, batch_size=25).start(own_corpus())
    while not run.done:
        run.step()
    assert not run.draws
    sweeps = [point for point in run.history if point.docs_seen % 60 == 0]
    assert len(run.history) > len(sweeps) == 6
    data = to_arviz(run)
    wanted = [[point.n_topics for point in sweeps]]
    np.testing.assert_array_equal(data.posterior["topics"].to_numpy(), wanted)
    joint = [[point.scalars["log joint"] for point in sweeps]]
    np.testing.assert_array_equal(data.sample_stats["lp"].to_numpy(), joint)
    assert data.attrs["docs_per_draw"] == 60


def test_what_a_sampler_learns_beside_topics_comes_along(arviz):
    run = Plan.of("dpm-gibbs", values={"learn_gamma": True}, passes=5).start(own_corpus())
    while not run.done:
        run.step()
    learned_now = set(run.history[0].scalars) - {"log joint"}
    assert "gamma" in learned_now
    data = to_arviz([run, run])
    assert set(data.posterior) == {"topics", *(name.replace(" ", "_") for name in learned_now)}
    gamma = [point.scalars["gamma"] for point in run.history]
    np.testing.assert_array_equal(data.posterior["gamma"].to_numpy(), [gamma, gamma])


def test_chains_that_ended_apart_have_the_draws_that_they_share(arviz):
    long, short = (
        learned(own_corpus(), "lda-gibbs", seed, steps=steps, held_out=False)
        for seed, steps in ((0, 8), (1, 4))
    )
    assert to_arviz([long, short]).posterior.sizes["draw"] == 2


@pytest.fixture
def handed(monkeypatch):
    """A stand-in for ArviZ, which is not installed everywhere: gives back what it is handed."""
    stand_in = SimpleNamespace(from_dict=lambda **given: given)
    monkeypatch.setitem(sys.modules, "arviz", stand_in)


@pytest.mark.parametrize("n_draws", [2, 3, 7])
def test_all_draws_that_lie_evenly_are_handed_over(handed, n_draws):
    """Each sweep is a row of the history; only the last may lie nearer, where the run ended."""
    run = Plan.of("lda-gibbs", passes=n_draws, batch_size=60).start(own_corpus())
    while not run.done:
        run.step()
    data = to_arviz(run)
    assert data["attrs"] == {"docs_per_draw": 60}
    wanted = [[point.n_topics for point in run.history]]
    assert len(wanted[0]) == n_draws
    np.testing.assert_array_equal(data["posterior"]["topics"], wanted)


@pytest.mark.parametrize(
    ("places", "kept"), [([3, 6, 9, 10], 3), ([3, 6, 9, 12], 4), ([3, 6, 7], 2)]
)
def test_a_last_draw_between_two_is_left_out_and_no_other(handed, places, kept):
    runs = []
    for seed in range(2):
        run = learned(own_corpus(), "lda-gibbs", seed, steps=1, held_out=False)
        values = [{"topics": float(seed + at)} for at in places]
        run._history.draws.taken = [*map(Draw, places, values)]
        runs.append(run)
    data = to_arviz(runs)
    wanted = np.add.outer([0.0, 1.0], places[:kept])
    np.testing.assert_array_equal(data["posterior"]["topics"], wanted)
    assert data["attrs"] == {"docs_per_draw": 3}


def test_what_chains_and_histories_tell_is_handed_over(handed):
    """The log joint beside what is drawn; no score where nothing is held out."""
    runs = []
    for seed in range(2):
        run = learned(own_corpus(), "lda-gibbs", seed, steps=1, held_out=False)
        values = [{"topics": 3.0, "log_joint": -10.0 * at - seed} for at in (5, 7, 9)]
        run._history.draws.taken = [*map(Draw, (5, 7, 9), values)]
        runs.append(run)
    data = to_arviz(runs)
    assert {name: found.tolist() for name, found in data["posterior"].items()} == {
        "topics": [[3.0] * 3] * 2
    }
    joint = [[-50.0, -70.0, -90.0], [-51.0, -71.0, -91.0]]
    assert {name: found.tolist() for name, found in data["sample_stats"].items()} == {"lp": joint}
    assert data["attrs"] == {"docs_per_draw": 2}
    for held_out in (False, True):
        run = Plan.of("lda-gibbs", passes=3, batch_size=25, n_heldout=12 if held_out else None)
        run = run.split_and_start(own_corpus()) if held_out else run.start(own_corpus())
        while not run.done:
            run.step()
        sweeps = [point for point in run.history if point.docs_seen % run.corpus.n_docs == 0]
        assert len(run.history) > len(sweeps) == 3
        data = to_arviz(run)
        assert set(data["posterior"]) == {"topics", *["heldout"] * held_out}
        if held_out:
            assert data["posterior"]["heldout"].tolist() == [[p.heldout for p in sweeps]]
        assert data["sample_stats"]["lp"].tolist() == [[p.scalars["log joint"] for p in sweeps]]
        assert data["attrs"] == {"docs_per_draw": run.corpus.n_docs}


def test_chains_of_which_one_has_no_draws_give_their_histories(handed):
    runs = [learned(own_corpus(), "lda-gibbs", seed, held_out=False) for seed in range(2)]
    runs[0]._history.draws.taken = [Draw(at, {"topics": 99.0}) for at in (1, 2, 3)]
    data = to_arviz(runs)
    wanted = [[p.n_topics for p in run.history if p.docs_seen % 60 == 0] for run in runs]
    assert data["posterior"]["topics"].tolist() == wanted


def test_what_is_no_trace_is_told(handed):
    with pytest.raises(ValueError, match="hdp-tsvi follows a curve and draws nothing"):
        to_arviz(learned(own_corpus(), "hdp-tsvi"))
    with pytest.raises(ValueError, match="have 0 draws in common; learn for longer"):
        to_arviz(learned(own_corpus(), "lda-gibbs", steps=0))
    with pytest.raises(ValueError, match="have 0 draws in common"):
        to_arviz([])
    with pytest.raises(ValueError, match="have 1 draws in common"):
        to_arviz(learned(own_corpus(), "lda-gibbs", steps=2, held_out=False))
    run = Plan.of("lda-gibbs", passes=600).start(own_corpus())
    while not run.done:
        run.step()
    with pytest.raises(ValueError, match=r'do not lie evenly in common; .*until="settled"'):
        to_arviz(run)
