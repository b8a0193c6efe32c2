"""The clean-up: what it takes away in several languages, what it leaves, and the way back."""

import random
import time

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.documents.leaving_out import leave_out
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import TextSettings, make_corpus
from bnpexplorer.corpus.words import junk
from bnpexplorer.corpus.words.cleaning import PARTS, PRESETS, canonical, clean, cleaned
from bnpexplorer.corpus.words.junk import LAST_LINES
from bnpexplorer.corpus.words.occurrences import find_words
from bnpexplorer.corpus.words.suggesting import suggested
from bnpexplorer.explore.documents import counts_of

ALL = canonical(" ".join(PARTS))
KEEP_ALL = {"min_df": 1, "max_df": 1.0, "max_features": 0, "min_tokens": 1, "stop_words": "none"}

# Switch, text, and the words that are left of it.
CASES = [
    ("links", "see http://a.b/c?d=1 and HTTPS://X.Y", "see and"),
    ("links", "at www.garten.de/rosen, bit.ly/x and t.co/abc…", "at and"),
    ("links", "buy at amazon.com. Then to spiegel.de/politik or x.co.uk", "buy at . Then to or"),
    ("links", "peace in our world.In it we and/or they; e.g. 3.5 node.comic", "="),
    ("links", "cut short http… or ht… but ah…", "cut short … or … but ah…"),
    ("emails", "ask jo.smith+x@mail.example.org or <mailto:a@b.cz>!", "ask or < >!"),
    ("emails", "meet @ noon, a@b", "="),
    ("names", "RT @joe_99: .@ann says hi to @me@social.example", ": . says hi to"),
    ("names", "mail a@b at 5 @ noon", "="),
    ("tags", "#climate change is #No1, C# and #5 &#39; stay", "change is , C# and #5 &#39; stay"),
    ("tag-words", "#climate_change is #ÉlanVital C#", "climate change is ÉlanVital C#"),
    ("html", "<p class='a'>one</p><br/>two <!-- no <b> --> a < b > c <3", "one two a < b > c <3"),
    ("html", "f&uuml;r caf&#233; &amp;quot;x&amp;quot; R&amp;D &nbsp;y", 'für café "x" R&D y'),
    ("html", "one&lt;br&gt;two", "one two"),
    ("html", "<script>var word;</script>stay<style>p{}</style>", "stay"),
    ("html", "if a < b and b > a include <stdio.h> &unknown; <!-- open", "="),
    ("numbers", "in 1990, 3.14 and 12:30 but covid19, 1990s", "in , . and : but covid19, 1990s"),
    ("contractions", "I don’t say they'll; it's the dog's, WON'T", "I say they ; it the dog ,"),
    ("contractions", "l’homme qu'il jusqu'à aujourd’hui d'accord", "homme il à accord"),
    ("contractions", "dell'arte all'inizio c’è un'altra nell'acqua", "arte inizio è altra acqua"),
    ("contractions", "O'Brien's 'n' roll, 'quoted' geht’s", "O'Brien 'n' roll, 'quoted' geht"),
    ("broken", "M\ufffdller and \ufffd\ufffd gra\u00adphic", "and graphic"),
    ("broken", "zero\u200bwidth eﬃcient ﬁn", "zerowidth efficient fin"),
    ("broken", "نمی\u200cخواهم", "="),
    (
        "messages",
        "From: a@b.c (Jo)\nSubject: Re: AW: red roses\nDate: Mon\n\twith more\n\nyes\n"
        "On Monday Jo wrote:\n> no\n>> no\nso\n-- \nJo\nPhone 1\n",
        "red roses yes so",
    ),
    ("messages", "Von: Jo\nAn: Max\nBetreff: Garten\n\nAm 3. schrieb Jo:\n> nein\nja", "Garten ja"),
    ("messages", "To: be or not to be\nis\n\nDate: unknown\nthe -- question a > b", "="),
    ("messages", "a\n-- \n" + "long\n" * 40, "="),
    # One header alone: at the top if it can be nothing else, and never further down.
    ("messages", "\n \nSubject: Re: Fwd: red roses\n\nyes", "red roses yes"),
    ("messages", "Lines: 12\nyes", "yes"),
    ("messages", "Date: the 5th\nyes", "="),
    ("messages", "yes\nLines: 12\nno\n\nSubject: roses\nso", "="),
    ("messages", "yes\nTo: Jo\nDate: today\nno", "yes no"),
    ("messages", "From: Jo\nTo:\nyes it is", "yes it is"),
    ("messages", "From: Jo\nTo: Max\n  and Ann\nyes\n  it is", "yes it is"),
    ("messages", "so\nJO> no\n  :> no\n|> no\nLONGNAME> yes\n5 > 3", "so LONGNAME> yes 5 > 3"),
    ("messages", "so\n-----Original Message-----\nIn article <1@b> Jo writes:\nyes", "so yes"),
    ("messages", "so\nOn 5 May, Jo wrote: yes\nHe wrote:\nno", "="),
    ("messages", "so\n--\nyes\n-- \nJo", "so -- yes"),
    ("links", "ftp://a.b/c xhttp://a.b git://a.b http:/a ://x", "x git://a.b http:/a ://x"),
    ("links", "at WWW.a.de or www2.b.de/x ww.c and x.www.d", "at or ww.c and x.www.d"),
    ("links", "a.com:80/x?y b.net#z c.orgy e.io f.io/ g.io/h", "c.orgy e.io f.io/"),
    ("emails", "MAILTO:a@b.cz x:a@b.c.de, a.b@c -q@r.de", "x: , a.b@c"),
    ("names", "＠ann @ann_b RT @c ART @d RT: x@y @e@f.g.h", "ART RT: x@y"),
    ("tags", "x#a #a1 #1a #1 ＃ab ##c /#d &#e", "x#a #1 ##c /#d &#e"),
    ("tag-words", "#a_b ＃c_d x_y", "a b c d x_y"),
    ("html", "<h1>a</h1><h7>b</h7><br>c<B CLASS=x>d</B><!DOCTYPE html>e", "a <h7>b</h7> c d e"),
    ("html", "&lt &gt;x&nbsp;y &AMP; &#xE9; &#233 &copy;", "< >x y & é &#233 ©"),
    ("html", "<style>a</style>b<!-- c", "b<!-- c"),
    ("numbers", "1990 x1 1x 1_000 007 -5", "x1 1x 1_000 -"),
    ("contractions", "daren't I'd we've you're s'il quelqu'un", "I we you il un"),
    ("contractions", "xdon't mydon 't un-don't senz'altro xl'a", "xdon't mydon 't un- altro xl'a"),
    ("broken", "a\u00ad\nb c\u00ad\r\nd \ufeffe ﬃ x\ufffd", "ab cd e ffi"),
]  # fmt: skip


