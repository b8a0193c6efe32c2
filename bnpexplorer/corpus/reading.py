"""How a corpus was made of files: enough to make it again of the same ones."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from .settings import TextSettings
from .source import FIND_OUT, ReadOptions


@dataclass(frozen=True)
class Reading:
    """What `load` is to be asked for so that the same files become the same corpus."""

    settings: TextSettings
    """In force when the words of the files were counted: nothing in them is left to be found."""
    options: ReadOptions = FIND_OUT
    files: tuple[str, ...] = ()
    """Their names, without folders."""
    vocabulary: bool = False
    """Whether one of the files is the vocabulary of the other's counts."""
    left_out: tuple[tuple[str, ...], ...] = ()
    """Words that were left out of the counted texts later, one after the other."""

    def without(self, words: Iterable[str]) -> "Reading":
        """The same, with these words left out afterwards."""
        return replace(self, left_out=(*self.left_out, tuple(words)))

    @property
    def chosen(self) -> dict[str, str]:
        """What was chosen of `options`: field -> value, where it is not the usual one."""
        usual = {f.name: getattr(FIND_OUT, f.name) for f in fields(ReadOptions)}
        return {name: value for name, value in vars(self.options).items() if value != usual[name]}
