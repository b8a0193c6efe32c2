"""What the Live page says of runs that have ended, and its head: each part alone."""

from types import SimpleNamespace

import pytest

from bnpexplorer.compare.verdict import RunVerdict
from bnpexplorer.core.store import StoreError
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.ui.frame.server import LoadedCorpus
from bnpexplorer.ui.live import page, verdict
from tests.tools.alone import COUNTS, drawn, moment, on_page, texts_of
from tests.tools.pages import button, check, texts


@pytest.fixture
def names(monkeypatch):
    def called(runs):
        return [shown.entry.background.run.name for shown in runs]

    for room in (verdict, page):
        monkeypatch.setattr(room, "labels_of", called)


@pytest.fixture
def told(monkeypatch, names):
    """The places whose topics can be looked at, and the runs that were asked to go on."""
    found = SimpleNamespace(places=[], went_on=[], longer="no, it has settled")
    monkeypatch.setattr(
        verdict, "topics_button", lambda runs, place, worth=True: found.places.append(place)
    )
    monkeypatch.setattr(verdict, "_saved", lambda: ("saved",))

    def judged(shown, others):
        assert others == ("saved",)
        name = shown.entry.background.run.name
        return RunVerdict(f"{name} has *topics*", "", "", found.longer, meaning=f"of {name}")

    monkeypatch.setattr(verdict, "_verdict", judged)
    monkeypatch.setattr(verdict, "clusters_beside", lambda run: None)
    monkeypatch.setattr(verdict, "alike", lambda run, other: False)
    monkeypatch.setattr(
        verdict.link, "go_on", lambda background, ask: (found.went_on.append(background), ask())
    )
    return found


def test_every_run_that_has_ended_has_its_own_line(told):
    goes_on = on_page("two", moment(), status="running", ended=False)
    runs = [on_page("one", moment()), goes_on, on_page("three", moment(), status="stopped")]
    app = drawn(verdict.verdicts, runs)
    one, three = (m.value for m in app.markdown)
    assert one.startswith("one: one has \\*topics\\*")
    assert three.startswith("three: three has \\*topics\\*")
    assert told.places == [0, 2]
    alone = drawn(verdict.verdicts, runs[:1])
    assert alone.markdown[0].value.startswith("one has")
    assert [m.help for m in app.markdown] == ["of one", "of three"]


@pytest.mark.parametrize(
    ("runs", "lines", "places"),
    [
        ([on_page("a", None, status="running", ended=False)], [verdict.TO_COME_IN_EXPLORE], []),
        (
            [on_page("a", moment(), status="running", ended=False)],
            [verdict.TO_COME_IN_EXPLORE],
            [0],
        ),
        ([on_page("a", None, status="failed"), on_page("b", None, status="failed")], [], []),
    ],
)
def test_before_a_run_has_ended_the_line_says_what_is_to_come(
    monkeypatch, told, runs, lines, places
):
    monkeypatch.setattr(verdict.explore_or_study, "explores", lambda: True)
    assert [c.value for c in drawn(verdict.verdicts, runs).caption] == lines
    assert told.places == places
    told.places.clear()
    monkeypatch.setattr(verdict.explore_or_study, "explores", lambda: False)
    said = [c.value for c in drawn(verdict.verdicts, runs).caption]
    assert said == [verdict.TO_COME for _ in lines]
    assert told.places == [], "in studying, topics are asked for at the end"


