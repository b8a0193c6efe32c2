"""What the tests of pages share: the app without a browser, what is on it, and runs to show.

The fixture `registry` of `conftest.py` belongs to it.
"""

import json
from functools import cache
from pathlib import Path

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.parts import under_way
from bnpexplorer.ui.seam import widgets

from .waiting import NEVER

ROOT = Path(__file__).resolve().parents[2]
under_way.PATIENCE = 600.0  # without a browser nothing draws a page anew when texts are read

# Every AppTest looks through all installed packages for components, which takes longer than a page.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def open_app(**address):
    """The Start page at this address; a dash is written as an underscore. Study, which shows all
    that Explore shows and more, unless the address says something else."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=NEVER)
    for key, value in {"view": "study", **address}.items():
        app.query_params[key.replace("_", "-")] = value
    return check(app.run())


def go(app, page):
    """To another page, by its name.

    `AppTest.switch_page` knows only pages that are files. It writes down what stands here: of a
    page Streamlit remembers the hash of its address.
    """
    assert hasattr(app, "_page_hash"), "another version of Streamlit has changed this"
    app._page_hash = calc_hash(page)
    return check(app.run())


def open_lab(**address):
    """The Lab page alone, without the frame around it."""
    alone = "from bnpexplorer.ui.lab.page import page; page()"
    page = AppTest.from_string(alone, default_timeout=NEVER)
    for key, value in address.items():
        page.query_params[key] = value
    return check(page.run())


def check(app):
    assert not app.exception, app.exception
    if widgets.NUMBER in app.session_state:  # as a browser does that has drawn the page
        app.session_state[widgets.HEARD] = app.session_state[widgets.NUMBER]
    return app


def button(app, words=None, key=None):
    found = [b for b in app.button if words in (None, b.label) and key in (None, b.key)]
    there = [(b.label, b.key) for b in app.button]
    assert found, f"no button has the label {words!r} and the key {key!r}; there are {there}"
    return found[0]


def field(kind, label):
    found = [element for element in kind if element.label == label]
    assert found, f"no field has the label {label!r}; there are {[e.label for e in kind]}"
    return found[0]


def choose(app, key, value):
    """Press one of several buttons that stand together, by their key."""
    return check(next(w for w in app.get("button_group") if w.key == key).set_value(value).run())


def texts(*kinds):
    return " ".join(element.value for kind in kinds for element in kind)


def html(app):
    return " ".join(h.proto.body for h in app.get("html"))


def figures(app):
    """The live figures as plotly's own JSON."""
    return [
        json.loads(json.loads(component.proto.json)["figure"])
        for component in app.get("bidi_component")
        if component.proto.component_name == "bnpexplorer_figure"
    ]


def small(sample="small-csv"):
    """A small sample as the corpus of a tab."""
    found = load_sample(sample)
    return server.LoadedCorpus(found.corpus, found.report, found.true_topics)


def small_run(method="hdp-tsvi", loaded=None, split=0, **settings):
    """A run of two passes, not yet started, and its corpus; `method` by name or as it is."""
    loaded = loaded or small()
    train, heldout = split_heldout(loaded.corpus, split)
    made = make_method(method) if isinstance(method, str) else method
    return Run(made, train, heldout=heldout, **{"passes": 2, **settings}), loaded


def launch(registry, *what, keep=None, **settings):
    """Put a `small_run` into the registry and let it end."""
    entry = registry.add(*small_run(*what, **settings), keep)
    entry.background.start()
    assert entry.background.wait(300)
    return entry
