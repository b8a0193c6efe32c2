"""The mathematics of the Lab's demonstrations: pure functions of settings, seed and step.

Every demonstration is replayed from its seed: the picture after n steps depends on nothing else, so
that one may step back, and a setting can be changed while the same chances are kept.
"""

DEMONSTRATIONS: dict[str, str] = {
    "update": "Mean field or collapsed",
    "shrinking": "A topic shrinks",
    "sticks": "Stick-breaking",
    "restaurant": "Restaurant",
    "franchise": "Franchise",
    "ordered": "Ordered sticks",
    "corpora": "Draw a corpus",
    "document": "Assign a document",
}
"""The Lab's demonstrations by the name that an address or a lesson uses, in their order."""
