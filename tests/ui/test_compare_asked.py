"""Compare: what its forms start, and what a race, chains and a sweep hand on while they go."""

from types import SimpleNamespace

import pandas as pd
import pytest

from bnpexplorer.chains import ChainsVerdict
from bnpexplorer.compare import Axis, Sweep
from bnpexplorer.corpus import Corpus
from bnpexplorer.runs.plan import Plan, words_each
from bnpexplorer.state.snapshot import TracePoint
from bnpexplorer.ui.compare import chains, race, sequential, sweep
from tests.tools.alone import COUNTS, WORDS, asked, drawn, handed, moment
from tests.tools.pages import button, check, field, texts

NAN = float("nan")
MANY = Corpus.from_csr(COUNTS.repeat(30, axis=0), WORDS, name="many")
LOADED = SimpleNamespace(corpus=MANY)


class Begun(Exception):
    """The page begins again."""


@pytest.fixture
def anew(monkeypatch):
    """A page that is drawn once, whatever ticks; asked to begin again it says so."""

    def rerun():
        raise Begun

    def of(room):
        monkeypatch.setattr(room.st, "rerun", rerun)
        monkeypatch.setattr(room, "ticking", lambda seconds: lambda part: part)
        registry = SimpleNamespace(tick_seconds=lambda: 1.5)
        monkeypatch.setattr(room.server, "registry", lambda: registry)

    return of


# ---- a race --------------------------------------------------------------------------------------


@pytest.mark.second
def test_a_race_starts_with_the_methods_and_numbers_of_its_form(monkeypatch):
    made, begun = [], []
    monkeypatch.setattr(race, "race_of", lambda plans, corpus: made.append(plans) or "the race")
    monkeypatch.setattr(race, "begin", lambda *what: begun.append(what))
    app = drawn(race._form, LOADED)
    usual = Plan.of(race.server.FIRST_METHODS[0])
    n_docs = usual.n_to_learn(MANY)
    passes = usual.passes_for(n_docs, words_each(MANY))
    assert field(app.number_input, "Passes").value == passes
    assert field(app.number_input, "Batch size (S)").value == usual.batch_for(n_docs)
    for label, value in (("Batch size (S)", 17), ("Passes", 3), ("Seed", 5)):
        check(field(app.number_input, label).set_value(value).run())
    check(app.multiselect[0].set_value(["hdp-svi", "lda-svi"]).run())
    assert not app.caption[1:], "nothing is missing"
    check(button(app, "Start the race").click().run())
    assert made == [[Plan.of(n, seed=5, batch_size=17, passes=3) for n in ("hdp-svi", "lda-svi")]]
    assert begun == [("the race", LOADED)]
    check(app.multiselect[0].set_value(["hdp-svi"]).run())
    assert button(app, "Start the race").disabled
    assert app.caption[1].value == "Choose one more method."


def test_a_race_proposes_the_passes_of_the_texts_that_are_left_to_learn():
    """Of 1,800 documents 180 are held out; 30,000 readings are 19 times the rest, 17 times all."""
    large = Corpus.from_csr(COUNTS.repeat(300, axis=0), WORDS, name="large")
    app = drawn(race._form, SimpleNamespace(corpus=large))
    assert field(app.number_input, "Passes").value == 19


def test_a_failure_begins_its_own_race_and_says_once_why_it_cannot(monkeypatch):
    went, refuse = [], []

    def begin(made, loaded):
        if refuse:
            raise ValueError("It is *too large*.")
        went.append((made, loaded))

    failures = {
        name: SimpleNamespace(
            name=name, title=f"Title {name}", sentences=f"What {name} shows.", method=f"hdp-{name}",
            failing=SimpleNamespace(label=f"bad {name}"), sound=SimpleNamespace(label="good"),
            race=lambda corpus, name=name: (name, corpus),
        )
        for name in ("a", "b", "c")
    }  # fmt: skip
    monkeypatch.setattr(race, "FAILURES", failures)
    monkeypatch.setattr(race, "texts_at_hand", lambda: LOADED)
    monkeypatch.setattr(race, "begin", begin)
    app = drawn(race.failures_view, lambda: went.append("turned"))
    cards = [m.value for m in app.markdown if "Title" in m.value or "What" in m.value]
    assert cards[:2] == ["## Title a", "What a shows."]
    assert sorted(c.value for c in app.caption) == [f"hdp-{n}: bad {n} beside good" for n in "abc"]
    check(button(app, key="failure-b").click().run())
    assert went == [(("b", MANY), LOADED), "turned"]
    refuse.append(True)
    check(button(app, key="failure-c").click().run())
    assert texts(app.error) == "It is \\*too large\\*."
    assert went[2:] == [], "what could not begin is not shown"
    assert not check(app.run()).error


