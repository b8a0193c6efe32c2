"""Vocabularies as R, pandas, gensim and others write them give every word its own counts."""

import csv
import gzip
import io
import random
import warnings

import numpy as np
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.formats import ReadOptions, read

WORDS = ("about", "after", "captain", "cargo", 'the "sea"', "new york, ny", "word", "x", "1990")


def r_quoted(words, header="x"):
    """`write.csv(words, row.names = FALSE)`."""
    lines = [header, *words] if header else words
    return "".join('"' + line.replace('"', '""') + '"\n' for line in lines)


def r_rows(words, comma=",", header="x"):
    """`write.csv(words)`, or `write.csv2` with a semicolon."""
    rows = [f'""{comma}"{header}"'] if header else []
    rows += ['"{}"{}"{}"'.format(n, comma, w.replace('"', '""')) for n, w in enumerate(words, 1)]
    return "\n".join(rows) + "\n"


def r_table(words, sign=" "):
    """`write.table(words)`: its header has one field fewer than the rows."""
    rows = ['"{}"{}"{}"'.format(n, sign, w.replace('"', '""')) for n, w in enumerate(words, 1)]
    return '"x"\n' + "\n".join(rows) + "\n"


def r_frequencies(words):
    """`write.csv(data.frame(term, freq))`."""
    rows = [f'"{n}","{w.replace(chr(34), 2 * chr(34))}",{90 - n}' for n, w in enumerate(words, 1)]
    return '"","term","freq"\n' + "\n".join(rows) + "\n"


