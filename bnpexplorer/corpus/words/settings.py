"""How texts become words: the settings, what scikit-learn makes of them, and a file of stop words.

Names and meanings are those of `sklearn.feature_extraction.text.CountVectorizer`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...core.knob import Settings, knob
from .cleaning import PARTS, PRESETS, canonical, clean
from .language.names import codes_of
from .language.runs import CUTTERS
from .language.stems import check_stem, stop_words
from .letters import one_way
from .pattern import LETTERS, WHOLE, WITH_DIGITS, check_pattern

if TYPE_CHECKING:  # it takes a second to import, which who reads no texts need not wait
    from sklearn.feature_extraction.text import CountVectorizer
from ..corpus import CorpusError


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
        high=500,
        more=True,
        help="A regular expression for one word; as it stands: three letters or more, no numbers.",
        label="What a word is",
    )
    whole_words: bool = knob(
        False,
        help="Keeps words whole: an accent stored apart belongs to its letter, _ and apostrophes "
        "between letters belong to the word, and İ is read as i. Patterns that you write yourself "
        "decide on _ and apostrophes.",
        label="Keep words with accents, _ and apostrophes whole",
        more=True,
    )
    digits: bool = knob(
        False,
        help="Keeps words with digits, such as covid-19, co2 and 5g; numbers alone are no words. "
        "Patterns that you write yourself decide on digits.",
        label="Words may hold digits",
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
    language: str = knob(
        "",
        high=200,
        apart=True,
        help="The language of the texts, such as de or German, or several, such as de+en; where "
        "texts are read also auto: it is found out. It sets stop words and how words are cut.",
    )
    stop_words: str = knob(
        "english",
        choices=("english", "language", "none"),
        help="Leaves out the commonest words, such as the, of, and: the English ones (scikit-"
        "learn's list) or those of the language.",
        label="Leave out common words",
    )
    extra_stop_words: str = knob(
        "",
        high=100_000,
        help="Further words to leave out, with blanks or commas between.",
        label="Leave out these words too",
    )
    cutter: str = knob(
        "none",
        choices=CUTTERS,
        help="Cuts scripts without blanks into words: pairs of signs, or a package (budoux; rjieba "
        "for Chinese, fugashi for Japanese).",
        label="How unspaced scripts are cut",
        more=True,
    )
    stem: str = knob(
        "none",
        choices=("none", "stem", "lemma"),
        help="Counts words of one kind as one (house and houses), shown as the commonest of them: "
        "by Snowball's stems, or by simplemma's lemmas.",
        label="Count words of one kind as one",
        more=True,
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
        0,
        1_000_000,
        "Leaves out documents with fewer words left than this; 0: as many as suit the texts.",
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
        help="Clean-up before words are cut: auto (what is found, with the language), none, a "
        f"preset ({', '.join(PRESETS)}) or some of {', '.join(PARTS)}.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "language", "+".join(codes_of(self.language)))
        check_pattern(self.token_pattern)
        check_stem(self.stem, self.codes)
        if self.stop_words == "language" and not self.language:
            raise ValueError(
                "TextSettings: stop_words are those of the language, but none is given; give one "
                "such as language='de'."
            )
        object.__setattr__(self, "clean", canonical(self.clean))
        if self.ngram_min > self.ngram_max:
            raise ValueError(
                f"TextSettings: ngram_min is {self.ngram_min} but ngram_max is {self.ngram_max}; "
                "the first must not be larger."
            )

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the languages, the commonest first."""
        return codes_of(self.language)

    @property
    def pattern(self) -> str:
        """The expression by which texts are cut: `token_pattern`, or what `whole_words` and
        `digits` make of one of ours."""
        made = WITH_DIGITS if self.digits else WHOLE if self.whole_words else {}
        return made.get(self.token_pattern, self.token_pattern)

    @property
    def is_turkish(self) -> bool:
        """Whether the small letter of I is ı."""
        return self.codes[:1] in (("tr",), ("az",))

    def vectorizer(self) -> "CountVectorizer":
        """scikit-learn's vectoriser with exactly these settings (all but `titles`, `min_tokens`,
        `drop_repeated`, `cutter`, `stem` and `joined`, which `cutting.Cutter` adds)."""
        from sklearn.feature_extraction.text import CountVectorizer

        plain = CountVectorizer(
            preprocessor=self.preprocessor() if self.clean or self.whole_words else None,
            lowercase=self.lowercase,
            strip_accents=None if self.strip_accents == "none" else self.strip_accents,
            token_pattern=self.pattern,
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
        if not self.whole_words:
            return preprocess
        return lambda text: preprocess(one_way(text, self.lowercase, self.is_turkish))

    def preprocessor(self) -> Callable[[str], str]:
        """As `letters`, after the clean-up."""
        letters, switches = self.letters(), self.clean
        return lambda text: letters(clean(text, switches))

    def joined_words(self) -> frozenset[str]:
        """The phrases that are joined, as they count."""
        return frozenset(self.letters()(self.joined).split()) if self.joined else frozenset()

    def stop_list(self, vectorizer: "CountVectorizer") -> frozenset[str]:
        """The stop words, cut into tokens as the texts are (don't becomes don)."""
        words = frozenset[str]()
        if self.stop_words != "none":
            codes = ("en",) if self.stop_words == "english" else self.codes
            words = words.union(*map(stop_words, codes))
        return _tokens_of(words, vectorizer) | self.extra_stops(vectorizer)

    def extra_stops(self, vectorizer: "CountVectorizer") -> frozenset[str]:
        """The further words to leave out, cut into tokens; phrases that are joined stay whole."""
        words = frozenset(re.split(r"[\s,;]+", self.extra_stop_words)) - {""}
        whole = words & self.joined_words()
        return _tokens_of(words - whole, vectorizer) | whole


def _tokens_of(words: frozenset[str], vectorizer: "CountVectorizer") -> frozenset[str]:
    preprocess, tokenize = vectorizer.build_preprocessor(), vectorizer.build_tokenizer()
    return frozenset(token for word in words for token in tokenize(preprocess(word)))


REMARK = re.compile(r"^[#;].*|\|.*", re.MULTILINE)
"""Lines that begin with # or ; and what follows a bar, as in the lists of Snowball."""


def read_stop_words(name: str, data: bytes) -> str:
    """The words of a list, one a line or with blanks or commas between, with single blanks.

    Raises CorpusError for what is not UTF-8 or holds no word.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CorpusError(
            f"{name} is not in UTF-8; save the list of stop words as UTF-8."
        ) from None
    words = dict.fromkeys(re.split(r"[\s,;]+", REMARK.sub("", text)))
    words.pop("", None)
    if not words:
        raise CorpusError(f"{name} holds no word; give stop words, one a line.")
    return " ".join(words)


def with_words(before: str, more: str) -> str:
    """Two lists as one."""
    return f"{before} {more}".strip()
