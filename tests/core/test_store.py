"""Saved files: what goes in comes out, and foreign or damaged files are refused."""

import json
import os
import tracemalloc
import zipfile
from dataclasses import dataclass, field

import numpy as np
import pytest

from bnpexplorer.core import store


@dataclass
class Inner:
    numbers: np.ndarray
    name: str = "inner"


@dataclass
class Outer:
    inner: Inner
    pair: tuple[int, float]
    many: tuple[Inner, ...]
    words: np.ndarray
    nothing: Inner | None = None
    scalars: dict[str, float] = field(default_factory=dict)


def outer() -> Outer:
    return Outer(
        Inner(np.arange(5, dtype=np.int32)),
        (3, 0.1),
        (Inner(np.zeros((0, 4))), Inner(np.array([1e-300, np.inf]), "last")),
        np.array(["wörter", "", None, "x"], dtype=object),
        scalars={"nan": float("nan"), "step size": 0.3},
    )


def test_round_trip_is_exact(tmp_path):
    arrays: store.Arrays = {}
    tree = store.pack(outer(), arrays)
    store.write(tmp_path / "a.run", {"tree": tree}, arrays)
    manifest, loaded = store.read(tmp_path / "a.run")
    back = store.unpack(Outer, manifest["tree"], loaded)
    start = outer()
    assert back.inner.numbers.dtype == np.int32
    np.testing.assert_array_equal(back.inner.numbers, start.inner.numbers)
    assert back.pair == (3, 0.1)
    assert isinstance(back.pair, tuple)
    assert back.many[0].numbers.shape == (0, 4)
    np.testing.assert_array_equal(back.many[1].numbers, start.many[1].numbers)
    assert back.words.tolist() == start.words.tolist()
    assert back.nothing is None
    assert np.isnan(back.scalars["nan"])
    assert back.scalars["step size"] == 0.3


def test_nothing_is_left_half_written(tmp_path):
    with pytest.raises(TypeError, match=r"root\.bad"):
        store.pack({"bad": object()}, {})
    store.write(tmp_path / "a.run", {}, {"x": np.arange(3)})
    assert [p.name for p in tmp_path.iterdir()] == ["a.run"]


def test_refuses_foreign_and_damaged_files(tmp_path):
    path = tmp_path / "some.run"
    with pytest.raises(store.StoreError, match="no file"):
        store.read(path)
    path.write_bytes(b"not a zip")
    with pytest.raises(store.StoreError, match=r"some\.run is damaged"):
        store.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": "other"}))
    with pytest.raises(store.StoreError, match="not a saved run"):
        store.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        header = {"format": store.FORMAT, "version": store.VERSION + 1}
        archive.writestr("manifest.json", json.dumps(header))
    with pytest.raises(store.StoreError, match="newer version"):
        store.read(path)
    store.write(path, {}, {"x": np.arange(1000)})
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(store.StoreError, match="damaged"):
        store.read(path)