@pytest.mark.parametrize(("switch", "text", "left"), CASES)
def test_each_switch_takes_its_own_and_leaves_the_rest(switch, text, left):
    assert clean(text, switch).split() == (text if left == "=" else left).split()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}: {case[1][:12]!r}")
def test_the_way_back_tells_where_every_letter_stood(case):
    switch, text, _ = case
    for switches in (switch, ALL):
        found = cleaned(text, switches)
        assert found.text == clean(text, switches)
        assert found.places.tolist() == sorted(found.places.tolist())
        assert (len(found.places), found.places[-1]) == (len(found.text) + 1, len(text))
        changed = [range(a, b) for a, b, _ in found.mended] + [range(*s) for s in found.removed]
        for place, sign in zip(found.places.tolist(), found.text, strict=False):
            inside = any(place in one for one in changed)
            assert inside or text[place] == sign
        for a, b in found.removed:
            at = np.searchsorted(found.places, [a, b])
            assert not found.text[slice(*at)].strip()
        for a, b, new in found.mended:
            assert new.strip() in found.text or any(x <= a and b <= y for x, y in found.removed)


LITTER = "<b>Rose</b> http://x.yz jo@x.de @ann #rot_gelb don't M\ufffdl 1990"


@pytest.mark.parametrize(
    ("preset", "left"),
    [
        ("tweets", "Rose rot gelb 1990"),
        ("web-pages", "Rose rot gelb 1990"),
        ("news", "Rose @ann #rot_gelb 1990"),
        ("speeches", "<b>Rose</b> http://x.yz jo@x.de @ann #rot_gelb 1990"),
    ],
)
def test_a_preset_takes_what_its_kind_of_text_has(preset, left):
    assert clean(LITTER, canonical(preset)).split() == left.split()


SAID = {
    "From: a\nTo: b\n\nyes": "Headers, quotes and signatures of messages in 100 % of the texts: "
    "left out, but for the words of subjects.",
    "<b>yes": "HTML tags and entities in 100 % of the texts: tags left out, entities read.",
    "yes http://a.b": "Links in 100 % of the texts: left out.",
    "yes a@b.de": "E-mail addresses in 100 % of the texts: left out.",
    "yes @ann": "@names in 100 % of the texts: left out.",
    "yes #no": "#tags in 100 % of the texts: their words kept.",
    "don't": "Contractions such as don't and l'homme in 100 % of the texts: pieces such as don and "
    "l left out.",
    "ye\ufffd": "Broken characters in 100 % of the texts: words with letters lost left out, soft "
    "hyphens and ligatures mended.",
    "yes 1990": "Numbers in 100 % of the texts: left out.",
}


