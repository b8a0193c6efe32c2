"""Tabs that hear late from their server, as on a busy machine or a slow network."""

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from .driver import POLL, WAIT

pytestmark = pytest.mark.browser


class Late:
    """Holds back what the server says to a tab, from `hold` to `release`; made before the tab opens
    its first page."""

    def __init__(self, tab):
        self.page, self.holds = tab.page, False
        self.held, self.ticks, self.ended = [], 0, 0
        tab.page.route_web_socket("**/_stcore/stream", self._route)

    def _route(self, browser):
        server = browser.connect_to_server()

        def up(message):
            self.ticks += BackMsg.FromString(message).rerun_script.is_auto_rerun
            server.send(message)

        def down(message):
            said = ForwardMsg.FromString(message)
            whole = said.HasField("script_finished") and not said.metadata.run.fragment_ids
            self.ended += whole and said.script_finished == said.FINISHED_SUCCESSFULLY
            if self.holds:
                self.held.append((browser, message))
            else:
                browser.send(message)

        browser.on_message(up)
        server.on_message(down)

    def hold(self):
        self.holds, self.ticks, self.ended = True, 0, 0

    def release(self):
        self.holds = False
        for browser, message in self.held:
            browser.send(message)
        self.held.clear()

    def until(self, happened):
        for _ in range(WAIT // POLL):
            if happened():
                return
            self.page.wait_for_timeout(POLL)  # meanwhile messages are looked at
        raise AssertionError(f"{self.ticks} ticks, {self.ended} pages: waited too long")


@pytest.mark.second
def test_a_tick_on_its_way_draws_nothing_into_another_page(tab, open_tab, finished):
    tab.open(f"/claims{finished}")
    tab.page.get_by_test_id("stButtonGroup").get_by_text("Wang et al. 2011", exact=True).click()
    tab.settled()
    tab.choose("Online HDP against online LDA and batch HDP")
    tab.button("Try again here").click()
    expect(tab.button("Pause")).to_be_visible()

    guest = open_tab()
    late = Late(guest)
    guest.open("/claims")
    expect(guest.page.get_by_text("somebody else's")).to_be_visible()
    late.hold()
    guest.button("Watch").click()
    late.until(lambda: late.ended and late.ticks > 1)  # of the list, which is no longer there
    late.release()
    expect(guest.page.get_by_text("watching only")).to_be_visible()
    guest.button("All claims").click()
    expect(guest.page.get_by_text("somebody else's")).to_be_visible()

    tab.button("Another claim").click()  # pauses it, so that the next test finds a place
    tab.settled()


@pytest.mark.second
def test_a_view_that_a_tab_comes_back_to_is_there_however_late_it_hears(tab, finished):
    late = Late(tab)
    tab.open(f"/topics{finished}")
    expect(tab.page.get_by_text("in use").first).to_be_visible()
    late.hold()
    for n_ended, view in enumerate(("Over time", "Compare groups", "Topics"), 1):
        tab.page.get_by_role("radio", name=view, exact=True).click(force=True)
        late.until(lambda n_ended=n_ended: late.ended == n_ended)
    sizes = [len(message) for _, message in late.held]
    assert max(sizes) > 10_000, "what Streamlit would send a reference to"
    late.release()
    tab.settled()
    expect(tab.page.get_by_role("radio", name="Topics", exact=True)).to_be_checked()
    expect(tab.page.get_by_text("in use").first).to_be_visible()


def test_a_network_that_failed_for_a_moment_leaves_no_figure_empty(browser, server):
    with browser.new_context() as context:  # that has nothing of the app yet
        page, asked = context.new_page(), []

        def first_fails(route):
            asked.append(route.request.url)
            route.abort() if len(asked) == 1 else route.continue_()

        page.route("**/app/static/plotly-*", first_fails)
        page.goto(server.url)
        expect(page.locator(".bnp-figure svg.main-svg").first).to_be_visible()
        assert len(asked) == 2
        assert not page.get_by_text("could not be loaded").count()
