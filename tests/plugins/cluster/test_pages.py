"""What pages say of chains, races and studies whose workers are lost; no cluster is needed."""

import pytest

from bnpexplorer.chains import chains_of
from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.inference.cores import use_everywhere
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.methods import METHODS
from bnpexplorer.plugins.cluster import ClusterPool
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.warming import warm_in_turn
from bnpexplorer.ui.frame import jobs, server
from bnpexplorer.ui.parts.studies import estimate
from tests.tools.pages import button, check, choose, go, open_app, small, texts

SAID = "The cluster does not answer any more; start its workers again. Nothing is lost."


@pytest.fixture(autouse=True)
def lost(registry, monkeypatch):
    """The process computes on three workers, which are gone."""
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    warm_in_turn(METHODS["hdp-tsvi"]())
    warm_in_turn(METHODS["lda-svi"]())
    pool = ClusterPool("tcp://far:1")
    pool.members.in_use = {"a": 1, "b": 1, "c": 1}
    pool.note("Worker b has another processor.")

    def gone(self):
        raise PoolLost(SAID)

    monkeypatch.setattr(ClusterPool, "ready", gone)
    use_everywhere(pool)
    yield
    use_everywhere(None)


def begun(registry, job, keep):
    entry = registry.add(job, small(), keep)
    entry.background.start()
    entry.background.settle(1.0)
    while entry.background.status != "paused":
        assert not entry.background.wait(0.05), entry.background.error
    return entry


@pytest.mark.parametrize("kind", ["chains", "race"])
def test_runs_at_once_say_where_they_learn_and_what_to_do(registry, kind):
    corpus = small().corpus
    if kind == "chains":
        job = chains_of(Plan.of("hdp-tsvi", passes=2, chains=2), corpus)
    else:
        job = race_of([Plan.of(name, passes=2) for name in ("hdp-tsvi", "hdp-svi")], corpus)
    entry = begun(registry, job, jobs.keep_together)
    address = {kind: entry.run_id, f"{kind}-key": entry.secret}
    app = choose(go(open_app(**address), "compare"), "compare", kind.capitalize())
    assert f"Paused: {SAID[:-1]}. Resume goes on once that is mended." in texts(app.error)
    said = texts(app.caption)
    assert "All at once, each as a whole by one of 3 workers." in said
    assert "Worker b has another processor." in said
    assert button(check(app.run()), "Resume")


def test_a_study_says_how_many_trials_are_tried_at_once_and_what_to_do(registry):
    study = Study(CLAIMS["catvi"], small().corpus, 600.0, 2)
    entry = begun(registry, study, jobs.keep_study)
    app = go(open_app(**{"study": entry.run_id, "key": entry.secret}), "claims")
    assert f"Paused: {SAID[:-1]}. Resume goes on once that is mended." in texts(app.error)
    n = len(study.trials)
    assert study.seconds_left == -(-n // 3) * (study.share + 1.5)
    assert estimate(study).endswith(
        f"about {study.seconds_left / 60:.0f} minutes in all, 3 at once on the cluster, 16 minutes "
        "at the most."
    )
    by_passes = Study(CLAIMS["kappa-lda"], small().corpus, 600.0, 2)
    assert "read the texts 10 times, 3 at once on the cluster; it ends" in estimate(by_passes)