@pytest.mark.parametrize("text", SAID)
def test_what_is_found_is_named_with_what_becomes_of_it(text):
    settings = TextSettings(**KEEP_ALL, token_pattern=r"\w+", language="en")
    assert suggested(Source("some", "text", (text,)), settings).said == (SAID[text],)


def test_the_switches_are_named_in_one_order_and_others_refused():
    assert canonical("names, html;links") == "html links names"
    assert canonical("tweets") == canonical(" ".join(PRESETS["tweets"]))
    assert canonical("none") == canonical("") == ""
    assert TextSettings(clean="web-pages numbers").clean.endswith("broken numbers")
    with pytest.raises(ValueError, match="There is no clean-up") as told:
        TextSettings(clean="links linkz")
    assert str(told.value) == (
        "There is no clean-up 'linkz'; choose auto, none, a preset (tweets, news, speeches, "
        "web-pages) or some of messages, html, encoding, hyphens, links, emails, names, "
        "tags, tag-words, contractions, broken, copyright, numbers."
    )


HOSTILE = [
    *("a.", "a-", "a@", "@", "#1", "#", "&amp;", "&#", "<!--", "<script>", "<a ", "<", "http:"),
    *("www.", "1.", "\ufffd", "a", "a'", "don'", "From: a\n", ">", "-- \n", "In article <"),
    *("On a wrote", "Subject: Re:", "re: ", "\n", " ", "é.", "1", "RT ", "&", "mailto:", "X-a"),
    *(".com", "@.com", ".com/", ".co", "'s", "l'", "\u00ad", "://", "…"),
]


