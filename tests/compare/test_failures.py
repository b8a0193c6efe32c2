"""Settings that fail: races in which it shows, and where it does not."""

import re

import numpy as np
import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.compare import FAILURES
from bnpexplorer.samples import load_sample


@pytest.fixture(scope="module")
def corpus():
    return load_sample("small-csv").corpus


@pytest.fixture(scope="module")
def addresses():
    return load_sample("sotu").corpus


@pytest.mark.second
@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_shows(addresses, monkeypatch, name):
    """On so many paragraphs, read twice, or once where 2,000 are too few: a hundred topics learn
    slowly, and two are as good after 2,000 (0.02 apart; 0.10 after 8,000). The other scores are
    0.10 to 0.33 apart after 1,000."""
    n_docs, passes = {"truncation-too-low": (8000, 1), "one-first-batch": (2000, 2)}.get(
        name, (1000, 2)
    )
    monkeypatch.setattr("bnpexplorer.compare.failures.DOCUMENTS", passes * n_docs)
    chosen = np.random.default_rng(0).permutation(addresses.n_docs)[:n_docs]
    race = FAILURES[name].race(addresses.take(chosen))
    race.prepare()
    while not race.done:
        race.step()
    failing, sound = (run.history[-1] for run in race.runs)
    if name == "one-first-batch":
        assert failing.n_topics < 0.6 * sound.n_topics
        numbers = f"{failing.n_topics} clusters beside {sound.n_topics}"
    else:
        assert failing.heldout < sound.heldout - 0.02
        numbers = f"{sound.heldout - failing.heldout:.2f} worse"
    assert race.seen(race.snapshot()).startswith(f"Here it shows: {numbers}")


def test_a_failure_that_does_not_show_says_so(corpus, monkeypatch):
    """160 short texts are seven clusters, read at once or 64 at a time."""
    monkeypatch.setattr("bnpexplorer.compare.failures.DOCUMENTS", 300)
    race = finish(FAILURES["one-first-batch"].race(corpus))
    failing, sound = (run.history[-1].n_topics for run in race.runs)
    assert failing > 0.7 * sound
    words = race.seen(race.snapshot())
    scores = [f"{run.history[-1].heldout:.2f}".replace("-", "\u2212") for run in race.runs]
    found = f"{failing} clusters beside {sound} (scores {scores[0]} beside {scores[1]})"
    assert words.startswith(f"Here it does not show: {found}. It takes")
    turned = FAILURES["truncation-too-low"]
    race = finish(turned.race(corpus))
    better = race.snapshot()[::-1]
    assert re.match(r"Here it does not show: \d\.\d\d better \(\u2212", turned.seen(better))
    assert "no more than 0.02 apart" in turned.seen((better[0], better[0]))
    race = FAILURES["batch-too-small"].race(corpus)
    assert race.seen(race.snapshot()) == "", "no numbers yet"
