"""Files that are ours: exact names, none reached by a link, and closed to others."""

import os
import stat

import pytest

from bnpexplorer.core import owned_files

OURS = {
    "": ("deleted.json", "library.lock", "library.before.sqlite3-wal"),
    "runs": ("runs/a/texts.zip", "runs/b/origin.zip.0123abcd.part", "runs/b/row.json"),
    "corpora": ("corpora/0123456789abcdef-01234567.zip",),
    "jobs": ("jobs/nightly.json",),
    "claims": ("claims/a study.json",),
    "sweeps": ("sweeps/burn-in.json",),
}


def put(home, names):
    for name in names:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("some")


def test_files_of_a_place_are_those_of_no_other(tmp_path):
    everything = sorted(name for names in OURS.values() for name in names)
    put(tmp_path, [*everything, "notes.txt", "runs/a/notes.txt", "texts.zip", "jobs/row.zip"])
    for place, names in OURS.items():
        found = owned_files.files_in(tmp_path, place)
        listed = sorted(path.relative_to(tmp_path).as_posix() for path in found)
        assert listed == (sorted(names) if place else everything), place


@pytest.mark.parametrize(
    ("name", "goes"),
    [
        ("texts.zip", True),
        ("origin.zip", True),
        ("standing.zip", True),
        ("row.json", True),
        ("row.json.0123abcd.part", True),
        (".DS_Store", True),
        ("._row", True),
        ("Thumbs.db", True),
        ("desktop.ini", True),
        ("row.json.bak", False),
        ("row.json.0123abcd.part.old", False),
        ("row.json.0123abc.part", False),
        ("row.json.0123abcz.part", False),
        ("my row.json", False),
        ("rowxjson", False),
        ("Thumbs.db.txt", False),
        ("notes.txt", False),
    ],
)
def test_only_exact_names_go_with_a_run(tmp_path, name, goes):
    put(tmp_path, [name])
    assert owned_files.may_go(tmp_path / name) is goes
    (tmp_path / "folder" / name).mkdir(parents=True)
    assert not owned_files.may_go(tmp_path / "folder" / name), "a folder is nobody's file"


def test_a_link_goes_with_a_run_wherever_it_leads(tmp_path):
    (tmp_path / "folder").mkdir()
    put(tmp_path, ["file"])
    link = tmp_path / "row.json"
    for target in ("folder", "file", "nothing"):
        link.symlink_to(tmp_path / target)
        assert owned_files.may_go(link), target
        link.unlink()


@pytest.mark.parametrize(
    ("folder", "inside", "is_left"),
    [
        ("abcdef0123", (), True),
        ("abcdef0123", ("row.json", ".DS_Store"), True),
        ("abcdef0123", (".DS_Store",), True),
        ("abcdef0123", ("row.json", "notes.txt"), False),
        ("planned", (), False),
        ("planned", (".DS_Store",), False),
        ("planned", ("row.json", ".DS_Store"), True),
        ("planned", ("row.json", "notes.txt"), False),
        ("abcdef01234", (), False),
        ("abcdef012", (), False),
    ],
)
def test_a_folder_is_left_of_a_run_by_its_name_or_by_what_is_in_it(
    tmp_path, folder, inside, is_left
):
    (tmp_path / folder).mkdir()
    put(tmp_path / folder, inside)
    assert owned_files.is_left_of_run(tmp_path / folder) is is_left


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_to_all():
    """An account whose files all may read and write unless it says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_what_is_made_is_closed_and_what_is_there_stays_as_it_is(open_to_all, tmp_path):
    there = tmp_path / "there"
    there.mkdir(mode=0o755)
    made = owned_files.private_folder(there / "above" / "own")
    assert [mode(made), mode(made.parent), mode(there)] == [0o700, 0o700, 0o755]
    assert mode(owned_files.private_file(made / "file")) == 0o600
    with open(made / "opened", "w", opener=owned_files.owner_only) as file:
        assert mode(made / "opened") == 0o600
        assert file.writable()


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_what_is_open_is_closed_to_others_and_to_nobody_else(tmp_path):
    home, theirs = tmp_path / "home", tmp_path / "theirs"
    put(home, ["deleted.json", "runs/a/row.json", "runs/a/texts.zip", "jobs/one.json"])
    theirs.write_text("some")
    (home / "library.lock").symlink_to(theirs)
    given = {
        home: 0o755,
        home / "runs": 0o751,
        home / "runs" / "a": 0o770,
        home / "deleted.json": 0o644,
        home / "runs" / "a" / "row.json": 0o444,
        home / "runs" / "a" / "texts.zip": 0o755,
        home / "jobs" / "one.json": 0o200,
        theirs: 0o664,
    }
    for path, value in given.items():
        path.chmod(value)
    owned_files.tighten(home)
    assert [oct(mode(path)) for path in given] == [
        "0o700", "0o700", "0o700", "0o600", "0o400", "0o700", "0o200", "0o664",
    ]  # fmt: skip
