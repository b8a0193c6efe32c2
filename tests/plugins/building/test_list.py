"""The builds of a server as its pages list them, without a process: who is told what of them."""

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.plugins.building import builds, pages
from bnpexplorer.plugins.building.builds import Begun, Order
from bnpexplorer.plugins.building.plan import work_folder
from bnpexplorer.runs.saved.jobs import UnfinishedJob
from bnpexplorer.ui.frame import machine, server

pytestmark = pytest.mark.usefixtures("registry")


class Stand(SimpleNamespace):
    """A build without a process, which began as it was asked to."""

    def __init__(self, order, threads, force):
        super().__init__(order=order, threads=threads, force=force)
        self.standing, self.step, self.sentence, self.anew, self.done = (
            "under way",
            "",
            "",
            False,
            0,
        )
        self.asked_to_end = 0

    @property
    def ended(self):
        return self.standing not in ("under way", "ending")

    def end(self):
        self.asked_to_end += 1


@pytest.fixture
def stands(monkeypatch):
    monkeypatch.setattr(machine, "called_at_home", lambda: True)
    monkeypatch.setattr(builds, "Build", Stand)
    monkeypatch.setattr(builds, "cores", lambda: SimpleNamespace(n=7))
    builds._builds().clear()
    yield
    builds._builds().clear()


def order(folder, name="news.corpus"):
    return Order(("/texts/a.csv",), str(folder / name), ReadOptions(text="t"), {"min_df": 3}, 99)


def jobs():
    return [job.job_id for job in server.library().jobs.all()]


@pytest.mark.parametrize("force", [False, True])
def test_a_build_begins_as_it_was_asked_for_with_all_cores(stands, tmp_path, force):
    build_id = builds.begin(order(tmp_path), force)
    build = builds._builds()[build_id]
    assert (build.order, build.threads, build.force) == (order(tmp_path), 7, force)
    [job] = server.library().jobs.all()
    assert (job.job_id, job.kind, job.texts) == (build_id, builds.KIND, "news.corpus")
    builds._builds().clear()  # as another server would find it
    assert builds.builds() == [Begun(build_id, order(tmp_path), None)]


def test_another_is_refused_by_the_name_of_the_one_under_way(stands, tmp_path):
    build_id = builds.begin(order(tmp_path))
    for standing in ("under way", "ending"):
        builds._builds()[build_id].standing = standing
        with pytest.raises(CorpusError) as refused:
            builds.begin(order(tmp_path, "other.corpus"))
        assert str(refused.value) == (
            "news.corpus is being built; wait until that has ended, or cancel it."
        )
    assert list(builds._builds()) == [build_id]
    builds._builds()[build_id].standing = "stopped"
    assert builds.begin(order(tmp_path, "other.corpus")) != build_id


def test_the_latest_comes_first_and_those_of_an_earlier_server_last(stands, tmp_path):
    about = {"order": asdict(order(tmp_path, "before.corpus"))}
    there = server.library().jobs
    there.write(UnfinishedJob("before", builds.KIND, "", "", "before.corpus", about))
    there.write(UnfinishedJob("race", "race", "", "", "before.corpus", about))
    for name in ("one.corpus", "two.corpus"):
        builds._builds()[builds.begin(order(tmp_path, name))].standing = "stopped"
    names = [(begun.name, begun.build is None) for begun in builds.builds()]
    assert names == [("two.corpus", False), ("one.corpus", False), ("before.corpus", True)]


@pytest.mark.parametrize(
    ("standing", "step", "kept"),
    [
        ("built", "writing", False),
        ("refused", "", False),
        ("refused", "reading", True),
        ("stopped", "", True),
    ],
)
def test_what_a_restart_need_not_offer_again_is_no_job(stands, tmp_path, standing, step, kept):
    build_id = builds.begin(order(tmp_path))
    build = builds._builds()[build_id]
    assert jobs() == [build_id]
    build.standing, build.step = standing, step
    assert [begun.build_id for begun in builds.builds()] == [build_id]
    assert jobs() == [build_id] * kept


def test_one_under_way_is_cancelled_before_it_is_dismissed(stands, tmp_path):
    build_id = builds.begin(order(tmp_path))
    with pytest.raises(CorpusError, match=r"^It is under way; cancel it first\.$"):
        builds.dismiss(build_id)
    assert list(builds._builds()) == jobs() == [build_id]
    builds.cancel(build_id)
    builds.cancel("none")
    assert builds._builds()[build_id].asked_to_end == 1
    builds._builds()[build_id].standing = "stopped"
    builds.dismiss(build_id)
    assert builds.builds() == jobs() == []


def complete(folder):
    """A corpus that somebody built meanwhile, and the work of ours."""
    for path in (folder / "news.corpus" / "manifest.json", work_folder(folder / "news.corpus")):
        path.parent.mkdir(exist_ok=True)
    (folder / "news.corpus" / "manifest.json").write_text("{}")
    work_folder(folder / "news.corpus").mkdir()
    plan = work_folder(folder / "news.corpus") / "plan.json"
    plan.write_text('{"format": "bnpexplorer-build"}')
    return plan


