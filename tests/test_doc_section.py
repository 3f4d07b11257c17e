"""Sections of pages that benchmarks write."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.doc_section import write_section

PAGE = "# Page\n\n<!-- begin speed: python -m x -->\nold\n<!-- end speed -->\n\nrest <!-- begin speed of light -->\n"


def test_only_what_stands_between_the_markers_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    write_section(page, "speed", "| a \\1 |\n")
    once = page.read_text("utf-8")
    assert once == PAGE.replace("old\n", "\n| a \\1 |\n\n")
    write_section(page, "speed", "| a \\1 |")
    assert page.read_text("utf-8") == once


@pytest.mark.parametrize("text", ["", PAGE + PAGE, PAGE.replace("end speed", "end recall")])
def test_a_page_without_the_section_or_with_two_is_refused(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="sections 'speed', expected one"):
        write_section(page, "speed", "x")
    assert page.read_text("utf-8") == text
