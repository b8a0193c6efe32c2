"""Addresses as QR codes: read by somebody else's decoder, and none that nobody could follow."""

import re
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
import streamlit as st
import zxingcpp
from PIL import Image, ImageDraw

from bnpexplorer.ui.parts import qr_code
from tests.tools.pages import button, check, go, html, launch, open_app, texts

HERE = "http://localhost:8501/live?run=abc"
THERE = "http://192.0.2.7:8501/live?run=0123456789,abcdefabcd"


def modules(drawn):
    """The drawing as pixels, one a module, by what its elements say."""
    svg = ElementTree.fromstring(unquote(re.findall(r'src="data:image/svg\+xml,(.*?)"', drawn)[0]))
    width = int(svg.attrib["viewBox"].split()[-1])
    light, dark = svg
    assert light.attrib == {"width": str(width), "height": str(width), "fill": "#fff"}
    assert "fill" not in dark.attrib, "black"
    image = Image.new("L", (width, width), 255)
    pen = ImageDraw.Draw(image)
    for x, y in re.findall(r"M(\d+),(\d+)h1v1h-1z", dark.attrib["d"]):
        pen.point((int(x), int(y)), 0)
    return image


@pytest.mark.parametrize(
    "address", [THERE, "https://topics.example.org/compare?race=1&x=%C3%A4", "h" * qr_code.MOST]
)
def test_a_code_says_its_address_and_has_a_quiet_zone(address):
    image = modules(qr_code.drawing(address, 300))
    seen = np.asarray(image)
    dark = np.argwhere(seen == 0)
    assert dark.min() == qr_code.QUIET == 4
    assert (dark.max(axis=0) == len(seen) - 5).all()
    (found,) = zxingcpp.read_barcodes(image.resize((len(seen) * 4,) * 2, Image.Resampling.NEAREST))
    assert found.text == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "?run=abc",
        "/live",
        HERE,
        "http://127.0.0.1/",
        "http://127.9.0.1",
        "http://[::1]:8501/",
        "http://app.localhost:1",
        "http://LOCALHOST./",
        "http://0.0.0.0:8501/live",
        "http://[::]/",
    ],
)
def test_what_leads_nowhere_else_is_told(address):
    assert qr_code.is_only_here(address)


@pytest.mark.parametrize(
    "address",
    [
        THERE,
        "http://class.example:8501/",
        "https://[2001:db8::1]/",
        "http://localhost.example/",
        "http://laptop:8501/live",
        "http://10.0.0.5/?x=localhost",
    ],
)
def test_what_others_reach_gets_a_code(address):
    assert not qr_code.is_only_here(address)


@pytest.fixture
def at(monkeypatch):
    """The page as it is when the browser shows this address."""
    return lambda url: monkeypatch.setattr(type(st.context), "url", url)


def presented(entry):
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    check(button(app, "Present").click().run())
    return check(button(app, "5 QR code").click().run())


def shared(entry):
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    app.session_state["share"] = True
    return check(app.run())


@pytest.mark.second
@pytest.mark.parametrize("opened", [presented, shared])
def test_pages_draw_the_watching_address_and_never_the_owners(registry, at, opened):
    entry = launch(registry)
    at("http://class.example:8501/live")
    (image,) = re.findall(r"<img class=\"bnp-code\".*?>", html(opened(entry)))
    seen = modules(image)
    (found,) = zxingcpp.read_barcodes(seen.resize((seen.width * 4,) * 2, Image.Resampling.NEAREST))
    assert found.text == f"http://class.example:8501/live?run={entry.run_id}"


@pytest.mark.second
@pytest.mark.parametrize("opened", [presented, shared])
def test_none_is_drawn_where_others_could_not_follow_it(registry, at, opened):
    entry = launch(registry)
    at("http://localhost:8501/live")
    app = opened(entry)
    assert "bnp-code" not in html(app)
    assert qr_code.ONLY_HERE in texts(app.caption)
    at(f"http://class.example/{'x' * qr_code.MOST}")
    app = opened(entry)
    assert "bnp-code" not in html(app)
    assert qr_code.TOO_LONG in texts(app.caption)
