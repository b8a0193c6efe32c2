"""A list of topics, searched as the browser does: by fzy's score, written out here."""

import numpy as np

from bnpexplorer.ui.parts.topics_choice import as_choice, with_words
from tests.tools.moments import made


def fzy(needle, text):
    """The score of fzy 1.0 for letters that stand together: the best of all their places.

    0.005 is taken off for each letter before and after; 1 is given for each that follows another of
    the needle, 0.8 for one after a plain blank, a hyphen or an underscore.
    """
    text, n = text.lower(), len(needle)
    places = [i for i in range(len(text)) if text.startswith(needle, i)]
    outside = 0.005 * (len(text) - n)
    return max(n - 1 + (0.8 if text[i - 1] in " -_" else 0.0) - outside for i in places)


def test_a_name_is_found_before_the_words_of_another_topic():
    moment = made({4: 90.0, 7: 5.0}, {4: "ugh", 7: "a long name that ends with ballots at last"})
    word = moment.top_words(4, 1)[0]
    renamed = made({4: 90.0, 7: 5.0}, {4: "ugh", 7: f"a long name, which ends with {word}"})
    choices = [as_choice(renamed, topic) for topic in (4, 7)]
    assert np.argmax([fzy(word, text) for text in choices]) == 1
    plain = [with_words(renamed, topic) for topic in (4, 7)]
    assert np.argmax([fzy(word, text) for text in plain]) == 0, "the shorter line would come first"
    assert ["".join(text.split()) for text in choices] == ["".join(text.split()) for text in plain]
