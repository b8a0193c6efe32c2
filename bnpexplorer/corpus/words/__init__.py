"""Words: how texts are cleaned and cut, and which words make up the vocabulary."""
