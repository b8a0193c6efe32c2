"""Which trials of a study go on at a time, and in which order their findings stand."""

from types import SimpleNamespace

from bnpexplorer.claims import study as study_module
from bnpexplorer.claims.claim import Trial
from bnpexplorer.claims.study import Study


def test_the_first_that_wait_go_first_as_many_at_once_as_can(monkeypatch):
    """Findings stand in the order of the trials, whichever ended first."""
    names = ("lda-svi", "hdp-svi", "hdp-tsvi", "lda-svi")
    trials = [Trial("a", float(i), name, 0) for i, name in enumerate(names)]
    attempts, begun, learned = {}, [], []

    def begin(trial, *_):
        begun.append(trials.index(trial))
        place = trials.index(trial)
        attempts[place] = SimpleNamespace(ended=False, outcome=f"of {place}", place=place)
        return attempts[place]

    monkeypatch.setattr(study_module, "begin", begin)
    monkeypatch.setattr(
        study_module, "_learn", lambda some: learned.append([one.place for one in some])
    )
    monkeypatch.setattr(study_module, "usual_pool", lambda: SimpleNamespace(n_workers=2))
    monkeypatch.setattr(Study, "_write", lambda self: None)
    study = object.__new__(Study)
    study.trials, study.findings, study._attempts = trials, {}, {}
    study.terms = study.corpus = study.splits = None

    assert study.method.name == "lda-svi"
    study._step_here()
    attempts[1].ended = True
    study._step_here()
    assert study.findings == {trials[1]: "of 1"}
    assert study.under_way == {trials[0]: "of 0"}
    study._step_here()
    attempts[0].ended = True
    study._step_here()
    assert study.method.name == "hdp-tsvi", "the first that waits"
    study._step_here()
    attempts[2].ended = attempts[3].ended = True
    study._step_here()
    assert begun == [0, 1, 2, 3]
    assert learned == [[0, 1], [0, 1], [0, 2], [0, 2], [2, 3], [2, 3]]
    assert [trials.index(trial) for trial in study.findings] == [0, 1, 2, 3]
    assert [*study.findings.values()] == ["of 0", "of 1", "of 2", "of 3"]
    assert study.under_way == {}
    assert study.method.name == "lda-svi", "of a study without anything left"
