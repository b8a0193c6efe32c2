"""Where a text holds what is no word of it: links, addresses, mark-up, broken letters, headers.

Texts are hostile, so every pattern takes time in proportion to the text: each begins with a rare
sign (a look-behind comes after it), and what stands before that sign is walked through once.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator

Span = tuple[int, int]
"""From its first letter to the one after its last."""
Edit = tuple[int, int, str]
"""A span and what stands there instead."""
Spans = Callable[[str], list[Span]]
Edits = Callable[[str], list[Edit]]

APOSTROPHE = "['’‘ʼ´`′＇]"
HOST = "0-9a-zà-ɏ"
# Bare links, as bit.ly/x: these endings make one alone, the others with a path only, since "in" and
# "it" often stand behind a full stop without a blank.
SURE = (
    "com org net edu gov mil int info biz eu de fr ch uk nl pl cz se dk fi pt ru jp cn kr br au ca "
    "nz ie online site shop blog news app dev"
)
WITH_PATH = (
    "at be cc co es fb fm gd gl gle gy im in io is it la li ly me mp mx my no pw ro sh so st "
    "su to tr tt tv ua us ws"
)
ELEMENTS = (
    "a abbr address article aside audio b big blockquote body br button canvas caption center cite "
    "code col colgroup dd del details dfn div dl dt em embed fieldset figcaption figure font "
    "footer form frame frameset h[1-6] head header hr html i iframe img input ins kbd label legend "
    "li link main map mark menu meta nav noscript object ol optgroup option output p param path "
    "picture pre q s samp script section select small source span strike strong style sub summary "
    "sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video "
    "wbr"
)
NEGATED = (
    "ain aren can couldn daren didn don doesn hadn hasn haven isn mayn mightn mustn needn oughtn "
    "shan shouldn wasn weren won wouldn"
)
WHOLE = {("aujourd", "hui"), *((word, "t") for word in NEGATED.split())}
"""What stands before and after the apostrophe of what is no word at all."""
ENDINGS = frozenset(("s", "ll", "ve", "re", "d", "m"))
# Articles, pronouns and prepositions that French and Italian cut short: l'homme, dell'arte.
CUT_SHORT = (
    "c d j l m n s t ç qu jusqu lorsqu puisqu quoiqu quelqu presqu gl un dell nell all dall sull "
    "coll quest quell anch dov com cos nient tutt senz mezz"
)
ELIDED = frozenset(CUT_SHORT.split())
MOST_BEFORE = 8
"""Letters before an apostrophe that are looked at: one more than the longest of these."""
# Lines of messages. The second are short words too: they are headers only beside another one.
HEADERS = (
    "Reply-To Organi[sz]ation Lines Message-ID In-Reply-To References Newsgroups Path Xref Sender "
    "NNTP-[\\w-]+ Distribution Followup-To Article-I\\.D\\. X-[\\w-]+ Return-Path Received "
    "Content-[\\w-]+ MIME-Version User-Agent Gesendet Envoyé Enviado Inviato Verzonden"
)
SHORT_HEADERS = "From To Cc Bcc Sent Date Von An Datum De À Para Da A Van Aan"
SUBJECTS = "Subject Betreff Objet Asunto Oggetto Onderwerp Keywords Summary"
LAST_LINES = 12
"""Lines of a signature at most; what is longer belongs to the text."""


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


def _compiled(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


REST = r"[^\s<>\"]"
"""What an address goes on with."""
SCHEME = re.compile(rf"://{REST}*")
SCHEMES = ("https", "http", "ftp")
WWW = re.compile(rf"[wW]{{3}}(?<![\w.]...)\d?\.{REST}+")
CUT_LINK = re.compile(r"\bht(?:tps?)?(?=…)", re.IGNORECASE)
"""As in tweets that were cut short."""
ENDING = re.compile(
    rf"\.(?:{_any(SURE)}(?!\w)(?::\d+)?(?:[/?#]{REST}*)?|{_any(WITH_PATH)}/{REST}+)", re.IGNORECASE
)
IN_HOST = re.compile(f"[{HOST}.-]", re.IGNORECASE)
DOMAIN = re.compile(r"@[\w-]+(?:\.[\w-]+)+")
IN_MAIL = re.compile(r"[\w.+%-]")
NAME = re.compile(r"[@＠](?<![\w@][@＠])\w+(?:@[\w-]+(?:\.[\w-]+)*)?")
RETWEET = re.compile(r"RT(?<!\wRT)(?=\s{1,3}[@＠])")
TAG = re.compile(r"[#＃](?<![\w&#＃/][#＃])(?=\w*[^\W\d_])\w+")
NUMBER = re.compile(r"\d(?<!\w\d)\d*+(?!\w)")
SIGN = re.compile(rf"{APOSTROPHE}(\w*)")
WORD_BEFORE = re.compile(r"\w+\Z")
MARKUP = _compiled(rf"</?{_any(ELEMENTS)}(?:[\s/][^<>]*)?>", r"<!doctype[^<>]*>", r"<\?xml[^<>]*>")
HIDDEN = tuple(
    (_compiled(start), _compiled(stop))
    for start, stop in (
        ("<!--", "-->"),
        (r"<script(?=[\s>])", "</script"),
        (r"<style(?=[\s>])", "</style"),
    )
)
"""What no browser shows: from the one to the other."""
ENTITY = re.compile(
    r"&(?:amp;)*(?:(\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,30});|(nbsp|amp|quot|lt|gt)(?!\w))"
)
BROKEN = re.compile(r"(?<!\w)\w*+\ufffd[\w\ufffd]*")
INVISIBLE = re.compile(r"\u00ad(?:\r?\n)?|[\u200b\u2060\ufeff]|[ﬀ-ﬆ]")
LONGEST_LINE, LONGEST_NOTICE = 400, 900
"""Letters of the copyright line of a publisher, and of EBSCO's notice of who owns a text."""
COPYRIGHT = _compiled(
    r"(?:[.!?)\]\n]|(?= ©[ \t]?\d{4}))[ \t]{0,3}"
    r"(\(?(?:crown |psyc\w{0,6} database record )?(?:copyright)?[ \t]{0,3}"
    r"(?:©|\(c\))[ \t]{0,3}(?:\d{4}|the |copyright|by |[A-Z]\w)"
    r"|copyright[ \t]\d{4}"
    r"|this (?:article|abstract) is protected by copyright"
    r"|all rights reserved\W{0,3}$)"
)
NOTICE = _compiled(r"[.!?)\]\n][ \t]{0,3}(copyright of [^.\n]{1,200} is the property)")
LINE = re.compile(r"[^\n]*\n|[^\n]+$")
HEADER = _compiled(
    rf"(?:(?P<sure>{_any(HEADERS)})|{_any(SHORT_HEADERS)}|(?P<subject>{_any(SUBJECTS)})):\s"
)
AGAIN = _compiled(r"[\w]+:\s{0,9}(?:(?:re|fwd?|aw|wg|tr|rv|sv)\s?:\s{0,9})*")
QUOTED = re.compile(r"[ \t]{0,8}[|:]?\w{0,4}>")
DASHES = re.compile(r"^-- ?\r?$", re.MULTILINE)
WROTE = _compiled(
    r"(?:[ \t]*-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht)"
    r"|(?:in article|on|am|le|il|el|op)\b[^\n]{0,250}\b"
    r"(?:writes|wrote|schrieb[^\n]{0,80}|écrit|scritto|escribió|schreef[^\n]{0,80})\s?:\s*$"
    r"|in article <[^\n]{0,250}$)"
)


