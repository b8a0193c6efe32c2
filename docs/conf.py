"""How Sphinx builds the site: `.ci/docs`. It builds and opens offline: no CDN, no font, formulas
as MathML, and Sphinx's own search."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

import bnpexplorer_site  # noqa: E402 - found by the line above

project = "bnpexplorer"
author = "The bnpexplorer developers"
version = release = bnpexplorer_site.version()

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "docstrings",
    "signatures",
    "mathml",
    "method_pages",
    "bnpexplorer_site",
]
# Folders of examples that are built and tested by themselves.
exclude_patterns = ["_build", "_ext", "class", "example-method"]
myst_enable_extensions = ["attrs_inline", "dollarmath", "colon_fence"]
myst_heading_anchors = 3
highlight_language = "none"
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("F32", "F64", "I32", "I64", "Bools", "Protocol")}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "bnpexplorer"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "show_toc_level": 1,
    "navigation_with_keys": False,
    "navbar_persistent": ["search-button"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
    "show_version_warning_banner": False,
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "start": [], "numbers": [], "not-for": []}
copyright = "the bnpexplorer developers, MIT licence"