@pytest.mark.parametrize("embedded", [False, True])
def test_a_race_is_steered_shared_and_presented_where_it_is_no_part_of_a_page(
    monkeypatch, anew, embedded
):
    anew(race)
    noted, chosen = [], [None, None]
    monkeypatch.setattr(race.look, "is_embedded", lambda: embedded)
    for room, name in (
        (race, "share_race"), (race.presenting, "offer"), (race, "progress"), (race, "panels"),
        (race, "why_born"),
    ):  # fmt: skip
        monkeypatch.setattr(room, name, lambda *what, name=name: noted.append((name, *what)))
    monkeypatch.setattr(race.why, "chosen", lambda name: chosen[len(noted) > 1])
    monkeypatch.setattr(
        race.sequential, "steer", lambda *what: noted.append(("steer", *what[2:4])) or what[4]()
    )
    made = SimpleNamespace(title="When *it* fails", look_for="Look here.")
    background = SimpleNamespace(run=made, status="running", latest="now")
    entry = SimpleNamespace(background=background)
    app = drawn(race._watch, entry, True)
    steered = [("steer", True, "running"), ("share_race", entry, True), ("offer",)]
    assert noted == [
        *([] if embedded else steered),
        ("progress", background), ("panels", made, "now"), ("why_born", entry),
    ]  # fmt: skip
    assert [m.value for m in app.markdown] == ["## When *it* fails", "Look here."]
    noted.clear()
    chosen[1] = ("one", 3)
    with pytest.raises(Begun):
        race._watch(entry, True)
    assert [name for name, *_ in noted][-1] == "panels", "what was chosen is drawn outside"


# ---- chains --------------------------------------------------------------------------------------


def two_chains(**changed):
    usual = {
        "draws": [[], []], "done": False, "sound": [0, 1], "starts": ("", ""),
        "method": SimpleNamespace(name="hdp-gibbs"),
        "runs": [SimpleNamespace(seed=1)] * 2, "verdict": lambda: found_of(99, False),
    }  # fmt: skip
    return SimpleNamespace(**(usual | changed))


def found_of(n_draws, met):
    return ChainsVerdict({"topics": 1.5}, {"topics": 7.0}, met, "They *differ*.", n_draws)


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize(("n_draws", "enough"), [(19, False), (20, True)])
@pytest.mark.parametrize("met", [False, True])
def test_chains_are_judged_when_all_is_read(monkeypatch, done, n_draws, enough, met):
    judged = []
    monkeypatch.setattr(chains, "FEWEST_DRAWS", 20)
    monkeypatch.setattr(chains, "chains_verdict", lambda *what: judged.append(what) or "Judged.")
    one = two_chains(done=done, verdict=lambda: found_of(n_draws, met), sound=[0, 2, 3])
    app = drawn(chains._picture, one)
    assert judged == [(met, enough, 3)] * done
    said = [m.value for m in app.markdown]
    assert ("**Judged.**" in said) == done
    assert any("R-hat" in words for words in said) == enough, "of too few draws they say nothing"
    assert bool(app.success) == met
    assert bool(app.info) == (not met)
    assert texts(app.caption) == "The picture comes with the first draws."


