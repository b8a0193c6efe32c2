"""Annotated text: CoNLL-U, whose lemmas are the text, and the lines that MALLET imports."""

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import ReadOptions, guess_format, read
from tests.tools.forms import EXAMPLES, ROWS, TEXTS, found

NOW = ReadOptions(as_of="2026-03-05")
LINES = """# newdoc id = a
# meta::date = 1999-03-01
# title = Of the sea
# sent_id = 1
# text = Im Meere.
1-2 Im _ _
1 In in ADP
2 dem der DET
3 Meere Meer NOUN
3.1 ist sein AUX

# sent_id = 2
# title = of a sentence
1 Berge Berg NOUN
2 x _ X

# newdoc id = b
1 Wald Wald NOUN
"""


def conllu(lines=LINES) -> bytes:
    """Words with ten cells each."""
    made = []
    for line in lines.split("\n"):
        cells = line.split(" ")
        made.append(
            line if not line or line[0] == "#" else "\t".join(cells + ["_"] * (10 - len(cells)))
        )
    return "\n".join(made).encode()


def test_lemmas_of_a_document_are_its_text():
    source = read("a.conllu", conllu(), options=NOW)
    assert source.texts == ("in der Meer Berg x", "Wald")
    assert source.docs.id.tolist() == ["a", "b"]
    assert source.docs.title.tolist() == ["Of the sea", ""]
    assert source.docs.date.astype(str).tolist() == ["1999-03-01", "NaT"]
    assert source.docs.label is None
    assert (source.rows.unit, source.rows.number.tolist()) == ("line", [1, 17])


def test_forms_may_be_chosen_and_stand_as_they_were_written():
    options = ReadOptions(text="forms", as_of=NOW.as_of)
    assert read("a.txt", conllu(), options=options).texts == ("Im Meere Berge x", "Wald")


def test_sentences_are_documents_where_none_is_named():
    lines = "\n".join(line for line in LINES.split("\n") if not line.startswith("# newdoc"))
    source = read("a", conllu(lines), options=NOW)
    assert source.texts == ("in der Meer", "Berg x", "Wald")
    assert source.docs.id.tolist() == ["1", "2", ""]


def test_words_of_an_example_are_those_of_its_texts():
    source = found()["words.conllu"]
    assert source.texts == tuple(text.lower() for text in TEXTS)
    assert source.docs.id.tolist() == [row["id"] for row in ROWS]


def test_a_line_of_another_width_is_told_by_its_number():
    options = ReadOptions(format="conllu")
    with pytest.raises(CorpusError, match=r"a\.conllu, line 5: a line of CoNLL-U has 10 cells"):
        read("a.conllu", b"# x\n\n# y\n\nsea\t1\n", options=options)


# ---- MALLET ------------------------------------------------------------------------------------


def test_lines_give_ids_labels_and_texts():
    source = found()["import.txt"]
    assert source.texts == tuple(text for text in TEXTS for _ in range(3))
    assert source.docs.id.tolist() == [f"{row['id']}-{i}" for row in ROWS for i in range(3)]
    assert source.docs.label.tolist() == [row["label"] for row in ROWS for _ in range(3)]
    assert (source.docs.title, source.docs.date) == (None, None)


TAIL = "is wide and blue and deep"


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ([f"file:/a/{i}.txt X the sea {TAIL}" for i in range(9)], "mallet"),
        ([f"d{i}   {'ab'[i % 2]}  the sea {TAIL}" for i in range(9)], "mallet"),
        ([f"d{i} l{i} the sea {TAIL}" for i in range(9)], "text"),
        ([f"d{i % 8} a the sea {TAIL}" for i in range(9)], "text"),
        ([f"d{i} a sea" for i in range(9)], "text"),
        ([f"{i}. The sea {TAIL}" for i in range(9)], "text"),
        ([f"{i}) The sea {TAIL}" for i in range(9)], "text"),
        ([f"{1990 + i} The sea {TAIL}" for i in range(9)], "text"),
        ([f"{word} the sea {TAIL}" for word in TAIL.split()], "text"),
        ([f"d{i} a the sea {TAIL}" for i in range(5)], "text"),
    ],
)
def test_prose_and_lists_are_no_such_lines(lines, kind):
    content = "".join(f"{line}\n" for line in lines).encode()
    assert guess_format("a.txt", content, as_of=NOW.as_of) == kind


def test_a_line_without_a_label_is_told_and_one_without_a_text_is_empty():
    content = EXAMPLES["import.txt"] + b"d8 sea\n\n"
    options = ReadOptions(format="mallet")
    assert read("a.txt", content, options=options).texts[-1] == ""
    with pytest.raises(CorpusError, match=r"a\.txt, line 21: there is no label after the id 'd9'"):
        read("a.txt", content + b"d9\n", options=options)
