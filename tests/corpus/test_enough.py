"""Too little text is said before learning; the limits are where topics begin to be found."""

import numpy as np
import pytest
from scipy import sparse

from bnpexplorer import load, recommend
from bnpexplorer.__main__ import main
from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.documents.enough import too_little

N_TOPICS, OWN = 4, 20
"""Planted topics, and words that are a topic's own."""


def planted(seed, n_docs, length):
    """Documents of about `length` words from topics of twenty words each, and these topics."""
    rng = np.random.default_rng(seed)
    n_words = N_TOPICS * OWN
    topics = np.full((N_TOPICS, n_words), 0.1 / n_words) + 0.9 / OWN * np.kron(
        np.eye(N_TOPICS), np.ones(OWN)
    )
    shares = rng.dirichlet(np.full(N_TOPICS, 0.2), n_docs)
    rows = [rng.multinomial(length, share @ topics / (share @ topics).sum()) for share in shares]
    words = [f"w{i}" for i in range(n_words)]
    return Corpus.from_csr(sparse.csr_matrix(np.array(rows, np.int32)), words), topics


def n_found(corpus, topics):
    """Planted topics to which one that was learned has a total variation below 0.4."""
    run = recommend(corpus).start(corpus)
    while not run.done:
        run.step()
    learned = run.snapshot().topics.topic_word
    learned = learned / learned.sum(axis=1, keepdims=True)
    return sum(0.5 * np.abs(learned - topic).sum(axis=1).min() < 0.4 for topic in topics)


@pytest.mark.second
@pytest.mark.parametrize(("n_docs", "length"), [(10, 20), (5, 100), (500, 2)])
def test_what_is_said_to_be_too_little_is(n_docs, length):
    for seed in range(2):
        corpus, topics = planted(seed, n_docs, length)
        assert too_little(corpus)
        assert n_found(corpus, topics) <= N_TOPICS // 2


@pytest.mark.second
@pytest.mark.parametrize(("n_docs", "length"), [(30, 50), (100, 20), (500, 3)])
def test_what_is_enough_is(n_docs, length):
    for seed in range(2):
        corpus, topics = planted(seed, n_docs, length)
        assert not too_little(corpus)
        assert n_found(corpus, topics) >= 3


FEW = "too few to find topics in: add texts{}, until there are at least 10 documents and 1,000 "
ONE_SENTENCE = {
    "add": f"{FEW.format('')}words.",
    "divide": f"{FEW.format(' or divide them into passages')}words.",
    "little": "too little text, in which any topic found is mostly chance: add texts or leave out "
    "fewer words, until there are at least 1,000.",
    "short": "too short to tell which words belong together: add texts, or join those of an author "
    "or a day, until there are at least 700 words more than documents.",
}


@pytest.mark.parametrize(
    ("n_docs", "n_words", "said"),
    [
        (1, 1, ("1 document with 1 word", "add")),
        (9, 999, ("9 documents with 999 words", "add")),
        (9, 1000, ("9 documents with 1,000 words", "divide")),
        (10, 999, ("10 documents with 999 words", "little")),
        (10, 1000, None),
        (301, 1000, ("301 documents with 1,000 words", "short")),
        (300, 1000, None),
        (9000, 9699, ("9,000 documents with 9,699 words", "short")),
        (9000, 9700, None),
    ],
)
def test_each_limit_has_its_sentence(n_docs, n_words, said):
    """All but one document have one word, and the rest is in the last."""
    counts = np.tile([1, 0], (n_docs, 1))
    counts[-1, 1] = n_words - n_docs
    corpus = Corpus.from_csr(counts)
    wanted = "" if said is None else f"{said[0]} that count are {ONE_SENTENCE[said[1]]}"
    assert too_little(corpus) == wanted
    if n_docs > 3:
        assert too_little(corpus.part(0, 3), corpus.part(3, n_docs)) == wanted, "parts add up"


def test_the_command_line_and_python_say_it(tmp_path, capsys):
    path = tmp_path / "two.csv"
    path.write_text("text\nsea and hills\ngrey rocks\n")
    with pytest.warns(UserWarning, match=r"two\.csv: 2 documents with 4 words that count are too"):
        load(path)
    main(["fit", str(path), "--method", "hdp-svi", "--heldout", "0", "--passes", "1"])
    assert "2 documents with 4 words that count are too few" in capsys.readouterr().err


def test_texts_by_which_no_topics_can_differ_are_told_of():
    one = Corpus.from_csr(np.arange(20, 80)[:, None], ["cats"])
    assert too_little(one) == (
        "All words that count are the same one, 'cats', by which no topics can differ: leave out "
        "fewer words, or load other texts."
    )
    rows = np.tile([9, 4, 0, 8], (60, 1))
    words = ["cats", "dogs", "ships", "sails"]
    assert too_little(Corpus.from_csr(rows, words)) == (
        "All 60 documents have the same words equally often, by which no topics can differ: leave "
        "out fewer words, or load other texts."
    )
    parts = Corpus.from_csr(rows[:50], words), Corpus.from_csr(rows[50:], words)
    assert too_little(*parts).startswith("All 60 documents have the same")
    for change in ([9, 4, 0, 9], [9, 4, 8, 0], [9, 4, 1, 8]):
        other = rows.copy()
        other[-1] = change
        assert not too_little(Corpus.from_csr(other, words)), "the last differs"
        assert not too_little(parts[0], Corpus.from_csr(other[50:], words))
