"""A sheet of values as an Excel file, without formulas and styles: text is text, whatever it begins
with. Open it where a table is written for Excel.
"""

import datetime
import io
import math
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff\r]|_x[0-9A-Fa-f]{4}_")
"""Signs that XML cannot hold or reads as others, and text that Excel reads as an escaped sign."""
DAY_ZERO = datetime.datetime(1899, 12, 30)
FIRST_DAY = datetime.datetime(1900, 3, 1)
"""Before it Excel's calendar has a day that never was; earlier days are written as text."""
MOST_LETTERS = 32_767
"""Letters of a cell: Excel holds no more."""
STYLES = {datetime.datetime: 1, datetime.date: 2, datetime.time: 3, datetime.timedelta: 4}

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FORMATS = "".join(f'<xf numFmtId="{n}" applyNumberFormat="1"/>' for n in (0, 22, 14, 21, 46))
_STYLES = f"""{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="1"><font/></fonts>\
<fills count="1"><fill/></fills><borders count="1"><border/></borders>\
<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5">{_FORMATS}</cellXfs></styleSheet>"""
_TYPES = f"""{_HEAD}<Types xmlns="{_PACKAGE}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>\
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/></Types>"""


def _relations(*parts: tuple[str, str]) -> str:
    each = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(parts, start=1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def sheet_bytes(rows: Iterable[tuple[int, Sequence[Any]]], name: str = "Sheet1") -> bytes:
    """Return an Excel file of one sheet called `name`.

    `rows`: ascending numbers from 1, and cells: str, bool, int, float, date, datetime, time,
    timedelta, or None for an empty one. Excel holds `MOST_LETTERS` of a text; the rest is cut off.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _relations(("officeDocument", "xl/workbook.xml")))
        archive.writestr(
            "xl/workbook.xml",
            f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            f'<sheet name={quoteattr(name)} sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            _relations(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")),
        )
        archive.writestr("xl/styles.xml", _STYLES)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for number, cells in rows:
                inner = "".join(_cell(_place(at, number), value) for at, value in enumerate(cells))
                sheet.write(f'<row r="{number}">{inner}</row>'.encode())
            sheet.write(b"</sheetData></worksheet>")
    return out.getvalue()


def _place(column: int, row: int) -> str:
    """Return the name of a cell; columns count from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def _cell(place: str, value: Any) -> str:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        if math.isfinite(value) and (isinstance(value, float) or abs(value) < 2**53):
            return f'<c r="{place}"><v>{value!r}</v></c>'
    elif type(value) in STYLES and (days := _days(value)) is not None:
        return f'<c r="{place}" s="{STYLES[type(value)]}"><v>{days!r}</v></c>'
    text = escape(NO_XML.sub(_escaped, str(value)[:MOST_LETTERS]))
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _escaped(sign: re.Match[str]) -> str:
    """Return a sign as Excel writes what XML cannot hold; half of a pair is lost."""
    first = sign[0][0]
    rest = sign[0][1:]
    return "\ufffd" if "\ud800" <= first <= "\udfff" else f"_x{ord(first):04X}_{rest}"


def _days(value: Any) -> float | None:
    """Return a time as Excel counts it, in days; None for what its calendar lacks."""
    if isinstance(value, datetime.timedelta):
        return float(value.total_seconds()) / 86_400
    if isinstance(value, datetime.time):
        value = datetime.datetime.combine(DAY_ZERO, value.replace(tzinfo=None))
    elif not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    elif value.tzinfo is not None:
        return None
    if value < FIRST_DAY and value.date() != DAY_ZERO.date():
        return None
    return float((value - DAY_ZERO).total_seconds()) / 86_400
