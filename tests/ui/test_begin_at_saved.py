"""The form begins a run at the topics of a saved one, and Live says so beside its name."""

import re

import pytest

from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, field, go, html, launch, open_app, small

LABEL = "Begin at the topics of a saved run"


@pytest.mark.second
@pytest.mark.parametrize("method", ["hdp-gibbs", "hdp-parallel-gibbs"])
def test_the_form_begins_at_a_saved_run(method, registry):
    """The form starts `hdp-gibbs`, which also finishes what many threads began."""
    entry = launch(registry, method, keep=server.keep)
    server.library().rename(entry.run_id, "The *first* one")
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    chosen = field(app.selectbox, LABEL)
    assert chosen.options == ["none: as the settings say", "The \\*first\\* one"]
    check(chosen.select(entry.run_id).run())
    check(button(app, "Watch it learn").click().run())
    begun = registry.entries()[0].background
    assert begun.wait(300)
    words = r"the \d+ topics of The \*first\* one"
    assert re.fullmatch(words, begun.run.given.said)
    assert re.search(f"from {words}", html(go(app, "live")))
    assert begun.run.method.name == "hdp-gibbs"
    assert begun.run.corpus.vocab == small().corpus.vocab


def test_the_form_does_not_offer_it_where_no_run_was_saved(registry):
    entry = launch(registry)
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    assert button(app, "Watch it learn")
    assert LABEL not in [box.label for box in app.selectbox]
