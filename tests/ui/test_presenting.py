"""Presenting and sharing without a browser: what the address says, and who may do what."""

from contextlib import suppress
from types import SimpleNamespace

import pytest

from bnpexplorer.compare.sequential import race_of
from bnpexplorer.runs.limits import SHARED
from bnpexplorer.runs.plan import Plan
from bnpexplorer.ui.frame import link, present, server
from bnpexplorer.ui.parts import presenting, run_buttons
from bnpexplorer.ui.seam import styles as keys_heard
from tests.tools.pages import button, check, go, launch, open_app, small, texts

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture
def race(registry):
    """A race that has ended."""
    loaded = small()
    plans = [Plan.of(name, passes=1, batch_size=64) for name in ("hdp-tsvi", "hdp-svi")]
    entry = registry.add(race_of(plans, loaded.corpus), loaded)
    entry.background.start()
    assert entry.background.wait(300)
    return entry


def presented(**address):
    app = go(open_app(**address), "live")
    return check(button(app, "Present").click().run())


def words(app):
    return {b.label.strip("*") for b in app.button}


@pytest.mark.second
def test_the_address_has_no_secret_while_it_presents_and_has_it_again_afterwards(registry, race):
    entry = launch(registry)
    app = presented(
        run=entry.run_id,
        own=entry.secret,
        texts="key-to-read",
        race=race.run_id,
        race_key=race.secret,
        large="on",
    )
    assert not {*present.SECRETS} & {*app.query_params}
    said = str({**app.query_params}) + texts(app.caption, app.markdown)
    assert entry.secret not in said
    assert race.secret not in said
    assert f"?run={entry.run_id}**" in texts(app.caption)
    check(button(app, "Leave").click().run())
    assert entry.secret in app.query_params["own"]
    assert race.secret in app.query_params["race-key"]
    assert "present" not in app.query_params
    assert "Present" in words(app)


def test_every_secret_of_an_address_is_kept_from_the_wall(registry, monkeypatch):
    monkeypatch.setenv(SHARED, "1")
    kept = {name: f"secret-{name}" for name in ("texts", "key", "chains-key", "sweep-key")}
    entry = launch(registry)
    address = {name.replace("-", "_"): said for name, said in kept.items()}
    app = presented(run=entry.run_id, own=entry.secret, link="a-link-nobody-guesses", **address)
    asked = str({**app.query_params})
    assert "present" in app.query_params
    assert "secret-" not in asked
    assert "a-link-nobody-guesses" not in asked
    assert entry.secret not in asked
    assert {*present.SECRETS} == {"own", "link", "race-key", *kept}


def test_who_only_watches_presents_without_buttons_for_the_runs(registry):
    entry = launch(registry)
    entry.background.status = "paused"
    assert "Step" not in words(presented(run=entry.run_id))
    owner = presented(run=entry.run_id, own=entry.secret)
    assert {"Step", "Resume all", "1 Score", "4 Shares"} <= words(owner)
    entry.background.status = "finished"


@pytest.mark.parametrize("page", ["topics", "live", "compare"])
def test_a_page_with_nothing_to_present_is_drawn_as_it_is(registry, page):
    app = open_app()
    app.session_state[present.KEPT] = 2
    go(app, page)
    assert "present" not in app.query_params
    assert "Leave" not in words(app)
    assert app.title


@pytest.mark.second
def test_the_owner_of_a_race_gets_both_links_and_who_watches_one(registry, race):
    def codes(**address):
        app = open_app(compare="Race", race=race.run_id, **address)
        app.session_state["share-race"] = True
        return [code.value for code in go(app, "compare").code]

    watch, own, iframe, citation = codes(race_key=race.secret)
    assert f"race={race.run_id}" in watch
    assert race.secret not in watch + iframe
    assert f"race-key={race.secret}" in own
    assert "wang2012" in citation
    assert len(codes()) == 3
    assert not any("race-key" in code for code in codes())


def test_an_embedded_race_has_no_controls(registry, race, monkeypatch):
    for module in ("parts.share", "frame.look"):  # `share` is imported with the real one
        monkeypatch.setattr(f"bnpexplorer.ui.{module}.is_embedded", lambda: True)
    app = go(open_app(compare="Race", race=race.run_id, race_key=race.secret), "compare")
    assert not app.button
    assert "all have read" in str([p.proto.text for p in app.get("progress")])
    assert server.registry().get(race.run_id) is race


