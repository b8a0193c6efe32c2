"""A run ends when it has settled, when its minutes are over, or after its passes; it says why."""

import dataclasses

import numpy as np
import pytest

from bnpexplorer import Plan, Run, make_method
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate.settling import settling
from bnpexplorer.runs.draws import DRAWS, ChainOf, Draw, RunDraws, draw_of
from bnpexplorer.runs.plan import PASSES_TO_SETTLE
from bnpexplorer.state.snapshot import Info

FROM_NOTHING = {"start": "nothing", "moves": 2, "start_size": 1, "learn_eta": False}
DPM = Plan.of("dpm-gibbs", values=FROM_NOTHING, batch_size=20, n_heldout=3)


def driven(run: Run) -> Run:
    while not run.done:
        run.step()
    return run


@pytest.fixture(scope="module")
def settled(dozen) -> Run:
    return driven(dataclasses.replace(DPM, until="settled", passes=600).split_and_start(dozen))


@pytest.mark.second
def test_a_sampler_ends_as_soon_as_it_has_settled(settled, dozen):
    n = settled.n_steps
    assert n < 600
    assert n % 10 == 0
    found = settled.settling()
    assert found.settled
    assert settled.ending == f"Settled after {n} passes: {found.why}."
    assert settled.history[-1].step == n
    assert np.isfinite(settled.history[-1].heldout)
    # The same run without a rule has the same numbers as far as that, and ten draws before the
    # end it had not settled: the rule is that of its own draws.
    values = [draw.values for draw in settled.draws]
    earlier = values[: len(values) - 10]
    half = earlier[len(earlier) - len(earlier) // 2 :]
    assert not settling({k: np.array([v[k] for v in half]) for k in half[0]}, True).settled
    plain = dataclasses.replace(DPM, passes=600).split_and_start(dozen)
    for _ in range(n):
        plain.step()
    assert plain.latest_info.scalars == settled.latest_info.scalars
    assert plain.draws == ()
    assert plain.ending == ""


@pytest.mark.second
def test_it_is_saved_in_the_middle_and_ends_at_the_same_place(settled, dozen, tmp_path):
    run = dataclasses.replace(DPM, until="settled", passes=600).split_and_start(dozen)
    for _ in range(settled.n_steps - 15):
        run.step()
    run.save(tmp_path / "run.zip")
    again = Run.load(tmp_path / "run.zip")
    assert (again.until, again.minutes, again.draws) == ("settled", None, run.draws)
    assert driven(again).n_steps == settled.n_steps
    assert again.ending == settled.ending
    settled.save(tmp_path / "end.zip")
    assert Run.load(tmp_path / "end.zip").ending == settled.ending


def test_one_that_has_not_settled_ends_after_its_passes_and_says_so(dozen):
    run = driven(dataclasses.replace(DPM, until="settled", passes=12).split_and_start(dozen))
    assert run.n_steps == 12
    assert run.ending == (
        "Not settled after 12 passes: its latter half has 6 draws, and at least 20 are needed."
    )
    run.chain = ChainOf("group", 0, 3)
    assert run.ending == "", "all chains are judged together"


def test_a_variational_method_ends_when_its_curve_is_flat(bars):
    plan = Plan.of("lda-svi", values={"n_topics": 5}, until="settled", batch_size=90, n_heldout=30)
    run = driven(plan.split_and_start(bars[0]))
    assert run.passes == PASSES_TO_SETTLE > run.docs_seen / 270
    assert run.ending.startswith("Settled after ")
    assert "held-out score moved by only 0.00" in run.ending


def test_minutes_end_a_run_where_it_stands(dozen):
    run = driven(dataclasses.replace(DPM, passes=40, minutes=1e-9).split_and_start(dozen))
    assert run.n_steps == 1
    assert run.ending == "Ended after 1 pass: its 1e-09 minutes of learning are over."
    assert run.history[-1].step == 1
    run = dataclasses.replace(DPM, passes=3, minutes=5).split_and_start(dozen)
    assert driven(run).n_steps == 3
    assert run.ending == ""


def test_a_run_that_converged_says_by_whose_rule(dozen):
    values = {"n_topics": 2, "bound_tolerance": 1.0}
    run = Run(make_method("lda-batch", values=values), dozen, batch_size=6, passes=9)
    run.step()
    assert run.ending == "", "it goes on"
    assert driven(run).n_steps == 4, "the first pass has no bound before it"
    assert run.ending == "Converged after 2 passes, by the method's own rule."
    assert run.judgement == run.ending
    run.chain = ChainOf("group", 0, 3, "They have not met.")
    assert run.judgement == f"{run.ending} One of 3 chains. They have not met."


@pytest.mark.parametrize(
    ("name", "scalars", "log_joint"),
    [
        ("hdp-gibbs", {"log joint": -12.5}, {"log_joint": -12.5}),
        ("dpm-gibbs", {"log p(words, topics)": -7.25, "other": 3.0}, {"log_joint": -7.25}),
        ("hdp-gibbs", {"other": 3.0}, {}),
        ("hdp-tsvi", {"log joint": -12.5}, {}),
    ],
)
def test_a_draw_tells_topics_in_use_their_entropy_and_what_the_method_has(
    dozen, name, scalars, log_joint
):
    run = Run(make_method("lda-svi", values={"n_topics": 4}), dozen, batch_size=12)
    run.step()
    sizes = np.array([6.0, 0.5, 3.0, 1.5])
    topics = dataclasses.replace(run.topics, size=sizes)
    shares = sizes / 11.0
    values = {"topics": 3.0, "entropy": pytest.approx(-float(shares @ np.log(shares)))}
    draw = draw_of(make_method(name), topics, Info(scalars=scalars), None, 77)
    assert (draw.docs_seen, draw.values) == (77, values | log_joint)
    none = dataclasses.replace(topics, size=np.zeros(4))
    assert draw_of(make_method("lda-svi"), none, Info(), None, 0).values == {
        "topics": 0.0,
        "entropy": 0.0,
    }


def test_draws_are_thinned_evenly():
    draws = RunDraws(spacing=3)
    for step in range(1, 4000):
        if step % draws.spacing == 0:
            draws.add(Draw(step, {"topics": 1.0}))
    gaps = np.diff([draw.docs_seen for draw in draws.taken])
    assert DRAWS <= len(draws.taken) < 2 * DRAWS
    assert set(gaps) == {draws.spacing}
    assert draws.taken[0].docs_seen == draws.spacing
    assert len(draws.latter_half()["topics"]) == len(draws.taken) // 2


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"until": "later"}, "until must be 'passes' or 'settled'; got 'later'"),
        ({"minutes": 0}, "minutes must be more than 0; got 0"),
        ({"minutes": float("nan")}, "minutes must be more than 0"),
        ({"chains": 0}, "chains must be 1 to 8; got 0"),
    ],
)
def test_what_cannot_be_is_refused_by_name(chosen, words):
    with pytest.raises(ValueError, match=words):
        Plan.of("dpm-gibbs", **chosen)


