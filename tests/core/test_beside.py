"""Style sheets in files, as a page sends them."""

from bnpexplorer.core.display import style_beside, text_beside


def test_a_style_sheet_is_sent_without_comments_and_lines(tmp_path):
    text = '/* why,\n   in words */\na {\n  content: "x y"; /* so */\n  color: red;\n}\n'
    (tmp_path / "one.css").write_text(text, "utf-8")
    module = str(tmp_path / "one.py")
    assert text_beside(module, "one.css") == text
    expected = '<style>a { content: "x y"; color: red; }</style>'
    assert style_beside(module, "one.css") == expected