def test_what_the_browser_hears_last_of_is_the_newest_whatever_the_clock_says(monkeypatch):
    """It goes by `since`: the script of the page before may come after that of the new one."""
    clock = iter((100.0, 200.0, 150.0, 300.0))
    monkeypatch.setattr(present, "time", SimpleNamespace(time=lambda: next(clock)))
    state = SimpleNamespace(session_state={}, query_params={})
    monkeypatch.setattr(present, "st", state)
    present.begin(True)
    heard = [present.for_the_browser()]
    for view in (1, 3, 0, 2):
        present.turn_to(view)
        heard.append(present.for_the_browser())
    assert [said["presents"] for said in heard] == [False, True, True, False, True]
    assert [said["since"] for said in heard] == [100.0, 200.0, 200.0, 200.001, 300.0]


class Taken(BaseException):
    """As Streamlit takes the thread away from a script."""


def test_keys_are_answered_once_each_and_in_their_order(monkeypatch):
    monkeypatch.setattr(keys_heard.st, "session_state", {})
    keys = [{"name": name, "time": 5 + n} for n, name in enumerate(("pause", "step", "step"))]
    pressed = []
    assert keys_heard.answer(keys[:1], pressed.append) == 1

    def taken(name):
        raise Taken

    with pytest.raises(Taken):
        keys_heard.answer(keys[:2], taken)
    assert keys_heard.answer(keys, pressed.append) == 2
    assert keys_heard.answer(keys, pressed.append) == keys_heard.answer([], pressed.append) == 0
    assert pressed == ["pause", "step", "step"]


def test_all_runs_go_on_or_none_where_the_thread_is_taken_away(monkeypatch):
    class State(dict):
        words = 0

        def __getitem__(self, name):
            self.words += 1
            if self.words >= self.most:
                raise Taken
            return super().__getitem__(name)

        get = setdefault = lambda self, name, usual=None: self[name]

    resumed = []
    registry = SimpleNamespace(resume=lambda run, ask: resumed.append(run))
    monkeypatch.setattr(link, "server", SimpleNamespace(registry=lambda: registry))
    for State.most in range(1, 6):
        resumed.clear()
        state = State({link.LINK: "a", link.REFUSED: []})
        monkeypatch.setattr(link.st, "session_state", state)
        rests = {"is_lecturers": False, "status": "paused", "settle": lambda: None}
        runs = [SimpleNamespace(**rests) for _ in range(2)]
        for run in runs:
            run.start = run.step_once = run
        for act in (run_buttons.step_all, lambda some: run_buttons.turn_all(some, False)):
            with suppress(Taken):
                act([(run, "paused") for run in runs])
            assert len(resumed) in (0, 2, 4)
    assert len(resumed) == 4


def test_a_key_meets_the_runs_as_they_are_now(monkeypatch):
    steered = []
    monkeypatch.setattr(presenting, "turn_all", lambda runs, going: steered.append((runs, going)))
    monkeypatch.setattr(presenting, "step_all", lambda runs: steered.append((runs, "step")))
    state = {present.KEPT: 1}
    monkeypatch.setattr(present.st, "session_state", state)
    rests = SimpleNamespace(status="paused", asked_for="")
    ended = SimpleNamespace(status="stopped", asked_for="")
    for key in ("pause", "step"):
        presenting.press(key, 3, [rests, ended])
    rests.status = "running"
    presenting.press("pause", 3, [rests, ended])
    rests.asked_for = "pause"
    presenting.press("pause", 3, [rests, ended])
    assert steered == [
        ([(rests, "paused")], False),
        ([(rests, "paused")], "step"),
        ([(rests, "running")], True),
        ([(rests, "paused")], False),
    ]
    for key, view in (("view-3", 3), ("view-4", 3), ("leave", 0), ("view-2", 0), ("pause", 0)):
        presenting.press(key, 3, [rests])
        assert state[present.KEPT] == view
    assert len(steered) == 4
