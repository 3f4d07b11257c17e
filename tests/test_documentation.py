"""What the pages say of applications, families, commands and files is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from environment.apps import APPS
from generators.families import FAMILIES
from pipeline.cli import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TITLES = {application.name: application.title for application in APPS}


def table(page: str, heading: str) -> list[list[str]]:
    """Rows of the first table of a section."""
    section = (ROOT / page).read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_applications_are_those_of_the_table() -> None:
    told = [(folder.strip("`"), int(count)) for _, folder, _, count in table("docs/architecture.md", "Applications")]
    assert told == [(application.name, len(application.rows)) for application in APPS]


def test_the_families_are_those_of_the_table_with_their_applications() -> None:
    made = []
    for family in FAMILIES:
        highest = {name: knob.high for name, knob in family.knobs.items()}
        task = family.generate("documentation", 0, "train", highest, "api")
        made.append((family.domain, f"`{family.name}`", {TITLES[name] for name in task.apps}))
    told = table("docs/architecture.md", "Families")
    assert [(domain, name, set(titles.split(", "))) for domain, name, titles in told] == made


def test_every_command_is_in_the_readmes_table() -> None:
    names = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    names |= {group.name for group in app.registered_groups if group.name}
    told = {word for cells in table("README.md", "Commands") for word in re.findall(r"[a-z]+", cells[0])}
    assert names <= told


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
