"""The table of plugins: each entry leads to something, and all else works without any of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bnpexplorer import interchange
from bnpexplorer.core.plugins import PLUGINS, PluginMissing, plugin, plugin_if_there
from bnpexplorer.plugins.interchange import to_gensim
from tests.tools.stored import on_disk, with_names

ROOT = Path(__file__).parents[2]
WITHOUT = """
import os
import sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("bnpexplorer.plugins"):
            raise ImportError(name)

sys.meta_path.insert(0, Refuses())
from bnpexplorer import Run, load, make_method
from bnpexplorer.__main__ import main
from bnpexplorer.ui.frame import machine
from tests.tools.pages import check, choose, go, open_app

folder = sys.argv[1]
corpus = load(folder)
run = Run(make_method("lda-svi", values={"n_topics": 3}), corpus, batch_size=300, passes=1)
while not run.done:
    run.step()
assert run.docs_seen == corpus.n_docs == 900
assert main(["corpus", "show", folder]) == 0
assert main(["fit", folder, "--method", "lda-svi", "--set", "n_topics=3", "--passes", "1"]) == 0
assert main(["corpus", "build", folder, folder + "2"]) == 2

machine.called_at_home = lambda: True
page = choose(go(open_app(), "corpus"), "corpus-way", "By path")
page = check(page.text_area(key="corpus-paths").set_value(folder).run())
assert page.session_state["loaded"].corpus.n_docs == 900
page = check(page.text_area(key="corpus-paths").set_value("sample_data").run())
assert "bnpexplorer.plugins.building" in page.error[0].value.replace(chr(92), "")
assert not [name for name in sys.modules if name.startswith("bnpexplorer.plugins")]
sys.stderr.flush()
os._exit(0)  # the app compiles in a thread, where LLVM may fail while Python takes itself apart
"""


@pytest.mark.parametrize("name", PLUGINS)
def test_every_name_leads_to_something(name):
    assert plugin(name)
    assert plugin_if_there(name) is plugin(name)


def test_a_plugin_that_cannot_be_imported_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "bnpexplorer.plugins.building.head", None)
    with pytest.raises(PluginMissing) as refused:
        plugin("head of files")
    assert str(refused.value) == (
        f"This needs bnpexplorer.plugins.building.head, which cannot be imported "
        f"({refused.value.__cause__}); install bnpexplorer again."
    )
    assert "bnpexplorer.plugins.building.head" in str(refused.value.__cause__)
    assert plugin_if_there("head of files") is None


def test_interchange_has_its_public_name_still():
    assert interchange.to_gensim is to_gensim
    assert "to_gensim" in dir(interchange)
    found = {}
    exec("from bnpexplorer.interchange import *", found)
    assert found["to_gensim"] is to_gensim
    assert not hasattr(interchange, "to_nobody")


@pytest.mark.second
def test_a_corpus_on_the_disk_is_opened_and_learned_where_there_is_no_plugin(tmp_path):
    """By Python, by commands and on the page; what needs a plugin says so."""
    stored = on_disk(with_names(), tmp_path / "made.corpus")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(stored.folder)],
        cwd=ROOT,
        env=os.environ | {"BNPEXPLORER_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "This needs bnpexplorer.plugins.building.command" in done.stderr
