"""Choice of the columns for text, date, label, title and id by their cells; names break ties."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..corpus import CorpusError
from .columns import KNOWN, Values, no_dates, plain_name
from .kinds import SEVERAL, ColumnCells, cells_of, is_years
from .source import APART, FIELDS, NONE, Offer
from .spans import folded

MORE = {
    "date": """
        erschienen erscheinung erscheinungsjahr erscheinen jahrgang stand eingang
        geplaatst gepubliceerd opublikowano utworzono publicerad opprettet depot parution
        publie cree emision publicado creado pubblicato creato criado utc recorded
        submitted posted received accepted issued issue available online loaded load
        release released modified updated decade quarter week period epoch timestamp ts
        pub py pd dp dt yr at on birth erfasst gesendet sent 날짜 일자 作成 发布 تاريخ तारीख tarih
        ημερομηνια pvm ngay
    """,
    "label": """
        sentiment stance polarity segment product produkt produit producto prodotto module
        modul department abteilung faculty venue conference series collection platform
        gender geschlecht sexe region state bundesland city stadt ville ciudad target
        rating stars subject field discipline status condition treatment team community
    """,
    "id": "eid doi no nr number nummer uid guid accession ut pmid isbn index row",
    "title": "question frage",
    "text": "answer antwort reponse respuesta risposta antwoord feedback fulltext",
}
"""Words in names of columns that tell less than those of `NAMES`, best first."""
FORUMS = frozenset(("subreddit", "board", "forum", "newsgroup"))
"""Words in names of labels that come before authors."""
POOR = {
    "date": """
        modified updated accessed retrieved downloaded scraped crawled end enddate load
        export exported birth birthday dob geburtsdatum geburtstag due deadline expires
        valid
    """,
    "label": """
        language lang locale status finished license licence version encoding format
        currency retweeted truncated favorited progress unit keyword keywords
    """,
    "text": """
        references affiliations affiliation addresses address funding html raw url link
        links xml json keywords keyword authors author editors correspondence bibliography
        notes
    """,
    "title": """
        journal source series book publication author authors
    """,
    "id": """
        zip plz postcode postal phone tel
    """,
}
"""Words in names of columns that are chosen for a field only where no other is there."""
NO_YEARS = frozenset(
    "zip plz postcode postal postnummer code cp price preis score id number nr".split()  # noqa: SIM905
)
ENDS = {"date": ("date", "datum", "jahr", "year", "fecha", "monat", "month", "zeit", "_at")}
INDEX = re.compile(r"|unnamed: ?0|index|level_0|x|\.\.\.1|rownames?|rn|column 1")
"""Names that programs give to the numbers of rows."""
CUT_OFF = ("…", "...")


@dataclass
class Guess:
    """The columns chosen for the fields of a table."""

    chosen: dict[str, str]
    """Field -> column."""
    said: list[str] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)


def tokens(name: str) -> list[str]:
    """The words of the last part of a name such as "user.createdAt", as names are compared."""
    last = name.rsplit(".", 1)[-1] if re.fullmatch(r"[\w.]+", name) else name
    apart = re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", last)
    return re.findall(r"[^\W_]+", folded(apart))


def rank(about: str, name: str) -> int | None:
    """How well a name stands for a field, the smaller the better; None where it does not."""
    known, words = KNOWN[about], tokens(name)
    whole = "".join(words)
    if about == "label" and FORUMS & {*words}:
        return -1
    if whole in known:
        return known.index(whole)
    more = MORE[about].split()
    found = [len(known) + more.index(word) for word in words if word in more]
    found += [len(known) + len(more) + known.index(word) for word in words if word in known]
    if not found and whole.endswith(ENDS.get(about, ("\0",))):
        return 2 * len(known) + len(more)
    return min(found, default=None)


def is_poor(about: str, name: str) -> bool:
    """Whether the name says that the column is something else."""
    return bool(set(tokens(name)) & set(POOR[about].split()))


def guess(
    name: str, columns: Sequence[str], values: Values, wanted: Mapping[str, str], as_of: str
) -> Guess:
    """Return the columns asked for, else guessed ones, with sentences and offers about others.

    Raises CorpusError if no column looks like text.
    """
    chosen = {f: column for f, column in wanted.items() if column and column != NONE}
    cells = {c: cells_of(values[c], as_of) for c in columns if c not in chosen.values()}
    found = Guess(chosen)
    if "text" not in chosen:
        chosen["text"] = _text(name, cells, values)
        cells.pop(chosen["text"])
    for about, choose in (("date", _dates), ("id", _ids), ("title", _titles), ("label", _labels)):
        fits = choose(cells, values, as_of)
        if not wanted[about] and fits:
            chosen[about] = fits[0]
            cells.pop(fits[0])
        elif not wanted[about] and about == "date":
            named = [
                c for c in cells if plain_name(c) in KNOWN["date"] and cells[c].kind != "texts"
            ]
            named = [c for c in named if rank("label", c) is None and rank("title", c) is None]
            found.said += [no_dates(c, cells[c].dates, cells[c].unread) for c in named[:1]]
    _offer(found, cells, values, as_of)
    found.chosen = {f: chosen[f] for f in FIELDS if f in chosen}
    return found


def _best(about: str, columns: Sequence[str]) -> list[str]:
    """In the order of their names: those that tell, then others, then poor ones."""

    def key(column: str) -> tuple[bool, bool, int, int]:
        place = rank(about, column)
        return is_poor(about, column), place is None, place or 0, column.count(".")

    return sorted(columns, key=key)


def _text(name: str, cells: Mapping[str, ColumnCells], values: Values) -> str:
    wordy = [
        c
        for c, held in cells.items()
        if held.letters > 0 and held.kind not in ("dates", "numbers", "links", "objects", "ids")
    ] or [c for c, held in cells.items() if held.letters > 0 and held.kind != "dates"]
    if not wordy:
        raise CorpusError(
            f"{name}: no column looks like text (columns: {', '.join(cells) or 'none'}); choose "
            "the column with the texts."
        )
    good = [c for c in wordy if not is_poor("text", c)] or wordy
    longest = max(good, key=lambda c: cells[c].letters)
    sure = [
        c
        for c in _best("text", good)
        if rank("text", c) is not None
        and (
            c == longest or cells[c].letters >= 0.2 * cells[longest].letters or cells[c].words >= 8
        )
        and (c == longest or all(rank(other, c) is None for other in ("date", "label", "title")))
    ]
    return _whole_of(sure[0] if sure else longest, good, values)


def _whole_of(column: str, columns: Sequence[str], values: Values) -> str:
    """The column whose cells go on where those of `column` are cut off, or `column`."""
    for other in columns:
        pairs = [(a.strip(), b.strip()) for a, b in zip(values[column], values[other], strict=True)]
        longer = [(a, b) for a, b in pairs if a and len(b) > len(a)]
        goes_on = [_goes_on(a, b) for a, b in longer]
        shorter = sum(len(a) > len(b) for a, b in pairs)
        whole = sum(goes_on) >= 0.8 * len(goes_on) and shorter <= 0.05 * len(pairs)
        if other != column and goes_on and whole:
            return other
    return column


def _goes_on(cut: str, whole: str) -> bool:
    """Whether a text begins as another that was cut off, perhaps within a word and with a link."""
    cut = re.sub(r"\s*https?://\S+$", "", cut)
    for sign in CUT_OFF:
        cut = cut.removesuffix(sign)
    return len(cut) >= 20 and whole.startswith(cut.rstrip())


def _dates(cells: Mapping[str, ColumnCells], values: Values, as_of: str) -> list[str]:
    fits = []
    for column, held in cells.items():
        named = rank("date", column) is not None
        good = held.kind == "dates" or (
            named and held.kind in ("few", "short", "ids") and held.dates >= 0.5
        )
        if held.kind == "numbers":
            good = named and held.dates >= 0.5 and not _no_years(column, values[column])
        if good and not (is_poor("date", column) and "birth" in column.lower()):
            fits.append(column)
    return _best("date", fits)


def _no_years(column: str, cells: Sequence[str]) -> bool:
    """Whether numbers that can be read as dates are hardly any."""
    strong = set(tokens(column)) & {"date", "datum", "fecha", "data", "dato", "day", "dag", "jour"}
    short = all(len(cell.strip().split(".")[0]) in (1, 2, 3, 5) for cell in cells if cell.strip())
    return bool(set(tokens(column)) & NO_YEARS) or (short and not strong)


def _ids(cells: Mapping[str, ColumnCells], values: Values, as_of: str) -> list[str]:
    fits = []
    for column, held in cells.items():
        named = plain_name(column) in KNOWN["id"]
        whole = held.whole
        compact = held.kind in ("ids", "short", "links") and held.words <= 1
        counted = INDEX.fullmatch(column.strip().lower()) and whole and held.unique
        like = held.kind == "ids" or (rank("id", column) is not None and (whole or compact))
        if named or counted or (held.unique and like):
            fits.append(column)
    return _best("id", [c for c in fits if not is_poor("id", c)])


def _titles(cells: Mapping[str, ColumnCells], values: Values, as_of: str) -> list[str]:
    fits = [
        c
        for c, held in cells.items()
        if held.kind in ("short", "texts", "ids", "few") and held.words <= 40 and not held.repeats
    ]
    named = [c for c in fits if rank("title", c) is not None and not is_poor("title", c)]
    others = [
        c
        for c in fits
        if not named
        and cells[c].kind == "short"
        and cells[c].words >= 3
        and cells[c].unique
        and not is_poor("title", c)
        and rank("label", c) is None
    ]
    return _best("title", named) or (others if len(others) == 1 else [])


def _labels(cells: Mapping[str, ColumnCells], values: Values, as_of: str) -> list[str]:
    fits = []
    for column, held in cells.items():
        named = rank("label", column) is not None
        repeated = held.n < SEVERAL or held.n_values <= held.n / 2
        numbers = held.whole and held.n_values <= 12
        if held.n_values < 2 and not (named and 0 < held.n < SEVERAL):
            continue
        if held.kind in ("few", "lists") or (
            named and repeated and (held.kind in ("short", "ids", "truth") or numbers)
        ):
            fits.append(column)
    good = [c for c in fits if not is_poor("label", c)]
    return sorted(_best("label", good), key=lambda c: cells[c].kind == "lists")


def _offer(found: Guess, cells: Mapping[str, ColumnCells], values: Values, as_of: str) -> None:
    """Return other uses of the columns that are left."""
    chosen = found.chosen
    dates = _dates(cells, values, as_of)
    for column, held in cells.items():
        years = held.kind == "numbers" and held.dates > 0 and is_years(values[column], as_of)
        unknown = years and held.n_values > 1 and "date" not in chosen
        if held.kind == "dates" or column in dates or unknown:
            what = "years" if years else "dates"
            found.offers.append(
                Offer(f"{column!r} holds {what}.", "Use it as the date", {"date": column})
            )
    questions = [
        c
        for c, held in cells.items()
        if held.kind == "texts" and held.words >= 5 and not held.repeats and not is_poor("text", c)
    ]
    if questions:
        listed = ", ".join(map(repr, questions[:3])) + (", ..." if len(questions) > 3 else "")
        also = "\n".join([chosen["text"], *questions])
        said = f"{listed} {'hold' if len(questions) > 1 else 'holds'} texts, too."
        apart = {"text": also, "questions": APART}
        found.offers.append(Offer(said, "Join them with the text", {"text": also}))
        found.offers.append(Offer("", "Read each as a document", apart))
    for column in _labels(cells, values, as_of)[:3]:
        if chosen.get("label"):
            both = f"{chosen['label']}\n{column}"
            said = f"{column!r} holds few values that repeat, too."
            found.offers.append(Offer(said, "Use it as the label", {"label": column}))
            found.offers.append(Offer("", f"Join it with {chosen['label']!r}", {"label": both}))
