"""Languages: found out from texts of our own, and what follows for stop words, words and stems."""

import argparse
import functools
import re
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.cli.reading import corpus_of
from bnpexplorer.cli.reading_arguments import add_reading
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.documents.leaving_out import leave_out
from bnpexplorer.corpus.intake.api import load, load_with_report
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import TextSettings, default_settings, make_corpus
from bnpexplorer.corpus.words.cutting import Cutter, key_of
from bnpexplorer.corpus.words.language import detecting, runs, stems
from bnpexplorer.corpus.words.language.choosing import (
    check_asked,
    for_language,
    language_settings,
    settings_asked,
)
from bnpexplorer.corpus.words.language.detecting import find_language
from bnpexplorer.corpus.words.language.names import NAMES, codes_of, said
from bnpexplorer.corpus.words.language.stems import SNOWBALL, languages, stem_of, stop_words
from bnpexplorer.corpus.words.occurrences import find_words, index_of
from bnpexplorer.corpus.words.pattern import LETTERS, WORDS
from bnpexplorer.explore.documents import counts_of

WRITTEN = tomllib.loads((Path(__file__).parent / "languages.toml").read_text(encoding="utf-8"))
ALL = {"min_df": 1, "max_df": 1.0, "max_features": 0, "min_tokens": 1}


def source_of(*texts: str) -> Source:
    docs = DocTable(id=strings(map(str, range(len(texts)))), text=strings(texts))
    return Source("some.txt", "text", texts, docs=docs)


def words_of(text: str, settings: TextSettings) -> set[str]:
    return set(make_corpus(source_of(text), settings)[0].vocab)


# ---- which language ------------------------------------------------------------------------------


@pytest.mark.parametrize("code", list(WRITTEN))
def test_a_handful_of_tweets_and_a_single_paragraph_tell_their_language(code):
    assert len(WRITTEN) >= 20
    assert find_language(WRITTEN[code]["short"]).codes == (code,)
    assert find_language([WRITTEN[code]["long"]]).codes == (code,)


def test_nearly_every_single_tweet_tells_its_language():
    tweets = [(code, text) for code, both in WRITTEN.items() for text in both["short"]]
    right = sum(find_language([text]).codes == (code,) for code, text in tweets)
    assert right >= 0.97 * len(tweets)


def test_links_names_and_tags_tell_no_language():
    text = WRITTEN["de"]["short"][0] + " https://the.and/for/that/with @the_and_you #what_they_have"
    assert find_language([text]).codes == ("de",)


@pytest.mark.parametrize("texts", [[], [""], ["ok"], ["42 17 3.5"], ["the"], ["😡 😡"], ["a" * 50]])
def test_too_little_text_tells_nothing_and_stays_as_today(texts):
    source = source_of(*texts)
    settings, notes = language_settings(source, TextSettings())
    assert settings == TextSettings()
    assert "too little text" in notes[0]


def test_a_mixture_is_said_with_its_shares_and_has_the_stop_words_of_both():
    texts = WRITTEN["de"]["short"] * 7 + WRITTEN["en"]["short"] * 3
    found = find_language(texts)
    assert found.codes == ("de", "en")
    assert found.shares[0][1] == pytest.approx(0.7, abs=0.03)
    settings, (sentence,) = language_settings(source_of(*texts), TextSettings(**ALL))
    assert "70 % German, 30 % English" in sentence
    assert "German and English stop words" in sentence
    vocab = make_corpus(source_of(*texts), settings)[0].vocab
    assert not {"und", "der", "the", "and"} & {*vocab}
    assert {"zug", "train"} <= {*vocab}


def test_a_small_share_of_another_language_is_none_of_the_corpus():
    texts = WRITTEN["de"]["short"] * 10 + WRITTEN["en"]["short"][:3]
    assert find_language(texts).codes == ("de",)


def test_the_sample_is_taken_from_all_over():
    texts = WRITTEN["en"]["short"] * 1000 + WRITTEN["de"]["short"] * 1000
    shares = dict(find_language(texts).shares)
    assert shares == pytest.approx({"en": 0.5, "de": 0.5}, abs=0.01)


