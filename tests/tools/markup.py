"""HTML that we make, read again."""

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link", "hr"}


class Tags(HTMLParser):
    """Collects tags and attributes, of pieces of a page, too."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


class Reader(Tags):
    """Collects text, too; complains of tags that are not closed in order."""

    def __init__(self, text):
        self.open, self.words = [], []
        super().__init__(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        super().handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        super().handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def inert(text):
    """The HTML, read; it fetches nothing and runs nothing."""
    page = Reader(text)
    assert not {"script", "img", "link", "iframe", "object", "image", "use"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {"src", "href", "xlink:href"} & names
    assert not any("url(" in (value or "") for _, value in page.attributes)
    return page
