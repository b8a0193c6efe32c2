"""A whole run on 1, 2 and 4 threads: equal bits in Python, in the app, on the command line."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from benchmarks.fingerprints import fingerprint
from bnpexplorer.__main__ import main
from bnpexplorer.checks.expecting import finish
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.cores import LINGERS, cores
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.methods.base import said_of_threads
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.gate import Gate
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from tests.tools.background import Slow, nothing_to_compile
from tests.tools.waiting import NEVER, until

THREADS = (1, 2, 4)
MEAN_FIELD = [name for name, method in METHODS.items() if method.parallel == "documents"]


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """The threads of this process; as many as before when a test has ended."""
    monkeypatch.setattr(cores(), "n", cores().n)
    monkeypatch.setattr(cores(), "_under_way", {})
    return cores()


@pytest.fixture(scope="module")
def texts():
    """Enough for several slices in a mini-batch."""
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(40, 0.1), 6)
    shares = rng.dirichlet(np.full(6, 0.2), 500)
    counts = np.stack([rng.multinomial(30, share @ topics) for share in shares])
    return Corpus.from_csr(counts, name="texts")


def bits(run):
    return fingerprint(run.state, run.snapshot(with_kept=True))


def plan_of(name):
    return Plan.of(name, seed=2, batch_size=200, passes=2, n_heldout=50)


@pytest.mark.second
@pytest.mark.parametrize("name", MEAN_FIELD)
def test_a_plan_gives_equal_bits_for_any_threads(machine, texts, name):
    found, seen = [], []
    for n in THREADS:
        machine.use(n)
        run = finish(plan_of(name).split_and_start(texts))
        found.append(bits(run))
        seen.append(run.threads)
    assert found == [found[0]] * 3
    assert seen == [1, 2, 4]


@pytest.mark.second
def test_two_runs_in_the_background_share_the_threads_and_learn_as_alone(machine, texts):
    machine.use(4)
    alone = [bits(finish(plan_of(name).split_and_start(texts))) for name in ("lda-svi", "hdp-svi")]
    gate = Gate(2)
    runs = [plan_of(name).split_and_start(texts) for name in ("lda-svi", "hdp-svi")]
    together = [BackgroundRun(run, gate) for run in runs]
    for background in together:
        background.start()
    for background in together:
        assert background.wait(300)
        assert background.error == ""
    assert [bits(run) for run in runs] == alone


class Told(Slow):
    """Notes its share at every step."""

    def __init__(self):
        super().__init__()
        self.parallel = "documents"
        self.shares = []

    def step(self, state, batch, rng, pool):
        found = super().step(state, batch, rng, pool)
        self.shares.append(pool.n_workers)
        return found


def test_shares_change_as_runs_begin_and_end(machine, dozen, monkeypatch):
    nothing_to_compile(monkeypatch)
    machine.begin_anew()  # this thread has just compiled something
    machine.use(4)
    first, second = Told(), Told()
    runs = [Run(method, dozen, batch_size=4, passes=50) for method in (first, second)]
    gate = Gate(2)
    one, other = [BackgroundRun(run, gate) for run in runs]

    def step(method):
        before = len(method.shares)
        method.may_step.release()
        until(lambda: len(method.shares) > before)
        return method.shares[-1]

    one.start()
    until(lambda: one.status == "running")
    assert step(first) == 4
    other.start()
    until(lambda: other.status == "running")
    step(second)
    assert (step(first), step(second)) == (2, 2)
    until(lambda: runs[0].threads == 2)
    other.stop()
    second.may_step.release()
    assert other.wait(NEVER)
    time.sleep(LINGERS + 0.1)
    assert step(first) == 4
    until(lambda: runs[0].threads == 4)
    one.stop()
    first.may_step.release(5)
    assert one.wait(NEVER)


@pytest.mark.parametrize("name", ["lda-gibbs", "hdp-tsvi", "dpm-particle"])
def test_a_sequential_method_says_that_it_uses_one(machine, texts, name):
    machine.use(4)
    run = plan_of(name).split_and_start(texts)
    run.step()
    assert run.threads == 1
    assert said_of_threads(run.method).startswith("One thread: ")


def test_every_method_says_what_several_threads_do():
    for name, method in METHODS.items():
        said = said_of_threads(method)
        first = {
            "documents": "All threads: ",
            "none": "One thread: ",
            "in part": "Several threads ",
        }
        assert said.startswith(first[method.parallel]), name
        assert said.endswith("."), name
        assert said.count(".") == 1, f"{name}: one sentence"


def test_seconds_are_those_of_the_clock_on_the_wall(machine, texts):
    """Not of the processors, which two threads use twice as fast."""

    class Waits(type(make_method("lda-svi"))):
        def step(self, state, batch, rng, pool):
            barrier = threading.Barrier(2, timeout=NEVER)
            pool.each(_both_wait, [(barrier,), (barrier,)], 0.1)
            return super().step(state, batch, rng, pool)

    machine.use(2)
    run = Run(Waits(), texts, batch_size=250, passes=1)
    began = time.perf_counter()
    finish(run)
    assert 0.2 <= run.seconds <= time.perf_counter() - began


def _both_wait(barrier, seconds):
    barrier.wait()
    time.sleep(seconds)


# ---- the command line ----------------------------------------------------------------------------

FIT = ["fit", "sample_data/small.csv", "--method", "lda-svi", "--passes", "2", "--json"]
TIMES = ("seconds", "processor_seconds", "documents_per_second", "threads")


@pytest.fixture
def in_repository(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)


def test_fit_gives_equal_files_and_numbers_for_any_threads(
    machine, in_repository, tmp_path, capsys
):
    found, files = [], []
    for n in THREADS:
        file = tmp_path / f"{n}.run"
        assert main([*FIT, "--threads", str(n), "--out", str(file)]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["threads"] == n
        found.append({key: value for key, value in facts.items() if key not in TIMES})
        files.append(bits(Run.load(file)))
    assert found == [found[0]] * 3
    assert files == [files[0]] * 3


@pytest.mark.second
def test_fit_uses_all_cores_or_what_the_variable_says(in_repository):
    """Each in a process of its own, which looks at the variable once."""
    cores_there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    for value, expected in (("", cores_there), ("1", 1), ("3", 3)):
        done = subprocess.run(
            [sys.executable, "-m", "bnpexplorer", *FIT],
            env={**os.environ, "BNPEXPLORER_THREADS": value},
            capture_output=True,
            text=True,
            check=True,
        )
        if expected is not None:
            assert json.loads(done.stdout)["threads"] == expected
        assert ("take turns" in done.stderr) == (cores_there is not None and expected > cores_there)


def test_fit_tells_how_many_threads_and_why_not_more(machine, in_repository, capsys):
    machine.use(2)
    assert main(FIT[:-1]) == 0
    assert "\nthreads              2\n" in capsys.readouterr().out
    assert main(["fit", "sample_data/small.csv", "--method", "lda-gibbs", "--passes", "1"]) == 0
    said = capsys.readouterr().out
    assert "\nthreads              1 (One thread: each token's draw depends on the last)\n" in said


@pytest.mark.second
def test_chains_and_claims_take_the_number_too(machine, in_repository, capsys):
    chains = ["fit", "sample:bars", "--method", "lda-svi", "--passes", "1", "--json"]
    assert main([*chains, "--chains", "2", "--threads", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["threads"] == 3
    assert main(["claims", "batch-size-hdp", "--threads", "0"]) == 2
    assert "--threads must be 1 or more; got 0." in capsys.readouterr().err


@pytest.mark.parametrize("command", [FIT, ["claims", "batch-size-hdp"]])
@pytest.mark.parametrize("wrong", ["0", "-2"])
def test_fewer_than_one_are_refused_before_anything_is_read(machine, command, wrong, capsys):
    before = machine.n
    path = ["--path", "nowhere.csv"] if command[0] == "claims" else []
    assert main([*command, *path, f"--threads={wrong}"]) == 2
    said = capsys.readouterr().err
    assert (
        said
        == f"bnpexplorer: --threads must be 1 or more; got {wrong}. Leave it out for all cores.\n"
    )
    assert machine.n == before


@pytest.mark.second
@pytest.mark.parametrize("command", [FIT, ["app"], ["class", "--port", "1"], ["doctor"]])
def test_a_mistyped_variable_is_refused_at_the_start(command, in_repository):
    done = subprocess.run(
        [sys.executable, "-m", "bnpexplorer", *command],
        env={**os.environ, "BNPEXPLORER_THREADS": "many"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    said = "bnpexplorer: BNPEXPLORER_THREADS must be a whole number of threads; got 'many'.\n"
    assert done.stderr.endswith(said)
    assert "Traceback" not in done.stderr


# ---- ending --------------------------------------------------------------------------------------

LEARN = ["fit", "sample:sotu", "--method", "lda-svi", "--passes", "500", "--batch-size", "2048"]


def learning(*arguments):
    """`fit` with two threads in a process of its own, once it says that it learns."""
    program = (
        "import sys\n"
        "from bnpexplorer.cli import fit\n"
        "from bnpexplorer.runs.learning import Learning\n"
        "from bnpexplorer.__main__ import main\n"
        "step = Learning.step\n"
        "def told(self):\n"
        "    step(self)\n"
        "    self.n_steps == 2 and self.name == 'lda-svi' and self.batch_size > 100 "
        "and print('learns', flush=True)\n"
        "Learning.step = told\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, *LEARN, "--threads", "2", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "learns\n"
    return process


@pytest.mark.second
@pytest.mark.skipif(os.name != "posix", reason="Windows sends no such signal")
def test_ctrl_c_saves_and_ends_while_threads_compute(tmp_path):
    file = tmp_path / "part.run"
    process = learning("--out", str(file))
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=NEVER)[1]
    assert process.returncode == 130, said
    assert "bnpexplorer: stopped after" in said
    assert "Traceback" not in said
    run = Run.load(file)
    before = run.n_steps
    run.step()
    assert run.n_steps == before + 1


@pytest.mark.second
@pytest.mark.skipif(os.name != "posix", reason="Windows sends no such signal")
def test_a_process_that_is_told_to_end_does_not_wait_for_its_threads():
    process = learning()
    process.terminate()
    process.communicate(timeout=NEVER)
    assert process.returncode == -signal.SIGTERM
