"""What stands in the way of a build: other builds, other people's files, files that change, disks
that are full."""

import contextlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.corpus.building import alone as locks
from bnpexplorer.corpus.building import build as building
from bnpexplorer.corpus.building import crew
from bnpexplorer.corpus.building.alone import alone
from bnpexplorer.corpus.building.build import build, build_whole
from bnpexplorer.corpus.building.plan import work_folder
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.source import ReadOptions
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.intake.door import load_with_report
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def tree_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


# ---- what is not ours ----------------------------------------------------------------------------


@pytest.mark.parametrize("plan", ['{"files": ["mine"]}', "[]", "not JSON", ""])
def test_somebody_elses_plan_is_not_taken_for_ours(tmp_path, monkeypatch, plan):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(30)), tmp_path / "out"
    home = work_folder(out)
    (home / "records").mkdir(parents=True)
    (home / "plan.json").write_text(plan)
    (home / "records" / "000000.arrow").write_text("mine")
    loaded = load_with_report(
        ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    )
    for force in (False, True):
        with pytest.raises(CorpusError, match=r"out.building holds something else, .*; move it"):
            build([path], out, force=force)
        with pytest.raises(CorpusError, match=r"out.building holds something else, .*; move it"):
            build_whole(loaded.corpus, loaded.report, (), (), out, force)
    assert (home / "plan.json").read_text() == plan
    assert (home / "records" / "000000.arrow").read_text() == "mine"
    assert tree_of(home) == ["plan.json", "records", "records/000000.arrow"]


@pytest.mark.parametrize("out", ["/", "//", "/.."])
def test_the_top_of_all_folders_is_no_corpus(tmp_path, out):
    path = write_csv(tmp_path / "texts.csv", rows_of(9))
    with pytest.raises(CorpusError, match=r"/ is the top of all folders, .*; give it a name"):
        build([path], Path(out))


def test_the_folder_one_is_in_holds_something_else_or_becomes_the_corpus(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", rows_of(60))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=r"something else than a corpus; give another name"):
        build([path], Path("."))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert_same(build([path], Path(".")), in_memory(path))
    assert not work_folder(tmp_path / "empty").exists()


def test_links_in_a_circle_are_told(tmp_path):
    path = write_csv(tmp_path / "texts.csv", rows_of(9))
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(CorpusError, match=r"give (the corpus )?another name"):
        build([path], tmp_path / "a")


@pytest.mark.skipif(sys.platform != "linux", reason="names are letters on other systems")
def test_names_that_are_no_letters_are_built_and_shown(tmp_path):
    """On the command line, in processes of its own: bytes that are no UTF-8."""
    source = tmp_path / os.fsdecode(b"caf\xe9")
    source.mkdir()
    path = write_csv(source / os.fsdecode(b"texte-\xff.csv"), rows_of(60))
    out = source / os.fsdecode(b"k\xf6rper")
    command = [sys.executable, "-m", "bnpexplorer", "corpus", "build", path, out]
    made = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=300)
    assert made.returncode == 0, made.stderr
    assert b"texte-?.csv" in made.stdout
    assert StoredCorpus(out).name == "texte-?.csv"
    folder = tmp_path / "folder"
    folder.mkdir()
    for d in range(6):
        (folder / os.fsdecode(b"\xfe%d.txt" % d)).write_text(f"sea and land number {d} again")
    made = subprocess.run([*command[:-2], folder, tmp_path / "two"], capture_output=True, cwd=ROOT)
    assert made.returncode == 0, made.stderr
    assert StoredCorpus(tmp_path / "two").docs.title[0] == "?0"
    gone = subprocess.run(
        [*command[:-2], out / "x.csv", tmp_path / "three"], capture_output=True, cwd=ROOT
    )
    assert gone.returncode == 2
    assert gone.stderr.count(b"\n") == 1
    assert b"There is no file" in gone.stderr


# ---- other builds --------------------------------------------------------------------------------

