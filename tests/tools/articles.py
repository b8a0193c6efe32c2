"""Dated, labelled news of our own making, as an analyst would bring them: with links, and with one
subject that breaks out in October 2014."""

import csv
import datetime
import io

import numpy as np

OUTBREAK = datetime.date(2014, 10, 1)
OUTLETS = {"de": ("Abendpost", "Morgenblatt", "Küstenkurier"), "en": ("Herald", "Gazette", "Echo")}
HEADS = {"de": ("Datum", "Medium", "Titel", "Text"), "en": ("date", "outlet", "title", "text")}
GLUE = {
    "de": "und die der das nicht auch wir den mit für auf eine sich von noch aber dass wurde",
    "en": "and the of that not also we with for on a which from still but was were this",
}
SUBJECTS = {
    "de": {
        "Seuche": "Ebola Ausbruch Klinik Fieber Ärzte Impfstoff Kranke Quarantäne Virus Labor",
        "Fußball": "Trainer Mannschaft Stürmer Tabelle Stadion Spieltag Torwart Abstieg Elfmeter",
        "Haushalt": "Steuer Haushalt Minister Schulden Ausgaben Defizit Etat Bundestag Rente",
        "Wetter": "Regen Sturm Küste Böen Frost Temperatur Gewitter Nebel Hochwasser Deich",
    },
    "en": {
        "epidemic": "ebola outbreak clinic fever doctors vaccine patients quarantine virus lab",
        "football": "coach team striker league stadium season goalkeeper penalty fixture",
        "budget": "tax budget minister debt spending deficit treasury parliament pension",
        "weather": "rain storm coast gusts frost temperature thunder fog flood dyke",
    },
}


def articles(language: str = "de", n: int = 360, seed: int = 0) -> list[dict[str, str]]:
    """Rows of a table from January to December 2014; two of five texts hold a link.

    The first subject has 2 of 100 texts before October, and 45 of 100 in that month and after.
    """
    rng = np.random.default_rng(seed)
    subjects = {name: words.split() for name, words in SUBJECTS[language].items()}
    first, *others = subjects
    rows = []
    for i in range(n):
        day = datetime.date(2014, 1, 1) + datetime.timedelta(days=int(364 * i / max(n - 1, 1)))
        broken_out = rng.random() < (0.45 if day >= OUTBREAK else 0.02)
        subject = first if broken_out else others[int(rng.integers(len(others)))]
        words = rng.choice(subjects[subject], 22).tolist()
        glue = rng.choice(GLUE[language].split(), 22).tolist()
        text = " ".join(f"{g} {w}" for g, w in zip(glue, words, strict=True))
        if rng.random() < 0.4:
            text += f" https://example.org/{subject.lower()}/{i} "
        outlet = OUTLETS[language][int(rng.integers(3))]
        values = (day.isoformat(), outlet, f"{subject} {i + 1}", text)
        rows.append(dict(zip(HEADS[language], values, strict=True)))
    return rows


def as_csv(rows: list[dict[str, str]]) -> bytes:
    """The rows as a CSV file in UTF-8."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()