def links(text: str) -> list[Span]:
    """With scheme, with www., cut short, and bare ones."""
    found = [match.span() for match in WWW.finditer(text)] if "ww" in text.lower() else []
    for match in SCHEME.finditer(text):
        before = text[max(match.start() - 5, 0) : match.start()].lower()
        scheme = next(filter(before.endswith, SCHEMES), "")
        found += [(match.start() - len(scheme), match.end())] if scheme else []
    if "…" in text:
        found += [match.span() for match in CUT_LINK.finditer(text)]
    return found + _with_what_is_before(text, ENDING, IN_HOST, "@_")


def names(text: str) -> list[Span]:
    """@names, with the RT of a tweet that was sent on."""
    found = [match.span() for match in NAME.finditer(text)]
    if "RT" in text:
        found += [match.span() for match in RETWEET.finditer(text)]
    return found


def emails(text: str) -> list[Span]:
    """Addresses whose domain has a full stop."""
    found = _with_what_is_before(text, DOMAIN, IN_MAIL, "")
    return [(a - 7 if text[max(a - 7, 0) : a].lower() == "mailto:" else a, b) for a, b in found]


def _with_what_is_before(
    text: str, pattern: re.Pattern[str], inside: re.Pattern[str], never: str
) -> list[Span]:
    """Matches of a pattern, each with the signs before it that match `inside`, of which there must
    be some; none after a sign of `never`. No sign is looked at twice."""
    found, floor, taken = list[Span](), 0, False
    for match in pattern.finditer(text):
        start = match.start()
        while start > floor and inside.match(text, start - 1):
            start -= 1
        if start > floor or not floor:  # else it goes on with the one before, and fares as that
            taken = start < match.start() and text[start - 1 : start] not in (*never,)
        if taken:
            found.append((start, match.end()))
        floor = match.end()
    return found


