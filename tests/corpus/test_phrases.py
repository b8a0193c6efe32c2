"""Phrases: NPMI against its formula, planted collocations found, and counted as they are marked."""

import math
import time
from collections import Counter
from dataclasses import asdict, replace
from itertools import pairwise

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.documents.leaving_out import leave_out
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words.cutting import Cutter
from bnpexplorer.corpus.words.occurrences import find_words
from bnpexplorer.corpus.words.pattern import LETTERS
from bnpexplorer.corpus.words.phrases import cut_all, find_phrases, lengths, npmi, read_phrases
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.explore.documents import counts_of

PLAIN = {"max_df": 1.0, "max_features": 0, "min_tokens": 1}
LETTERS_OF = [a + b + c for a in "bdfg" for b in "aeiou" for c in "klmnp"]
PLANTED = ("supreme court", "new york city", "Kölner Dom", "pago-pago")


def texts_with_planted(n=400):
    """Words drawn alone, and in every other text one planted phrase; `york` stands alone too."""
    rng = np.random.default_rng(3)
    texts = []
    for i in range(n):
        words = rng.choice(LETTERS_OF, 12).tolist()
        words[5] = f"{words[5]} {PLANTED[i // 2 % 4]}" if i % 2 else "york, court"
        texts.append(" ".join(words) + ".")
    return texts


def made(settings, texts=None):
    texts = texts or texts_with_planted()
    source = Source("planted", "texts", texts=tuple(texts), docs=DocTable(text=strings(texts)))
    return make_corpus(source, settings)


def test_npmi_is_bouma_s_formula_and_has_its_ends():
    n, both, first, second = 5000, 30, 40, 90
    pointwise = math.log((both / n) / (first / n * second / n))
    assert npmi(both, first, second, n) == pytest.approx(pointwise / -math.log(both / n))
    assert npmi(7, 7, 7, 1000) == pytest.approx(1.0), "never one without the other"
    assert npmi(20, 100, 200, 1000) == pytest.approx(0.0), "as often as by chance"
    assert npmi(1, 100, 200, 1000) < 0
    assert npmi(5, 5, 5, 5) == 1.0


def slow_phrases(texts, stop, least, surest, documents):
    """The same from the definition, by lists and dictionaries of words."""
    lines = []  # runs of words with one blank between
    for text in texts:
        run, runs = [], []
        for piece in text.lower().split(" "):
            word = piece.strip(".,")
            if word in stop or not word.isalpha() or len(word) < 3:
                runs, run = [*runs, run], []
                continue
            run.append((word,))
            if piece != word:
                runs, run = [*runs, run], []
        lines.append([r for r in [*runs, run] if r])

    def best(lines, size):
        flat = [list(run) for runs in lines for run in runs]
        often = Counter(w for run in flat for w in run)
        met = Counter(pair for run in flat for pair in pairwise(run))
        n = sum(often.values())
        found = {}
        for (a, b), times in met.items():
            score = math.log(times * n / often[a] / often[b]) / -math.log(times / n)
            if times >= least and score >= surest and len(a + b) == size:
                found[a, b] = max(score, found.get((a, b), 0))
        return found

    def join(run, pairs):
        joined = []
        for word in run:
            if joined and (joined[-1], word) in pairs and len(joined[-1]) == 1:
                joined[-1] = joined[-1] + word
            else:
                joined.append(word)
        return joined

    pairs = best(lines, 2)
    lines_2 = [[join(run, pairs) for run in runs] for runs in lines]
    known = {a + b for a, b in [*pairs, *best(lines_2, 3)]}
    within = Counter()
    for runs in lines:
        seen = set()
        for run in runs:
            words, i = [w for (w,) in run], 0
            while i < len(words):
                size = next((k for k in (3, 2) if tuple(words[i : i + k]) in known), 1)
                seen |= {tuple(words[i : i + size])} if size > 1 else set()
                i += size
        within.update(seen)
    return tuple(sorted("_".join(p) for p in known if within[p] >= documents))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("least", "surest", "documents"), [(2, 0.0, 1), (3, 0.3, 2), (2, 0.5, 3)])
def test_phrases_are_those_of_a_slow_twin(seed, least, surest, documents):
    """Six words only, so that phrases overlap, meet themselves and take one another's words."""
    rng = np.random.default_rng(seed)
    words = ["red", "rose", "sea", "hill", "the", "bay"]
    texts = [
        " ".join(
            rng.choice(words, p=[0.3, 0.25, 0.15, 0.1, 0.1, 0.1]) + rng.choice(["", "", "", ","])
            for _ in range(rng.integers(0, 15))
        )
        for _ in range(25)
    ]
    settings = TextSettings(token_pattern=LETTERS, stop_words="none", extra_stop_words="the")
    tokens = cut_all(texts, Cutter(settings))
    found = find_phrases(tokens, least, surest, documents)
    assert found == slow_phrases(texts, {"the"}, least, surest, documents)


