"""Addresses that earlier versions wrote open on what they opened then."""

import shutil
import tomllib
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from bnpexplorer.core import store
from tests.tools.pages import ROOT, check, go
from tests.tools.waiting import NEVER

KEPT = Path(__file__).resolve().parents[1] / "kept"
ADDRESSES = tomllib.loads((KEPT / "addresses.toml").read_text(encoding="utf-8"))["address"]


def everything_on(app):
    """All words of a page, labels and choices too."""
    kinds = (
        app.title,
        app.header,
        app.markdown,
        app.caption,
        app.info,
        app.warning,
        app.error,
        app.subheader,
    )
    words = [str(element.value) for kind in kinds for element in kind]
    words += [h.proto.body for h in app.get("html")]
    words += [f"{b.label} {b.help}" for b in app.button]
    words += [f"{box.label} {box.value} {box.options}" for box in app.selectbox]
    return " ".join(words)


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda a: f"/{a['page']}?{a['query']}")
def test_a_kept_address_opens(registry, address):
    shutil.copytree(KEPT / "home", store.home(), dirs_exist_ok=True)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=NEVER)
    for key, value in parse_qsl(address["query"], keep_blank_values=True):
        app.query_params[key] = value
    check(app.run())
    if address["page"] != "start":
        app = go(app, address["page"])
    found = everything_on(app)
    for words in address["says"]:
        assert words in found, found
    for key, value in address.get("keeps", {}).items():
        assert app.query_params.get(key) in (value, [value]), key
