"""The list of builds of a server: which it holds, in which order, and what it refuses."""

import json
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building import builds as building
from bnpexplorer.plugins.building.builds import DIED, KILLED, STUCK, Begun, Build, Order
from bnpexplorer.plugins.building.plan import FORMAT, work_folder
from bnpexplorer.ui.frame import server
from tests.tools.stored import on_disk, with_names

pytestmark = pytest.mark.usefixtures("registry", "at_home")


@pytest.fixture
def order(tmp_path, monkeypatch):
    """What is to be built; builds stand still, as if they had been cancelled at once."""

    def build(order, threads, force):
        return SimpleNamespace(
            order=order, force=force, standing="stopped", ended=True, step="reading",
            end=lambda: None, wait=lambda seconds: True,
        )  # fmt: skip

    monkeypatch.setattr(building, "Build", build)
    return Order((str(tmp_path / "a.csv"),), str(tmp_path / "one"), ReadOptions(), {"min_df": 2})


def listed():
    return [(begun.build_id, begun.build is not None) for begun in building.builds()]


def test_each_folder_is_listed_once_and_the_latest_first(order, tmp_path):
    one = building.begin(order)
    two = building.begin(replace(order, out=str(tmp_path / "two")))
    assert building.begin(replace(order, words={"min_df": 3})) == one
    assert listed() == [(two, True), (one, True)]
    assert building._builds()[one].order.words == {"min_df": 3}
    building._builds().clear()  # as the next server finds them
    assert sorted(listed()) == sorted([(one, False), (two, False)])
    assert {begun.name for begun in building.builds()} == {"one", "two"}
    assert building.begin(replace(order, out=str(tmp_path / "two"))) == two
    assert listed() == [(two, True), (one, False)]
    building.dismiss(two)
    assert listed() == [(one, False)]


def test_one_that_is_built_or_refused_at_once_is_not_kept(order, tmp_path):
    for standing, step, kept in (
        ("built", "writing", False),
        ("refused", "", False),
        ("refused", "reading", True),
        ("stopped", "", True),
    ):
        build_id = building.begin(order)
        build = building._builds()[build_id]
        build.standing, build.step = standing, step
        assert listed() == [(build_id, True)]
        building._builds().clear()
        assert listed() == [(build_id, False)] * kept
        server.library().jobs.remove(build_id)


def test_while_one_is_under_way_or_ending_no_other_begins(order, tmp_path):
    build = building._builds()[building.begin(order)]
    for standing in ("under way", "ending"):
        build.standing, build.ended = standing, False
        with pytest.raises(CorpusError) as told:
            building.begin(replace(order, out=str(tmp_path / "two")))
        assert str(told.value) == "one is being built; wait until that has ended, or cancel it."
        with pytest.raises(CorpusError, match="It is under way; cancel it first"):
            building.dismiss(next(iter(building._builds())))
    build.ended = True


def test_a_corpus_that_is_complete_is_neither_forced_nor_discarded(order, tmp_path):
    corpus = on_disk(with_names(30), tmp_path / "one")
    with pytest.raises(
        CorpusError, match=r"^one is complete by now; open it, or give another name"
    ):
        building.begin(order, force=True)
    home = work_folder(corpus.folder)
    for name in ("plan.json", "records/000000.arrow"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(json.dumps({"format": FORMAT}))
    building.discard(Begun("x", order, None))
    assert not home.exists()
    assert corpus.take([3]).n_docs == 1
    assert (corpus.folder / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("before", "answer", "force", "standing", "sentence"),
    [
        ("under way", {"ended": "well"}, "", "built", ""),
        ("ending", {"ended": "well"}, KILLED, "built", ""),
        ("ending", {"ended": "refused", "sentence": "No.", "anew": True}, "", "refused", "No."),
        ("ending", {"step": "reading"}, "", "stopped", ""),
        ("ending", {}, KILLED, "stopped", KILLED.format(out="/x/one", seconds=40)),
        ("ending", {}, STUCK, "stopped", STUCK.format(out="/x/one", pid=77)),
        ("under way", {"step": "reading"}, "", "refused", DIED.format(out="/x/one")),
        ("stopped", {"ended": "well"}, "", "stopped", ""),
    ],
)
def test_how_a_build_ended_is_known_by_its_last_message(before, answer, force, standing, sentence):
    build = Build.__new__(Build)
    build.order = Order(("/x/a.csv",), "/x/one", ReadOptions(), {})
    build.standing, build.sentence, build.anew, build.done = before, "", False, 0.25
    build._over = threading.Event()
    build._process = SimpleNamespace(pid=77, printed=lambda: "")
    build._conclude(answer, force)
    assert (build.standing, build.sentence) == (standing, sentence)
    assert build.anew == answer.get("anew", False)
    assert build.done == (1.0 if standing == "built" else 0.25)
    assert build._over.is_set() == (before != "stopped")


def test_how_far_all_of_it_is_and_the_step_are_those_of_the_last_message():
    build, ended = Build.__new__(Build), []
    build.order = Order(("/x/a.csv",), "/x/one", ReadOptions(), {})
    build.standing, build.sentence, build.anew, build.done = "under way", "", False, 0.0
    build._over, build._lock, build._forced = threading.Event(), threading.Lock(), False
    messages = [
        {"step": "reading", "done": 0.25, "said": "9 documents read"},
        {"step": "counting", "done": 0.75, "said": "7 documents"},
        {"ended": "refused", "sentence": "No word is left."},
    ]
    build._process = SimpleNamespace(pid=77, channel=iter(messages), end=ended.append)
    build._listen()
    assert (build.step, build.done, build.said) == ("counting", 0.75, "7 documents")
    assert (build.standing, build.sentence) == ("refused", "No word is left.")
    assert ended == [40.0], "seconds that its process has to end"
