"""Every link within a built site leads somewhere, and no page loads anything from elsewhere.

`python docs/_ext/links.py FOLDER` prints what is wrong and exits with 1, or says how much it read.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "srcset"}
"""Elements that make a browser fetch something, and the attribute that says what."""


class Page(HTMLParser):
    """What a page links to and loads, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if LOADS.get(tag, "") in found:
            self.loads.append(found[LOADS[tag]])


def wrong(site: Path) -> Iterator[str]:
    """A sentence for each link that leads nowhere and each thing that is loaded from elsewhere."""
    files = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in files}
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.loads:
            if urlsplit(target).netloc:
                yield f"{name} loads {target}"
        for target in [*page.links, *page.loads]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.exists():
                yield f"{name} links to {target}, which is not there"
            elif (
                parts.fragment
                and there in pages
                and unquote(parts.fragment) not in (pages[there].places)
            ):
                yield f"{name} links to {target}, a place that the page does not have"
    for style in site.rglob("*.css"):
        if "url(http" in style.read_text(encoding="utf-8").replace('"', "").replace("'", ""):
            yield f"{style.relative_to(site)} loads something from elsewhere"
    if not pages:
        yield f"{site} has no page"


def main() -> int:
    site = Path(sys.argv[1])
    found = sorted(set(wrong(site.resolve())))
    print("\n".join(found) or f"{len(list(site.rglob('*.html')))} pages, all links lead somewhere.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