@pytest.mark.parametrize(
    ("scores", "together", "said"),
    [
        ((-7.5, -7.25, -7.4), -7.1, "**-7.100** per held-out word; single chains score -7.500 to"),
        ((-7.5, None, -7.4), -7.1, "-7.500 to -7.400."),
        ((-7.5, None, None), -7.1, None),
        ((-7.5, -7.25, -7.4), None, None),
    ],
)
def test_a_prediction_by_all_chains_stands_beside_those_of_single_ones(scores, together, said):
    latest = [
        moment(trace=(TracePoint(5, 40, 2.0, 3, NAN, NAN if score is None else score),)).snapshot
        for score in (*scores, -1.0)
    ]
    one = two_chains(sound=[0, 1, 2], score=lambda: together)
    entry = SimpleNamespace(run_id="g", background=SimpleNamespace(latest=latest))
    found = texts(drawn(chains._together, entry, one).markdown)
    assert (said in found) if said else not found


@pytest.mark.parametrize(
    ("status", "latest", "told"),
    [
        ("running", "some", []), ("paused", "some", ["together", "topics"]),
        ("finished", "some", ["together", "topics"]), ("failed", None, []),
    ],
)  # fmt: skip
def test_topics_of_chains_are_told_of_chains_at_rest(monkeypatch, anew, status, latest, told):
    anew(chains)
    noted, steered = [], []
    monkeypatch.setattr(chains.sequential, "steer", lambda *what: steered.append(what[2:]))
    for name in ("_progress", "_picture"):
        monkeypatch.setattr(chains, name, lambda *_: None)
    for name in ("together", "topics"):
        monkeypatch.setattr(chains, f"_{name}", lambda *_, name=name: noted.append(name))
    background = SimpleNamespace(run=two_chains(), status=status, latest=latest)
    app = drawn(chains._watch, SimpleNamespace(background=background), False)
    assert noted == told
    assert steered == [(False, status)]
    assert texts(app.markdown).endswith("hdp-gibbs, 2 chains")


# ---- one after another ---------------------------------------------------------------------------

KIND = sequential.SequentialKind(
    "race", SimpleNamespace, {}, "Another race", "The race {} is gone."
)


@pytest.mark.parametrize("owned", [True, False])
def test_the_runs_that_are_there_open_for_whoever_controls_the_race(monkeypatch, owned):
    went = []
    there = {"ra": "entry", "rb": None, "rc": "entry"}
    registry = SimpleNamespace(attach=lambda *what: went.append(what))
    monkeypatch.setattr(sequential.server, "open_saved", there.get)
    monkeypatch.setattr(sequential.server, "registry", lambda: registry)
    monkeypatch.setattr(sequential.session, "tab_id", lambda: "tab")
    monkeypatch.setattr(sequential.pages, "go_to", went.append)
    background = SimpleNamespace(run=SimpleNamespace(run_ids=["ra", "rb", "rc"]), not_kept="")
    entry = SimpleNamespace(background=background, secret="hush")
    app = drawn(sequential._open, KIND, entry, owned, own={"before": "x"})
    assert app.session_state["own"] == dict.fromkeys(("ra", "rc"), "hush" if owned else "")
    assert went == [("tab", "ra"), ("tab", "rc"), "live"]
    background.not_kept = "The *disk* is full."
    app = drawn(sequential._open, KIND, entry, owned, own={"before": "x"})
    assert texts(app.error) == "A run of this race is not in the library: The \\*disk\\* is full."
    assert app.session_state["own"] == {"before": "x"}
    background.not_kept, there["ra"], there["rc"] = "", None, None
    app = drawn(sequential._open, KIND, entry, owned, own={"before": "x"})
    assert texts(app.error).startswith("None of its runs is there.")
    assert went[3:] == [("tab", "ra")], "before it was known that one is not kept"


def test_where_all_compute_at_once_is_said_of_those_that_do(monkeypatch):
    monkeypatch.setattr(sequential, "say_cluster", lambda background: None)
    pool = SimpleNamespace(in_words="4 workers")
    for at_once in (True, False):
        run = SimpleNamespace(is_at_once=at_once, failed={}, runs=[SimpleNamespace(pool=pool)])
        background = SimpleNamespace(status="running", run=run, not_kept="")
        app = drawn(sequential.say_problems, KIND, background, str)
        assert texts(app.caption) == "All at once, each as a whole by one of 4 workers." * at_once
        assert not app.error
        assert not app.warning


