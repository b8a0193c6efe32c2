"""A run has one name, colour and dash in all figures of a page."""

import pytest

from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from tests.tools.pages import choose, figures, go, open_app, small

pytestmark = pytest.mark.usefixtures("registry")


def looks(figure):
    """Name of a line -> its colour and dash."""
    lines = [trace for trace in figure["data"] if trace.get("mode", "").startswith("lines")]
    return {trace["name"]: (trace["line"]["color"], trace["line"].get("dash")) for trace in lines}


@pytest.mark.second
def test_runs_scored_by_another_protocol_look_as_among_all(registry):
    """Topics in use are drawn of all runs, scores of those of one protocol at a time."""
    loaded, entries = small(), []
    for protocol in ("completion", "tokens-90-10", "tokens-90-10"):
        train, heldout = split_heldout(loaded.corpus, 0, protocol=protocol)
        run = Run(make_method("lda-svi"), train, heldout=heldout, batch_size=50, passes=2)
        entries.append(registry.add(run, loaded))
    for entry in entries:
        entry.background.start()
        assert entry.background.wait(300)
    app = go(open_app(run=",".join(entry.run_id for entry in entries)), "live")
    scores, topics = map(looks, figures(app)[:2])
    assert len(set(topics.values())) == len(entries)
    first = set(scores)
    assert len(first) == 1
    scores_of_others = looks(figures(choose(app, "view-protocol", "tokens-90-10"))[0])
    assert set(scores_of_others) == set(topics) - first
    assert {**scores, **scores_of_others} == topics