def test_planted_collocations_are_found_and_chance_pairs_are_not():
    corpus, report = made(TextSettings(**PLAIN, min_df=2, phrases=True))
    phrases = {word for word in corpus.vocab if "_" in word}
    assert phrases == {"supreme_court", "new_york_city", "kölner_dom", "pago_pago"}
    assert set(report.settings.joined.split()) == phrases
    words = dict(zip(corpus.vocab, corpus.word_totals.tolist(), strict=True))
    assert "supreme" not in words, "within a phrase it does not count alone"
    assert (words["new_york_city"], words["york"], words["court"]) == (50, 200, 200)


def test_without_phrases_nothing_is_joined():
    corpus, report = made(TextSettings(**PLAIN, min_df=2))
    assert not any("_" in word for word in corpus.vocab)
    assert report.settings.joined == ""


SETTINGS = (
    TextSettings(**PLAIN, min_df=1, phrases=True),
    TextSettings(**PLAIN, min_df=1, phrases=True, stop_words="none", ngram_max=2),
    TextSettings(**PLAIN, min_df=1, phrases=True, token_pattern=r"x?(\w\w+)", clean="tweets"),
    TextSettings(**PLAIN, min_df=1, joined="New_York bak", lowercase=True),
    TextSettings(**PLAIN, min_df=1, phrases=True, extra_stop_words="kölner"),
)


@pytest.mark.parametrize("settings", SETTINGS)
def test_phrases_are_found_again_in_texts_as_they_were_counted(settings):
    corpus, report = made(settings)
    index = {word: i for i, word in enumerate(corpus.vocab)}
    marked = []
    for row in range(0, corpus.n_docs, 9):
        text = corpus.docs.text[row]
        found = find_words(text, report.settings, index)
        assert dict(found.counts) == counts_of(corpus, row)
        assert not found.unknown
        marked += [text[o.start : o.stop] for o in found.occurrences]
    wanted = "new york" if settings.joined == "New_York bak" else "new york city"
    assert sum(wanted in words for words in marked) > 3


def test_new_texts_are_cut_with_the_phrases_of_the_corpus():
    corpus, report = made(TextSettings(**PLAIN, min_df=2, phrases=True))
    index = {word: i for i, word in enumerate(corpus.vocab)}
    text = "The SUPREME\n Court, of New York! supreme,court"
    found = find_words(text, report.settings, index)
    names = [(corpus.vocab[o.word], text[o.start : o.stop]) for o in found.occurrences]
    assert names == [("supreme_court", "SUPREME\n Court"), ("york", "York"), ("court", "court")]
    again = replace(report.settings, phrases=False)
    same, _ = made(again)
    assert same.fingerprint == corpus.fingerprint, "the list alone makes the counts"


def test_a_phrase_is_left_out_whole():
    corpus, report = made(TextSettings(**PLAIN, min_df=2, phrases=True))
    without, again = leave_out(corpus, ["supreme_court"], report.settings)
    assert set(corpus.vocab) - set(without.vocab) == {"supreme_court"}
    assert again.settings.joined == report.settings.joined
    assert "supreme_court" in dict(again.removed["stop word"].words)


def test_the_longest_phrase_wins_from_left_to_right():
    heads = read_phrases(["a_b", "a_b_c", "c_d", "b_c"])
    line = ["a", "b", "c", "d", "a", "b", "b", "c"]
    assert lengths(line, lambda i: True, heads) == [3, 1, 2, 2]
    assert lengths(["a", "b", "c"], lambda i: i == 2, heads) == [1, 2]
    assert lengths([], lambda i: True, heads) == []


def test_phrases_and_clean_up_travel_to_the_child_and_back(tmp_path):
    file = tmp_path / "planted.txt"
    file.write_text("\n".join(f"{text} bit.ly/{i}" for i, text in enumerate(texts_with_planted())))
    words = {**PLAIN, "min_df": 2, "phrases": True, "clean": "auto"}
    loaded = api.load_with_report(file, settings=words)
    assert "Links in 100 % of the texts: left out." in loaded.notes
    assert loaded.report.settings.clean == "links"
    assert {"supreme_court", "new_york_city"} <= set(loaded.corpus.vocab)
    assert not {"bit", "bit_ly"} & set(loaded.corpus.vocab)
    again = api.load(file, **asdict(loaded.report.settings))
    assert again.fingerprint == loaded.corpus.fingerprint


@pytest.mark.second
def test_thousands_of_phrases_that_begin_alike_take_no_longer():
    """Whoever sends a saved run sends its list of phrases too."""
    phrases = " ".join(f"sea_a{i}" for i in range(50_000))
    text = "sea " * 20_000
    begun = time.process_time()
    find_words(text, TextSettings(joined=phrases), {"sea": 0})
    assert time.process_time() - begun < 2