@pytest.mark.second
def test_any_damage_is_refused_or_harmless(tmp_path):
    path = tmp_path / "some.run"
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 50, 3000)
    store.write(path, {"note": "x" * 500, "x": {"array": "x"}}, {"x": numbers})
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 0x5A
        path.write_bytes(bytes(damaged))
        try:
            _, arrays = store.read(path)
        except store.StoreError:
            refused += 1
        else:
            assert all(np.array_equal(a, numbers) for a in arrays.values())
    assert refused > 0.5 * len(range(0, len(whole), 7))
    for manifest in ("[]", '{"format": "bnpexplorer-run", "version": "x"}', "null"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("manifest.json", manifest)
        with pytest.raises(store.StoreError, match="damaged"):
            store.read(path)


def test_never_unpickles(tmp_path):
    path = tmp_path / "evil.run"
    with zipfile.ZipFile(path, "w") as archive:
        header = {"format": store.FORMAT, "version": store.VERSION}
        archive.writestr("manifest.json", json.dumps({**header, "x": {"array": "x"}}))
        with archive.open("x.npy", "w") as member:
            np.lib.format.write_array(member, np.array([{"a": 1}], dtype=object))
    with pytest.raises(store.StoreError, match="damaged"):
        store.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "[" + "{}," * 5000 + "1]",
        "[" + ("[" * 150 + "]" * 150 + ",") * 40 + "1]",
        "[" + ('{"":' * 150 + "1" + "}" * 150 + ",") * 40 + "1]",
        json.dumps({f"{i:x}": 1 for i in range(5000)}),
        json.dumps(["ab"] * 5000),
        json.dumps([0.5] * 5000),
        json.dumps("\U0001f600" + "a" * 50_000),
        json.dumps("\U0001f600" + "a" * 50_000, ensure_ascii=False),
        json.dumps(["a\U0001f600"] * 5000, ensure_ascii=False),
    ],
)
def test_no_manifest_takes_more_memory_than_is_counted(text, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("manifest.json", text)
    data = text.encode()
    tracemalloc.start()
    tree = json.loads(data)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert tree
    with pytest.raises(store.StoreError, match="would unpack to"):
        store.read(tmp_path / "a.zip", limit=taken)


def test_arrays_and_what_a_manifest_becomes_count_together(tmp_path):
    path = tmp_path / "a.zip"
    many = {"many": list(range(5000)), "a": {"array": "a"}}
    store.write(path, many, {"a": np.zeros(2**17)})
    said = r"^a\.zip would unpack to 2 MB, and a run may take 1 MB here; set BNPEXPLORER_MEMORY_MB"
    with pytest.raises(store.StoreError, match=said):
        store.read(path, limit=1_200_000)
    assert store.read(path, limit=2_000_000)[1]["a"].nbytes == 2**20


def test_what_fills_its_limit_is_read_and_one_byte_more_is_not():
    text = b'{"format": "bnpexplorer-run", "version": 1}'
    needed = 4 * 100 + 43 * 3  # a brace, two colons and a comma; letters
    assert store.parse(text, needed, "a.run")["version"] == store.VERSION
    with pytest.raises(store.StoreError, match=r"^a\.run would unpack to 0 MB"):
        store.parse(text, needed - 1, "a.run")


def test_an_array_written_by_columns_keeps_its_rows(tmp_path):
    """As another program may write it."""
    by_columns = np.asfortranarray(np.arange(6).reshape(2, 3))
    header = {"format": store.FORMAT, "version": store.VERSION, "a": {"array": "a"}}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("manifest.json", json.dumps(header))
        with archive.open("a.npy", "w") as member:
            np.lib.format.write_array(member, by_columns)
    assert store.read(tmp_path / "a.zip")[1]["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_disk_that_refuses_is_told_by_the_name_that_was_asked_for(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    store.write_json(path, {"was": "there"})

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as refused:
        store.write_json(path, {"is": "lost"})
    assert (refused.value.errno, refused.value.filename) == (28, str(path))
    assert list(tmp_path.iterdir()) == [path]
    assert store.read_json(path) == {"was": "there"}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_private_file_is_so_before_anything_is_in_it(tmp_path):
    before = os.umask(0)
    try:
        for private, mode in ((True, 0o600), (False, 0o666)):
            with store.replacing(tmp_path / "a", private=private):
                (partial,) = tmp_path.glob("a.*.part")
                assert partial.stat().st_mode & 0o777 == mode
    finally:
        os.umask(before)


@pytest.mark.parametrize("text", ["[1]", '"x"', "7", "{", "null"])
def test_what_is_no_tree_with_names_is_read_as_empty(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    assert store.read_json(tmp_path / "a.json") == {}


def test_a_sentence_of_ours_stays_as_it_is():
    with pytest.raises(store.StoreError, match=r"^Open it elsewhere\.$"), store.named("a.run"):
        raise store.StoreError("Open it elsewhere.")


def test_bytes_are_those_of_files_alone(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a").write_bytes(b"123")
    (tmp_path / "b").write_bytes(b"4567")
    assert store.bytes_below(tmp_path) == 7
    assert store.bytes_of([tmp_path / "b", tmp_path / "gone", tmp_path / "inner"]) == 4


def test_an_array_that_the_manifest_does_not_name_is_passed_over(tmp_path):
    path = tmp_path / "a.zip"
    store.write(path, {"one": {"array": "a"}}, {"a": np.arange(3), "b": np.zeros(2**24)})
    tracemalloc.start()
    _, arrays = store.read(path, limit=2**20)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [*arrays] == ["a"]
    assert taken < 2**20


def test_an_array_is_held_once_while_it_is_read(tmp_path):
    path = tmp_path / "a.zip"
    store.write(path, {"one": {"array": "a"}}, {"a": np.zeros(2**20)})
    tracemalloc.start()
    store.read(path)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 1.5 * 2**23


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_ways_of_packing_are_refused(method, tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("manifest.json", "{}")
    with pytest.raises(store.StoreError, match="packed as no saved run is"):
        store.read(path)


def test_prose_counts_little(tmp_path):
    prose = "Sie gingen über den Fluss, und es war spät: niemand sprach. " * 2000
    store.write(tmp_path / "a.zip", {"text": prose}, {})
    assert store.read(tmp_path / "a.zip", limit=10 * len(prose))[0]["text"] == prose


def test_size_is_that_of_what_would_be_packed():
    value = {"a": [np.zeros((3, 4)), "word"], "b": (1, 2.0)}
    assert store.size(value) == 3 * 4 * 8 + 4 + 16 + 2


def windows_refuses(monkeypatch, times, winerror=32):
    """`os.replace` refuses so often, as Windows does while somebody reads the file."""
    asked, real = [], os.replace

    def replace(source, target):
        asked.append(target)
        if len(asked) <= times:
            problem = PermissionError(13, "in use")
            problem.winerror = winerror
            raise problem
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    return asked


def test_on_windows_a_file_waits_for_its_place_while_another_is_read(tmp_path, monkeypatch):
    asked = windows_refuses(monkeypatch, times=3)
    store.write_json(tmp_path / "a.json", {"a": 1})
    assert len(asked) == 4
    assert store.read_json(tmp_path / "a.json") == {"a": 1}


@pytest.mark.parametrize(("winerror", "most"), [(32, 100), (1224, 1), (None, 1)])
def test_what_stays_refused_is_said_and_leaves_nothing(tmp_path, monkeypatch, winerror, most):
    monkeypatch.setattr(store, "READERS", 0.1)
    asked = windows_refuses(monkeypatch, times=10**9, winerror=winerror)
    with pytest.raises(PermissionError, match="in use"):
        store.write_json(tmp_path / "a.json", {"a": 1})
    assert 1 <= len(asked) <= most
    assert (len(asked) > 1) == (most > 1)
    assert list(tmp_path.iterdir()) == []