def test_a_language_without_a_list_of_stop_words_is_said():
    text = (
        "Á síðasta fundi ræddu þingmenn um fjárlögin. Ráðherrann sagði að skólarnir gætu ekki "
        "beðið lengur og að sveitarfélögin fengju meiri peninga."
    )
    settings, (sentence,) = language_settings(source_of(text), TextSettings(**ALL))
    assert settings.language == "is"
    assert "The texts are Icelandic" in sentence
    assert "no list of Icelandic stop words" in sentence


# ---- names ---------------------------------------------------------------------------------------


def test_languages_are_called_by_codes_and_by_english_names():
    assert codes_of("German + EN+german") == ("de", "en")
    assert codes_of(" ") == ()
    assert said(("de", "en", "fr")) == "German, English and French"
    assert TextSettings(language="Norwegian").language == "no"
    assert all(name.isascii() and name[0].isupper() for name in NAMES.values())
    assert languages() <= NAMES.keys()


def test_an_unknown_language_is_refused_with_those_that_can_be_had():
    with pytest.raises(ValueError, match=r"no language 'klingon'.*de \(German\).*auto"):
        TextSettings(language="klingon")
    with pytest.raises(ValueError, match="no language 'xx'"):
        check_asked({"language": "de+xx"})
    with pytest.raises(ValueError, match="none is given"):
        TextSettings(stop_words="language")
    with pytest.raises(ValueError, match="no language is given"):
        TextSettings(stem="stem")
    with pytest.raises(ValueError, match=r"no stems for Japanese.*de \(German\)"):
        TextSettings(stem="stem", language="ja")
    check_asked({"language": "auto", "stem": "stem", "stop_words": "language"})


# ---- what follows --------------------------------------------------------------------------------


def test_english_is_as_ever_and_so_is_what_names_no_language():
    source = source_of(*WRITTEN["en"]["short"], WRITTEN["en"]["long"])
    before, _ = make_corpus(source, TextSettings(**ALL))
    settings, (sentence,) = language_settings(source, TextSettings(**ALL))
    assert replace(settings, language="") == TextSettings(**ALL)
    assert make_corpus(source, settings)[0].fingerprint == before.fingerprint
    assert sentence.startswith("The texts are English")


def test_german_words_are_no_longer_those_of_german_grammar():
    source = source_of(*WRITTEN["de"]["short"], WRITTEN["de"]["long"])
    asked, _ = settings_asked(source, {"language": "de", **ALL})
    vocab = {*make_corpus(source, asked)[0].vocab}
    assert not {"wir", "den", "nicht", "auch", "der", "die", "und", "über"} & vocab
    assert {"schulen", "minister", "häuser"} <= vocab
    # English was German's, for whom nobody had asked: "was" and "also" are German words too.
    assert {"will", "was"} <= stop_words("en")


def test_settings_that_are_asked_for_go_before_those_of_the_language():
    source = source_of(*WRITTEN["de"]["short"])
    asked, _ = settings_asked(
        source, {"language": "auto", "stop_words": "none", "token_pattern": WORDS}
    )
    assert (asked.language, asked.stop_words, asked.token_pattern) == ("de", "none", WORDS)
    whole = {**vars(asked), "language": "de"}
    assert settings_asked(source, whole)[0] == asked  # as an exported script asks


def test_a_mismatch_is_told_and_changes_nothing():
    source = source_of(*WRITTEN["de"]["short"])
    settings, notes = settings_asked(source, {})
    assert settings == default_settings(source)
    assert "are German, but English stop words are left out" in notes[0]
    assert "give the language (de, or auto)" in notes[0]
    for code, words in (("en", {}), ("de", {"stop_words": "none"}), ("de", {"language": "en"})):
        assert settings_asked(source_of(*WRITTEN[code]["short"]), words)[1] == ()


