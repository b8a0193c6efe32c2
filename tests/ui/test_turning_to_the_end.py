"""A page that explores a run is never older than what it says: it turns to the end by itself."""

from types import SimpleNamespace

from bnpexplorer.ui.parts import explore


def test_a_page_that_stays_open_turns_to_the_end_of_its_run_by_itself(registry, monkeypatch):
    ticks, drawn_anew = [], []
    monkeypatch.setattr(explore, "ticking", lambda seconds: lambda f: ticks.append(f) or f)
    monkeypatch.setattr(explore.st, "rerun", lambda: drawn_anew.append(True))
    background = SimpleNamespace(ended=False)
    explore.turn_to_the_end(SimpleNamespace(entry=SimpleNamespace(background=background)))
    (watch,) = ticks
    watch()
    assert not drawn_anew, "it goes on"
    background.ended = True
    watch()
    assert drawn_anew == [True]
    explore.turn_to_the_end(SimpleNamespace(entry=SimpleNamespace(background=background)))
    assert len(ticks) == 1, "nothing asks any more"
