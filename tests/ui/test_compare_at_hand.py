"""Compare: which texts and which race a tab has at hand, and what a race has panels of."""

from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.methods import make_method
from bnpexplorer.ui.compare import race, race_panels, sequential
from tests.tools.alone import asked, drawn, moment
from tests.tools.pages import texts


@pytest.mark.parametrize("loaded", [True, False])
def test_a_race_reads_the_texts_of_the_tab_or_else_the_first_sample(monkeypatch, loaded):
    corpora = {
        name: SimpleNamespace(corpus=SimpleNamespace(name=f"*{name}*", n_docs=n))
        for name, n in (("mine", 1_234), ("first", 5_678))
    }
    led = []
    monkeypatch.setattr(race.session, "loaded_corpus", lambda: corpora["mine"] if loaded else None)
    monkeypatch.setattr(race.session, "sample_of", corpora.get)
    monkeypatch.setattr(race.server, "FIRST_SAMPLE", "first")
    monkeypatch.setattr(race.pages, "link_to", lambda page, **_: led.append(page))
    app, (found,) = asked(race.texts_at_hand)
    assert found is corpora["mine" if loaded else "first"]
    name, n = ("mine", "1,234") if loaded else ("first", "5,678")
    assert texts(app.markdown) == f"Texts: **\\*{name}\\***, {n} documents"
    assert led == ["corpus"]


def test_where_the_first_sample_cannot_be_read_own_texts_are_asked_for(monkeypatch):
    def unread(name):
        raise CorpusError("It is *away*.")

    monkeypatch.setattr(race.session, "loaded_corpus", lambda: None)
    monkeypatch.setattr(race.session, "sample_of", unread)
    app, (found,) = asked(race.texts_at_hand)
    assert found is None
    said = "It is \\*away\\*. Or load texts of your own on the Texts page."
    assert texts(app.error) == said


@pytest.mark.parametrize(
    ("at", "found", "said"),
    [
        ("", None, ""),
        ("*gone*", None, "The race \\*gone\\* is gone."),
        ("other", None, "The race other is gone."),
        ("here", ("here", "owned by hush"), ""),
    ],
)
def test_a_tab_has_the_race_that_it_names_and_no_job_of_another_kind(monkeypatch, at, found, said):
    class Together:
        pass

    runs = {"other": object(), "here": Together()}
    entries = {
        name: SimpleNamespace(run_id=name, background=SimpleNamespace(run=run))
        for name, run in runs.items()
    }
    registry = SimpleNamespace(
        get=entries.get, owned=lambda run_id, secret: run_id == "here" and f"owned by {secret}"
    )
    monkeypatch.setattr(sequential.server, "registry", lambda: registry)
    kind = sequential.SequentialKind("race", Together, {}, "Another", "The race {} is gone.")
    app, (current,) = asked(sequential.current, kind, race=(at, "hush"))
    assert (current and (current[0].run_id, current[1])) == found
    assert texts(app.info) == said


def test_runs_that_go_at_once_say_by_whom(monkeypatch):
    monkeypatch.setattr(sequential, "say_cluster", lambda background: None)
    pool = SimpleNamespace(in_words="3 workers of 2 threads")
    together = SimpleNamespace(is_at_once=True, failed={}, runs=[SimpleNamespace(pool=pool)])
    background = SimpleNamespace(status="running", error="", run=together, not_kept="")
    kind = sequential.SequentialKind("chains", object, {}, "Another", "Gone.")
    app = drawn(sequential.say_problems, kind, background, str)
    said = "All at once, each as a whole by one of 3 workers of 2 threads."
    assert texts(app.caption) == said
    assert not app.error
    assert not app.warning


def made_of(known, *methods):
    at = moment()
    runs = [
        SimpleNamespace(
            name=name, method=make_method(name), known=known, seed=7,
            moment=lambda snapshot, at=at: at,
        )
        for name in methods
    ]  # fmt: skip
    return SimpleNamespace(runs=runs)


def test_only_a_race_over_texts_made_of_known_topics_has_curves_of_those_found_again():
    usual = ["held-out", "topics"]
    known, unknown = made_of(np.ones((4, 5)), "hdp-svi"), made_of(None, "hdp-svi")
    assert [race_panels.n_known(one) for one in (known, unknown)] == [4, 0]
    assert race_panels.quantities(known) == [*usual, "found again"]
    assert race_panels.quantities(unknown) == usual


def test_runs_of_one_colour_in_a_race_differ_in_their_dashes(monkeypatch):
    monkeypatch.setattr(race_panels, "settings_of", lambda run: {"seed": run.seed})
    made = made_of(None, "hdp-svi", "lda-svi", "hdp-svi")
    made.runs[2].seed = 9
    found = race_panels.series_of(made, (None,) * 3)
    assert [one.label for one in found] == ["hdp-svi seed 7", "lda-svi", "hdp-svi seed 9"]
    assert [one.dash for one in found] == [0, 0, 1]
    assert found[0].slot == found[2].slot != found[1].slot


def test_a_list_of_largest_topics_is_cut_and_says_when_there_are_none(monkeypatch):
    at = moment()
    monkeypatch.setattr(race_panels, "TOP_TOPICS", 2)
    monkeypatch.setattr(race_panels, "TOP_WORDS", 3)
    said = race_panels._topic_words(at)
    rows = [f'<span class="bnp-quiet">{k}</span> {at.words_line(k, 3)}' for k in (9, 4)]
    assert said.count("bnp-quiet") == 2
    assert [said.index(row) for row in rows] == sorted(said.index(row) for row in rows)
    nothing = SimpleNamespace(in_use=np.empty(0, np.int64))
    assert "No topics yet." in race_panels._topic_words(nothing)
