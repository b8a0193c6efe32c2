"""References in every form that is read, as the programs write them."""

REFERENCES = [
    {
        "title": "On the sea",
        "abstract": "The sailor saw a storm over the harbour and the vessel turned.",
        "year": "2019",
        "month": "03",
        "day": "02",
        "journal": "Journal of Seas",
        "keywords": ["sea", "storm"],
        "authors": ["Müller, Ann", "Roe, Bo"],
        "id": "10.1000/a_1",
    },
    {
        "title": "On the farm",
        "abstract": "A farmer drove his tractor to the barn with wheat and barley.",
        "year": "2020",
        "month": "",
        "day": "",
        "journal": "Journal of Farms",
        "keywords": ["farm"],
        "authors": ["Doe, Cleo"],
        "id": "10.1000/b_2",
    },
    {
        "title": "On the law",
        "abstract": "",
        "year": "2021",
        "month": "11",
        "day": "",
        "journal": "Journal of Seas",
        "keywords": [],
        "authors": ["Roe, Bo"],
        "id": "10.1000/c_3",
    },
]
DAYS = ["2019-03-02", "2020-01-01", "2021-11-01"]
"""Their dates, of which a month is its first day."""
MONTHS = {"03": "Mar", "11": "Nov", "": ""}


def _lines(pairs: list[tuple[str, str]], form: str) -> str:
    return "".join(form.format(tag, value) + "\n" for tag, value in pairs if value)


def as_ris(records: list = REFERENCES) -> str:
    """As Zotero and EndNote write it."""
    text = ""
    for r in records:
        pairs = [("TY", "JOUR"), ("T1", r["title"]), *(("AU", a) for a in r["authors"])]
        pairs += [("Y1", f"{r['year']}/{r['month']}/{r['day']}/"), ("T2", r["journal"])]
        pairs += [("J2", "J."), ("N2", r["abstract"]), *(("KW", k) for k in r["keywords"])]
        text += _lines([*pairs, ("DO", r["id"])], "{}  - {}") + "ER  - \n\n"
    return text


def as_web_of_science(records: list = REFERENCES) -> str:
    """As its export `savedrecs.txt`: long values go on in lines that begin with blanks."""
    text = "FN Clarivate Analytics Web of Science\nVR 1.0\n"
    for r in records:
        first, _, rest = r["abstract"].partition(" and ")
        abstract = f"{first}\n   and {rest}" if rest else first
        pairs = [("PT", "J"), ("AU", "\n   ".join(r["authors"])), ("TI", r["title"])]
        pairs += [("SO", r["journal"]), ("DE", "; ".join(r["keywords"])), ("AB", abstract)]
        pairs += [("PD", f"{MONTHS[r['month']]} {r['day']}".strip().upper()), ("PY", r["year"])]
        text += _lines([*pairs, ("UT", r["id"])], "{} {}") + "ER\n\n"
    return text + "EF"


def as_pubmed(records: list = REFERENCES) -> str:
    """As PubMed's `.nbib` and its format MEDLINE."""
    text = ""
    for r in records:
        title, abstract = (
            r[name].replace(" the ", " the\n      ") for name in ("title", "abstract")
        )
        pairs = [("PMID", r["id"][-1]), ("OWN", "NLM"), ("TI", title), ("AB", abstract)]
        pairs += [("DP", f"{r['year']} {MONTHS[r['month']]} {r['day'].lstrip('0')}".strip())]
        pairs += [*(("FAU", a) for a in r["authors"]), ("JT", r["journal"]), ("TA", "J")]
        text += "\n" + _lines([*pairs, *(("OT", k) for k in r["keywords"])], "{:4}- {}")
    return text


def as_endnote(records: list = REFERENCES) -> str:
    """As EndNote's export filter "EndNote", `.enw`."""
    text = ""
    for r in records:
        pairs = [("0", "Journal Article"), *(("A", a) for a in r["authors"]), ("D", r["year"])]
        pairs += [("T", r["title"]), ("J", r["journal"]), ("X", r["abstract"])]
        pairs += [
            ("K", "\n".join(r["keywords"])),
            ("8", f"{MONTHS[r['month']]} {r['day']}".strip()),
        ]
        text += _lines([*pairs, ("R", r["id"])], "%{} {}") + "\n"
    return text


def as_bibtex(records: list = REFERENCES) -> str:
    """As BibTeX with commands of LaTeX."""
    text = '% Encoding: UTF-8\n@string{jos = "Journal of Seas"}\n\n'
    for i, r in enumerate(records):
        names = " and ".join(r["authors"]).replace("ü", '{\\"u}')
        journal = "jos" if r["journal"] == "Journal of Seas" else f"{{{r['journal']}}}"
        text += f"@article{{key{i},\n  author = {{{names}}},\n  title = {{{{O}}{r['title'][1:]}}},"
        text += f"\n  journal = {journal},\n  year = {r['year']},\n  doi = {{{r['id']}}}"
        text += f",\n  month = {MONTHS[r['month']].lower()}" if r["month"] else ""
        text += f",\n  day = {r['day']}" if r["day"] else ""
        text += f",\n  abstract = {{{r['abstract']}}}" if r["abstract"] else ""
        text += f",\n  keywords = {{{'; '.join(r['keywords'])}}}\n}}\n\n"
    return text


FORMS = {
    "zotero.ris": as_ris(),
    "savedrecs.txt": as_web_of_science(),
    "pubmed.nbib": as_pubmed(),
    "endnote.enw": as_endnote(),
    "library.bib": as_bibtex(),
}
"""Name -> text."""
