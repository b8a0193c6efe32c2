"""The settings the app ships with: private by default, quiet at the first start, readable."""

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.ui.seam import messages
from tests.tools.contrast import contrast, linear

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"
SETTINGS = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])

# How the colour-blind see linear RGB (Machado, Oliveira & Fernandes 2009, severity 1).
SIGHT = {
    "usual": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def perceived(colour, sight):
    """OKLab coordinates times 100: a distance of about 2 is just visible."""
    rgb = np.clip(np.array(sight) @ linear(colour), 0, 1)
    to_lms = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return 100 * np.array(to_lab) @ np.cbrt(np.array(to_lms) @ rgb)


def test_no_tab_is_sent_a_reference_to_what_it_may_have_let_go():
    assert SETTINGS["global"][messages.SMALLEST_KEPT_MESSAGE.partition(".")[2]] >= messages.BEYOND


def test_it_listens_to_this_machine_only_and_tells_nobody():
    assert SETTINGS["server"]["address"] == "localhost"
    assert SETTINGS["browser"]["gatherUsageStats"] is False
    assert SETTINGS["client"]["showErrorDetails"] == "none"


def test_the_first_start_asks_no_question_and_may_open_a_browser():
    assert SETTINGS["server"]["showEmailPrompt"] is False
    assert "headless" not in SETTINGS["server"]


def test_uploads_are_limited_and_figures_need_no_internet():
    assert SETTINGS["server"]["maxUploadSize"] == 100
    assert SETTINGS["server"]["enableStaticServing"] is True


def test_every_setting_is_one_that_streamlit_knows():
    from streamlit import config

    known = set(config.get_config_options())
    flat = {
        f"{section}.{name}"
        for section, values in SETTINGS.items()
        for name in (
            [f"{theme}.{key}" for theme, keys in values.items() for key in keys]
            if section == "theme"
            else values
        )
    }
    assert flat <= known
    assert len(flat) > 20


@THEMES
def test_text_can_be_read(theme):
    colours = SETTINGS["theme"][theme]
    for ground in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        assert contrast(colours["textColor"], ground) >= 7
        assert contrast(colours["primaryColor"], ground) >= 4.5
        assert contrast(colours["linkColor"], ground) >= 4.5
    assert contrast(colours["grayTextColor"], colours["grayBackgroundColor"]) >= 4.5


@THEMES
def test_chart_colours_stand_out_and_stay_apart_for_the_colour_blind(theme):
    colours = SETTINGS["theme"][theme]
    palette = colours["chartCategoricalColors"]
    assert len(palette) == 7
    assert min(contrast(c, colours["backgroundColor"]) for c in palette) >= 3
    for sight in SIGHT.values():
        places = [perceived(c, sight) for c in palette]
        pairs = itertools.combinations(places, 2)
        assert min(float(np.linalg.norm(a - b)) for a, b in pairs) >= 8


def test_streamlit_lists_no_files_before_the_page_is_there():
    """The menu is declared by the script; until it has run, Streamlit would list `pages/`."""
    assert SETTINGS["client"]["showSidebarNavigation"] is False
