"""A run shown with fewer topics than it has: the field on the Topics page, and who sees what."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.methods import make_method
from bnpexplorer.runs import about
from bnpexplorer.runs.about import granularities
from bnpexplorer.state import moment
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import fewer, server
from bnpexplorer.ui.frame.session import RunOnPage
from bnpexplorer.ui.parts import explore, fewer_field, share
from bnpexplorer.ui.topics.about import parts_of
from bnpexplorer.ui.topics.page import VIEWS
from tests.tools.pages import button, check, field, go, launch, open_app, small_run, texts
from tests.tools.topics_page import listed, page
from tests.tools.waiting import until

pytestmark = pytest.mark.usefixtures("registry")
MADE = (
    "Each began at one of the 3 largest of 9, and the sampler read the texts 20 more "
    "times with these alone."
)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(moment, "FEW", 4)
    monkeypatch.setattr(explore, "AHEAD", 0.0)
    monkeypatch.setattr(about.Pricing.__init__, "__defaults__", ((3, 6),))


@pytest.fixture
def entry(registry):
    method = make_method("lda-gibbs", "default", {"n_topics": 9, "burn_in": 1, "thin": 1})
    return launch(registry, method, keep=server.keep, passes=6)


def of(entry, secret=True):
    return {"run": entry.run_id, **({"own": entry.secret} if secret else {})}


def whole_of(entry):
    return server.moment_of(entry, entry.background.latest)


def worked_out(entry):
    """Open the page, wait for the thread that it started, and return what was found."""
    app = page(**of(entry))
    until(lambda: fewer.found_of(entry, whole_of(entry)))
    return app, fewer.found_of(entry, whole_of(entry))


def with_three(entry):
    found = granularities(entry.background.run, (3, 6))
    entry.labels = Labels(about=3)
    server.library().keep_fewer(entry.run_id, entry.background.latest, found)
    return found[0]


def test_fewer_topics_are_worked_out_and_the_owner_chooses_how_many(entry):
    app, found = worked_out(entry)
    expected = granularities(entry.background.run, (3, 6))
    assert [one.score for one in found] == [one.score for one in expected]
    check(app.run())
    shown = field(app.selectbox, "Topics shown")
    kept = [f"{100 * found[0].kept:.0f}\u00a0%", "all"]
    assert found[0].kept < 1.0 < found[1].kept
    said = ["All 9 topics", f"About 3, keep {kept[0]}", f"About 6, keep {kept[1]}"]
    assert (shown.options, shown.value) == (said, 0)
    assert len(listed(app)) == 9
    check(shown.set_value(3).run())
    assert len(listed(app)) == 3
    assert entry.labels.about == 3
    assert server.library().get(entry.run_id).labels.about == 3
    error = f"(± {100 * found[0].error:.0f})"
    sentence = (
        f"3 topics keep {kept[0]} {error} of what 9 gain over word frequencies on held-out words."
    )
    assert sentence in texts(app.caption)
    assert MADE in [c.help for c in app.caption]
    assert "3 in place of 9 in use" in texts(app.markdown)
    names = {whole_of(entry).about(found[0]).head(i) for i in found[0].topics.topic_ids.tolist()}
    assert {name.removeprefix("■ ") for name in listed(app)} == names
    check(field(app.selectbox, "Topics shown").set_value(0).run())
    assert len(listed(app)) == 9
    assert entry.labels.about == 0


def test_a_page_that_is_opened_proposes_the_fewest_that_keep_nearly_all(entry, monkeypatch):
    app, _ = worked_out(entry)
    check(app.run())
    assert entry.labels.about is None, "nothing changes while somebody reads"
    monkeypatch.setattr(fewer_field, "fewest", lambda known: known[1])
    check(go(go(app, "live"), "topics"))
    assert entry.labels.about == 6
    assert len(listed(app)) == 6
    check(field(app.selectbox, "Topics shown").set_value(0).run())
    check(go(go(app, "live"), "topics"))
    assert entry.labels.about == 0, "what was chosen stays"


def test_where_none_keeps_enough_all_are_shown(entry, monkeypatch):
    app, _ = worked_out(entry)
    monkeypatch.setattr(fewer_field, "fewest", lambda known: None)
    check(go(go(app, "live"), "topics"))
    assert entry.labels.about == 0


def test_who_watches_sees_what_the_owner_chose_and_chooses_nothing(entry, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    with_three(entry)
    app = page(**of(entry, secret=False))
    assert len(listed(app)) == 3
    assert "Topics shown" not in [s.label for s in app.selectbox]
    assert "3 topics keep" in texts(app.caption)
    entry.labels = Labels()
    check(go(go(app, "live"), "topics"))
    assert entry.labels.about is None


def test_all_pages_and_files_have_the_same_topics(entry):
    chosen = with_three(entry)
    ids = set(chosen.topics.topic_ids.tolist())
    app = go(open_app(**of(entry)), "live")
    assert "3 topics in use, in place of 9; 99 %" in texts(app.caption)
    verdict = next(m.value for m in app.markdown if m.value.startswith("9 topics; predicts"))
    keep = f"; 3 topics in their place would keep {100 * chosen.kept:.0f} % of that gain;"
    assert keep in verdict.replace("\u00a0", " ")
    result = share.result_of(RunOnPage(entry, True), entry.source)
    assert set(result.by_size) == ids
    assert result.score == chosen.score
    rows = chosen.model.fold_in(chosen.topics, result.corpus)
    np.testing.assert_allclose(result.shares, rows, atol=1e-6)


def test_its_past_is_that_of_all_its_topics(entry, monkeypatch):
    with_three(entry)
    seen = []
    for view in ("Through the run", "Together"):
        monkeypatch.setitem(VIEWS, view, lambda found: seen.append(len(found.moment.in_use)))
        page(view, **of(entry))
    assert seen == [9, 3]


def test_fewer_topics_are_not_changed_for_good(entry):
    with_three(entry)
    app = page(**of(entry))
    assert "Shown are fewer topics than the run has; show all" in texts(app.caption)
    assert "Topics to change" not in [m.label for m in app.multiselect]


def test_a_topic_tells_which_of_the_run_it_is_made_of(entry):
    chosen = with_three(entry)
    moment = whole_of(entry).about(chosen)
    topic = moment.in_use[1]
    words = chosen.made_of[chosen.topics.topic_ids.tolist().index(topic)]
    table = parts_of(moment, topic)
    order = sorted(range(9), key=lambda k: -words[k])
    there = [k for k in order if words[k] >= 0.5]
    whole = whole_of(entry)
    assert list(table["topic of the run"]) == [whole.head(int(chosen.of[k])) for k in there]
    part = [round(words[k] / words.sum(), 3) for k in there]
    of_it = [round(words[k] / chosen.made_of[:, k].sum(), 3) for k in there]
    np.testing.assert_allclose(table["of its words"], part)
    np.testing.assert_allclose(table["of that topic's words"], of_it)
    both = replace(moment, labels=Labels(groups={topic: (moment.in_use[0],)}))
    joined = parts_of(both, topic)["of its words"]
    rows = [chosen.topics.topic_ids.tolist().index(i) for i in moment.in_use[:2]]
    sums = chosen.made_of[rows].sum(axis=0)
    assert joined.iloc[0] == pytest.approx(sums.max() / sums.sum(), abs=1e-3)


@pytest.mark.parametrize(("n_topics", "labels"), [(4, 0), (5, 1)])
def test_only_of_more_topics_than_can_be_read_there_are_fewer(registry, n_topics, labels):
    method = make_method("lda-gibbs", "default", {"n_topics": n_topics})
    entry = launch(registry, method, passes=2)
    app = page(**of(entry))
    assert ("Working out fewer topics" in texts(app.caption)) == bool(labels)


@pytest.mark.parametrize("limit", ["MOST_TOKENS", "IN_A_CLASS"])
def test_of_large_texts_they_are_worked_out_if_somebody_asks(entry, monkeypatch, limit):
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1" if limit == "IN_A_CLASS" else "")
    monkeypatch.setattr(fewer_field, limit, entry.background.run.corpus.n_tokens - 1)
    app = page(**of(entry))
    assert "Working out" not in texts(app.caption)
    check(button(app, "Work out fewer topics").click().run())
    until(lambda: fewer.found_of(entry, whole_of(entry)))
    check(app.run())
    assert field(app.selectbox, "Topics shown")


def test_while_a_run_learns_it_has_all_its_topics(registry):
    method = make_method("lda-gibbs", "default", {"n_topics": 9})
    registry._step_seconds = 0.02
    entry = registry.add(*small_run(method, passes=4000))
    entry.labels = Labels(about=3)
    entry.background.start()
    until(lambda: entry.background.latest is not None)
    app = page(**of(entry))
    assert len(listed(app)) == 9
    assert "Once the run rests, fewer topics can be shown" in texts(app.caption)


def test_what_goes_wrong_is_told(entry, monkeypatch):
    def fail(pricing, tell):
        raise MemoryError("there is no room")

    monkeypatch.setattr(about.Pricing, "work", fail)
    app = page(**of(entry))
    snapshot = entry.background.latest
    until(lambda: (snapshot.derived_values.at_hand(fewer.FEWER) or app).__class__ is fewer.Fewer)
    snapshot.derived_values.at_hand(fewer.FEWER).wait()
    check(app.run())
    assert "Fewer topics could not be worked out: there is no room" in texts(app.caption)


def test_a_damaged_file_is_worked_out_anew(entry, caplog):
    with_three(entry)
    path = server.library().folder / "runs" / entry.run_id / "fewer.zip"
    path.write_bytes(path.read_bytes()[:-40])
    _, found = worked_out(entry)
    assert [one.n_topics for one in found] == [3, 6]
    assert "fewer topics are worked out anew" in caplog.text
    assert server.library().fewer(entry.run_id, entry.background.run, entry.background.latest)


def test_one_who_waits_for_another_tab_reads_what_that_found(entry, monkeypatch):
    with_three(entry)
    monkeypatch.setattr(about.Pricing, "work", None)
    found = fewer.Fewer(entry, entry.background.latest).wait()
    assert [one.n_topics for one in found] == [3, 6]
    assert not any(math.isnan(one.kept) for one in found)
