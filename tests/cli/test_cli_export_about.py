"""`export --about`: files of a run with fewer topics than it has."""

import pytest

from bnpexplorer import Plan, load
from bnpexplorer.__main__ import main
from bnpexplorer.checks.expecting import finish
from bnpexplorer.cli import export
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels
from tests.cli.learning import CSV, at_root_and_home

place = pytest.fixture(autouse=True)(at_root_and_home)


@pytest.fixture
def run():
    return finish(Plan.of("lda-gibbs", values={"n_topics": 9}, passes=4).split_and_start(load(CSV)))


def n_topics(file):
    return export._result(*file).snapshot.topics.topic_ids.tolist()


def test_a_file_of_fit_is_exported_with_as_many_topics_as_are_asked_for(run, tmp_path, capsys):
    saved, out = tmp_path / "a.run", tmp_path / "a.py"
    run.save(saved)
    assert main(["export", str(saved), str(out), "--to", "script", "--about", "4"]) == 0
    assert "run = run.about(4)" in out.read_text()
    assert main(["export", str(saved), str(out), "--to", "script", "--force"]) == 0
    assert "run.about" not in out.read_text()
    assert main(["export", str(saved), str(out), "--to", "script", "--force", "--about", "9"]) == 2
    assert "--about 9: lda-gibbs has only 9 topics; choose fewer." in capsys.readouterr().err


def test_a_saved_run_has_as_many_as_the_app_shows(run, monkeypatch):
    library = Library()
    library.keep("0123abcdef", run, load(CSV), "finished")
    assert len(n_topics(("0123abcdef",))) == 9
    found = run.granularities(3)
    library.keep_fewer("0123abcdef", run.snapshot(), found)
    library.label("0123abcdef", Labels(about=3))
    with monkeypatch.context() as at_hand:
        at_hand.setattr(Run, "granularities", None)
        assert n_topics(("0123abcdef",)) == found[0].topics.topic_ids.tolist()
        assert n_topics(("0123abcdef", 3)) == found[0].topics.topic_ids.tolist()
        assert len(n_topics(("0123abcdef", 0))) == 9
    assert len(n_topics(("0123abcdef", 5))) == 5
    file = library.folder / "runs" / "0123abcdef" / "fewer.zip"
    file.write_bytes(file.read_bytes()[:-40])
    assert n_topics(("0123abcdef",)) == found[0].topics.topic_ids.tolist(), "worked out anew"
