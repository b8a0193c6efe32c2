"""Why was it born? In a race: whose run a mark is, and which of crowded marks was meant."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from .driver import Tab

pytestmark = [pytest.mark.browser, pytest.mark.second]

PLACES = """async (node, beside) => {
  const layout = node._fullLayout, box = node.getBoundingClientRect();
  const born = node._fullData.find((t) => t.name.endsWith("born") && t.x.length > 1);
  const left = box.x + layout.xaxis._offset, top = box.y + layout.yaxis._offset;
  const x = [...born.x], y = [...born.y];
  if (beside) {
    const [right, up] = beside;
    x[1] = layout.xaxis.p2c(layout.xaxis.c2p(x[0]) + right);
    y[1] = layout.yaxis.p2c(layout.yaxis.c2p(y[0]) - up);
    await window.Plotly.restyle(node, { x: [x], y: [y] }, [born.index]);
  }
  return [0, 1].map((k) => [left + layout.xaxis.c2p(x[k]), top + layout.yaxis.c2p(y[k])]);
}"""
"""Where the first two births are; with `beside`, the second is put so many pixels right and above
of the first."""


def test_a_click_in_a_race_names_the_run_and_opens_the_mark_under_the_pointer(
    tab: Tab, finished: str
) -> None:
    """The second of two marks is nearer along the axis, the first is nearer to the pointer."""
    tab.open(f"/compare{finished}&compare=Race")
    tab.number("Passes", 2)
    tab.button("Start the race").click()
    expect(tab.button("Open its runs on Live")).to_be_visible()
    tab.until_points("race-topics-0")
    figure = tab.figure("race-topics-0")
    heading = tab.page.locator('[class*="st-key-why-panel"]').get_by_role("heading", level=3)

    def click(mark: int, right: float = 0.0, beside: tuple[int, int] | None = None) -> None:
        figure.scroll_into_view_if_needed()
        x, y = figure.evaluate(PLACES, beside)[mark]
        tab.page.mouse.move(x + right, y)
        tab.page.mouse.click(x + right, y)
        tab.settled()

    def opened(text: str | re.Pattern[str], mark: int, *where: Any) -> None:
        tab.insist(
            lambda: click(mark, *where),
            lambda wait: expect(heading).to_have_text(text, timeout=wait),
        )

    # Every click opens another than the one before, or what stood there would pass for its answer.
    said = [""]
    for mark in (0, 1):
        another = re.compile(
            rf"^(?!{re.escape(said[-1])}$)hdp-tsvi: “.+” was born at step \d+, after"
        )
        opened(another, mark)
        said.append(heading.inner_text())
    said.pop(0)
    opened(said[0], 0, 5.0, (6, 25))
    opened(said[1], 1, -5.0, (6, 25))
    opened(said[0], 0)
    opened(said[1], 0, 0.0, (0, 0))  # of two in one place the upper
