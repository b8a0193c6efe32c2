"""Every page through `app.py`, without a browser; what a failing method looks like."""

import dataclasses

import pytest
from streamlit.testing.v1 import AppTest

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs import limits
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.app import PAGES
from bnpexplorer.ui.frame import server
from tests.tools.pages import (
    ROOT,
    button,
    check,
    choose,
    field,
    figures,
    go,
    html,
    launch,
    open_app,
    small,
    texts,
)
from tests.tools.waiting import NEVER

pytestmark = pytest.mark.usefixtures("registry")


@dataclasses.dataclass(frozen=True)
class Failing:
    """A method of which one step goes wrong."""

    method: object

    def __getattr__(self, name):
        return getattr(self.method, name)

    def settled(self, corpus):
        return self

    def step(self, state, batch, rng, pool):
        raise ZeroDivisionError("the weights vanished")


def with_the_small_sample():
    """The Texts page after its sample was loaded."""
    app = choose(go(open_app(), "corpus"), "corpus-way", "Samples")
    next(r for r in app.radio if r.key == "corpus-sample").set_value("small-csv")
    return check(button(app, "Load the sample").click().run())


def test_every_page_of_the_menu_has_a_file_that_runs_the_app():
    files = [ROOT / "pages" / f"{page.name}.py" for page in PAGES]
    assert sorted(files) == sorted((ROOT / "pages").glob("*.py"))
    starts = {path.read_text().split('"""\n')[-1] for path in files}
    assert starts == {"\nfrom bnpexplorer.ui import app\n\napp.run()\n"}


def test_a_page_that_a_fresh_server_is_first_asked_for_has_the_frame_around_it():
    page = check(AppTest.from_file(str(ROOT / "pages" / "live.py"), default_timeout=NEVER).run())
    assert page.toggle(key="large")


def test_every_page_opens_with_nothing_loaded():
    app = open_app()
    assert app.title[0].value
    assert button(app, "Watch it learn")
    for page, title in (("corpus", "Which texts?"), ("live", "Nothing is learning yet")):
        assert go(app, page).title[0].value == title
    assert go(app, "lab").title[0].value == "Lab"


def test_a_sample_is_loaded_and_offered_a_method():
    app = with_the_small_sample()
    assert [m.value for m in app.metric][:1] == ["160"]
    go(app, "live")
    assert app.title[0].value == "What are these texts about?"
    assert button(app, "Watch it learn")
    assert "160 documents" in texts(app.markdown)


def test_the_form_offers_a_stream_where_there_can_be_one(registry):
    app = go(with_the_small_sample(), "live")

    check(field(app.selectbox, "Method").set_value("hdp-batch").run())
    assert "Order of reading" not in {box.label for box in app.selectbox}
    check(field(app.selectbox, "Method").set_value("hdp-svi").run())
    check(field(app.selectbox, "Order of reading").set_value("stream").run())
    check(button(app, "Watch it learn").click().run())
    (entry,) = registry._entries.values()
    run = entry.background.run
    assert (run.order, run.method.name) == ("stream", "hdp-svi")
    assert run.planned_docs == run.corpus.n_docs


@pytest.mark.second
def test_a_claim_is_tried_and_its_findings_are_kept(registry, monkeypatch, tmp_path):
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    app = go(open_app(), "claims")
    assert "holds here" in texts(app.get("badge") or app.markdown)
    check(field(app.radio, "Claim").set_value("batch-size-hdp").run())
    check(field(app.number_input, "Passes").set_value(1).run())
    assert "42 trials that read the texts once" in texts(app.caption)
    assert "it ends after 90 minutes at the latest" in texts(app.caption)
    check(button(app, "Try again here").click().run())
    (entry,) = registry._entries.values()
    assert app.session_state["study"] == (entry.run_id, entry.secret)
    assert entry.background.wait(NEVER)
    check(app.run())
    assert "finished: 42 of 42 trials" in app.get("progress")[0].proto.text
    assert len(figures(app)) == 3
    assert not entry.background.run.waiting
    assert "ten hours of each method" in texts(app.caption)
    check(button(app, "Another claim").click().run())
    assert app.title[0].value == "Do the papers' claims hold here?"
    assert len(list((tmp_path / "home" / "claims").glob("*.json"))) == 1
    # Once more: everything was found before, and nothing goes wrong.
    check(field(app.radio, "Claim").set_value("batch-size-hdp").run())
    assert "Found before" in texts(app.markdown)
    assert len(figures(app)) == 3, "the pictures of what was found"
    check(field(app.number_input, "Passes").set_value(1).run())
    assert "All 42 trials were found before" in texts(app.caption)
    check(button(app, "Try again here").click().run())
    again = registry.get(app.session_state["study"][0])
    assert again.background.wait(300)
    assert again.background.status == "finished", again.background.error


