"""Small Excel files, written by hand: no library agrees with itself."""

import datetime
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>'
    '<xf numFmtId="22"/></cellXfs></styleSheet>'
)


def column_name(place: int) -> str:
    letters = ""
    while place >= 0:
        letters, place = chr(65 + place % 26) + letters, place // 26 - 1
    return letters


def cell(value: Any, row: int, column: int) -> str:
    where = f'r="{column_name(column)}{row}"'
    epoch = datetime.datetime(1899, 12, 30)
    match value:
        case None:
            return ""
        case bool():
            return f'<c {where} t="b"><v>{int(value)}</v></c>'
        case datetime.datetime():
            days = (value - epoch) / datetime.timedelta(days=1)
            return f'<c {where} s="2"><v>{days!r}</v></c>'
        case datetime.date():
            return f'<c {where} s="1"><v>{value.toordinal() - epoch.toordinal()}</v></c>'
        case int() | float():
            return f"<c {where}><v>{value!r}</v></c>"
    return f'<c {where} t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def sheet_xml(rows: Sequence[Sequence[Any]]) -> str:
    lines = [
        f'<row r="{r}">{"".join(cell(v, r, c) for c, v in enumerate(row))}</row>'
        for r, row in enumerate(rows, start=1)
    ]
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def excel(sheets: Mapping[str, Sequence[Sequence[Any]] | str], **more: str) -> bytes:
    """An .xlsx file of sheets by name, as rows or as XML; `more`: parts that replace others, with
    "__" for "/" and "_xml" for ".xml"."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(numbers, sheets, strict=True)
    )
    relations = "".join(
        f'<Relationship Id="rId{i}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{relations}'
        "</Relationships>",
        "xl/styles.xml": STYLES,
    }
    for i, rows in zip(numbers, sheets.values(), strict=True):
        parts[f"xl/worksheets/sheet{i}.xml"] = rows if isinstance(rows, str) else sheet_xml(rows)
    parts |= {k.replace("__", "/").replace("_xml", ".xml"): v for k, v in more.items()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()
