"""Which column of a table is the text, which the date, ...: by its name, then by what it holds."""

import re
from collections.abc import Mapping, Sequence

from ..corpus import CorpusError
from .dates import percent, share_of_dates
from .source import FIELDS, NONE
from .spans import folded

Values = Mapping[str, Sequence[str]]
"""Column -> its first cells."""

# Names by which a field is recognised, best first; a line is one meaning in English, German,
# French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Danish, Russian, Chinese, Japanese.
# Compared as `plain_name` leaves them. A name may stand for several fields: its content decides.
NAMES = {
    "text": """
        text volltext texte texto testo tekst текст 文本 正文 テキスト 本文
        fulltext redetext wortlaut
        body corps cuerpo corpo brödtext brødtekst
        content inhalt contenu contenido contenuto conteúdo inhoud treść innehåll indhold содержание
        内容
        document dokument documento 文档 文書
        abstract zusammenfassung résumé resumen riassunto resumo samenvatting streszczenie
        message nachricht mensaje messaggio mensagem bericht wiadomość meddelande besked сообщение
        review rezension critique reseña recensione resenha recensie recenzja отзыв
        comment kommentar commentaire comentario commento comentário opmerking komentarz комментарий
        speech rede discours discurso discorso toespraak przemówienie anförande tale речь
        article artikel artículo articolo artigo artykuł статья
        paragraph absatz paragraphe párrafo paragrafo parágrafo alinea akapit stycke afsnit
        description beschreibung descripción descrizione descrição beschrijving opis beskrivning
        tweet post beitrag sentence satz phrase oración frase zin zdanie summary transcript data
    """,
    "id": """
        id docid documentid identifier uuid key kennung identifiant identificador identificativo
        identyfikator идентификатор
    """,
    "title": """
        title titel titre título titolo tytuł заголовок 标题 題名 タイトル
        headline schlagzeile titular intitulé manchete kop nagłówek rubrik overskrift
        subject betreff objet asunto oggetto assunto onderwerp ämne emne
        heading überschrift encabezado
        name nom nombre nome naam nazwa namn navn название 名称 名前
    """,
    "date": """
        date datum fecha data dato дата 日期 日付
        datetime timestamp zeitstempel datumzeit horodatage 时间 日時
        published publishedat publicationdate pubdate publishdate datepublished veröffentlicht
        veröffentlichungsdatum erscheinungsdatum datepublication datedepublication publiéle
        fechapublicación fechadepublicación datapubblicazione datadipubblicazione datapublicação
        datadepublicação publicatiedatum dataopublikacji datapublikacji publiceringsdatum 发布时间
        createdat created erstellt erstelltam creationdate crééle time when wann quand cuándo quando
        day tag jour día giorno dia dag dzień день
        month monat mois mes mese mês maand miesiąc månad måned месяц
        year jahr année año anno ano jaar rok år год
    """,
    "label": """
        label etikett étiquette etiqueta etichetta etykieta метка 标签 ラベル
        category kategorie catégorie categoría categoria categorie kategoria kategori категория 类别
        分类 カテゴリ
        class klasse classe clase klasa klass класс
        topic thema thème tema temat тема
        section ressort rubrique sección sezione seção rubriek dział sektion раздел
        group gruppe groupe grupo gruppo groep grupa grupp группа
        party partei parti partido partito partij partia партия fraktion fraction
        outlet newspaper zeitung journal periódico diario giornale testata jornal krant gazeta
        tidning avis газета 报纸 新聞
        medium media médio medio mídia channel kanal chaîne canal canale publication publisher
        verlag
        author autor autorin auteur autrice autore autora författare forfatter автор 作者 著者
        speaker redner rednerin sprecher sprecherin orateur orador oratore spreker mówca talare
        taler
        source quelle fuente fonte bron źródło källa kilde источник 来源
        account konto compte cuenta conta user username nutzer handle screenname
        country land pays país paese kraj страна 国家
        tag genre type kind name nom nombre nome naam nazwa namn navn
    """,
}


def plain_name(name: str) -> str:
    """In small letters without accents, blanks and signs."""
    return re.sub(r"[\W_]", "", folded(name))


KNOWN = {field: [*dict.fromkeys(map(plain_name, names.split()))] for field, names in NAMES.items()}
DATES_ENOUGH = 0.5
"""A column named like a date is one if so many of its filled cells can be read."""
SEVERAL = 10
"""Rows from which on it shows whether values repeat."""


def choose(
    name: str, columns: Sequence[str], values: Values, wanted: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Field -> column, in the order of `FIELDS`: what was asked for, else a guess; and sentences
    about columns that were nearly chosen.

    `values`: the first cells of every column not asked for. Raises CorpusError if none looks like
    text.
    """
    chosen = {field: column for field, column in wanted.items() if column and column != NONE}
    free = [column for column in columns if column not in chosen.values()]
    said: list[str] = []
    if "text" not in chosen:
        chosen["text"] = _text(name, free, values)
        free.remove(chosen["text"])
    for field in ("id", "date", "title", "label"):
        if wanted[field]:
            continue
        fits = [c for c in _named(field, free) if _fits(field, c, values[c])]
        if fits:
            chosen[field] = fits[0]
            free.remove(fits[0])
        elif field == "date":
            said = [
                no_dates(c, *share_of_dates(values[c]))
                for c in _named(field, free)
                if not _may_be_other(c)
            ]
    return {field: chosen[field] for field in FIELDS if field in chosen}, said[:1]


def _named(field: str, columns: Sequence[str]) -> list[str]:
    plain = {column: plain_name(column) for column in columns}
    return [c for known in KNOWN[field] for c in columns if plain[c] == known]


def _may_be_other(column: str) -> bool:
    """Whether its name stands for several fields."""
    return sum(plain_name(column) in known for known in KNOWN.values()) > 1


def _fits(field: str, column: str, cells: Sequence[str]) -> bool:
    if field == "date":
        return share_of_dates(cells)[0] >= DATES_ENOUGH
    return not (field == "title" and _may_be_other(column) and _repeat(cells))


def _repeat(cells: Sequence[str]) -> bool:
    """Whether most values stand in several rows, as names of authors do and titles do not."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return len(filled) >= SEVERAL and len(set(filled)) < len(filled) / 2


def _text(name: str, columns: Sequence[str], values: Values) -> str:
    def letters(column: str) -> float:
        cells = values[column]
        return sum(sum(map(str.isalpha, cell[:2000])) for cell in cells) / len(cells)

    wordy = [column for column in columns if letters(column) > 0]
    if not wordy:
        raise CorpusError(
            f"{name}: no column looks like text (columns: {', '.join(columns) or 'none'}); choose "
            "the column with the texts."
        )
    wordiest = max(wordy, key=letters)
    sure = [c for c in _named("text", wordy) if c == wordiest or not _may_be_other(c)]
    return sure[0] if sure else wordiest


def no_dates(column: str, share: float, unread: str) -> str:
    """That a column named like a date is none: `share` of its cells are, `unread` is not."""
    if not unread:
        return f"Column {column!r} holds no dates, so the texts have none."
    return (
        f"Column {column!r} is not used as the date: only {percent(share)} of its values can be "
        f"read as dates (not {unread[:40]!r}). Write dates such as 2014-03-05, or choose it as the "
        "date column to use what can be read."
    )
