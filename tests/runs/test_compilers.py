"""Processes that compile kernels: what they leave to the server, and how they end."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs import compiler, compilers, warming
from bnpexplorer.runs.compilers import Compilers, suitable, values_of
from tests.tools.in_child import NOTE, PLACE

ALONE = """
import sys
from bnpexplorer.kernels.kept import called
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.compilers import COMPILERS
from bnpexplorer.runs.warming import all_compiled, compiled
method = METHODS["dpm-particle"]()
n, of = compiled(method)
assert n == 0 < of, (n, of)
COMPILERS.use(2)
COMPILERS.compile(method)
assert compiled(method) == (of, of), compiled(method)
assert all_compiled(method)
print(called())
"""
SERVER = """
import sys
from bnpexplorer.methods import METHODS
from bnpexplorer.runs import compilers
compilers.COMPILER = sys.argv[1]
made = compilers.Compilers()
made.use(1)
made.compile(METHODS["lda-svi"]())
"""


def test_what_is_compiled_ahead_stands_back_first(monkeypatch):
    done = []
    monkeypatch.setattr(compiler, "stand_back", lambda: done.append("stood back"))
    monkeypatch.setattr(compiler, "warm", done.append)
    compiler.main(None, "lda-svi", {"kappa": 0.85})
    assert done[0] == "stood back"
    assert (done[1].name, done[1].kappa) == ("lda-svi", 0.85)


@pytest.mark.second
def test_a_process_compiles_what_this_one_finds_on_the_disk(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ALONE], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]", "this process compiled nothing"


def test_the_settings_of_a_method_make_it_again():
    for name, made in METHODS.items():
        for preset in made.presets:
            method = make_method(name, preset)
            values = json.loads(json.dumps(values_of(method)))
            assert make_method(name, values=values) == method


@pytest.mark.parametrize("name", ["fails", "dies", "none_such"])
def test_what_a_process_fails_at_is_compiled_here(monkeypatch, name):
    made, here = Compilers(), []
    made.use(1)
    monkeypatch.setattr(compilers, "COMPILER", PLACE + name)
    monkeypatch.setattr(warming, "COMPILERS", made)
    monkeypatch.setattr(warming, "all_compiled", lambda method: False)
    monkeypatch.setattr(warming, "is_warm", lambda method: False)
    monkeypatch.setattr(warming, "warm", here.append)
    method = METHODS["lda-svi"]()
    warming.warm_in_turn(method)
    assert here == [method]
    monkeypatch.setattr(sys, "executable", os.path.join(os.sep, "not", "there"))
    warming.warm_in_turn(method)
    assert here == [method, method], "nor does it matter that none starts"


def test_no_process_is_started_where_all_is_compiled_or_none_may_be(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a process was started")

    monkeypatch.setattr(compilers, "ChildProcess", refuse)
    monkeypatch.setattr(warming, "is_warm", lambda method: False)
    monkeypatch.setattr(warming, "warm", lambda method: None)
    method, made = METHODS["lda-svi"](), Compilers()
    monkeypatch.setattr(warming, "COMPILERS", made)
    monkeypatch.setattr(warming, "compiled", lambda method: (0, 22))
    warming.warm_in_turn(method)
    made.use(2)
    monkeypatch.setattr(warming, "compiled", lambda method: (22, 22))
    warming.warm_in_turn(method)
    monkeypatch.setattr(warming, "compiled", lambda method: (21, 22))
    with pytest.raises(AssertionError, match="a process was started"):
        warming.warm_in_turn(method)


@pytest.mark.parametrize(
    ("cores", "threads", "free", "most"),
    [
        (1, 1, 9, 0),
        (1, 8, 9, 0),
        (2, 2, 9, 2),
        (64, 64, 9, 2),
        (2, 1, 9, 1),
        (2, 2, 1, 1),
        (2, 2, 0, 0),
    ],
)
def test_as_many_compile_as_there_are_cores_threads_and_memory_for(
    monkeypatch, cores, threads, free, most
):
    monkeypatch.setattr(compilers, "usable_cores", lambda: cores)
    monkeypatch.setattr(compilers, "usual_threads", lambda: threads)
    memory = compilers.TAKEN + free * compilers.HOLDS + compilers.HOLDS // 2
    monkeypatch.setattr(compilers, "usable_memory", lambda: memory)
    assert suitable() == most


@pytest.mark.second
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_a_process_ends_with_its_server_also_when_that_is_killed(tmp_path):
    place = tmp_path / "pid"
    command = [sys.executable, "-c", SERVER, f"{PLACE}notes_its_number"]
    server = subprocess.Popen(command, env={**os.environ, NOTE: str(place)})
    until(lambda: place.exists() and place.read_text().endswith("\n"), server)
    server.kill()
    server.wait()
    pid = int(place.read_text())
    until(lambda: not there(pid))


def until(what, server=None):
    last = time.monotonic() + 120
    while not what():
        assert time.monotonic() < last
        assert server is None or server.poll() is None, "the server has ended"
        time.sleep(0.02)


def there(pid):
    """Whether a process is there and no zombie, which nobody in a container may take away."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Foreign:
    def __init__(self, name):
        self.name = name


def test_a_method_of_no_registry_is_compiled_here():
    """Also one that is called as one of ours."""
    assert values_of(Foreign("of-somebody-else")) is None
    assert values_of(Foreign("lda-svi")) is None
