"""What workers do with runs and trials that come to them; here, without a cluster."""

import dataclasses
from typing import Any

import pytest

from bnpexplorer.claims.attempt import begin
from bnpexplorer.claims.study import Study
from bnpexplorer.plugins.cluster import guests
from bnpexplorer.plugins.cluster.guests import (
    GONE,
    AttemptAway,
    AttemptThere,
    Came,
    GuestTexts,
    Piece,
    RunAway,
    RunThere,
    drive,
    drive_on,
    stop,
)
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.runs.run import Run
from tests.plugins.cluster.test_studies import KINDS, claim_of, study_of
from tests.plugins.cluster.test_trials import HELDOUT, TRAIN, a_run, expect_equal

pytestmark = pytest.mark.second


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests, "_n_threads", lambda: 1)


def travelled(value: Any) -> Any:
    return Message(value).value()


def piece(run: Run | None, docs: int = 40, name: str = "one", this_round: str = "r") -> Piece:
    sent = None if run is None else travelled(RunAway(run).packed())
    return Piece(RunThere, name, this_round, sent, docs, 600.0)


def came(answer: Any) -> Came:
    assert isinstance(answer, Came)
    return Came(*travelled((*answer,)))


def came_home(run: Run, answer: Any) -> None:
    manifest, arrays, seconds = came(answer)
    assert seconds > 0
    RunAway(run).stand(manifest, arrays)


def test_a_guest_stays_and_goes_on_from_where_it_was() -> None:
    texts, alone, there = GuestTexts(TRAIN, HELDOUT), a_run("hdp-gibbs"), a_run("hdp-gibbs")
    came(drive_on(piece(there), texts))
    came_home(there, drive_on(piece(None, 120), texts))
    drive(alone, 120)
    expect_equal(alone, there)
    assert drive_on(piece(None, name="two"), texts) == GONE, "another one"
    assert there.n_steps == 4
    came(drive_on(piece(a_run("hdp-gibbs")), texts))
    came_home(there, drive_on(piece(None, 80), texts))
    assert there.n_steps == 2, "what is sent takes its place"


def test_only_as_many_stay_as_are_driven_at_once_and_none_that_has_ended() -> None:
    texts = GuestTexts(TRAIN, HELDOUT)
    for name in ("one", "two"):
        came(drive_on(piece(a_run("lda-svi"), name=name), texts))
    assert list(texts.guests) == ["two"]
    came(drive_on(piece(None, 10_000, "two"), texts))
    assert not texts.guests


def test_whoever_is_to_stop_comes_home_after_one_mini_batch() -> None:
    texts, run = GuestTexts(TRAIN, HELDOUT), a_run("lda-svi")
    stop("now")
    came_home(run, drive_on(piece(run, 10_000, this_round="now"), texts))
    assert run.n_steps == 1
    for i in range(guests.MOST_STOPS):
        stop(f"other {i}")
    assert "now" not in guests._STOPS


def test_one_that_fails_says_nothing_and_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, run = GuestTexts(TRAIN, HELDOUT), a_run("lda-svi")

    def fails(self: Run) -> None:
        raise ArithmeticError("no number")

    monkeypatch.setattr(Run, "step", fails)
    assert drive_on(piece(run), texts) is None
    assert not texts.guests


@pytest.mark.parametrize("place", range(len(KINDS)))
def test_a_trial_in_pieces_is_the_trial_in_one(tmp_path: Any, place: int) -> None:
    """Also where each piece is driven by another machine."""
    study: Study[Any] = study_of(claim_of(passes=6), tmp_path)
    trial = study.trials[place]
    whole = begin(trial, study.terms, study.corpus, {})
    whole.learn(lambda: False)
    away, texts = AttemptAway(trial, study.terms), GuestTexts(study.corpus, None)
    pieces = 0
    while not away.ended:
        guest = AttemptThere.arrives(*travelled(away.packed()), texts)
        guest.learn(0, lambda: True)
        away.stand(*travelled(guest.packed()))
        assert away.mark > 0
        pieces += 1
        assert pieces < 1000, "it never ends"
    assert pieces > 1
    for field in dataclasses.fields(away.outcome):
        ours, theirs = (getattr(one, field.name) for one in (away.outcome, whole.outcome))
        assert len(ours) == len(theirs)
        assert field.name == "seconds" or repr(ours) == repr(theirs), field.name
