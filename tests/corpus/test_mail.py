"""Messages: mailboxes and single e-mails, decoded, with their headers and without attachments."""

import email.message
import mailbox

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import ReadOptions, read, read_files, read_path
from bnpexplorer.corpus.readers.mail import LARGEST
from bnpexplorer.corpus.words.suggesting import settled
from tests.tools.forms import EXAMPLES, ROWS, TEXTS, found
from tests.tools.readers import notes, packed_zip
from tests.tools.written import message


def made(text="The sea.", **headers) -> email.message.EmailMessage:
    one = email.message.EmailMessage()
    for name, value in {"From": "a@example.org", "To": "b@example.org", "Subject": "Sea"}.items():
        one[name] = headers.pop(name, value)
    for name, value in headers.items():
        one[name.replace("_", "-")] = value
    one.set_content(text)
    return one


def read_one(one) -> object:
    return read("one.eml", one if isinstance(one, bytes) else one.as_bytes())


def test_a_mailbox_gives_all_fields():
    """The day is the sender's, whatever it was elsewhere."""
    source = found()["list.mbox"]
    assert source.texts == TEXTS
    assert source.docs.id.tolist() == [row["id"] for row in ROWS]
    assert source.docs.title.tolist() == [row["title"] for row in ROWS]
    assert source.docs.date.astype(str).tolist() == [row["date"] for row in ROWS]
    assert source.docs.label.tolist() == [f"{row['label'].title()} Lee" for row in ROWS]
    assert source.rows.unit == "message"


def test_a_mailbox_of_python_is_read_as_it_was_written(tmp_path):
    box = mailbox.mbox(tmp_path / "a.mbox")
    texts = ["From the sea to the hill.\n\nFrom here on.", "Das Meer über Köln: größer = gut", ""]
    for text in texts:
        box.add(made(text, Subject="Über das Meer und noch viel mehr, so weit es reicht, ja " * 2))
    box.flush()
    source = read_path(tmp_path / "a.mbox")
    assert source.texts == tuple(texts)
    assert (
        source.docs.title[0]
        == ("Über das Meer und noch viel mehr, so weit es reicht, ja " * 2)[:-1]
    )


@pytest.mark.parametrize("name", ["a.eml", "a.txt", "a", "a.csv"])
def test_a_message_is_known_by_its_headers(name):
    source = read(name, EXAMPLES["one.eml"])
    assert (source.format, source.texts) == ("mail", TEXTS[:1])
    crlf = EXAMPLES["one.eml"].replace(b"\n", b"\r\n")
    assert read(name, crlf).texts == TEXTS[:1]


def test_plain_text_comes_before_html_and_attachments_never_come():
    both = made("plain sea")
    both.add_alternative("<html><body><p>marked &amp; sea</p></body></html>", "html")
    both.add_attachment(b"attached", "text", "plain", filename="a.txt")
    both.add_attachment(b"%PDF", "application", "pdf", filename="a.pdf")
    both.add_attachment(made("a message within"))
    assert read_one(both).texts == ("plain sea",)
    html = made()
    html.set_content("<html><style>p {}</style><p>marked &amp; sea</p></html>", "html")
    (text,) = read_one(html).texts
    assert text.split() == ["marked", "&", "sea"]


@pytest.mark.parametrize("cte", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "koi8-r"])
def test_texts_are_decoded(charset, cte):
    text = "Das Meer über Köln, größer als je zuvor: " * 4
    text = "Море широко и глубоко " * 5 if charset == "koi8-r" else text
    one = made()
    one.set_content(text, charset=charset, cte=cte)
    assert read_one(one).texts == (text.strip(),)


def test_an_encoding_that_does_not_fit_is_told():
    head = b"From: a\nTo: b\nSubject: c\nContent-Type: text/plain; charset=utf-8\n\n"
    source = read_one(head + "Köln".encode("cp1252"))
    assert source.texts == ("Köln",)
    assert "1 part of messages named no encoding that fits; Windows-1252 was taken." in notes(
        source
    )


def test_headers_that_are_damaged_stay_as_they_are():
    raw = b"From: K\xf6ln <a@b>\nSubject: =?utf-8?B?!?= =?nope?q?x?=\nDate: some day\n\nsea\n"
    source = read_one(raw)
    assert source.docs.label.tolist() == ["Köln"]
    assert source.docs.title[0].endswith("=?nope?q?x?=")
    assert source.texts == ("sea",)


def test_quotes_and_signatures_are_left_out_by_a_clean_up_that_forms_suggest():
    source = read_one(made("The sea.\n> the hill\n-- \nA. Lee"))
    assert source.texts == ("The sea.\n> the hill\n-- \nA. Lee",)
    assert settled(source, {}, True).settings.clean == "messages"
    assert settled(source, {}).settings.clean == ""


def test_messages_of_a_folder_or_archive_are_read_together(tmp_path):
    files = {f"all/{row['id']}.eml": message(row).as_bytes() for row in ROWS}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    for source in (
        read("a.zip", packed_zip(files)),
        read_files([*files.items()]),
        read_path(tmp_path / "all"),
    ):
        assert source.texts == TEXTS
        assert source.docs.title.tolist() == [row["title"] for row in ROWS]


def test_texts_of_an_archive_that_begin_like_messages_stay_texts():
    files = {f"{i}.txt": made(f"sea {i}").as_bytes() for i in range(3)}
    source = read("a.zip", packed_zip(files))
    assert (source.format, source.n_docs) == ("zip", 3)
    assert source.texts[0].startswith("From: a@example.org")


def test_messages_without_ids_have_none_and_another_column_may_be_chosen():
    source = read("a", made().as_bytes(), options=ReadOptions(label="address", id="-"))
    assert source.docs.id is None
    assert source.docs.label.tolist() == ["a@example.org"]
    assert read_one(made()).docs.id is None


def test_parts_within_parts_and_many_attachments_end():
    deep = b"From: a\nTo: b\nSubject: c\n"
    for i in range(5_000):
        deep += b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (i, i)
    with pytest.raises(CorpusError, match=r"one\.eml, message 1: its parts are nested too deeply"):
        read_one(deep + b"\nsea\n")
    parts = b"--b\nContent-Disposition: attachment\n\nx\n" * 20_000
    head = b'From: a\nTo: b\nSubject: c\nContent-Type: multipart/mixed; boundary="b"\n\n'
    assert read_one(head + b"--b\n\nthe sea\n" + parts + b"--b--\n").texts == ("the sea",)


def test_a_message_that_is_too_large_is_told(monkeypatch):
    monkeypatch.setattr("bnpexplorer.corpus.readers.mail.LARGEST", 500)
    assert LARGEST > 500
    with pytest.raises(CorpusError, match=r"list\.mbox, message 3 takes more than 0 MB"):
        read("list.mbox", (b"From a Thu Jan  1 00:00:00 2015\nTo: b\n\nsea\n\n" * 2)
             + b"From a Thu Jan  1 00:00:00 2015\nTo: b\n\n" + b"sea\n" * 200)  # fmt: skip