def test_what_is_read_once_cannot_settle(dozen):
    for name, chosen in (("hdp-tsvi", {"order": "stream"}), ("dpm-particle", {})):
        with pytest.raises(ValueError, match="reads its texts once"):
            Plan.of(name, until="settled", **chosen)


def test_the_plan_of_a_run_says_how_it_ends(dozen):
    plan = dataclasses.replace(DPM, until="settled", minutes=2.0)
    assert Plan.of_run(plan.split_and_start(dozen)) == plan.settled(dozen)
    assert plan.settled(dozen).passes == PASSES_TO_SETTLE


TWO_TOPICS = make_method("lda-svi", values={"n_topics": 2})


@pytest.mark.parametrize("open_end", [{"until": "settled"}, {"minutes": 1e6}])
def test_axes_of_an_open_end_grow_in_steps_and_end_with_the_run(dozen, open_end):
    """Ten passes, then twice as many whenever all are read; never beyond those planned."""
    run = Run(TWO_TOPICS, dozen, batch_size=12, passes=25, **open_end)
    reach = {}
    while run.n_steps < 21:
        reach[run.n_steps] = run.horizon
        run.step()
    assert reach == {n: 12 * (10 if n < 10 else 20 if n < 20 else 25) for n in range(21)}
    assert run.moment().planned_docs == run.horizon == 12 * 25
    run.end("minutes")
    assert run.moment().planned_docs == run.docs_seen == 12 * 21


