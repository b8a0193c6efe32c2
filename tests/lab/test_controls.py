"""What may be chosen in a demonstration, in words and as values."""

import pytest

from bnpexplorer.lab.controls import CONTROLS, Control


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (range(3, 8), "a whole number from 3 to 7"),
        ((0.5, 1.0, 20.0), "one of 0.5, 1, 20"),
        (("Log odds", "Probability"), "one of Log odds, Probability"),
    ],
)
def test_a_wrong_value_is_answered_by_what_there_is(values, words):
    control = Control(values, values[0])
    assert [control.value_of(f"{v:g}" if not isinstance(v, str) else v) for v in values] == [
        *values
    ]
    with pytest.raises(ValueError, match=f"^must be {words}; got '8'$"):
        control.value_of("8")


def test_every_demonstration_with_a_seed_has_ten_thousand():
    seeds = {key: c.values for some in CONTROLS.values() for key, c in some.items()}
    seeds = {key: values for key, values in seeds.items() if key.endswith("seed")}
    assert len(seeds) == 6
    assert set(seeds.values()) == {range(10_000)}


def test_what_stands_at_first_may_be_chosen():
    assert all(c.usual in c.values for controls in CONTROLS.values() for c in controls.values())