HOLD = """
import sys
from pathlib import Path
from bnpexplorer.corpus.building.alone import alone
from bnpexplorer.corpus.building.plan import place_of, work_folder
with alone(work_folder(place_of(Path(sys.argv[1])))):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held(out):
    """Another process builds there."""
    command = [sys.executable, "-c", HOLD, str(out)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as holder:
        assert holder.stdout.readline() == b"held\n"
        yield holder
        holder.stdin.close()


def test_two_links_to_one_folder_are_one_place(tmp_path, monkeypatch):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(30)), tmp_path / "out"
    (tmp_path / "real").mkdir()
    (tmp_path / "parent").symlink_to(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    out = tmp_path / "real" / "out"
    counts = load_with_report(
        ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    )
    with held(tmp_path / "link"):
        for other in (out, tmp_path / "link", tmp_path / "parent" / "out"):
            with pytest.raises(CorpusError, match="is being built by another process"):
                build([path], other)
            with pytest.raises(CorpusError, match="is being built by another process"):
                build_whole(counts.corpus, counts.report, (), (), other)
    assert_same(build([path], tmp_path / "link"), in_memory(path))
    assert tree_of(tmp_path / "real")[0] == "out"
    assert not work_folder(out).exists()
    assert (tmp_path / "link").is_symlink()


def test_a_holder_that_is_killed_keeps_nobody_out(tmp_path):
    out = tmp_path / "out"
    with held(out) as holder:
        holder.kill()
        holder.wait()
    assert (work_folder(out) / "lock").is_file()
    with alone(work_folder(out)):
        pass
    assert not work_folder(out).exists()


def test_a_lock_that_was_removed_keeps_nobody_out(tmp_path, monkeypatch):
    """Who waited for the file of a build that ended just then would hold a lock without a name."""
    home, tries, real = tmp_path / "out.building", [], locks._locked

    def locked(file):
        tries.append(file)
        if len(tries) == 1:  # between opening and locking, the other build ends
            (home / "lock").unlink()
        return real(file)

    monkeypatch.setattr(locks, "_locked", locked)
    with alone(home):
        assert len(tries) == 2
        assert (home / "lock").is_file()
        with pytest.raises(CorpusError, match="another process"), alone(home):
            pass


def test_many_builds_at_once_are_one_after_the_other(tmp_path):
    """Processes that take turns at one lock, which is made and removed each time."""
    code = """
import sys, time
from pathlib import Path
from bnpexplorer.corpus.building.alone import alone
from bnpexplorer.corpus.corpus import CorpusError
home, inside, done = Path(sys.argv[1]), Path(sys.argv[2]), 0
while done < 40:
    try:
        with alone(home):
            inside.mkdir()  # fails if somebody else is inside
            time.sleep(0.001)
            inside.rmdir()
            done += 1
    except CorpusError:
        time.sleep(0.0005)