def test_a_corpus_that_was_completed_meanwhile_is_neither_replaced_nor_removed(stands, tmp_path):
    plan = complete(tmp_path)
    with pytest.raises(CorpusError) as refused:
        builds.begin(order(tmp_path), force=True)
    said = "news.corpus is complete by now; open it, or give another name."
    assert str(refused.value) == said
    builds.discard(Begun("x", order(tmp_path), None))
    assert not plan.parent.exists()
    assert (tmp_path / "news.corpus" / "manifest.json").read_text() == "{}"


# ---- on the page ---------------------------------------------------------------------------------


@pytest.fixture
def page(monkeypatch):
    """What is said, which buttons there are, and what each does."""
    said, session, does = [], {}, []

    def button(words, _, begun, do, primary=False):
        said.append(("button", words))
        does.append((words, begun.build_id, do, primary))

    for name in ("markdown", "error", "caption"):
        monkeypatch.setattr(st, name, lambda text, name=name, **_: said.append((name, text)))
    monkeypatch.setattr(st, "container", lambda **_: nullcontext())
    monkeypatch.setattr(st, "session_state", session)
    monkeypatch.setattr(pages, "_button", button)
    return SimpleNamespace(said=said, session=session, does=does)


@pytest.mark.parametrize("work", [False, True])
def test_what_a_person_can_do_about_a_build_that_has_ended(stands, page, tmp_path, work):
    """Starting anew is offered only where nothing else helps and something was begun."""
    home = work_folder(tmp_path / "news.corpus")
    if work:
        home.mkdir()
    build = Stand(order(tmp_path), 1, False)
    build.standing, build.done = "stopped", 0.456
    lies = [("caption", f"What is done lies in {pages.plain(str(home))} until it is complete.")]
    pages._say_ended(Begun("x", build.order, build))
    assert page.said == [
        ("markdown", "**news.corpus** is not complete: it was ended at 46 %."),
        *lies * work,
        ("button", "Go on"),
        ("button", "Discard what is done"),
    ]
    for build.anew in (False, True):
        page.said.clear()
        build.sentence = "It was refused."
        pages._say_ended(Begun("x", build.order, build))
        anew = [("button", "Start anew")] * (build.anew and work)
        ended = [("error", "It was refused."), ("button", "Go on"), *anew, ("button", "Dismiss")]
        assert page.said == ended


@pytest.mark.parametrize("refused", [False, True])
def test_every_button_of_a_build_that_has_ended_does_what_it_says(stands, page, tmp_path, refused):
    """To go on is not the first thing to do where it was refused."""
    work_folder(tmp_path / "news.corpus").mkdir()
    build = Stand(order(tmp_path), 1, False)
    build.standing, build.sentence, build.anew = "stopped", "It was refused." * refused, True
    pages._say_ended(Begun("x", build.order, build))
    away = ("Dismiss", "x", builds.dismiss, False)
    assert page.does == [
        ("Go on", "x", pages._go_on, not refused),
        ("Start anew", "x", pages._start_anew, False),
        away if refused else ("Discard what is done", "x", pages._discard, False),
    ]
    page.does.clear()
    pages._say_ended(Begun("y", build.order, None))
    assert [words for words, *_ in page.does] == ["Go on", "Discard what is done"]
    assert ("markdown", "**news.corpus** is not complete: it was ended.") in page.said


def test_what_the_form_says_is_what_is_built(stands, page, tmp_path):
    settings = TextSettings(min_df=4, phrases=True, joined="new_york")
    chosen = SimpleNamespace(options=ReadOptions(text="t"), settings=settings)
    files, looked = [Path("/a.csv"), Path("/b.csv")], SimpleNamespace(n_bytes=12)
    for folders in (" ", "/one\n/two"):
        with pytest.raises(CorpusError) as refused:
            pages._begin(files, folders, chosen, looked)
        assert str(refused.value) == (
            "The corpus needs a folder; give the path of one that is to be made."
        )
    pages._begin(files, str(tmp_path / "out"), chosen, looked)
    [(build_id, build)] = builds._builds().items()
    words = {name: value for name, value in asdict(settings).items() if name != "joined"}
    wanted = Order(("/a.csv", "/b.csv"), str(tmp_path / "out"), chosen.options, words, 12)
    assert build.order == wanted
    assert page.session == {pages.MINE: {build_id}}


def test_who_goes_on_with_a_build_or_starts_it_anew_opens_it(stands, page, tmp_path):
    build_id = builds.begin(order(tmp_path))
    for act, force in ((pages._go_on, False), (pages._start_anew, True)):
        builds._builds()[build_id].standing = "stopped"
        page.session.clear()
        act(build_id)
        assert builds._builds()[build_id].force is force
        assert page.session == {pages.MINE: {build_id}}
    with pytest.raises(CorpusError, match=r"^This build was dismissed meanwhile\.$"):
        pages._go_on("gone")
