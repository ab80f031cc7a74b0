"""Tables as papers and notes take them."""

from __future__ import annotations

from annotation.pure.reports import table_files

HEAD = ["Dataset", "n", "F1"]


def test_tab_separated_text_keeps_one_line_a_row() -> None:
    assert table_files.tsv(HEAD, [["a\tb\nc", "2", "78.0"]]) == "Dataset\tn\tF1\na b c\t2\t78.0"


def test_a_markdown_table_aligns_figures_and_escapes_pipes() -> None:
    lines = table_files.markdown(HEAD, [["a|b", "2", "78.0"]]).split("\n")
    assert lines == ["| Dataset | n | F1 |", "| --- | ---: | ---: |", r"| a\|b | 2 | 78.0 |"]


def test_a_latex_table_escapes_what_latex_would_run() -> None:
    text = table_files.latex(HEAD, [[r"50% of a_b & \c", "2", "–"]])
    assert r"50\% of a\_b \& \textbackslash{}c & 2 & -- \\" in text
    assert text.startswith(r"\begin{tabular}{lrr}")


def test_latex_text_needs_no_other_font_encoding() -> None:
    assert table_files.latex_text('A "port" & 5 %') == r"A ''port'' \& 5 \%"