# ---- a sweep -------------------------------------------------------------------------------------


def test_a_sweep_starts_with_the_numbers_of_its_form(monkeypatch):
    made = []

    def study(experiment, corpus, seconds, seeds, folder):
        made.append((experiment, corpus, seconds, seeds, folder))
        return SimpleNamespace(trials=[1] * 5)

    monkeypatch.setattr(sweep, "Study", study)
    monkeypatch.setattr(sweep, "sweeps_folder", lambda: "the folder")
    monkeypatch.setattr(sweep, "estimate", lambda one: "Five trials.")
    given = {"across": ("batch_size", "8, 64"), "lines": ("kappa", "0.6, 0.7, 0.9")}
    monkeypatch.setattr(sweep, "_axis_inputs", lambda method, label, key, *_: given[key])
    app, found = asked(sweep._form, MANY)
    check(field(app.number_input, "Minutes").set_value(2.5).run())
    check(field(app.number_input, "Seeds").set_value(2).run())
    size = Plan.of("hdp-svi").batch_for(1000)
    axes = Axis("batch_size", (8, 64)), Axis("kappa", (0.6, 0.7, 0.9))
    assert made[-1] == (Sweep("hdp-svi", *axes, "default", size), MANY, 150.0, 2, "the folder")
    assert texts(app.caption) == "Five trials."
    assert "too short for all 12 trials: values in between are left out." in texts(app.warning)
    assert found[-1] is None
    check(button(app, "Start the sweep").click().run())
    assert len(found[-1].trials) == 5
    monkeypatch.setattr(sweep, "Study", lambda *what: SimpleNamespace(trials=[1] * 12))
    app, _ = asked(sweep._form, MANY, sweep_seeds=2)
    assert not app.warning


def test_a_sweep_goes_on_with_its_own_time_and_seeds(monkeypatch):
    begun = []
    monkeypatch.setattr(sweep, "Study", lambda *what: what)
    monkeypatch.setattr(sweep, "sweeps_folder", lambda: "the folder")
    monkeypatch.setattr(sweep, "_begins", lambda *what: begun.append(what))
    kept = SimpleNamespace(sweep="one", budget=90.0, n_seeds=7)
    sweep._go_on(kept, LOADED)
    assert begun == [(("one", MANY, 90.0, 7, "the folder"), LOADED)]


@pytest.mark.parametrize("done", [True, False])
def test_a_sweep_recommends_when_it_is_done_and_draws_each_picture(monkeypatch, done):
    told = handed(monkeypatch, sweep)
    monkeypatch.setattr(sweep, "advice", lambda *what: "Use *this*.")
    monkeypatch.setattr(sweep, "table", lambda findings: pd.DataFrame({"n": [*findings]}))
    pictures = [
        SimpleNamespace(title=f"Picture {k}", figure=lambda *how, k=k: f"figure {k}") for k in "abc"
    ]
    one = SimpleNamespace(pictures=lambda findings: pictures)
    app = drawn(sweep.show, one, {4: 1, 9: 2}, done)
    assert ("**Use \\*this\\*.**" in texts(app.markdown)) == done
    assert told.figures == {f"sweep-{i}": f"figure {k}" for i, k in enumerate("abc")}
    assert [m.value for m in app.markdown if m.value.startswith("##")] == [
        "## Picture a", "## Picture b", "## Picture c",
    ]  # fmt: skip
    about = "the numbers of all trials are in the table below."
    assert told.more["sweep-2"]["alt"] == f"Picture c; {about}"
    assert told.tables["sweep"]["n"].tolist() == [4, 9]
    nothing = drawn(sweep.show, one, {}, done)
    assert texts(nothing.caption) == "The pictures come with the first trial that ends."
    assert not nothing.markdown
