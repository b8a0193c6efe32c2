"""The commonest words of a language, which say nothing of what a text is about."""

import functools

ENGLISH_IS_SCIKIT_LEARNS = "en"
"""English has scikit-learn's 318 words, as ever: of the 1,298 elsewhere many are no stop words."""
# What the lists lack: pieces into which Japanese endings are cut.
MORE = {
    "ja": "まし ませ でし でしょ ましょ てい でい いっ たく たい らしい なけれ おい られ させ いま"
    " これから それでも また ここで みたい ながら くださ ください ござい"
}


@functools.cache
def languages() -> frozenset[str]:
    """Codes of the languages that have a list."""
    import stopwordsiso

    return stopwordsiso.langs()


@functools.cache
def stop_words(code: str) -> frozenset[str]:
    """The stop words of a language, in lower case; none where there is no list."""
    if code == ENGLISH_IS_SCIKIT_LEARNS:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    import stopwordsiso

    words = stopwordsiso.stopwords(code) | set(MORE.get(code, "").split())
    # Thai am may be written as one sign or as two.
    return frozenset(
        w.lower() for w in words | {w.replace("\u0e4d\u0e32", "\u0e33") for w in words}
    )