"""
    command = [sys.executable, "-c", code, tmp_path / "h.building", tmp_path / "inside"]
    begun = [subprocess.Popen([*map(str, command)], env=ENVIRONMENT) for _ in range(3)]
    assert [process.wait(200) for process in begun] == [0, 0, 0]
    assert tree_of(tmp_path) == []


def test_where_locks_are_those_of_windows(tmp_path, monkeypatch):
    """`msvcrt` locks bytes of an open file, and there an open file is not removed."""
    import types

    taken: dict[tuple[int, int], int] = {}

    def is_open(path):
        found = path.stat()
        try:
            held = os.fstat(taken[found.st_dev, found.st_ino])
        except (KeyError, OSError):
            return False
        return os.path.samestat(held, found)

    def locking(descriptor, mode, n_bytes):
        found = os.fstat(descriptor)
        if is_open(home / "lock"):
            raise PermissionError(13, "Permission denied")
        assert (mode, n_bytes) == (2, 1)
        taken[found.st_dev, found.st_ino] = descriptor

    def unlink(path, missing_ok=False):
        if path == home / "lock" and is_open(path):
            raise PermissionError(13, "The file is used by another process")
        real(path, missing_ok)

    real, home = Path.unlink, tmp_path / "out.building"
    monkeypatch.setattr(Path, "unlink", unlink)
    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(locks.sys, "platform", "win32")
    with alone(home), pytest.raises(CorpusError, match="another process"), alone(home):
        pass
    assert len(taken) == 1
    assert not home.exists(), "removed once it was closed"


# ---- files that change, corpora that are read ----------------------------------------------------


@pytest.mark.parametrize("how", ["grows", "is written anew", "is gone", "is cut short"])
def test_a_file_that_changes_while_it_is_read_is_named(tmp_path, monkeypatch, how):
    small(monkeypatch)
    still = write_csv(tmp_path / "still.csv", rows_of(60))
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    content = path.read_bytes()

    def change(what, share, said):
        if what == "reading" and path.is_file() and path.read_bytes() == content:
            if how == "is gone":
                path.unlink()
            elif how == "is cut short":
                os.truncate(path, len(content) // 2)
            else:
                path.write_bytes(content + (b"a,b,c,d,e\n" if how == "grows" else b""))
                os.utime(path)

    told = (
        r"There is no file .*texts.csv"
        if how == "is gone"
        else (r"texts.csv was changed while it was read; .* again with --force")
    )
    with pytest.raises(CorpusError, match=told):
        build([still, path], out, progress=change)
    assert not out.exists()
    path.write_bytes(content)
    built = build([path], out, force=True)
    assert_same(built, in_memory(path))


def test_a_folder_of_texts_that_gets_another_is_named(tmp_path, monkeypatch):
    small(monkeypatch, 3)
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for d in range(12):
        (folder / f"{d:02d}.txt").write_text(f"sea and land and {d} rivers again")

    def add(what, share, said):
        (folder / "later.txt").write_text("another text of sea and land")

    with pytest.raises(CorpusError, match=r"later.txt was changed while it was read"):
        build([folder], out, progress=add)
    assert build([folder], out, force=True).n_docs == 13


def test_a_corpus_on_the_disk_is_built_anew_with_other_words(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", rows_of(160))
    keep = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}
    first = build([path], tmp_path / "first", words=keep)
    words = {"min_df": 3, "language": "en", "stem": "stem", "min_tokens": 4}
    again = build([first.folder], tmp_path / "again", words=words)
    # The same texts as a table, of which those without a word were left out before.
    corpus, _, _, _ = in_memory(path, words=keep)
    rows = [
        {"text": text, "id": i, "title": title, "label": label, "date": "" if day == "NaT" else day}
        for text, i, title, label, day in zip(
            corpus.docs.text,
            corpus.docs.id,
            corpus.docs.title,
            corpus.docs.label,
            corpus.docs.date.astype(str),
            strict=True,
        )
    ]
    table = write_csv(tmp_path / "table.csv", rows)
    wanted = in_memory(table, words=words)[0]
    assert again.fingerprint == wanted.fingerprint
    for name in ("text", "id", "title", "label"):
        assert np.asarray(getattr(again.docs, name)).tolist() == getattr(wanted.docs, name).tolist()
    assert np.array_equal(np.asarray(again.docs.date), wanted.docs.date, equal_nan=True)
    [note, *_] = again.manifest.report["notes"]
    assert note == (
        f"The texts of a corpus on the disk: {first.n_docs} documents, without the "
        f"{160 - first.n_docs} that were left out when it was built."
    )
    joined = build([first.folder], tmp_path / "joined", ReadOptions(join="label"), keep)
    assert joined.n_docs == 3
    with pytest.raises(CorpusError, match=r"lies in the folder that is read"):
        build([first.folder], first.folder, words=words, force=True)
    assert StoredCorpus(first.folder).fingerprint == first.fingerprint


def test_a_corpus_that_cannot_be_read_again_is_told(tmp_path, monkeypatch):
    small(monkeypatch)
    counts = load_with_report(
        ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    )
    build_whole(counts.corpus, counts.report, (), (), tmp_path / "counts")
    with pytest.raises(CorpusError, match=r"counts is a corpus without texts, .*; build it from"):
        build([tmp_path / "counts"], tmp_path / "out")
    path = write_csv(tmp_path / "texts.csv", rows_of(90))
    first = build([path], tmp_path / "first")
    shard = first.folder / "fields" / "00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-9] + b"123456789")
    with pytest.raises(CorpusError, match=r"00001.parquet is missing or damaged"):
        build([first.folder], tmp_path / "out", words={"min_df": 3})
    (first.folder / "manifest.json").rename(first.folder / "building.json")
    with pytest.raises(CorpusError, match=r"is not complete; start the same build again"):
        build([first.folder], tmp_path / "out", words={"min_df": 3})


def test_no_more_processes_are_begun_than_there_are_cores(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "usable_cores", lambda: 2)
    begun, begin = [], crew._started
    monkeypatch.setattr(crew, "_started", lambda home: begun.append(begin(home)) or begun[-1])
    monkeypatch.setattr("bnpexplorer.corpus.building.chunks.DOCUMENTS", 5)
    path = write_csv(tmp_path / "texts.csv", rows_of(60))
    assert_same(build([path], tmp_path / "out", threads=1000), in_memory(path))
    at_once = {id(process) for process in begun}
    assert 2 <= len(at_once) <= 5  # two that count, and one that settled the language before


# ---- no room -------------------------------------------------------------------------------------


@contextlib.contextmanager
def small_disk(folder, n_bytes):
    """A file system of so many bytes, which `mount` may enlarge."""
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", str(folder)], capture_output=True
    )
    if made.returncode:
        pytest.skip(f"no file system may be mounted here: {made.stderr.decode()}")
    try:
        yield lambda size: subprocess.run(
            ["mount", "-o", f"remount,size={size}", str(folder)], check=True
        )
    finally:
        for _ in range(20):
            if not subprocess.run(["umount", str(folder)], capture_output=True).returncode:
                break
            time.sleep(0.2)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has disks in memory")
def test_a_disk_that_is_full_is_told_and_the_build_goes_on_once_there_is_room(tmp_path):
    """A real one, which fills up at one step after the other."""
    rows = rows_of(1500)
    path, words = write_csv(tmp_path / "texts.csv", rows), ["--min-df", "1", "--threads", "1"]
    command = [sys.executable, "-m", "bnpexplorer", "corpus", "build", str(path)]
    alone_at = tmp_path / "alone"
    assert (
        subprocess.run([*command, alone_at, *words], cwd=ROOT, capture_output=True).returncode == 0
    )
    told, size = [], 40_000
    with small_disk(tmp_path / "disk", size) as enlarge:
        out = tmp_path / "disk" / "out"
        for _ in range(40):
            made = subprocess.run([*command, out, *words], cwd=ROOT, capture_output=True, text=True)
            if made.returncode == 0:
                break
            assert made.returncode == 2, made.stderr
            said = made.stderr.splitlines()
            assert len([line for line in said if line.startswith("bnpexplorer: ")]) == 1, said
            assert "Traceback" not in made.stderr
            assert "goes on" in said[-1], said
            told.append(said[-1])
            size = int(size * 1.7)
            enlarge(size)
        assert made.returncode == 0
        assert len(told) >= 3
        assert all("o room left" in line or "No space left" in line for line in told), told
        files = {f.relative_to(out): f.read_bytes() for f in out.rglob("*") if f.is_file()}
    wanted = {f.relative_to(alone_at): f.read_bytes() for f in alone_at.rglob("*") if f.is_file()}
    assert files == wanted


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="not a limit of this system")
def test_a_file_that_may_not_grow_is_told(tmp_path):
    path = write_csv(tmp_path / "texts.csv", rows_of(1500))
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)); "
    code = limit + "from bnpexplorer.__main__ import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "corpus", "build", str(path), str(tmp_path / "out")]
    made = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert made.returncode == 2
    assert "File too large" in made.stderr
    assert "goes on" in made.stderr
    assert_same(build([path], tmp_path / "out"), in_memory(path))


def test_what_a_corpus_of_counts_is_given_up_for_is_asked(tmp_path, monkeypatch):
    """A build of files that was begun stays until it is forced."""
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(60)), tmp_path / "out"
    with pytest.raises(ZeroDivisionError):
        build([path], out, progress=lambda what, share, said: 1 / (what != "counting"))
    corpus, report, _, _ = in_memory(path)
    with pytest.raises(CorpusError, match=r"holds a build of other files .* --force"):
        build_whole(corpus, report, (), (), out)
    built = build_whole(corpus, report, (), (), out, force=True)
    assert built.fingerprint == corpus.fingerprint
    assert not work_folder(out).exists()