def contractions(text: str) -> list[Span]:
    """don't, they'll and aujourd'hui as far as they are no words; of l'homme and dell'arte what
    stands before the apostrophe; of dog's what begins with it."""
    found = []
    for match in SIGN.finditer(text):
        at, after = match.start(), match[1].lower()
        if at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_"):
            continue
        if after in ENDINGS:  # whatever word is before it
            found.append((at, match.end()))
            continue
        before = WORD_BEFORE.search(text, max(at - MOST_BEFORE, 0), at)
        assert before is not None
        start, word = before.start(), before[0].lower()
        whole = start == 0 or not text[start - 1].isalnum()
        if whole and (word, after) in WHOLE:
            found.append((start, match.end()))
        elif whole and after and word in ELIDED:
            found.append((start, at + 1))
    return found


def spans_of(pattern: re.Pattern[str]) -> Spans:
    """What finds all matches of a pattern."""
    return lambda text: [match.span() for match in pattern.finditer(text)]


def signs_of_tags(text: str) -> list[Span]:
    """Of every tag the signs that are no letters: `#` and `_`, so that its words count."""
    return [
        (i, i + 1) for tag in TAG.finditer(text) for i in range(*tag.span()) if text[i] in "#＃_"
    ]


def markup(text: str) -> list[Span]:
    """Elements of HTML, comments, and scripts and styles with what they hold."""
    if "<" not in text:
        return []
    hidden = [span for start, stop in HIDDEN for span in _between(text, start, stop)]
    return hidden + [match.span() for match in MARKUP.finditer(text)]


def _between(text: str, start: re.Pattern[str], stop: re.Pattern[str]) -> Iterator[Span]:
    """From each `start` to the next `stop`; searched for once where there is none."""
    place = 0
    while (begun := start.search(text, place)) and (ended := stop.search(text, begun.end())):
        place = ended.end()
        yield begun.start(), place


def entities(text: str) -> list[Edit]:
    """`f&uuml;r` is für, also where it was written as an entity twice (`f&amp;uuml;r`)."""
    found = []
    for match in ENTITY.finditer(text):
        code = match[1] or match[2]
        letters = html.unescape(f"&{code};")
        if letters != f"&{code};":
            found.append((*match.span(), letters))
    return found


def broken(text: str) -> list[Span]:
    """Words with a letter that was lost before."""
    return [match.span() for match in BROKEN.finditer(text)] if "\ufffd" in text else []


def copyright_line(text: str) -> list[Span]:
    """The end of an abstract from the sentence that begins with the sign of copyright."""
    end = len(text)
    found = COPYRIGHT.search(text, max(end - LONGEST_LINE, 1))
    if "is the property" in text[-LONGEST_NOTICE:]:
        found = NOTICE.search(text, max(end - LONGEST_NOTICE, 1)) or found
    return [(found.start(1), end)] if found else []


def invisible(text: str) -> list[Edit]:
    """Soft hyphens and signs without width are nothing; ligatures are their letters."""
    if text.isascii():
        return []
    return [
        (*match.span(), unicodedata.normalize("NFKC", match[0]) if match[0].isalpha() else "")
        for match in INVISIBLE.finditer(text)
    ]


def message_lines(text: str) -> list[Span]:
    """Headers (of the subject only its name), quoted lines with who wrote them, the signature."""
    if "\n" not in text:
        return []
    found: list[Span] = []
    block: list[re.Match[str]] = []
    goes_on: list[Span] = []
    at_top = True
    for line in LINE.finditer(text):
        start, stop = line.span()
        if header := HEADER.match(text, start, stop):
            block.append(header)
        elif block and text[start] in " \t" and line[0].strip():
            goes_on.append((start, stop))
        else:
            found += _headers(text, block, goes_on, at_top)
            at_top = at_top and not block and not line[0].strip()
            block, goes_on = [], []
            if QUOTED.match(text, start, stop) or WROTE.match(line[0].rstrip()):
                found.append((start, stop))
    return found + _headers(text, block, goes_on, at_top) + _signature(text)


def _headers(
    text: str, block: list[re.Match[str]], goes_on: list[Span], at_top: bool
) -> list[Span]:
    """What goes of header lines that follow one another; one alone may be prose."""
    if len(block) < 2 and not (at_top and block and (block[0]["sure"] or block[0]["subject"])):
        return []
    found = goes_on
    for header in block:
        end = text.find("\n", header.end() - 1)
        end = len(text) if end < 0 else end
        again = AGAIN.match(text, header.start(), end)
        found.append((header.start(), again.end() if header["subject"] and again else end))
    return found


def _signature(text: str) -> list[Span]:
    """From the last line that is `-- ` to the end, if that is near."""
    start = max((match.start() for match in DASHES.finditer(text)), default=-1)
    return [(start, len(text))] if start >= 0 and text.count("\n", start) <= LAST_LINES else []