def test_studies_of_other_tabs_are_listed_and_only_watched(registry, monkeypatch):
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    corpus = load_sample("small-csv").corpus
    entry = registry.add(Study(CLAIMS["kappa-lda"], corpus, 600.0, 2), None)
    mine = registry.add(Study(CLAIMS["batch-lda"], corpus, 600.0, 2), None)
    app = go(open_app(study=mine.run_id, key=mine.secret), "claims")
    check(button(app, "Another claim").click().run())
    assert "Under way on this server" in texts(app.markdown)
    assert "LDA: which forgetting rates?" in texts(app.markdown)
    assert "somebody else's" in texts(app.markdown)
    assert "· yours" in texts(app.markdown)
    check(button(app, "Watch").click().run())
    assert app.session_state["study"] == (entry.run_id, "")
    assert not {"Pause", "Resume"} & {b.label for b in app.button}
    check(button(app, "All claims").click().run())
    assert entry.background.status == "ready", "who watches does not pause"
    app.session_state["study"] = ("gone", "")
    check(app.run())
    assert "The study gone is no longer on this server" in texts(app.info)


def test_what_does_not_fit_is_refused_on_the_page_and_nothing_starts(registry, monkeypatch):
    monkeypatch.setattr(limits, "memory_limit", lambda: 300_000)  # hdp-tsvi would fit
    app = open_app()
    check(app.radio[0].set_value("small-csv").run())
    check(button(app, "Watch it learn").click().run())
    assert "hdp-svi would need about 1 MB" in texts(app.error)
    go(app, "live")
    check(field(app.selectbox, "Method").set_value("hdp-gibbs").run())
    check(button(app, "Watch it learn").click().run())
    assert "hdp-gibbs would need about" in texts(app.error)
    assert not registry.entries()
    assert app.title[0].value == "What are these texts about?"


def test_texts_that_stand_twice_are_said_and_can_be_kept_once(registry):
    app = go(open_app(), "corpus")
    lines = [f"{word} night by the river" for word in ("calm", "loud", "dark") * 2]
    check(app.file_uploader[0].upload("own.txt", "\n".join(lines).encode(), "text/plain").run())
    assert "3 documents have the text of an earlier one" in texts(app.caption)
    check(field(app.checkbox, "Keep repeated documents once").check().run())
    assert "3 had the text of an earlier one" in texts(app.caption)
    assert "3 documents have" not in texts(app.caption)


@pytest.mark.parametrize(
    ("page", "view", "label", "wrong", "said", "starts"),
    [
        ("live", "", "Passes", 20_000, "Passes must lie from 1 to 10,000; got 20,000.", "Watch it"),
        ("live", "", "Seed", -1, "Seed must lie from 0 to 2,147,483,647; got -1.", "Watch it"),
        ("live", "", "Gamma (γ)", -1.0, "gamma must lie in the range", "Watch it"),
        ("compare", "Race", "Passes", 0, "Passes must lie from 1 to 1,000; got 0.", "Start the"),
        ("compare", "Sweep", "Minutes", 0, "Minutes must lie from 1 to 1,440; got 0.", "Start the"),
        ("claims", "", "Seeds", 1, "Seeds must lie from 2 to 20; got 1.", "Try again here"),
        (
            "claims",
            "",
            "Minutes at most",
            0.5,
            "must lie from 1 to 1,440; got 0.5.",
            "Try again here",
        ),
        ("claims", "", "Passes", 0, "Passes must lie from 1 to 9,999; got 0.", "Try again here"),
    ],
)
def test_a_number_outside_its_range_is_said_and_nothing_starts(
    registry, monkeypatch, page, view, label, wrong, said, starts
):
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    app = go(with_the_small_sample(), page)
    if view:
        choose(app, "compare", view)

    def can_start():
        return any(b.label.startswith(starts) for b in app.button)

    if page == "claims":
        check(field(app.radio, "Claim").set_value("batch-size-hdp").run())
    number = field(app.number_input, label)
    usual = number.value
    assert can_start()
    assert (number.min, number.max) != (1, 1000), "the browser would keep the number to itself"
    check(number.set_value(wrong).run())
    assert said in texts(app.error).replace("\\", "")
    assert not can_start()
    check(field(app.number_input, label).set_value(usual).run())
    assert can_start()
    assert not app.error


def test_the_form_warns_of_settings_that_cannot_grow(registry):
    app = go(with_the_small_sample(), "live")
    check(field(app.selectbox, "Method").set_value("hdp-catvi").run())
    assert not app.warning
    check(next(n for n in app.number_input if n.label.startswith("Eta")).set_value(0.01).run())
    assert "new topic" in texts(app.warning)


