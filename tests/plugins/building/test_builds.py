"""Builds for a page: each a process of its own, which is ended and goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.plugins.building import builds as building
from bnpexplorer.plugins.building.builds import Build, Order
from bnpexplorer.plugins.building.plan import work_folder
from tests.tools.builders import slow
from tests.tools.building import assert_same, in_memory, rows_of, write_csv
from tests.tools.waiting import NEVER

ROOT = Path(__file__).parents[3]
SERVER = """
import sys, time
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building import builds as building
building.BUILDER = sys.argv[3]
build = building.Build(building.Order((sys.argv[1],), sys.argv[2], ReadOptions(), {}), 1)
print(build._process.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def texts(tmp_path):
    return write_csv(tmp_path / "texts.csv", rows_of(300))


def order_of(path, **words):
    return Order((str(path),), str(path.with_name("out")), ReadOptions(), words)


def until(what, seconds=300):
    last = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < last
        time.sleep(0.02)


def there(pid):
    """Whether a process is at work; one that nobody has waited for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.second
def test_the_corpus_is_that_of_memory_and_progress_only_grows(texts):
    build, seen = Build(order_of(texts), 2), [0.0]
    while not build.wait(0.01):
        seen.append(build.done)
    assert (build.standing, build.sentence, build.done) == ("built", "", 1.0)
    assert seen == sorted(seen)
    assert_same(StoredCorpus(build.order.out), in_memory(texts))
    build.end()
    assert build.standing == "built", "what has ended is not ended again"
    again = Build(build.order, 2)
    assert again.wait(300)
    assert (again.standing, again.done) == ("built", 1.0), "it was there already"


@pytest.mark.second
def test_one_that_is_ended_leaves_no_process_and_goes_on(texts, monkeypatch):
    with monkeypatch.context() as patch:
        slow(patch)
        build = Build(order_of(texts), 1)
        records = work_folder(Path(build.order.out)) / "records"
        until(lambda: len(list(records.glob("*.arrow"))) > 2)
        assert (build.standing, build.step) == ("under way", "reading")
        build.end()
        build.end()
        assert build.wait(300)
    assert build.standing == "stopped"
    assert not there(build._process.pid)
    first = records / "000000.arrow"
    written = first.stat().st_mtime_ns
    with monkeypatch.context() as patch:
        slow(patch, 0.0)
        again = Build(build.order, 1)
        until(lambda: again.step not in ("", "reading"))
        assert first.stat().st_mtime_ns == written, "what was done was done again"
        assert again.wait(300)
    assert again.standing == "built"


@pytest.mark.second
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_a_build_ends_with_its_server_also_when_that_is_killed(texts, monkeypatch):
    out = texts.with_name("out")
    slow(monkeypatch)
    command = [sys.executable, "-c", SERVER, str(texts), str(out), building.BUILDER]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as server:
        pid = int(server.stdout.readline())
        until(lambda: (work_folder(out) / "records" / "000001.arrow").is_file())
        assert there(pid)
        server.kill()
    until(lambda: not there(pid), building.PATIENCE + 10)
    assert not (out / "manifest.json").exists()
    slow(monkeypatch, 0.0)
    build = Build(order_of(texts), 1)
    assert build.wait(300)
    assert build.standing == "built", build.sentence


@pytest.fixture
def hanging(texts, monkeypatch):
    """A build whose process hears nothing any more, as one that waits for a disk."""
    slow(monkeypatch)
    monkeypatch.setattr(building, "PATIENCE", 0.3)
    build = Build(order_of(texts), 1)
    records = work_folder(Path(build.order.out)) / "records"
    until(lambda: len(list(records.glob("*.arrow"))) > 2)
    os.kill(build._process.pid, signal.SIGSTOP)
    yield build
    build._process.send_signal(signal.SIGKILL)  # nothing to one that has ended
    build._process.wait(NEVER)


@pytest.mark.second
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_one_that_hangs_when_it_is_ended_is_killed_and_goes_on(hanging, monkeypatch):
    hanging.end()
    assert hanging.wait(NEVER)
    assert hanging.standing == "stopped"
    assert not there(hanging._process.pid)
    assert f"{hanging.order.out} did not end when it was asked to" in hanging.sentence
    assert "by force after 1 seconds, perhaps since a disk does not answer" in hanging.sentence
    slow(monkeypatch, 0.0)
    again = Build(hanging.order, 1)
    assert again.wait(300)
    assert again.standing == "built", again.sentence


@pytest.mark.second
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_one_that_not_even_force_ends_is_told_and_waited_for_by_nobody(hanging, monkeypatch):
    """As a process is within a call to a disk that does not answer."""
    monkeypatch.setattr(hanging._process, "kill", lambda: None)
    hanging.end()
    assert hanging.wait(NEVER)
    assert (hanging.standing, there(hanging._process.pid)) == ("stopped", True)
    assert f"process {hanging._process.pid} waits for a disk" in hanging.sentence
    told = hanging.sentence
    os.kill(hanging._process.pid, signal.SIGKILL)  # the disk is back
    until(lambda: not there(hanging._process.pid), 60)
    time.sleep(0.5)
    assert (hanging.standing, hanging.sentence) == ("stopped", told)


@pytest.mark.second
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of POSIX")
def test_a_process_that_dies_is_told_with_the_remedy(texts, monkeypatch):
    slow(monkeypatch)
    build = Build(order_of(texts), 1)
    until(lambda: build.step == "reading")
    os.kill(build._process.pid, signal.SIGKILL)
    assert build.wait(300)
    assert build.standing == "refused"
    assert "perhaps since memory ran out; go on with it: what is done is kept." in build.sentence


@pytest.mark.second
def test_what_is_refused_is_told_in_the_words_of_the_build(texts, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    build = Build(order_of(texts), 1)
    assert build.wait(300)
    assert build.standing == "refused"
    assert build.sentence.endswith("holds something else than a corpus; give another name.")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]
    away = Order((str(texts),), str(tmp_path / "x" / "y"), ReadOptions(), {})
    for order, said in (
        (away, "There is no folder"),
        (order_of(tmp_path / "gone.csv"), "There is no file"),
        (Order((str(texts),), str(tmp_path / "o"), ReadOptions(), {"min_df": -3}), "min_df"),
    ):
        build = Build(order, 1)
        assert build.wait(300)
        assert (build.standing, said in build.sentence) == ("refused", True), build.sentence


@pytest.mark.second
def test_what_only_starting_anew_helps_is_told_apart(tmp_path, monkeypatch):
    """Whatever words the sentence has: a path may hold any."""
    texts = write_csv(tmp_path / "give --force.csv", rows_of(300))
    with monkeypatch.context() as patch:
        slow(patch)
        build = Build(order_of(texts), 1)
        until(lambda: len(list(work_folder(tmp_path / "out").glob("records/*.arrow"))) > 2)
        build.end()
        assert build.wait(300)
    assert (build.standing, build.sentence, build.anew) == ("stopped", "", False)
    wrong = Build(order_of(texts, min_df=-3), 1)
    other = Build(order_of(tmp_path / "gone --force.csv"), 1)
    begun = Build(order_of(texts, min_df=4), 1)
    for build, anew in ((wrong, False), (other, False), (begun, True)):
        assert build.wait(300)
        assert (build.standing, build.anew) == ("refused", anew), build.sentence
    assert "--force" in other.sentence


@pytest.mark.second
def test_a_disk_without_room_is_told_and_what_was_done_stays(texts, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(building, "BUILDER", "tests.tools.builders:without_room")
        build = Build(order_of(texts), 1)
        assert build.wait(300)
    assert "There is no room left for" in build.sentence
    assert "make room and start the same build again" in build.sentence
    assert len(list((work_folder(Path(build.order.out)) / "records").iterdir())) == 3
