"""The style sheets of this room, each with its symptom in its first comment."""

from ...core.beside import style_beside

ALWAYS = (
    "spacing",
    "headings",
    "popover_toolbar",
    "contrast",
    "keyboard",
    "header_switch",
    "phone",
    "wrapped_pills",
    "named_tags",
    "staying_map",
    "focus_ring",
)
ON_DARK = ("focus_ring_dark", "contrast_dark")


def sheet(name: str) -> str:
    """One of them as an element of HTML."""
    return style_beside(__file__, f"{name}.css")


def sheets_of_every_page(dark: bool, embedded: bool, large: bool, presents: bool) -> str:
    """Those that a page needs, in an order in which later ones may overrule."""
    names = [*ALWAYS, *(ON_DARK if dark else ())]
    asked = (("embedded", embedded), ("large_menu", large), ("presenting", presents))
    names += [name for name, on in asked if on]
    return "".join(map(sheet, names))
