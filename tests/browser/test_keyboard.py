"""Everything by keyboard alone, with a focus that can be seen."""

import re

import pytest
from playwright.sync_api import expect

from tests.tools.contrast import contrast

from .prepared import long_run

pytestmark = [pytest.mark.browser, pytest.mark.second]

LOOKS = """node => {
  const looks = [];
  for (let part = node, n = 0; part && n < 4; part = part.parentElement, n++) {
    const s = getComputedStyle(part);
    looks.push(s.outlineStyle, s.outlineWidth, s.boxShadow, s.borderColor, s.backgroundColor);
  }
  return looks.join();
}"""
"""Of a control and of what it stands in: the ring of a field is around all of it."""
HAS_FOCUS = "node => node === document.activeElement"


def tab_to(tab, target, most=60):
    """Press Tab until the target has the focus; the focus must change how it looks."""
    before = target.evaluate(LOOKS)
    for _ in range(most):
        tab.page.keyboard.press("Tab")
        if target.evaluate(HAS_FOCUS):
            break
    else:
        pytest.fail(f"{most} times Tab do not reach {target}")
    tab.page.wait_for_function(
        f"([node, before]) => ({LOOKS})(node) !== before", arg=[target.element_handle(), before]
    )


def test_start_a_run_by_keyboard(tab):
    tab.open("/")
    first = tab.page.get_by_test_id("stRadio").get_by_role("radio").first
    for _ in range(30):
        tab.page.keyboard.press("Tab")
        if first.evaluate(HAS_FOCUS):
            break
    tab.page.keyboard.press("ArrowDown")
    expect(tab.page.get_by_role("radio", name="Small CSV")).to_be_checked()
    tab.settled()
    tab_to(tab, tab.button("Watch it learn"))
    tab.page.keyboard.press("Enter")
    tab.until_points()


def test_pause_and_resume_by_keyboard_while_the_page_ticks(tab):
    tab.watch(long_run())
    pause = tab.button("Pause")
    tab.page.get_by_text("Skip to main content").focus()  # the first stop of every page
    tab_to(tab, pause, most=20)
    tab.watch_updates()
    tab.until_updates(3)
    assert pause.evaluate(HAS_FOCUS), "updates do not steal the focus"
    tab.page.keyboard.press("Enter")
    expect(tab.status()).to_contain_text("paused")
    expect(tab.button("Resume")).to_be_focused()
    tab.page.keyboard.press("Space")
    expect(tab.status()).to_contain_text("learning")


RING = """([inner, wanted]) => {
  const found = inner.closest(wanted);
  const ink = found && getComputedStyle(found);
  return ink && ink.outlineStyle === "solid" && parseFloat(ink.outlineWidth) >= 2
    ? [ink.outlineColor, getComputedStyle(document.querySelector(".stApp")).backgroundColor]
    : null;
}"""


def as_hex(colour):
    """A colour such as `rgb(1, 2, 3)` as "#010203"."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_controls_have_the_same_clear_ring(open_tab, scheme):
    tab = open_tab(scheme=scheme)
    tab.open("/lab?lab_show=sticks")
    page, rings = tab.page, set()
    page.keyboard.press("Tab")  # from here on the browser shows the focus
    shown = {
        "a": page.get_by_role("link", name="Start", exact=True),
        "label": page.get_by_role("switch"),
        "div:not([style*=hidden])[data-focus-visible]": page.get_by_role("slider"),
        "[data-testid=stNumberInputContainer]": page.get_by_role("spinbutton"),
    }
    for wanted, control in shown.items():
        control.first.focus()
        ring = page.wait_for_function(
            RING, arg=[control.first.element_handle(), wanted]
        ).json_value()
        assert contrast(*map(as_hex, ring)) >= 3, f"{wanted}: {ring}"
        rings.add(ring[0])
    assert len(rings) == 1, "all the same"


def test_a_popover_and_a_stopped_run_hand_the_focus_on(tab):
    tab.watch(long_run())
    tab.button("Stop").focus()
    tab.page.keyboard.press("Enter")
    expect(tab.status()).to_contain_text("stopped")
    expect(tab.button("Remove")).to_be_focused()
    tab.settled()
    opener = tab.page.get_by_test_id("stPopoverButton").filter(has_text="Read as table").first
    opener.focus()
    tab.page.keyboard.press("Enter")
    body = tab.page.get_by_test_id("stPopoverBody")
    expect(body).to_be_focused()
    expect(body.get_by_role("button", name="Download as CSV")).to_be_visible()
    tab.page.keyboard.press("Tab")
    expect(body.get_by_role("button", name="Download as CSV")).to_be_focused()
    tab.page.keyboard.press("Escape")
    expect(body).to_have_count(0)
    expect(opener).to_be_focused()
