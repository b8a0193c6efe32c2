"""From texts or counts to a `Corpus`: scikit-learn's vectoriser, and a report of what it left out.

Names and meanings of the settings are those of `sklearn.feature_extraction.text.CountVectorizer`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import I64
from ..core.knob import Settings, knob
from .cleaning import PARTS, PRESETS, canonical, clean
from .corpus import Corpus, CorpusError
from .counting import (
    TOP,
    Counted,
    Mask,
    Removed,
    count_given,
    count_texts,
    document_frequency,
    most_frequent,
    prune,
    removed_words,
    zipf,
)
from .pattern import LETTERS, PATTERNS, SAMPLE, check_pattern, check_pattern_speed
from .phrases import Heads, cut_all, find_phrases, read_phrases, tokenizer
from .source import Source, plural

if TYPE_CHECKING:  # it takes a second to import, which who reads no texts need not wait
    from sklearn.feature_extraction.text import CountVectorizer


@dataclass(frozen=True)
class TextSettings(Settings):
    """How texts become words; the defaults suit English prose by the thousand documents."""

    lowercase: bool = knob(
        True, help="Treats The and the as one word.", label="Capitals do not matter", more=True
    )
    strip_accents: str = knob(
        "none",
        choices=("none", "unicode", "ascii"),
        help="Removes accents: unicode keeps other alphabets, ascii drops their letters.",
        label="Leave out accents",
        more=True,
    )
    token_pattern: str = knob(
        LETTERS,
        high=200,
        more=True,
        help="A regular expression for one word; as it stands: three letters or more, no numbers.",
        label="What a word is",
    )
    ngram_min: int = knob(
        1,
        1,
        5,
        "Shortest run of words that counts as a term.",
        label="Shortest run of words counted",
        more=True,
    )
    ngram_max: int = knob(
        1,
        1,
        5,
        "Longest run of words that counts as a term: 2 adds pairs such as new york.",
        label="Longest run of words counted",
        more=True,
    )
    stop_words: str = knob(
        "english",
        choices=("english", "none"),
        help="Leaves out the commonest English words (scikit-learn's list): the, of, and.",
        label="Leave out common words",
    )
    extra_stop_words: str = knob(
        "",
        high=100_000,
        help="Further words to leave out, with blanks or commas between.",
        label="Leave out these words too",
    )
    min_df: int | float = knob(
        5,
        high=1_000_000_000,
        share=True,
        help="Leaves out words in fewer documents: a whole number, or a share such as 0.01.",
        label="Leave out words in fewer documents than",
    )
    max_df: int | float = knob(
        0.5,
        high=1_000_000_000,
        share=True,
        help="Leaves out words in more documents: a share such as 0.5, or a whole number.",
        label="Leave out words in more documents than",
    )
    titles: bool = knob(
        False,
        help="Counts the words of titles with those of their texts. Where a text is shown, words "
        "are marked in the text only.",
        label="Words of titles count too",
    )
    max_features: int = knob(
        20_000,
        0,
        10_000_000,
        "Keeps only so many words, the most frequent ones; 0 keeps all.",
        label="Keep at most so many words",
        more=True,
    )
    min_tokens: int = knob(
        5,
        1,
        1_000_000,
        "Leaves out documents with fewer words left than this.",
        label="Leave out documents with fewer words than",
        more=True,
    )
    drop_repeated: bool = knob(
        False,
        help="Of documents with the same text keeps the first only, so that none is both "
        "learned and held out.",
        label="Keep repeated documents once",
        more=True,
    )
    phrases: bool = knob(
        False,
        help="Joins words that stand together far more often than by chance, such as "
        "supreme_court, up to three; they no longer count alone there.",
        label="Join phrases",
    )
    phrase_npmi: float = knob(
        0.4,
        0.0,
        1.0,
        "How surely the words of a phrase belong together, by normalised pointwise mutual "
        "information (Bouma 2009): larger joins fewer.",
        label="How surely words make a phrase",
        more=True,
    )
    phrase_count: int = knob(
        10,
        1,
        1_000_000,
        "Joins words only if they stand together so many times.",
        label="Phrases stand at least so many times",
        more=True,
    )
    joined: str = knob(
        "",
        high=1_000_000,
        apart=True,
        help="The phrases to join, as new_york; found out where phrases are wanted.",
    )
    clean: str = knob(
        "",
        high=1000,
        apart=True,
        help="Clean-up before words are cut: auto (what is found), none, a preset "
        f"({', '.join(PRESETS)}) or some of {', '.join(PARTS)}.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_pattern(self.token_pattern)
        object.__setattr__(self, "clean", canonical(self.clean))
        if self.ngram_min > self.ngram_max:
            raise ValueError(
                f"TextSettings: ngram_min is {self.ngram_min} but ngram_max is {self.ngram_max}; "
                "the first must not be larger."
            )

    def vectorizer(self) -> "CountVectorizer":
        """scikit-learn's vectoriser with exactly these settings (all but `titles`, `min_tokens` and
        `drop_repeated`)."""
        from sklearn.feature_extraction.text import CountVectorizer

        plain = CountVectorizer(
            preprocessor=self.preprocessor() if self.clean else None,
            lowercase=self.lowercase,
            strip_accents=None if self.strip_accents == "none" else self.strip_accents,
            tokenizer=self.tokenizer(),
            token_pattern=None if self.joined else self.token_pattern,
            ngram_range=(self.ngram_min, self.ngram_max),
            min_df=self.min_df,
            max_df=self.max_df,
            max_features=self.max_features or None,
            dtype=np.int32,
        )
        stop = sorted(self.stop_list(plain))
        return plain.set_params(stop_words=stop or None)

    def letters(self) -> Callable[[str], str]:
        """What turns a text into lower case and takes its accents, as far as the settings ask."""
        from sklearn.feature_extraction.text import CountVectorizer

        accents = None if self.strip_accents == "none" else self.strip_accents
        plain = CountVectorizer(lowercase=self.lowercase, strip_accents=accents)
        preprocess: Callable[[str], str] = plain.build_preprocessor()
        return preprocess

    def preprocessor(self) -> Callable[[str], str]:
        """As `letters`, after the clean-up."""
        letters, switches = self.letters(), self.clean
        return lambda text: letters(clean(text, switches))

    def tokenizer(self) -> Callable[[str], list[str]] | None:
        """What cuts words and joins phrases; None where scikit-learn does."""
        return tokenizer(self.token_pattern, self.heads()) if self.joined else None

    def heads(self) -> Heads[str]:
        """The phrases that are joined, by their first word."""
        return read_phrases(self.letters()(self.joined))

    def stop_list(self, vectorizer: "CountVectorizer") -> frozenset[str]:
        """The stop words, cut into tokens as the texts are (don't becomes don); phrases that are
        joined stay whole."""
        words = set(re.split(r"[\s,;]+", self.extra_stop_words)) - {""}
        if self.stop_words == "english":
            from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

            words |= ENGLISH_STOP_WORDS
        preprocess, tokenize = vectorizer.build_preprocessor(), vectorizer.build_tokenizer()
        whole = words & {*self.joined.split()}
        cut = (token for word in words - whole for token in tokenize(preprocess(word)))
        return frozenset(cut) | whole


AS_COUNTED = TextSettings(stop_words="none", min_df=0.0, max_df=1.0, max_features=0, min_tokens=1)
"""The settings of counts, of which nothing is left out."""


@dataclass(frozen=True, eq=False)
class Report:
    """What became of the documents and words of a source."""

    n_read: int
    n_docs: int
    n_tokens: int
    n_words: int
    dropped: dict[str, int]
    """Reason -> number of documents left out."""
    commonest: tuple[tuple[str, int, int], ...]
    """At most 50 (word, count, document frequency) of the corpus, most frequent first."""
    removed: dict[str, Removed]
    """Reason -> words left out, in the order in which the reasons were applied."""
    lengths: I64
    """int64 (D,): tokens of every document of the corpus."""
    zipf: tuple[I64, I64]
    """Ranks (from 1) and frequencies of all words before any was left out; at most 400 points."""
    settings: TextSettings
    """The settings in force."""
    n_repeated: int = 0
    """Documents of the corpus whose text is that of an earlier one."""

    @property
    def left_out(self) -> str:
        """How many documents were left out, of how many, and why; empty if none was."""
        n = sum(self.dropped.values())
        reasons = "; ".join(f"{count:,} had {reason}" for reason, count in self.dropped.items())
        return f"{n:,} of {plural(self.n_read, 'document')} ({reasons})" if n else ""

    @property
    def repeated(self) -> str:
        """How many documents of the corpus repeat another; empty if none does."""
        if not self.n_repeated:
            return ""
        words = plural(self.n_repeated, "document has", "documents have")
        return f"{words} the text of an earlier one"


def default_settings(source: Source) -> TextSettings:
    """Settings that suit a source: counts stay as they are, few documents are pruned less.

    `max_df` is meant for stop words that the list lacks; among fewer than 100 documents it would
    remove their subject.
    """
    if source.counts is not None:
        return AS_COUNTED
    if source.n_docs < 100:
        return TextSettings(min_df=1, max_df=1.0, min_tokens=1)
    return TextSettings(min_df=2 if source.n_docs < 1000 else 5)


def describe(corpus: Corpus) -> Report:
    """The report of a corpus that came as counts: nothing is left out."""
    source = Source(corpus.name, "counts", counts=corpus.to_csr(), vocab=corpus.vocab)
    return make_corpus(source)[1]


def make_corpus(source: Source, settings: TextSettings | None = None) -> tuple[Corpus, Report]:
    """The corpus of a source, and what was left out and why; the source stays as it is.

    `settings`: those of `default_settings` unless given. Of counts, words stay or go by stop words,
    `min_df`, `max_df` and `max_features`; what concerns the cutting of texts has no effect. Words
    that occur only in documents left out are left out too, unless they came with counts.

    Raises CorpusError if no word or no document is left, or for a token pattern that would take for
    ever.
    """
    settings = settings or default_settings(source)
    counted_in = _with_titles(source) if settings.titles else source
    settings = _with_phrases(counted_in, settings)
    counted = _count(counted_in, settings)
    keep, removed = prune(counted, settings.min_df, settings.max_df, settings.max_features)
    if not keep.any():
        raise _nothing_left(source, "word", settings)
    counts = counted.matrix[:, np.flatnonzero(keep)]
    long = np.asarray(counts.sum(axis=1, dtype=np.int64)).ravel() >= settings.min_tokens
    if not long.any():
        raise _nothing_left(source, "document", settings)
    repeated = _repeated(source, long)
    kept = long & ~repeated if settings.drop_repeated else long
    counts = counts[np.flatnonzero(kept)]
    if source.texts is not None:
        orphan = np.zeros(len(keep), bool)
        orphan[keep] = document_frequency(counts) == 0
        if orphan.any():
            counts = counts[:, np.flatnonzero(~orphan[keep])]
            removed["only in documents left out"] = removed_words(counted, orphan)
            keep &= ~orphan
    corpus = Corpus.from_csr(
        counts, counted.words[keep].tolist(), source.docs.take(kept), source.name
    )
    if counted.stop_documents:
        tally = counted.stop_documents
        removed = {"stop word": most_frequent(tally.items(), len(tally)), **removed}
    stops = np.array([*counted.stop_frequency.values()], np.int64)
    report = Report(
        n_read=source.n_docs,
        n_docs=corpus.n_docs,
        n_tokens=corpus.n_tokens,
        n_words=corpus.n_words,
        dropped=_dropped(source, long, repeated & ~kept, settings.min_tokens),
        commonest=_commonest(corpus),
        removed=removed,
        lengths=corpus.doc_lengths,
        zipf=zipf(np.concatenate([counted.frequency, stops])),
        settings=settings,
        n_repeated=int((repeated & kept).sum()),
    )
    return corpus, report


def _with_phrases(source: Source, settings: TextSettings) -> TextSettings:
    """The settings with the phrases of the texts, if such are wanted and not known yet."""
    if not settings.phrases or settings.joined or source.texts is None:
        return settings
    _check_speed(source.texts, settings)
    stop = frozenset(settings.vectorizer().stop_words or ())
    tokens = cut_all(source.texts, settings.preprocessor(), settings.token_pattern, stop)
    low = settings.min_df
    documents = low * source.n_docs if isinstance(low, float) else low
    found = find_phrases(tokens, settings.phrase_count, settings.phrase_npmi, documents)
    return replace(settings, joined=" ".join(found))


def _check_speed(texts: Sequence[str], settings: TextSettings) -> None:
    if settings.token_pattern not in PATTERNS:
        sample = "\n".join(text[:1000] for text in islice(texts, 1 + SAMPLE // 1000))
        check_pattern_speed(settings.token_pattern, sample)


def _count(source: Source, settings: TextSettings) -> Counted:
    vectorizer = settings.vectorizer()
    if source.texts is None:
        assert source.counts is not None
        assert source.vocab is not None
        return count_given(source.counts, source.vocab, frozenset(vectorizer.stop_words or ()))
    _check_speed(source.texts, settings)
    try:
        return count_texts(source.texts, vectorizer)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        raise _nothing_left(source, "word", settings) from None


def _with_titles(source: Source) -> Source:
    """The source as its words are counted: every text below its title."""
    titles = source.docs.title
    if titles is None or source.texts is None:
        raise CorpusError(
            f"{source.name} has no titles whose words could count; choose the column with the "
            "titles, or count the texts alone."
        )
    pairs = zip(titles, source.texts, strict=True)
    return replace(source, texts=tuple(f"{title}\n{text}" for title, text in pairs))


def _repeated(source: Source, among: Mask) -> Mask:
    """Which documents have the text of an earlier one of those, bool (D,); of counts none."""
    found = np.zeros(len(among), bool)
    seen: set[str] = set()
    for row, text in enumerate(source.texts or ()):
        if among[row]:
            found[row] = text.strip() in seen
            seen.add(text.strip())
    return found


def _dropped(source: Source, long: Mask, again: Mask, min_tokens: int) -> dict[str, int]:
    if source.texts is not None:
        blank = np.array([not text.strip() for text in source.texts])
    else:
        assert source.counts is not None
        blank = np.diff(source.counts.indptr) == 0
    few = f"fewer than {min_tokens} words left" if min_tokens > 1 else "no word left"
    counts = {
        "no text": int((blank & ~long).sum()),
        few: int((~blank & ~long).sum()),
        "the text of an earlier one": int(again.sum()),
    }
    return {reason: n for reason, n in counts.items() if n}


def _commonest(corpus: Corpus) -> tuple[tuple[str, int, int], ...]:
    frequency = np.bincount(corpus.word_ids, corpus.counts, corpus.n_words).astype(np.int64)
    documents = np.bincount(corpus.word_ids, minlength=corpus.n_words)
    top = np.argsort(-frequency, kind="stable")[:TOP]
    return tuple((corpus.vocab[w], int(frequency[w]), int(documents[w])) for w in top)


def _nothing_left(source: Source, what: str, settings: TextSettings) -> CorpusError:
    column = source.chosen.get("text")
    where = f"{source.name}, column {column!r}" if column else source.name
    if what == "document":
        return CorpusError(
            f"{where}: every document has fewer than {settings.min_tokens} words left; lower "
            "min_tokens, keep more words, or choose another text column."
        )
    return CorpusError(
        f"{where}: no word is left of {source.n_docs:,} documents; lower min_df (now "
        f"{settings.min_df}), raise max_df (now {settings.max_df}), check stop words and token "
        "pattern, or choose another text column."
    )