@pytest.mark.parametrize(
    ("code", "text", "words"),
    [
        ("hi", "किताबों की दुकान में हिन्दी की नई किताबें", {"किताबों", "दुकान", "हिन्दी", "नई", "किताबें"}),
        ("ar", "كِتابٌ جَديدٌ في الاقتصاد", {"كِتابٌ", "جَديدٌ", "الاقتصاد"}),
        ("he", "סֵפֶר חדש על הכלכלה", {"סֵפֶר", "חדש", "הכלכלה"}),
        ("fa", "کتاب‌های تازه درباره اقتصاد", {"کتاب‌های", "تازه", "اقتصاد"}),
        ("ko", "정부는 새로운 정책을 발표했다", {"정부는", "새로운", "정책을", "발표했다"}),
        ("ta", "புதிய பள்ளிகள் திறக்கப்பட்டன", {"புதிய", "பள்ளிகள்", "திறக்கப்பட்டன"}),
        ("vi", "chính phủ mở trường học", {"chính", "phủ", "trường", "học"}),
        ("ru", "новые школы открыты в городе", {"новые", "школы", "открыты", "городе"}),
    ],
)
def test_words_of_other_scripts_stay_whole(code, text, words):
    found = words_of(text, for_language(TextSettings(**ALL), (code,)))
    assert words - stop_words(code) <= found <= words | {*text.split()}


def test_the_pattern_of_all_scripts_agrees_with_that_of_letters_where_there_are_no_marks():
    text = "Größe naïve x1 a1b2 under_score don't école 12 und so Ελλάδα город"
    longer = [word for word in re.findall(WORDS, text) if len(word) > 2]
    assert longer == re.findall(LETTERS, text)


@pytest.mark.parametrize("code", ["zh", "ja", "th"])
def test_sentences_without_blanks_become_words(code):
    texts = [*WRITTEN[code]["short"], WRITTEN[code]["long"]]
    settings, (sentence,) = language_settings(source_of(*texts), TextSettings(**ALL))
    assert settings.cutter != "none"
    assert f"Words are cut by the package {settings.cutter}." in sentence
    vocab = make_corpus(source_of(*texts), settings)[0].vocab
    assert np.mean([*map(len, vocab)]) < 6
    assert max(map(len, vocab)) <= 16
    assert {"zh": "学校", "ja": "学校", "th": "โรงเรียน"}[code] in vocab


def test_what_nothing_cuts_becomes_pairs_of_neighbouring_signs():
    settings = TextSettings(**ALL, language="zh", cutter="pairs", token_pattern=WORDS)
    assert words_of("经济增长 news", settings) == {"经济", "济增", "增长", "news"}
    found = find_words("经济增长", settings, {"经济": 0, "济增": 1, "增长": 2})
    assert found.counts == {0: 1, 1: 1, 2: 1}
    assert [(o.start, o.stop) for o in found.occurrences] == [(0, 2), (2, 4)]  # none over another


def test_a_package_that_is_missing_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "fugashi", None)
    runs._pieces.cache_clear()
    settings = TextSettings(**ALL, language="ja", cutter="fugashi")
    with pytest.raises(CorpusError, match=r"fugashi, which is not installed; .*\[japanese\]"):
        make_corpus(source_of(WRITTEN["ja"]["long"]), settings)
    monkeypatch.setitem(sys.modules, "simplemma", None)
    stem_of.cache_clear()
    with pytest.raises(CorpusError, match=r"bnpexplorer\[lemmas\]"):
        make_corpus(source_of("a house"), TextSettings(**ALL, language="en", stem="lemma"))
    # Without its dictionary the package is of no use.
    monkeypatch.setitem(sys.modules, "fugashi", sys)
    monkeypatch.setitem(sys.modules, "unidic_lite", None)
    assert not stems.is_there("fugashi")
    assert runs.cutter_for(("ja",)) == "budoux"
    assert runs.cutter_for(("de", "th")) == "budoux"
    assert runs.cutter_for(("km",)) == "pairs"
    assert runs.cutter_for(("de", "en")) == "none"


def test_the_extras_of_the_project_are_those_that_messages_name():
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    for package, extra in stems.EXTRAS.items():
        assert any(p.startswith(package) for p in project["optional-dependencies"][extra])


