"""The status line of a run, read while the run's own thread goes on."""

import pytest

from bnpexplorer.ui.live.rows import status_of
from tests.tools.pages import small_run


class Pausing:
    """Stands for a run in the background that pauses after so many of its values were read."""

    why_paused, asked_for, place_in_queue, error = "", "", 0, ""

    def __init__(self, reads):
        self.run, _ = small_run(batch_size=10)
        self.run.step()
        self.before = self.run.snapshot()
        self.run.step()
        self.reads, self.after = reads, self.run.snapshot()

    def _now(self, running, paused):
        self.reads -= 1
        return running if self.reads >= 0 else paused

    @property
    def status(self):
        return self._now("running", "paused")

    @property
    def latest(self):
        return self._now(self.before, self.after)


@pytest.mark.parametrize("reads", range(5))
def test_a_line_that_says_paused_has_the_number_of_the_last_step(reads):
    line = status_of(Pausing(reads), "a run", 0, 0)
    assert line.words != "paused" or line.facts[0] == "20 documents"
    assert line.facts[0] in ("10 documents", "20 documents")


def test_the_double_shows_both():
    lines = [status_of(Pausing(reads), "a run", 0, 0) for reads in (0, 9)]
    assert [(line.words, line.facts[0]) for line in lines] == [
        ("paused", "20 documents"),
        ("learning", "10 documents"),
    ]
