"""A class: a lecturer steers, eight browsers watch, and find the way by the QR code."""

import io
from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import parse_qs, urlparse

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from benchmarks.app import OF_REPOSITORY
from benchmarks.app import server as started
from bnpexplorer.corpus.readers.formats import read_path
from bnpexplorer.corpus.text import TextSettings, make_corpus
from bnpexplorer.runs.lecturer import LECTURER
from bnpexplorer.runs.limits import SHARED
from bnpexplorer.samples import SAMPLE_DATA

from .conftest import NAME, SETTINGS
from .driver import Tab
from .prepared import two_long_runs
from .test_presenting import CUT

pytestmark = [pytest.mark.browser, pytest.mark.second]

KEY = "nobody-guesses-it"
RUNS = ("hdp-svi", "lda-svi")
DESKTOPS, PHONES = 6, 2
"""That watch: in a context of each kind, since eight that each load the app anew take 40 s."""
CODE = ".bnp-code"


@pytest.fixture(scope="module")
def classroom(browser_path, tmp_path_factory):
    """A server of a class that others reach by its name."""
    log = tmp_path_factory.mktemp("class") / "log.txt"
    settings = SETTINGS | {SHARED: "1", LECTURER: KEY}
    named = ("--server.address", "127.0.0.1", "--browser.serverAddress", NAME)
    with started(settings, log, (*OF_REPOSITORY, *named)) as app:
        yield replace(app, url=app.url.replace("localhost", NAME))
    assert "Traceback" not in app.log(), app.log()


@pytest.fixture
def come(browser, classroom):
    """Opens tabs in a browser that never was there; what is sent to each of them is kept."""
    with ExitStack() as stack:

        def come(n=1, width=1280, height=720, scheme="light"):
            view = {"width": width, "height": height}
            context = stack.enter_context(browser.new_context(viewport=view, color_scheme=scheme))
            tabs = [Tab(context.new_page(), classroom.url) for _ in range(n)]
            for tab in tabs:
                keep_what_is_sent(tab)
            return tabs

        yield come


def keep_what_is_sent(tab):
    tab.sent = sent = []
    tab.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(frame))
    )


def read_code(tab):
    """What a phone reads of the code on the page, by a program of somebody else's."""
    expect(tab.page.locator(CODE)).to_be_visible()
    tab.still()
    seen = Image.open(io.BytesIO(tab.page.screenshot()))
    (found,) = zxingcpp.read_barcodes(seen)
    assert found.format == zxingcpp.BarcodeFormat.QRCode
    return found.text


def sent_to(tab):
    """All that the server has told this browser, as one row of bytes."""
    return b"".join(f if isinstance(f, bytes) else f.encode() for f in tab.sent)


def shares(lecturer, secrets):
    """The address that is projected, and the one under Share, as their codes are read."""
    lecturer.button("Present").click()
    expect(lecturer.button("5 QR code")).to_be_visible()
    lecturer.settled()
    lecturer.page.keyboard.press("5")
    projected = read_code(lecturer)
    assert projected.startswith(f"http://{NAME}:")
    assert lecturer.page.get_by_text(projected).is_visible()
    assert lecturer.page.evaluate(CUT) == []
    lecturer.page.keyboard.press("Escape")
    lecturer.settled()
    lecturer.button("Share").click()
    lecturer.page.get_by_text("QR code of this link").click()
    shared = read_code(lecturer)
    code = lecturer.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").first
    assert shared == code.inner_text().strip()
    assert not any(secret in shared + projected for secret in secrets)
    lecturer.page.keyboard.press("Escape")
    expect(lecturer.page.get_by_test_id("stPopoverBody")).to_have_count(0)
    return projected


def test_eight_browsers_watch_what_one_lecturer_steers(come):
    corpus = make_corpus(read_path(SAMPLE_DATA / "small.csv"), TextSettings(min_df=3))[0]
    address = two_long_runs(corpus=replace(corpus, name="mine"))  # a sample is everybody's
    secrets = parse_qs(urlparse(address).query)["own"][0].split(",")
    secrets.append(KEY)
    (lecturer,) = come(scheme="dark")
    lecturer.open(f"{address}&link={KEY}")
    projected = shares(lecturer, secrets)

    guests = come(DESKTOPS) + come(PHONES, 390, 844)
    for guest in guests:
        guest.page.goto(projected, wait_until="commit")
    for guest in guests:  # a page that ticks would keep the others from being loaded
        guest.until_points()
    lecturer.settled()  # a click during a rerun may be lost
    lecturer.button("Resume all").click()
    for tab in (lecturer, *guests):
        for name in RUNS:
            expect(tab.status(name)).to_contain_text("learning")
    lecturer.settled()
    lecturer.button("Pause all").click()
    expect(lecturer.button("Resume all")).to_be_visible()
    for name in RUNS:
        expect(lecturer.status(name)).to_contain_text("paused")
        seen = lecturer.documents(name)
        for guest in guests:
            expect(guest.status(name)).to_contain_text("paused")
            expect(guest.status(name)).to_contain_text(f"{seen:,} documents", use_inner_text=True)
    for _ in range(2):
        expect(lecturer.status(RUNS[0])).to_contain_text("paused")
        lecturer.settled()  # its buttons are drawn anew when the run has come to rest
        seen = lecturer.documents(RUNS[0])
        lecturer.button("Step").first.click()
        lecturer.until_more_than(seen, RUNS[0])
    for guest in guests:
        guest.until_documents(lecturer.documents(RUNS[0]), RUNS[0])

    texts = [text.encode() for text in corpus.docs.text]
    for guest in guests:
        expect(guest.page.get_by_text("watching only").first).to_be_visible()
        for name in ("Pause", "Resume", "Step", "Stop", "Pause all", "Resume all", "Remove"):
            expect(guest.button(name)).to_have_count(0)
    for tab, whose in ((guests[0], projected), (lecturer, lecturer.page.url)):
        tab.open(whose.replace("/live", "/documents"))
    for guest in guests:
        told = sent_to(guest)
        assert len(told) > 10_000, "what is looked through is what was sent"
        assert not any(text[:40] in told for text in texts), "a document"
        assert not any(secret.encode() in told for secret in secrets), "a secret"
        assert guest.problems == []
    lecturer.settled()
    told = sent_to(lecturer)
    assert any(text[:40] in told for text in texts), "it would have been seen"
    assert secrets[0].encode() in told, "and a secret, too"
    assert lecturer.problems == []
