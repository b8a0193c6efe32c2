"""Races, studies and sweeps: kept as they go, and opened again after their server has ended.

Chains need no file of their own: each of their runs knows its group (`server.open_chains`).
"""

from collections.abc import Callable
from typing import Any

from ...claims import CLAIMS, Study
from ...compare import FAILURES, Race, Sweep
from ...compare.sequential import SequentialRuns, share_texts
from ...compare.sweep import sweeps_folder
from ...core import store
from ...core.faults import told
from ...core.store import StoreError
from ...corpus.stored.reporting import described
from ...runs.keeping import Status
from ...runs.registry import Entry
from ...runs.saved.jobs import UnfinishedJob
from . import server
from .server import LoadedCorpus


def keep_together(entry: Entry, together: SequentialRuns, status: Status) -> None:
    """Write all runs of a race or of chains, and that the race goes on (by its thread)."""
    server.keep_all(entry, together, status)
    if isinstance(together, Race):
        about = {
            "title": together.title,
            "look_for": together.look_for,
            "run_ids": list(together.run_ids),
        }
        _keep(entry, "race", about, ended=_has_ended(entry, status) or status == "failed")


def keep_study(entry: Entry, study: Study[Any], status: Status) -> None:
    """Write that a study or a sweep goes on; its findings it writes itself (by its thread)."""
    experiment = study.experiment
    about = {
        "budget": study.budget,
        "n_seeds": study.n_seeds,
        "passes": study.passes,
        "title": experiment.title,
    }
    if isinstance(experiment, Sweep):
        experiment.write(study.corpus)
        about["sweep"] = experiment.to_json()
    else:
        about["claim"] = experiment.name
    kind = "sweep" if isinstance(experiment, Sweep) else "study"
    _keep(entry, kind, about, ended=_has_ended(entry, status))


def _has_ended(entry: Entry, status: Status) -> bool:
    """Whether it found its end or was stopped; one that was put aside for others can go on."""
    return status == "finished" or (status == "stopped" and not entry.put_aside)


def _keep(entry: Entry, kind: str, about: dict[str, Any], ended: bool) -> None:
    if ended:
        server.library().jobs.remove(entry.run_id)
    else:
        server.write_job(entry, kind, about)


# ---- opening again -------------------------------------------------------------------------------


def open_job(kind: str, job_id: str) -> Entry | None:
    """A race, study or sweep that is on this server or was kept; None if it is not there any more.

    Raises StoreError if what was kept is damaged, or if a run of it goes on alone.
    """
    found = server.registry().get(job_id)
    if found is not None:
        return found
    job = server.library().jobs.get(job_id)
    if job is None or job.kind != kind:
        return None
    make, keep = MAKERS[kind]
    try:
        source = _texts_of(job)
        again = make(job, source)
    except StoreError:  # says itself what it is about
        raise
    except store.DAMAGE as problem:
        damaged = f"The {kind} {job_id} cannot be opened again ({store.short(problem)})."
        raise StoreError(told(f"The {kind} {job_id}", problem, damaged)) from problem
    return server.registry().add(again, source, keep, job_id, job.secret)


def interrupted(kind: str) -> list[UnfinishedJob]:
    """Those of the kind that were kept and are not on this server, the latest first."""
    jobs = server.library().jobs.all()
    return [job for job in jobs if job.kind == kind and server.registry().get(job.job_id) is None]


def _texts_of(job: UnfinishedJob) -> LoadedCorpus:
    corpus = server.library().texts(job.corpus_key)
    return LoadedCorpus(corpus, described(corpus))


def _race_again(job: UnfinishedJob, source: LoadedCorpus) -> Race:
    """Return the race with its saved runs; the run that is furthest behind continues first."""
    run_ids, rows = _part(job, list[str], "run_ids"), []
    for run_id in run_ids:
        saved = server.library().get(run_id)
        if saved is None or saved.deleted is not None:
            raise StoreError("A run of this race was deleted; the others are under Runs.")
        if not server.registry().let_go(run_id):
            raise StoreError(
                f"{saved.name} goes on alone, or is not saved: look at it on the Live page first."
            )
        rows.append(saved)
    runs = [server.library().load(run_id) for run_id in run_ids]
    for run, saved in zip(runs, rows, strict=True):
        run.name = saved.name
    share_texts(runs)
    title = _part(job, str, "title")
    seen = next((one.seen for one in FAILURES.values() if one.title == title), None)
    race = Race(runs, title, _part(job, str, "look_for"), seen, run_ids)
    for i, saved in enumerate(rows):
        if saved.facts["status"] == "failed":
            race.failed[i] = saved.facts.get("error", "")
    return race


def _study_again(job: UnfinishedJob, source: LoadedCorpus) -> Study[Any]:
    """Return the study with its results; a trial that was under way begins again."""
    budget, n_seeds = _part(job, float, "budget"), _part(job, int, "n_seeds")
    if job.kind == "sweep":
        sweep = Sweep.from_json(_part(job, dict[str, Any], "sweep"))
        return Study(sweep, source.corpus, budget, n_seeds, sweeps_folder())
    passes = _part(job, int, "passes") if "passes" in job.about else 0
    claim = store.part(CLAIMS, _part(job, str, "claim"))
    return Study(claim, source.corpus, budget, n_seeds, passes=passes)


def _part(job: UnfinishedJob, kind: Any, name: str) -> Any:
    """Return a part of a job's file, of this type. Raises Misfit that names the file."""
    return store.unpack(kind, store.part(job.about, name), {})


MAKERS: dict[
    str, tuple[Callable[[UnfinishedJob, LoadedCorpus], Any], Callable[[Entry, Any, Status], None]]
] = {
    "race": (_race_again, keep_together),
    "study": (_study_again, keep_study),
    "sweep": (_study_again, keep_study),
}
"""Kind -> how it is made again, and how it is kept."""
