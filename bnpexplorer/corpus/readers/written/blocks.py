"""`Written`, a document of a writing program: its title, headings and paragraphs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST_HEADING = 300
"""Letters; a longer one is a paragraph that looks like a heading."""


@dataclass(frozen=True)
class Block:
    """A paragraph or heading."""

    text: str
    level: int = 0
    """1 for headings of the highest level, 2 for those below it, 0 for a paragraph."""


@dataclass(frozen=True)
class Written:
    """A document as it was written."""

    title: str
    """Its own title; empty for none."""
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, title: str, blocks: Iterable[Block]) -> "Written":
        """A document without blocks that hold nothing; long headings become paragraphs."""
        kept = [Block(block.text.strip(), block.level) for block in blocks if block.text.strip()]
        fit = (b if len(b.text) <= LONGEST_HEADING else Block(b.text) for b in kept)
        return cls(" ".join(title.split()), tuple(fit))

    @property
    def text(self) -> str:
        """All of it, headings included, with blank lines between paragraphs."""
        return joined(self.blocks)

    def chapters(self) -> list[tuple[str, str]]:
        """Return title and text from each heading to the next, without those that have no text. The
        text before the first has the document's title; without headings there is one chapter."""
        parts: list[tuple[str, list[Block]]] = [(self.title, [])]
        for block in self.blocks:
            if block.level:
                parts.append((" ".join(block.text.split()), []))
            else:
                parts[-1][1].append(block)
        found = [(title, joined(blocks)) for title, blocks in parts if blocks]
        return found or [(self.title, self.text)]

    @property
    def has_headings(self) -> bool:
        """Whether it can be read by headings."""
        return any(block.level for block in self.blocks)


def joined(blocks: Sequence[Block]) -> str:
    """The text of blocks with blank lines between."""
    return "\n\n".join(block.text for block in blocks)