@pytest.mark.second
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("end", ["!", "\n~", "@a.com.com"])
def test_hostile_texts_take_time_in_proportion(piece, end):
    """Patterns that go back take four times as long, or more, for twice the text: minutes here."""
    text = piece * (60_000 // len(piece)) + end
    begun = time.process_time()
    clean(text, ALL)
    assert time.process_time() - begun < 1.0


TEXTS = (
    "RT @jo: visit bit.ly/rosen &amp; the <b>gar\u00adden</b>; don’t pick roses",
    "F&uuml;r den Garten: ﬂiegende Rosen bei www.rosen.de und M\ufffdller",
    "L’homme aime l'art et la caf&eacute; de jo@rosen.fr, aujourd'hui",
    "İstanbul'da #Gül_Bahçesi &quot;straße&quot; ΣΊΣΥΦΟΣ e\u0301te\u0301 &#x1F600; roses",
    "Subject: Re: roses\nFrom: jo\n\n> old\nnew roses\n-- \nJo",
)
SETTINGS = (
    TextSettings(**KEEP_ALL, clean=ALL),
    TextSettings(**KEEP_ALL, clean="tweets", strip_accents="unicode", ngram_max=2),
    TextSettings(**KEEP_ALL, clean="html broken", strip_accents="ascii", lowercase=False),
    TextSettings(**KEEP_ALL, clean=ALL, token_pattern=r"x?(\w\w+)"),
)


def corpus_of(settings, texts=TEXTS):
    source = Source("some", "pasted", texts=tuple(texts), docs=DocTable(text=strings(texts)))
    return make_corpus(source, settings)


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_is_counted_is_found_again_in_the_text_that_a_person_reads(settings):
    corpus, _ = corpus_of(settings)
    index = {word: i for i, word in enumerate(corpus.vocab)}
    preprocess = settings.vectorizer().build_preprocessor()
    n_marked = 0
    for row, text in enumerate(corpus.docs.text):
        found = find_words(text, settings, index)
        assert dict(found.counts) == counts_of(corpus, row)
        assert not found.unknown
        for mark in found.occurrences:
            stands = preprocess(text[mark.start : mark.stop])
            parts = corpus.vocab[mark.word].split(" ")
            assert stands.startswith(parts[0])
            assert stands.rstrip().endswith(parts[-1])
            n_marked += 1
    assert n_marked > 15


def test_marks_lie_over_the_letters_as_they_were_written():
    settings = SETTINGS[0]
    corpus, _ = corpus_of(settings)
    index = {word: i for i, word in enumerate(corpus.vocab)}
    marked = {
        corpus.vocab[o.word]: text[o.start : o.stop]
        for text in TEXTS
        for o in find_words(text, settings, index).occurrences
    }
    assert marked["für"] == "F&uuml;r"
    assert marked["garden"] == "gar\u00adden"
    assert marked["fliegende"] == "ﬂiegende"
    assert marked["homme"] == "homme"
    assert marked["straße"] == "straße"
    assert {"don", "amp", "rosen", "jo", "müller", "ller", "aujourd"} & marked.keys() == {"rosen"}


def test_what_is_mended_twice_is_told_with_what_stands_there_in_the_end():
    """An entity is a soft hyphen or a ligature first, and then nothing or two letters."""
    found = cleaned("gra&shy;phic &#xFB01;n &amp;", "html broken")
    assert found.text == "graphic fin &"
    assert found.mended == ((3, 8, ""), (13, 21, "fi"), (23, 28, "&"))


def test_without_a_clean_up_nothing_changes_and_a_word_left_out_stays_cleaned():
    plain = TextSettings(**KEEP_ALL)
    assert plain.clean == ""
    assert plain.vectorizer().preprocessor is None
    corpus, report = corpus_of(SETTINGS[0])
    made, again = leave_out(corpus, ["roses"], report.settings)
    assert set(corpus.vocab) - set(made.vocab) == {"roses"}
    assert again.settings.clean == ALL


def slow_contractions(text):
    """One letter after the other, and no way round any of the rules."""
    found = []
    for match in junk.SIGN.finditer(text):
        at, start = match.start(), match.start()
        while start > max(at - junk.MOST_BEFORE, 0) and junk.IN_MAIL.match(text[start - 1]):
            if text[start - 1] in ".+%-":
                break
            start -= 1
        if start == at:
            continue
        word, after = text[start:at].lower(), match[1].lower()
        whole = start == 0 or not text[start - 1].isalnum()
        if whole and (word, after) in junk.WHOLE:
            found.append((start, match.end()))
        elif after in junk.ENDINGS:
            found.append((at, match.end()))
        elif whole and after and word in junk.ELIDED:
            found.append((start, at + 1))
    return found


def slow_clean(text, switches):
    """Every part asked in any case, and letters changed one by one."""
    parts = [PARTS[name] for name in switches.split()]
    for part in parts:
        for a, b, new in reversed(part.edits(text) if part.edits else []):
            text = text[:a] + new + text[b:]
    for part in parts:
        letters = list(text)
        spans = part.spans(text) if part.spans else []
        for a, b in slow_contractions(text) if part.spans is junk.contractions else spans:
            letters[a:b] = " " * (b - a)
        text = "".join(letters)
    return text


_PIECES = (
    "don't I’m it's they'll geht’s l'homme aujourd’hui O'Brien's rock'n'roll 'n' _'s 1's café's "
    "#tag #a_b ＃x @ann RT @b ＠c a@b.org mailto:x@y.cz bit.ly/x http://a.b ht… www.x.de/y e.g. "
    "&amp; &uuml; &amp;lt; <b> </b> <!-- --> ﬁn gra\u00adphic M\ufffdl \ufffd word und 12 3.14 "
    "> From: Subject: -- : . , ' ’ … \n \n\n \t"
)
PIECES = _PIECES.split(" ")


@pytest.mark.parametrize("switches", [ALL, *map(canonical, PRESETS), "links", "contractions"])
def test_the_quick_way_gives_what_the_slow_one_gives(switches):
    rng = random.Random(switches)
    for _ in range(400):
        glue = rng.choice([" ", " ", ""])
        text = glue.join(rng.choices(PIECES, k=rng.randrange(14)))
        assert clean(text, switches) == slow_clean(text, switches), text


def test_a_signature_has_so_many_lines_at_most():
    """The line of dashes and twelve more, and then it belongs to the text."""
    for n_lines, stays in ((LAST_LINES, False), (LAST_LINES + 1, True)):
        ends = "\n".join(["-- ", *["line"] * n_lines])
        text = f"words of the text\n{ends}"
        assert ("line" in clean(text, "messages").split()) == stays


def test_the_copyright_line_at_the_end_of_an_abstract():
    abstract = "We study (c) the sea. It is grey."
    for line in (
        "© 2020 The Author(s). Published by Example Ltd. All rights reserved.",
        "(C) 2019 Elsevier B.V. All rights reserved.",
        "Copyright © 2001 A. Publisher",
        "© The Author(s), under exclusive licence to Springer 2022",
        "©2020 IEEE",
        "Crown Copyright © 2012 Published by Example",
        "Copyright 2011 Example B.V., All rights reserved.",
        "(PsycINFO Database Record (c) 2016 APA, all rights reserved)",
        "This article is protected by copyright. All rights reserved.",
        "All rights reserved.",
        "Copyright of Seas is the property of Example Inc. and its content may not be copied. "
        + "Users should refer to the original version. " * 10,
    ):
        assert clean(f"{abstract} {line}", "copyright").rstrip() == abstract
    assert clean("The sea © 2020 Example Ltd", "copyright").rstrip() == "The sea"
    for text in (
        abstract,
        "© 2020 Springer. " + abstract * 20,
        "The sign © stands here. So it does.",
        "The sea. Copyright of images is a right. All rights reserved for fish are old.",
    ):
        assert clean(text, "copyright") == text
