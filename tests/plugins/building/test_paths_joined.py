"""Texts by their paths on the Texts page: short ones joined, and phrases found, as by the command
line."""

import random

import pytest

from bnpexplorer import load
from bnpexplorer.__main__ import main
from bnpexplorer.plugins.building import builds
from bnpexplorer.plugins.building.plan import work_folder
from tests.tools.building import rows_of, write_csv
from tests.tools.pages import check, field, texts
from tests.tools.paths import ask, errors, opened, press, until_ended

pytestmark = [pytest.mark.usefixtures("registry", "at_home"), pytest.mark.second]

JOIN, PERIOD = "Join short texts of one", "within one"


@pytest.fixture
def posts(tmp_path):
    """Two files with texts of the same accounts, in any order, one in twenty without an account;
    of some words that stand together."""
    rng, rows = random.Random(0), rows_of(320)
    for d, row in enumerate(rows):
        row["account"] = "" if d % 20 == 7 else f"user {rng.randrange(150)}"
        row["text"] += " old harbour" * (d % 5 == 0)
    return write_csv(tmp_path / "one.csv", rows[:200]), write_csv(tmp_path / "two.csv", rows[200:])


def set_to(app, kind, label, value):
    return check(field(kind(app), label).set_value(value).run())


def select(app, label, value):
    return set_to(app, lambda app: app.selectbox, label, value)


def test_joined_texts_and_phrases_are_those_of_the_command_line(posts):
    """Of two files, in which an account has texts here and there."""
    app = ask(opened(), *posts)
    app = select(app, JOIN, "account")
    app = select(app, PERIOD, "month")
    assert "200 texts joined into" in texts(app.caption), "of the first file, before it is built"
    app = set_to(app, lambda app: app.checkbox, "Join phrases", True)
    count = "Phrases stand at least so many times"
    app = set_to(app, lambda app: app.number_input, count, 20)
    app = until_ended(press(app, "Build it"))
    loaded = app.session_state["loaded"]
    assert loaded.corpus.folder == posts[0].with_name("one.corpus")
    assert any("320 texts joined into" in note.value.replace("\\", "") for note in app.caption)
    assert "old_harbour" in loaded.corpus.vocab
    asked = ["--join", "account", "--period", "month", "--phrases", "true", "--phrase-count", "20"]
    chosen = loaded.report.settings
    for name in ("min_df", "max_df", "min_tokens", "language", "stop_words", "clean"):
        asked += [f"--{name.replace('_', '-')}", str(getattr(chosen, name)) or "none"]
    wanted = posts[0].with_name("wanted")
    files = list(map(str, posts))
    assert main(["corpus", "build", *files, str(wanted), *asked, "--threads", "1"]) == 0
    corpus = load(wanted)
    assert loaded.corpus.fingerprint == corpus.fingerprint
    assert loaded.corpus.docs.title[:3].tolist() == corpus.docs.title[:3].tolist()
    assert not work_folder(loaded.corpus.folder).exists()


def test_fields_begin_at_what_suits_the_joined_documents(tmp_path):
    """Three labels make three documents, of which `min_df` 2 and `max_df` 0.5 would leave little,
    though by the bytes that nobody has looked at there may be hundreds."""
    rows = [{"label": row["label"], "text": row["text"]} for row in rows_of(320)]
    few, rest = (
        write_csv(tmp_path / "few.csv", rows[:5]),
        write_csv(tmp_path / "rest.csv", rows[5:]),
    )
    app = ask(opened(), few, rest)
    fewer, more = (f"Leave out words in {side} documents than" for side in ("fewer", "more"))
    assert field(app.text_input, fewer).value == "2"
    app = select(app, JOIN, "label")
    assert "5 texts joined into 3 documents" in texts(app.caption)
    assert field(app.text_input, fewer).value == "1"
    assert field(app.text_input, more).value == "1.0"
    app = until_ended(press(app, "Build it"))
    assert app.session_state["loaded"].corpus.n_docs == 3


def test_what_cannot_be_joined_is_told_and_can_be_put_right(posts, tmp_path):
    rows = [{"account": f"a{d % 9}", "text": "old harbour and new bridge"} for d in range(90)]
    undated = write_csv(tmp_path / "undated.csv", rows)
    app = select(select(ask(opened(), undated), JOIN, "account"), PERIOD, "week")
    assert "has no dates by which its texts could be joined for each week" in errors(app)
    assert not [b for b in app.button if b.label == "Build it"]
    app = select(app, PERIOD, "")
    assert not app.error
    # A file after the first lacks the column: its name and what to choose, once it is its turn.
    other = write_csv(tmp_path / "other.csv", [{"who": "me", "text": "old harbour"}] * 9)
    app = select(ask(opened(), undated, other), JOIN, "account")
    app = until_ended(press(app, "Build it"))
    assert "other.csv has no column 'account' by which to join texts; choose one of" in errors(app)
    assert [build.standing for build in builds._builds().values()] == ["refused"]
    # Texts without columns offer no joining.
    (tmp_path / "plain.txt").write_text("old harbour\n" * 9)
    app = ask(opened(), tmp_path / "plain.txt")
    assert not [box for box in app.selectbox if box.label == JOIN]