@pytest.mark.parametrize(("code", "package"), [("zh", "rjieba"), ("ja", "fugashi")])
def test_better_cutters_are_taken_where_they_are_installed(code, package):
    if not stems.is_there(package):
        pytest.skip(f"{package} is an extra")
    settings, _ = language_settings(source_of(WRITTEN[code]["long"]), TextSettings(**ALL))
    assert settings.cutter == package
    assert {"学校", "港口" if code == "zh" else "大臣"} <= words_of(WRITTEN[code]["long"], settings)


# ---- stems ---------------------------------------------------------------------------------------


def test_words_of_one_kind_count_as_one_and_are_shown_as_the_commonest_of_them():
    texts = ("Häuser und Haus", "die Häuser am Hafen", "Hauses Hafens")
    settings = TextSettings(**ALL, language="de", stop_words="language", stem="stem")
    corpus, _ = make_corpus(source_of(*texts), settings)
    assert corpus.vocab == ("hafen", "häuser")  # of hafen and hafens the first in the alphabet
    assert corpus.to_csr().toarray().tolist() == [[0, 2], [1, 1], [1, 1]]


def test_stems_are_added_up_as_a_slow_count_does():
    texts = [*WRITTEN["de"]["short"], WRITTEN["de"]["long"], "Schule und Schulen, Haus und Hause"]
    plain = TextSettings(**ALL, language="de", stop_words="language")
    forms, _ = make_corpus(source_of(*texts), plain)
    stemmed, _ = make_corpus(source_of(*texts), replace(plain, stem="stem"))
    stem = stem_of("stem", "de")
    frequency = np.asarray(forms.to_csr().sum(axis=0)).ravel().tolist()
    total = dict(zip(forms.vocab, frequency, strict=True))
    kinds: dict[str, list[str]] = {}
    for word in forms.vocab:
        kinds.setdefault(stem(word), []).append(word)
    names = {key: min(words, key=lambda w: (-total[w], w)) for key, words in kinds.items()}
    assert sorted(stemmed.vocab) == sorted(names.values())
    for row in range(stemmed.n_docs):
        expected = Counter[str]()
        for word, n in counts_of(forms, row).items():
            expected[names[stem(forms.vocab[word])]] += n
        assert expected == {stemmed.vocab[w]: n for w, n in counts_of(stemmed, row).items()}


def test_a_word_that_is_left_out_takes_its_kin_with_it():
    texts = ("Häuser am Hafen", "das Haus am Hafen", "ein Schiff im Hafen")
    settings = TextSettings(**ALL, language="de", stop_words="language", stem="stem")
    corpus, report = make_corpus(source_of(*texts), settings)
    fewer, _ = leave_out(corpus, ["haus"], report.settings)
    assert fewer.vocab == ("hafen", "schiff")
    found = find_words(texts[0], replace(settings, extra_stop_words="haus"), {"haf": 0})
    assert found.n_stop >= 1


def test_words_are_stemmed_by_the_rules_of_the_commonest_language():
    settings = TextSettings(language="de+en", stem="stem")
    assert key_of(settings)("häuser") == "haus"
    assert key_of(replace(settings, language="en+de"))("häuser") == "häuser"
    assert TextSettings(language="de+ja", stem="stem").codes == ("de", "ja"), "the first has stems"
    with pytest.raises(ValueError, match="There are no stems for Japanese; take stem='none', or"):
        TextSettings(language="ja+de", stem="stem")


def test_every_stemmer_that_is_named_is_there():
    assert all(isinstance(stem_of("stem", code)("abc"), str) for code in SNOWBALL)


@pytest.mark.second
def test_lemmas_are_words():
    pytest.importorskip("simplemma")
    settings = TextSettings(**ALL, language="de", stop_words="language", stem="lemma")
    corpus, _ = make_corpus(source_of("Häuser, Hauses, gingen, Freiheiten, gehe"), settings)
    assert corpus.vocab == ("freiheiten", "gehe", "hauses"), "capitals of lemmas order nothing"
    with pytest.raises(CorpusError) as told:
        stem_of("lemma", "zh")
    assert str(told.value) == "There are no lemmas for Chinese; take stem='stem' or stem='none'."


# ---- marks ---------------------------------------------------------------------------------------

