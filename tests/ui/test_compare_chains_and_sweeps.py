"""Chains and sweeps on the Compare page, each part alone: every number is its own."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer.chains import ChainsVerdict
from bnpexplorer.chains.judging import SharedTopic
from bnpexplorer.compare import Axis, Sweep
from bnpexplorer.compare.sweep import SweepFindings
from bnpexplorer.runs.draws import Draw
from bnpexplorer.state.snapshot import TracePoint
from bnpexplorer.ui.compare import chains, sweep
from tests.tools.alone import asked, drawn, handed, moment
from tests.tools.pages import button, check, texts

NAN = float("nan")
TRACE = (TracePoint(1, 15, 0.12345, 2, NAN, NAN), TracePoint(5, 40, 2.0, 3, NAN, -7.5))


# ---- chains --------------------------------------------------------------------------------------


def some_chains(starts=("many", "nothing", "many"), **changed):
    draws = [
        [Draw(10 * n, {"log_joint": -9.0 - i - n, "heldout": i, "topics": 3 + n}) for n in range(k)]
        for i, k in enumerate((3, 3, 2))
    ]  # fmt: skip
    usual = {
        "starts": starts,
        "draws": draws,
        "share_done": 0.25,
        "done": False,
        "corpus": moment().corpus,
    }
    usual |= {"runs": [SimpleNamespace(until="settled", seed=5)], "sound": [0, 1, 2]}
    return SimpleNamespace(**(usual | changed))


def test_every_chain_is_drawn_with_its_own_draws_in_the_colour_of_its_start():
    one = some_chains()
    lines = chains._lines(one)
    assert [line.label for line in lines] == [
        "chain 1, from many", "chain 2, from nothing", "chain 3, from many",
    ]  # fmt: skip
    assert [(line.slot, line.dash) for line in lines] == [(0, 0), (1, 0), (0, 1)]
    for line, draws in zip(lines, one.draws, strict=True):
        assert line.docs_seen.tolist() == [d.docs_seen for d in draws]
        for key, values in line.values.items():
            name = next(
                k for k in ("log_joint", "heldout", "topics") if chains.QUANTITIES[k].title == key
            )
            assert values.tolist() == [d.values[name] for d in draws]
    alone = chains._lines(some_chains(("", "", "")))
    assert [(line.label, line.slot) for line in alone] == [
        ("chain 1", 0),
        ("chain 2", 1),
        ("chain 3", 2),
    ]
    table = chains._table(one)
    assert table["chain"].tolist() == [lines[i].label for i in (0, 0, 0, 1, 1, 1, 2, 2)]
    assert table["documents"].tolist() == [0, 10, 20, 0, 10, 20, 0, 10]


@pytest.mark.parametrize(
    ("until", "done", "said"),
    [
        ("settled", False, "learning until they have met, or all is read: 25% of every chain"),
        ("settled", True, "learning: 25% of every chain (the six, seeds from 5)"),
        ("passes", False, "learning: 25% of every chain (the six, seeds from 5)"),
    ],
)
def test_chains_say_how_far_they_are(monkeypatch, until, done, said):
    monkeypatch.setattr(chains.sequential, "say_problems", lambda *what: None)
    one = some_chains(done=done)
    one.runs[0].until = until
    background = SimpleNamespace(
        run=one, status="running", asked_for="", place_in_queue=0, why_paused=""
    )
    (bar,) = drawn(chains._progress, background).get("progress")
    assert bar.proto.text.startswith(said)
    assert bar.proto.value == 25


def test_numbers_of_the_verdict_stand_beside_their_quantity():
    found = ChainsVerdict(
        {"topics": 1.0123, "heldout": 1.2}, {"topics": 45.6, "heldout": 1234.5}, False, "", 9
    )
    rows = chains._numbers(found).split("\n")[2:]
    titles = [chains.QUANTITIES[key].title for key in ("topics", "heldout")]
    assert rows == [f"| {titles[0]} | 1.012 | 46 |", f"| {titles[1]} | 1.200 | 1,234 |"]


def test_topics_of_chains_have_the_words_of_the_chain_that_has_them(monkeypatch):
    told = handed(monkeypatch, chains)
    shared = [
        SharedTopic(0, 9, 0.4567, (0, 1, 2)),
        SharedTopic(1, 4, 0.2, (1, 2)),
        SharedTopic(2, 2, 0.1234, (2,)),
    ]
    monkeypatch.setattr(chains, "TOPICS", 2)
    monkeypatch.setattr(chains, "found_topics", lambda topics: shared)
    at = moment()
    turned = replace(
        at,
        snapshot=replace(
            at.snapshot, topics=replace(at.topics, topic_word=at.topics.topic_word[::-1].copy())
        ),
    )
    runs = [SimpleNamespace(moment=lambda snapshot, one=one: one) for one in (at, turned, None, at)]
    one = some_chains(runs=runs, sound=[0, 1, 3])
    entry = SimpleNamespace(
        run_id="g",
        background=SimpleNamespace(latest=[at.snapshot, turned.snapshot, None, at.snapshot]),
    )
    app = drawn(chains._topics, entry, one)
    assert "**All 3 chains have found 1 of 3 topics.**" in texts(app.markdown)
    table = told.tables["chains-topics"]
    assert table["chains that have it"].tolist() == [3, 2, 1]
    assert app.dataframe[0].value.equals(table[:2]), "the page has the first, the table all"
    assert told.asked["chains-topics"]["label"] == "All topics"
    assert table["share of words"].tolist() == ["45.7%", "20.0%", "12.3%"]
    assert table["most probable words"].tolist() == [
        at.words_line(9, 8, ", "),
        turned.words_line(4, 8, ", "),
        at.words_line(2, 8, ", "),
    ]


def test_the_line_in_the_picture_of_chains_stands_where_the_last_half_of_the_longest_begins(
    monkeypatch,
):
    """Of a chain with a single draw nothing counts yet; scores are not there without a split."""
    told, noted = handed(monkeypatch, chains), []
    monkeypatch.setattr(chains, "chains_figure", lambda *what: noted.append(what) or "drawn")
    monkeypatch.setattr(chains, "_levels", lambda one: {"score": -9.5})
    seen = ((3, 8, 15, 24, 35, 48, 63), (999,), (2, 4, 6, 9))
    draws = [[Draw(n, {"log_joint": -float(n), "topics": n}) for n in each] for each in seen]
    found = ChainsVerdict({}, {}, False, "They *differ*.", 2)
    app = drawn(chains._picture, some_chains(draws=draws, verdict=lambda: found))
    ((lines, titles, line, dark, _, levels),) = noted
    assert [each.docs_seen.tolist() for each in lines] == [[*each] for each in seen]
    assert (titles, line, dark) == (["log joint", "topics in use"], 35.0, False)
    assert levels == {"score": -9.5}
    assert told.figures["chains"] == "drawn"
    assert told.more["chains"] == {
        "height": chains.chains_height(2),
        "alt": "log joint, topics in use of all chains over the documents seen; numbers in the "
        "table.",
    }
    names = [f"chain {i}, from {start}" for i, start in enumerate(("many", "nothing", "many"), 1)]
    places = [app.get("html")[0].proto.body.index(name) for name in names]
    assert places == sorted(places)
    assert texts(app.info) == "They \\*differ\\*."
    assert told.tables["chains"]["topics in use"].tolist() == [n for each in seen for n in each]


# ---- sweeps --------------------------------------------------------------------------------------


def kept(**changed):
    one = Sweep("lda-svi", Axis("kappa", (0.6, 0.9)))
    return replace(
        SweepFindings(one, "print", "*their* texts", 1_234, 1, 90.0, 4, {1: 2}), **changed
    )


@pytest.mark.parametrize(
    ("changed", "here", "said", "go_on"),
    [
        ({}, True, "1.5 min, 1 seed · 1 of 4 trials", True),
        ({"n_seeds": 3, "budget": 600.0}, True, "10 min, 3 seeds · 1 of 4 trials", True),
        ({"n_trials": 1}, True, "1.5 min, 1 seed · 1 of 1 trials", False),
        ({}, False, "1 of 4 trials · \\*their\\* texts, 1,234 documents", False),
        ({"texts": "", "n_docs": 0}, False, "1 of 4 trials · texts of an earlier version", False),
    ],
)
def test_a_sweep_found_before_says_what_it_was_and_goes_on_with_its_texts(
    monkeypatch, changed, here, said, go_on
):
    begun, shown = [], []
    monkeypatch.setattr(sweep, "_go_on", lambda *what: begun.append(what))
    monkeypatch.setattr(sweep, "show", lambda *what: shown.append(what[2]))
    one, loaded = kept(**changed), SimpleNamespace() if here else None
    path = Path(f"/x/{one.sweep.name}-stem.json")
    app = drawn(sweep._offer, path, one, loaded)
    assert said in texts(app.markdown)
    assert ("Go on" in [b.label for b in app.button]) == go_on
    if go_on:
        check(button(app, "Go on").click().run())
        assert begun == [(one, loaded)]
    check(button(app, "Show").click().run())
    assert app.session_state["sweep-shown"] == path.stem
    assert shown == [one.done]
    unfinished_elsewhere = not here and not one.done
    assert ("To go on with it, load its texts" in texts(app.caption)) == unfinished_elsewhere
    check(button(app, "Hide").click().run())
    assert app.session_state["sweep-shown"] == ""
    other = drawn(sweep._offer, Path("/x/another.json"), one, loaded)
    assert "Go on" not in [b.label for b in other.button], "another version's way of splitting"


@pytest.mark.parametrize("shared", [False, True])
def test_sweeps_of_other_texts_are_not_listed_for_a_class(monkeypatch, tmp_path, shared):
    files = {name: tmp_path / f"{name}.json" for name in ("mine", "theirs", "going")}
    for path in files.values():
        path.write_text("{}")
    found = {str(files["mine"]): kept(fingerprint="here"), str(files["theirs"]): kept()}
    found[str(files["going"])] = kept(fingerprint="here")
    monkeypatch.setattr(sweep, "kept_paths", lambda: [*files.values()])
    monkeypatch.setattr(sweep, "_kept", lambda path, changed: found[path])
    monkeypatch.setattr(sweep.limits, "is_shared", lambda: shared)
    offered = []
    monkeypatch.setattr(
        sweep, "_offer", lambda path, one, loaded: offered.append((path.stem, loaded))
    )
    loaded = SimpleNamespace(corpus=SimpleNamespace(fingerprint="here"))
    app = drawn(sweep._found_before, loaded, {files["going"]})
    assert offered == [("mine", loaded), *([] if shared else [("theirs", None)])]
    heads = ["## Found before on these texts", "## Found before on other texts"]
    assert [m.value for m in app.markdown] == heads[: 2 - shared]


def test_a_setting_proposes_its_values_and_none_is_a_single_line():
    app, found = asked(sweep._axis_inputs, "hdp-svi", "Along", "across", "batch_size", False)
    assert found.pop() == ("batch_size", "8, 64, 512")
    check(app.selectbox[0].set_value("kappa").run())
    assert found.pop() == ("kappa", "0.5, 0.7, 0.9")
    check(app.text_input[0].set_value("0.6").run())
    assert found.pop() == ("kappa", "0.6")
    app, found = asked(sweep._axis_inputs, "hdp-svi", "Lines", "lines", "", True)
    assert found.pop() == ("", "")
    assert not app.text_input
