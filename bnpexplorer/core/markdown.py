"""People's words where Markdown is read: on the pages and in notebooks."""

import re

JOINER = "\u2060"
"""Has no width; what is on both sides of it does not belong together."""


def plain(text: object) -> str:
    """Text for a place that reads Markdown: one line in which every sign stands for itself.

    Backslashes do not reach icons (`:material/home:`), bare addresses and arrows (`->`), which
    Streamlit finds only after it has taken the backslashes away; a joiner divides these.
    """
    line = re.sub(r"\s+", " ", str(text)).strip()
    line = re.sub(r":(?=\S)|@|www(?=\.)|[-<>~](?=[-=>])", rf"\g<0>{JOINER}", line, flags=re.I)
    line = re.sub(rf"[\\`*_\[\]#|~<>$&]|:(?={JOINER})", r"\\\g<0>", line)
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", line)  # lists and rules begin a line
