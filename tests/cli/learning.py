"""Tests of commands: their folder and home, and runs that have learned."""

from bnpexplorer import Plan, Run, load
from bnpexplorer.inference.cores import cores

CSV = "sample_data/small.csv"


def at_root_and_home(monkeypatch, request, tmp_path):
    """Change to the root of the repository and to a home of the test alone, until the test ends."""
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))
    n = cores().n
    yield
    cores().use(n)  # as `--threads` leaves it for the process


def learned(plan: Plan, steps: int = 10**6) -> Run:
    run = plan.split_and_start(load(CSV))
    while not run.done and run.n_steps < steps:
        run.step()
    return run