def test_axes_of_a_run_of_so_many_passes_reach_to_its_end(dozen):
    run = Run(TWO_TOPICS, dozen, batch_size=12, passes=25)
    assert run.horizon == 12 * 25
    run.step()
    run.end("minutes")
    assert run.horizon == 12 * 25


def test_a_run_that_is_ended_has_one_last_row(dozen):
    run = Run(TWO_TOPICS, dozen, batch_size=5, passes=40)
    while run.history[-1:] == () or run.history[-1].step == run.n_steps:
        run.step()
    run.end("minutes")
    run.end("met")
    steps = [point.step for point in run.history]
    assert steps[-1] == run.n_steps > steps[-2]
    assert run.ended == "minutes", "why it ended first"
    whole = Run(TWO_TOPICS, dozen, batch_size=5, passes=40, minutes=2.5)
    for _ in range(5):
        whole.step()
    whole.end("minutes")
    assert whole.ending == "Ended after 1 pass: its 2.5 minutes of learning are over.", "whole ones"
    just_recorded = Run(TWO_TOPICS, dozen, batch_size=5, passes=40)
    just_recorded.step()
    just_recorded.end("met")
    assert [point.step for point in just_recorded.history] == [1]


def test_documents_after_so_many_steps_are_those_of_short_last_batches(dozen):
    run = Run(TWO_TOPICS, dozen, batch_size=5, passes=3)
    told = [run.docs_at(step) for step in range(8)]
    assert told == [0, 5, 10, 12, 17, 22, 24, 29]


def many_documents(n: int) -> Corpus:
    return Corpus.from_csr(np.tile([[2, 1, 0], [0, 1, 2]], (n // 2, 1)))


@pytest.mark.parametrize(
    ("name", "chosen", "spacing"),
    [
        # 200 draws of ten passes of 600 documents, whatever the passes.
        ("lda-svi", {"until": "settled", "passes": 90}, 30),
        ("lda-svi", {"until": "settled", "passes": 4}, 12),
        ("lda-svi", {"passes": 90}, 270),
        # Whole passes of 600 / 100 steps.
        ("lda-batch", {"passes": 90, "batch_size": 100}, 6),
        ("lda-batch", {"passes": 900, "batch_size": 100}, 6 * 4),
        ("lda-batch", {"until": "settled", "passes": 900, "batch_size": 100}, 6),
    ],
)
def test_it_is_known_when_a_run_has_so_many_draws(name, chosen, spacing):
    """`spacing`: steps from one draw to the next, worked out by hand."""
    chosen = {"batch_size": 1} | chosen
    run = Run(make_method(name, values={"n_topics": 2}), many_documents(600), **chosen)
    run.chain = ChainOf("group", 0, 2)
    size = chosen["batch_size"]
    assert run.docs_at_draw(1) == run.docs_at_draw(0) == spacing * size
    assert run.docs_at_draw(7) == 7 * spacing * size
    assert run.docs_at_draw(10**6) == run.planned_docs
    if spacing > 12:
        return
    for _ in range(2 * spacing + 1):
        run.step()
    assert [draw.docs_seen for draw in run.draws] == [spacing * size, 2 * spacing * size]
    assert run.docs_at_draw(1) == 3 * spacing * size, "one more than it has"
    assert run.docs_at_draw(5) == 5 * spacing * size