MARKED = [
    ("de", {"stem": "stem"}),
    ("de", {"stem": "stem", "ngram_max": 2, "strip_accents": "unicode"}),
    ("hi", {"stem": "stem"}),
    ("ar", {}),
    ("ja", {"ngram_max": 2}),
    ("zh", {"cutter": "pairs"}),
    ("th", {"lowercase": False}),
    ("ko", {"min_df": 1}),
    ("vi", {}),
    ("ru", {"stem": "stem"}),
]


@pytest.mark.parametrize(("code", "more"), MARKED)
def test_marks_in_a_text_are_what_was_counted(code, more):
    texts = [*WRITTEN[code]["short"], WRITTEN[code]["long"]]
    settings = replace(for_language(TextSettings(**ALL), (code,)), **more)
    corpus, _ = make_corpus(source_of(*texts), settings)
    index = index_of(corpus.vocab, settings)
    assert len(index) == corpus.n_words
    for row, place in enumerate(corpus.docs.id):
        text = texts[int(place)]
        found = find_words(text, settings, index)
        assert dict(found.counts) == counts_of(corpus, row)
        assert not found.unknown
        if "ngram_max" not in more and settings.cutter != "pairs":
            assert len(found.occurrences) == sum(found.counts.values())
        key = key_of(settings) or str
        for one in found.occurrences:
            stands = Cutter(settings).preprocess(text[one.start : one.stop])
            if settings.ngram_max == 1:
                assert index[key(stands)] == one.word


# ---- the door ------------------------------------------------------------------------------------


def test_a_file_is_read_with_its_language_found_out_given_or_told(tmp_path):
    path = tmp_path / "tweets.txt"
    path.write_text("\n".join(WRITTEN["de"]["short"] * 2), encoding="utf-8")
    found = load_with_report(path, settings={"language": "auto", **ALL})
    with pytest.warns(UserWarning, match="too little text") as told:
        given = load(path, language="German", **ALL)
    assert len(told) == 1
    assert found.corpus.fingerprint == given.fingerprint
    assert "zug" in given.vocab
    assert "der" not in given.vocab
    assert any("The texts are German" in note for note in found.notes)
    with pytest.warns(UserWarning, match="are German, but English stop words"):
        load(path, **ALL)
    as_today = load_with_report(path, settings=ALL)
    assert "der" in as_today.corpus.vocab
    assert any("English stop words are left out" in note for note in as_today.notes)
    with pytest.raises(ValueError, match="no language 'xx'"):
        load(path, language="xx")


def test_norwegian_is_a_language_and_not_a_refusal(tmp_path):
    path = tmp_path / "few.txt"
    path.write_text("jeg liker ikke regn\nvi liker sol og varme\n", encoding="utf-8")
    parser = argparse.ArgumentParser()
    add_reading(parser)
    options = parser.parse_args(["--language", "no"])
    options.path = str(path)
    report = corpus_of(options).report
    assert report.settings.language == "no"
    assert "ikke" not in {word for word, _, _ in report.commonest}


# ---- the first start -----------------------------------------------------------------------------


@pytest.mark.second
def test_the_app_starts_without_what_languages_need():
    code = (
        "import bnpexplorer.corpus.intake.api, sys; "
        "print({'py3langid', 'stopwordsiso', 'Stemmer', 'budoux', 'sklearn'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.second
def test_the_model_without_languages_that_have_no_name_is_the_package_s_own():
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    whole = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    whole.set_languages([c for c in whole.labels if detecting.SAME.get(c, c) in NAMES])
    ours = detecting._model()
    for text in ["", "x", "grüß dich, Welt", "kuća je velika", "jeg er ikke her", "il est là"]:
        assert ours.rank(text) == whole.rank(text)


def test_the_model_is_unpacked_once_also_by_several_threads(monkeypatch):
    begun = []

    def unpacked():
        begun.append(threading.get_ident())
        time.sleep(0.05)
        return "model"

    monkeypatch.setattr(detecting, "_unpacked", functools.cache(unpacked))
    threads = [threading.Thread(target=detecting.unpack) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert detecting._model() == "model"
    for thread in threads:
        thread.join()
    assert len(begun) == 1