def pandas_rows(words):
    """`Series(words).to_csv`: rows from 0, quotes only where they are needed."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("", "0"), *enumerate(words)])
    return out.getvalue()


def gensim(words):
    """`Dictionary.save_as_text`: the number of documents, then the words by the alphabet."""
    rows = sorted((w, f"{n}\t{w}\t{7}") for n, w in enumerate(words))
    return "12\n" + "\n".join(row for _, row in rows) + "\n"


def plain(words):
    return "\n".join(words) + "\n"


def headed(name):
    return lambda words: plain((name, *words))


FORMS = {
    "plain": plain,
    "quoted": r_quoted,
    "quoted without header": lambda words: r_quoted(words, ""),
    "quoted, another header": lambda words: r_quoted(words, "V1"),
    "rows": r_rows,
    "rows with semicolons": lambda words: r_rows(words, ";"),
    "rows without header": lambda words: r_rows(words, header=""),
    "table": r_table,
    "table with tabs": lambda words: r_table(words, "\t"),
    "frequencies": r_frequencies,
    "pandas": pandas_rows,
    "gensim": gensim,
    **{f"plain below {name}": headed(name) for name in ("x", "word", "term", "V1", "Vocabulary")},
}
DRESSES = {
    "as it is": str.encode,
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "BOM": lambda text: text.encode("utf-8-sig"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "no last line end": lambda text: text.rstrip("\n").encode(),
}


def counts_of(n_docs, n_words, seed):
    """Counts int64 (D, V) in which every word is in some document."""
    draw = np.random.default_rng(seed)
    counts = draw.poisson(0.7, (n_docs, n_words))
    counts[draw.integers(n_docs, size=n_words), np.arange(n_words)] += 1
    return counts


def as_ldac(counts, _):
    rows = [[f"{w}:{n}" for w, n in enumerate(row) if n] for row in counts]
    return "a.ldac", "\n".join(" ".join((str(len(row)), *row)) for row in rows)


def as_uci(counts, n_words):
    entries = [(d, w, n) for d, row in enumerate(counts, 1) for w, n in enumerate(row, 1) if n]
    heads = (len(counts), n_words, len(entries))
    return "docword.a.txt", "\n".join([*map(str, heads), *(" ".join(map(str, e)) for e in entries)])


def as_mtx(counts, n_words):
    entries = [(d, w, n) for d, row in enumerate(counts, 1) for w, n in enumerate(row, 1) if n]
    size = (len(counts), n_words, len(entries))
    lines = ["%%MatrixMarket matrix coordinate integer general", " ".join(map(str, size))]
    return "a.mtx", "\n".join([*lines, *(" ".join(map(str, e)) for e in entries)])


def as_turned_mtx(counts, n_words):
    entries = [(w, d, n) for d, row in enumerate(counts, 1) for w, n in enumerate(row, 1) if n]
    size = (n_words, len(counts), len(entries))
    lines = ["%%MatrixMarket matrix coordinate integer general", " ".join(map(str, size))]
    return "a.mtx", "\n".join([*lines, *(" ".join(map(str, e)) for e in entries)])


COUNTS = {"ldac": as_ldac, "uci": as_uci, "mtx": as_mtx, "turned mtx": as_turned_mtx}


def read_with(written, counts, vocab, options=None):
    name, content = COUNTS[written](counts, counts.shape[1])
    return read(name, content.encode(), vocab=("v.csv", vocab), options=options or ReadOptions())


@pytest.mark.second
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("written", COUNTS)
def test_every_word_has_its_own_counts_however_its_vocabulary_was_written(written, form):
    for seed, dressed in enumerate(DRESSES.values()):
        words = random.Random(f"{written}{form}{seed}").sample(WORDS, len(WORDS))
        counts = counts_of(5, len(words), seed)
        source = read_with(written, counts, dressed(FORMS[form](words)))
        assert source.vocab == tuple(words)
        np.testing.assert_array_equal(source.counts.toarray(), counts)
        assert not source.warnings


@pytest.mark.parametrize("first", ["word", "x", "term", "V1", "0"])
@pytest.mark.parametrize("form", ["plain", "quoted without header", "rows without header"])
@pytest.mark.parametrize("written", COUNTS)
def test_a_first_word_that_could_be_a_header_stays_where_the_counts_have_a_place_for_it(
    written, form, first
):
    words = (first, "sea", "hill", "about")
    counts = counts_of(6, 4, 1)
    for dressed in DRESSES.values():
        source = read_with(written, counts, dressed(FORMS[form](words)))
        assert source.vocab == words
        assert not source.warnings


@pytest.mark.parametrize(
    ("first", "second"), [("0", "xylophone"), ("word", "word"), ("x", "xylophone")]
)
def test_a_first_word_in_its_place_of_the_alphabet_is_no_header(first, second):
    words = (first, second, "year", "zebra", "zoo")
    counts = counts_of(6, 4, 1)
    source = read_with("ldac", counts, plain(words).encode())
    assert source.vocab == words
    (warning,) = source.warnings
    assert warning in source.notes
    assert "No document has the last word of v.csv, 'zoo'" in warning
    assert f"If its line 1, {first!r}, is a header" in warning
    assert "--header yes" in warning


def test_a_header_that_was_left_out_is_said_and_what_no_document_has_is_counted():
    words = ("sea", "hill", "captain", "about", "rock")
    source = read_with("ldac", counts_of(6, 3, 1), r_quoted(words).encode())
    assert source.vocab == words
    assert "Line 1 of v.csv, 'x', is a header and no word." in " ".join(source.notes)
    above = "Line 1 of v.csv, 'term', is a header and no word."
    table = '"term" "freq"\n' + "".join(f'"{n}" "{w}" {9 - n}\n' for n, w in enumerate(words, 1))
    for content in (table, r_frequencies(words)):  # above the row names there may be nothing
        found = read_with("ldac", counts_of(6, 3, 1), content.encode())
        assert found.vocab == words
        assert above in found.notes
    (warning,) = source.warnings
    assert warning == (
        "No document has the last 2 of the 5 words of v.csv, from 'about' on; "
        "see whether it belongs to these counts."
    )


def test_whether_there_is_a_header_can_be_said():
    counts, written = counts_of(6, 3, 1), plain(("lexeme", "sea", "hill", "rock")).encode()
    with pytest.raises(CorpusError, match=r"v\.csv has 4 words but .* 3; .*--header yes"):
        read_with("uci", counts, written)
    named = ReadOptions(header="yes")
    assert read_with("uci", counts, written, named).vocab == ("sea", "hill", "rock")
    assert read_with("ldac", counts, written, named).vocab == ("sea", "hill", "rock")
    quoted = r_quoted(("sea", "hill", "rock"), "lexeme").encode()  # by R, which writes a header
    for form in ("uci", "mtx"):
        assert read_with(form, counts, quoted).vocab == ("sea", "hill", "rock")
    alone = ReadOptions(header="no")
    x = plain(("x", "sea", "hill", "rock")).encode()
    assert read_with("ldac", counts, x, alone).vocab == ("x", "sea", "hill", "rock")
    rows = r_rows(("sea", "hill", "rock")).encode()
    assert read_with("ldac", counts, rows, alone).vocab == ("x", "sea", "hill", "rock")


def test_words_whose_quotes_are_their_own_keep_them():
    words = ('"', '"quoted"', "sea", "a,b", "12 monkeys")
    assert read_with("ldac", counts_of(4, 5, 0), plain(words).encode()).vocab == words


def test_a_first_word_in_quotes_stays_where_counts_do_not_say_how_many_words_there_are():
    """Unless it has the name of a header: there may be words that no document has."""
    words = ("zoo", "sea", "hill", "captain")
    counts = counts_of(6, 3, 1)
    found = read_with("ldac", counts, r_quoted(words, header=None).encode())
    assert (found.vocab, found.counts.shape) == (words, (6, 4))
    assert found.warnings[0].startswith("No document has the last word of v.csv, 'captain'. If its")
    assert read_with("ldac", counts, r_quoted(words[1:], "word").encode()).vocab == words[1:]


def test_a_dictionary_with_gaps_in_its_numbers_is_refused():
    for number in (0, 3, 4):  # one of the others again, and what lies beyond the last
        gaps = f"3\n0\tsea\t2\n{number}\thill\t2\n2\trock\t1\n"
        with pytest.raises(
            CorpusError, match=r"v\.csv: the numbers .* 0 to 2, each once.*compacti"
        ):
            read_with("ldac", counts_of(4, 3, 0), gaps.encode())


def test_a_table_as_wide_as_it_is_long_is_not_turned_round_for_a_header():
    words = ("sea", "hill", "captain", "about")
    counts = counts_of(5, 4, 3)  # with its header the vocabulary is as long as there are rows
    source = read_with("mtx", counts, headed("word")(words).encode())
    assert source.vocab == words
    np.testing.assert_array_equal(source.counts.toarray(), counts)


def test_the_sentence_travels_to_python_before_anything_is_learned(tmp_path):
    name, content = as_ldac(counts_of(300, 8, 1), 8)
    (tmp_path / name).write_text(content)
    words = [f"w{n}" for n in range(9, -1, -1)]
    (tmp_path / "v.txt").write_text(plain(words))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        api.load(tmp_path / name, vocab=tmp_path / "v.txt")
    assert any("No document has the last 2 of the 10 words" in str(one.message) for one in told)
    sent = api.read_files([(name, content.encode()), ("v.txt", plain(words).encode())])
    assert len(sent.warnings) == 1