def test_an_uploaded_file_is_read_and_a_bad_one_explained():
    app = go(open_app(), "corpus")
    good = b"note\none two three\ntwo three four\nthree four one\n" * 5
    check(app.file_uploader[0].upload("own.csv", good, "text/csv").run())
    assert not app.error
    before = app.metric[0].value
    bad = b"name,note\na,some words\nb,too many,fields\n"
    check(app.file_uploader[0].upload("bad.csv", bad, "text/csv").run())
    assert "bad.csv" in texts(app.error)
    assert app.metric[0].value == before


def test_the_live_page_shows_a_finished_run_to_its_owner(registry):
    entry = launch(registry)
    assert entry.background.status == "finished"
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    assert not button(app, "Remove").disabled
    for words in ("Pause", "Step", "Stop"):
        assert button(app, words).disabled
    assert len(figures(app)) >= 4
    assert "finished" in html(app)
    check(button(app, "Remove").click().run())
    assert app.title[0].value == "What are these texts about?"
    assert registry.get(entry.run_id) is entry, "off the page, not off the server"


@pytest.mark.parametrize("start", ["nothing", "many"])
def test_the_live_page_says_where_a_sampler_began(registry, start):
    entry = launch(registry, METHODS["dpm-gibbs"](start=start))
    assert f">from {start}<" in html(go(open_app(run=entry.run_id), "live"))


def test_a_method_for_other_texts_is_asked_for_beside_the_runs_that_are_there(registry):
    entry = launch(registry)
    app = go(open_app(run=entry.run_id, own=entry.secret), "corpus")
    app.session_state["loaded"] = small("bars")
    check(button(check(app.run()), "Choose a method yourself").click().run())
    go(app, "live")
    assert app.title[0].value.startswith("Choose a method for bars")
    check(button(app, "Back to the runs").click().run())
    assert button(app, "Stop")
    check(button(go(app, "corpus"), "Choose a method yourself").click().run())
    check(button(go(app, "live"), "Watch it learn").click().run())
    (new, _) = registry.entries()
    assert new.source is app.session_state["loaded"]
    assert list(app.session_state["own"]) == [new.run_id]
    assert button(app, "Stop"), "the run is watched"


def test_a_guest_sees_no_buttons_and_an_unknown_run_is_named(registry):
    entry = launch(registry)
    for secret in ({}, {"own": "guess"}):
        app = go(open_app(run=f"{entry.run_id},unknown", **secret), "live")
        assert not {"Pause", "Resume", "Step", "Stop", "Remove"} & {b.label for b in app.button}
        assert "watching only" in texts(app.caption)
        assert "The run unknown is no longer on this server" in texts(app.info)
        assert "unknown" in texts(check(app.run()).info), "it is said until a run is started"
        for page in ("topics", "documents", "compare"):
            assert "The run unknown is no longer on this server" in texts(go(app, page).info)
    assert "Choose the texts again" in texts(go(open_app(run="unknown"), "topics").info)


def test_a_failing_method_is_reported_and_the_others_go_on(registry):
    broken = launch(registry, Failing(make_method("hdp-tsvi")))
    fine = launch(registry)
    assert broken.background.status == "failed"
    ids, secrets = (",".join(getattr(e, x) for e in (broken, fine)) for x in ("run_id", "secret"))
    app = go(open_app(run=ids, own=secrets), "live")
    (error,) = app.error
    assert "stopped with an error: ZeroDivisionError: the weights vanished" in error.value
    assert "Traceback" in texts(app.code)
    assert "failed" in html(app)
    assert "finished" in html(app)
    removable = [b.disabled for b in app.button if b.label == "Remove"]
    assert removable == [False, False]


def after_a_fragment():
    """A script that begins where a fragment of the page before it has ended."""
    import streamlit as st
    from streamlit.delta_generator_singletons import context_dg_stack

    from bnpexplorer.ui.seam.styles import begin_at_the_top

    box = st.container()
    context_dg_stack.set((*context_dg_stack.get(), box))
    st.text("in the box")
    begin_at_the_top()
    st.text("on the page")


def test_a_page_begins_at_its_top_whatever_ran_before():
    app = AppTest.from_function(after_a_fragment, default_timeout=NEVER)
    box, below = check(app.run()).main.children.values()
    assert [text.value for text in box.text] == ["in the box"]
    assert below.value == "on the page"


def test_large_type_comes_with_the_address_and_is_kept_in_it(registry):
    app = open_app(large="on")
    assert field(app.toggle, "Large type").value
    assert app.query_params["large"] == "on"