@pytest.mark.parametrize(
    ("passes", "status", "owned", "longer", "label"),
    [
        (3, "finished", True, "yes, it still rises", "Run it for 2 more passes"),
        (4, "finished", True, "yes, it still rises", "Run it for 2 more passes"),
        (1, "finished", True, "yes, it still rises", "Run it for 1 more pass"),
        (3, "stopped", True, "yes, it still rises", None),
        (3, "finished", False, "yes, it still rises", None),
        (3, "finished", True, "no, it has settled", None),
    ],
)
def test_a_run_that_still_learns_is_offered_half_as_many_passes_more(
    told, passes, status, owned, longer, label
):
    told.longer, asked = longer, []
    run = on_page(
        "one", moment(), owned, status=status, run={"passes": passes}, run_on=asked.append
    )
    app = drawn(verdict.verdicts, [run])
    assert [b.label for b in app.button] == ([label] if label else [])
    if label:
        check(app.button[0].click().run())
        assert asked == [(passes + 1) // 2]
        assert told.went_on == [run.entry.background]


def test_an_index_that_cannot_be_read_leaves_other_runs_out(monkeypatch):
    def broken():
        raise StoreError("It is damaged.")

    monkeypatch.setattr(verdict.holding, "saved_runs", broken)
    assert verdict._saved() == ()


# ---- has it converged? ---------------------------------------------------------------------------


def chain(name, index, group="g", of=3, **changed):
    told_ = ChainOf(group=group, place=index, of=of, sentence=f"Of {group}: they *met*.")
    return on_page(name, moment(), run={"chain": told_, "ending": ""}, **changed)


def single(name, ending="", **changed):
    return on_page(name, moment(), run={"ending": ending}, **changed)


def test_runs_say_how_they_ended_and_single_ones_can_be_started_from_elsewhere(monkeypatch, names):
    offered = []
    monkeypatch.setattr(verdict, "_starter", lambda shown, words: offered.append(words))
    app = drawn(verdict.convergence, [single("one", "It settled.")])
    assert [c.value for c in app.caption] == ["It settled.", verdict.ALONE]
    assert offered == ["Check stability"]
    offered.clear()
    with monkeypatch.context() as patch:
        patch.setattr(verdict.look, "is_embedded", lambda: True)
        app = drawn(verdict.convergence, [single("one", "It settled.")])
        assert [c.value for c in app.caption] == ["It settled."]
        assert offered == [], "nothing is started inside another page"
    runs = [
        single("one", "It settled."),
        chain("c", 0),
        single("*two*", "It goes on.", ended=False),
        single("*three*", "Too few draws."),
    ]
    app = drawn(verdict.convergence, runs)
    assert [c.value for c in app.caption] == [
        "one: It settled.", "\\*three\\*: Too few draws.", verdict.ALONE,
    ]  # fmt: skip
    names_ = ("one", "\\*two\\*", "\\*three\\*")
    assert offered == [f"Check stability of {name}" for name in names_]


def test_chains_say_how_many_of_them_are_here_and_lead_to_all(monkeypatch, names):
    opened = []
    monkeypatch.setattr(verdict.session, "open_chains", lambda *what: opened.append(what))
    runs = [chain("a", 0), chain("b", 2, owned=False, group="h"), chain("c", 1)]
    app = drawn(verdict.convergence, runs)
    said = [m.value for m in app.markdown]
    assert said == ["2 of 3 chains. Of g: they \\*met\\*.", "Chain 3 of 3. Of h: they \\*met\\*."]
    assert not app.caption
    check(button(app, key="chains-of-id-b").click().run())
    assert opened == [("h", False)]
    assert "Its other chains are not on this machine any more." in texts(app.error)
    every = [chain(name, place) for place, name in enumerate("abc")]
    assert [m.value.split(".")[0] for m in drawn(verdict.convergence, every).markdown] == [
        "3 chains"
    ]


@pytest.mark.parametrize("heldout", [None, "some"])
def test_other_starts_have_the_settings_of_the_run_and_its_texts(monkeypatch, heldout):
    begun = []
    loaded = LoadedCorpus(texts_of(COUNTS))
    monkeypatch.setattr(verdict.access, "texts_of", lambda entry: loaded)
    plan = verdict.Plan.of("hdp-tsvi", seed=5, passes=7)
    monkeypatch.setattr(verdict.Plan, "of_run", lambda run: plan)
    monkeypatch.setattr(
        verdict.session, "launch_chains", lambda *what, **more: begun.append((what, more))
    )
    run = on_page("one", moment(), run={"heldout": heldout})
    check(drawn(verdict._starter, run, "Start it").button[0].click().run())
    (((started, texts_), more),) = begun
    assert (started.chains, started.seed, started.passes) == (4, 5, 7)
    assert texts_ is loaded
    assert more == {"learn_all": heldout is None}
    monkeypatch.setattr(verdict.access, "texts_of", lambda entry: None)
    assert not drawn(verdict._starter, run, "Start it").button


# ---- the head ------------------------------------------------------------------------------------


def test_the_head_counts_the_texts_and_those_held_out(monkeypatch):
    monkeypatch.setattr(page, "share", lambda runs: None)
    monkeypatch.setattr(page.presenting, "offer", lambda: None)
    little = []
    monkeypatch.setattr(page, "say_too_little", little.append)
    monkeypatch.setattr(page.pages, "link_to", lambda *what, **more: None)
    loaded = LoadedCorpus(texts_of(COUNTS))
    held = SimpleNamespace(observed=SimpleNamespace(n_docs=2))
    run = on_page("one", moment(), run={"heldout": held})
    for runs, said in (
        ([], "**the six** · 6 documents · 5 words"),
        ([run], "# **the six** · 6 documents · 5 words · held out 2"),
        ([on_page("one", moment())], "# **the six** · 6 documents · 5 words"),
    ):
        assert texts(drawn(page._head, runs, loaded).markdown) == said
    assert little == [loaded.corpus], "only before a run has begun"
    assert texts(drawn(page._head, [run], None).markdown).strip() == "#"


@pytest.mark.parametrize(("chains", "called"), [(1, "launch"), (2, "launch_chains")])
def test_a_plan_of_several_chains_starts_chains(monkeypatch, chains, called):
    begun = []
    plan, loaded = SimpleNamespace(chains=chains), LoadedCorpus(texts_of(COUNTS))
    monkeypatch.setattr(page, "method_form", lambda corpus: plan if not begun else None)
    for name in ("launch", "launch_chains"):
        monkeypatch.setattr(
            page.session, name, lambda *what, name=name: begun.append((name, *what))
        )
    drawn(page._start_form, loaded)
    assert begun == [(called, plan, loaded)]


def test_what_cannot_be_started_is_said(monkeypatch):
    def refuse(plan, loaded):
        raise ValueError("No *room*.")

    monkeypatch.setattr(page, "method_form", lambda corpus: SimpleNamespace(chains=1))
    monkeypatch.setattr(page.session, "launch", refuse)
    app = drawn(page._start_form, LoadedCorpus(texts_of(COUNTS)))
    assert texts(app.error) == "No \\*room\\*."


@pytest.mark.parametrize(
    ("n", "same", "embedded", "word"),
    [
        (1, True, False, "Add a method"),
        (2, False, False, "Learn the six instead"),
        (1, True, True, None),
    ],
)
def test_a_method_is_added_or_the_new_texts_are_learned_instead(
    monkeypatch, n, same, embedded, word
):
    monkeypatch.setattr(page, "rows", lambda runs: SimpleNamespace(statuses=["finished"] * n))
    noted = []
    monkeypatch.setattr(page, "panel", lambda runs, drawn, between: between())
    for name in ("verdicts", "convergence", "_why", "compare_ahead", "_start_form"):
        monkeypatch.setattr(page, name, lambda *what, name=name: noted.append(name))
    monkeypatch.setattr(page.look, "is_embedded", lambda: embedded)
    runs = [on_page(str(i), moment()) for i in range(n)]
    app = drawn(page._running, runs, LoadedCorpus(texts_of(COUNTS)), same)
    assert [p.proto.popover.label for p in app.get("popover")] == ([word] if word else [])
    assert [name for name in noted if name != "_start_form"] == [
        "verdicts", "convergence", "_why", *["compare_ahead"] * n,
    ]  # fmt: skip


def test_other_texts_say_whether_they_are_enough_and_lead_back_to_the_runs(monkeypatch):
    noted, loaded = [], LoadedCorpus(texts_of(COUNTS))
    monkeypatch.setattr(page, "say_too_little", noted.append)
    monkeypatch.setattr(page, "_start_form", noted.append)
    app = drawn(page._choose_for, loaded, choosing=True)
    assert noted == [loaded.corpus, loaded]
    assert app.title[0].value == "Choose a method for the six"
    check(button(app, "Back to the runs").click().run())
    assert "choosing" not in app.session_state


@pytest.mark.parametrize("own", [True, False])
def test_the_form_is_open_for_who_asked_for_a_method_of_their_own(monkeypatch, own):
    found, began, again = [], [], []
    loaded = LoadedCorpus(texts_of(COUNTS))
    monkeypatch.setattr(page, "find_topics", lambda *what: found.append(what) or bool(began))
    monkeypatch.setattr(page, "say_why", lambda of: None)
    monkeypatch.setattr(page, "_start_form", lambda of: None)
    monkeypatch.setattr(page.st, "rerun", lambda: again.append("drawn anew"))
    app = drawn(page._begin, loaded, **({"own_choice": True} if own else {}))
    assert app.expander[0].proto.expanded == own
    assert found == [(loaded, "live-find")]
    assert again == []
    began.append("a run")
    drawn(page._begin, loaded)
    assert again == ["drawn anew"]


@pytest.mark.parametrize("ended", [(True, True), (True, False), (False, False)])
def test_newer_events_are_offered_while_any_run_goes_on(monkeypatch, names, ended):
    asked = []
    monkeypatch.setattr(
        page.why, "subject_of", lambda entry, label: None if label == "a" else label
    )
    monkeypatch.setattr(page.why, "why_born", lambda *what: asked.append(what))
    runs = [on_page(name, moment(), ended=e) for name, e in zip("ab", ended, strict=True)]
    page._why(runs)
    assert asked == [(page.WHY, ["b"], not all(ended))], "what has no event yet has none to ask for"


@pytest.mark.parametrize(
    ("owned", "readable", "plan", "offered"),
    [
        (True, True, "clusters", True),
        (True, True, None, False),
        (False, True, "clusters", False),
        (True, False, "clusters", False),
    ],
)
def test_clusters_are_offered_beside_topics_where_texts_have_one_each(
    monkeypatch, told, owned, readable, plan, offered
):
    run, begun = on_page("one", moment()), []
    run.owned = owned
    monkeypatch.setattr(verdict, "clusters_beside", lambda run: plan)
    monkeypatch.setattr(verdict, "one_each", lambda run: "One topic each.")
    monkeypatch.setattr(verdict.access, "texts_of", lambda entry: "texts" if readable else None)
    monkeypatch.setattr(verdict.session, "launch", lambda *what: begun.append(what))
    app = drawn(verdict.verdicts, [run])
    assert ("One topic each." in texts(app.caption)) == offered
    if offered:
        check(button(app, "Try clusters beside it").click().run())
        assert begun == [("clusters", "texts")]


@pytest.mark.parametrize("owned", [True, False])
def test_clusters_beside_topics_are_told_once_both_have_ended(monkeypatch, told, owned):
    trial = SimpleNamespace(sentence="Clusters are *better*.")
    topics = on_page("one", moment(), owned=owned, run={"docs_seen": 60})
    going = on_page("two", moment(), status="running", ended=False, run={"done": False})
    clusters = on_page("three", moment(), run={"done": True, "docs_seen": 60})
    run_of = {one.entry.background.run.name: one.entry.background.run for one in (topics, clusters)}
    held = []

    def tried(run, other):
        held.append((run, other))
        return trial

    monkeypatch.setattr(verdict, "trial_of", tried)
    monkeypatch.setattr(
        verdict, "clusters_beside", lambda run: "clusters" if run.name == "one" else None
    )
    monkeypatch.setattr(verdict, "alike", lambda run, other: run.name != other.name)
    waiting = drawn(verdict.verdicts, [topics, going])
    assert verdict.TRYING in texts(waiting.caption)
    assert not waiting.button
    assert held == []
    for _ in range(2):
        app = drawn(verdict.verdicts, [topics, clusters])
        assert texts(app.caption) == "Clusters are \\*better\\*."
        assert not app.button
    assert held == [(run_of["one"], run_of["three"])], "worked out once"


def test_clusters_that_may_not_begin_say_why(monkeypatch, told):
    def launch(*what):
        raise ValueError("Three go on *already*.")

    monkeypatch.setattr(verdict, "clusters_beside", lambda run: "clusters")
    monkeypatch.setattr(verdict, "one_each", lambda run: "One topic each.")
    monkeypatch.setattr(verdict.access, "texts_of", lambda entry: "texts")
    monkeypatch.setattr(verdict.session, "launch", launch)
    app = drawn(verdict.verdicts, [on_page("one", moment())])
    check(button(app, "Try clusters beside it").click().run())
    assert texts(app.error) == "Three go on \\*already\\*."
