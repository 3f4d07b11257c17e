"""Passages: which texts are read as one, and which never."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from decontam.benchmark import BenchmarkTask
from decontam.passages import passages_of_benchmark_task, passages_of_task, seen_by_the_agent
from tests.decontam.made_tasks import made_task, mailed


def texts(world: dict[str, Any]) -> dict[str, str]:
    task = made_task("Do it", world)
    return {passage.path: passage.text for passage in passages_of_task(task) if passage.path.startswith("world")}


def test_prompt_and_fields_are_passages_of_their_own() -> None:
    task = made_task("Do it", mailed("One line.\nAnother line."))
    assert [(passage.path, passage.text) for passage in passages_of_task(task)] == [
        ("prompt", "Do it"),
        ("actor.company", "Tarnwick Instruments"),
        ("actor.domain", "tarnwickinstruments.com"),
        ("world.gmail.messages[0].subject", "Crates"),
        ("world.gmail.messages[0].body", "One line.\nAnother line."),
    ]


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_encoded_bodies_are_decoded(encode: Any) -> None:
    body = "Z\u00fcrich wants it? Yes > no. Say so to them"
    found = texts(mailed(encode(body.encode()).decode().rstrip("=")))
    assert found["world.gmail.messages[0].body|base64"] == body


def test_base64_wrapped_in_lines_is_decoded() -> None:
    wrapped = base64.encodebytes(b"the quick courier brings a parcel to the back door, rings twice and leaves").decode()
    assert "\n" in wrapped.strip()
    assert "rings twice" in texts(mailed(wrapped))["world.gmail.messages[0].body|base64"]


def test_a_raw_mail_gives_subject_and_decoded_parts() -> None:
    body = base64.encodebytes("Gr\u00fc\u00dfe an alle im Lager".encode()).decode()
    raw = (
        "From: a@tarnwick.test\r\nSubject: =?utf-8?q?K=C3=BChlraum?=\r\nMIME-Version: 1.0\r\n"
        'Content-Type: text/plain; charset="utf-8"\r\nContent-Transfer-Encoding: base64\r\n\r\n' + body
    )
    found = texts({"gmail": {"messages": ({"id": "m1", "raw": base64.urlsafe_b64encode(raw.encode()).decode()},)}})
    assert found["world.gmail.messages[0].raw|base64|mail.subject"] == "K\u00fchlraum"
    assert found["world.gmail.messages[0].raw|base64|mail.part0"].strip() == "Gr\u00fc\u00dfe an alle im Lager"


def test_markup_is_dropped_and_placeholders_stay() -> None:
    found = texts(mailed("<p>Mo<b>ve</b> it</p><p>A&amp;B say <contact_id></p><style>p {color: red}</style><!-- x -->"))
    assert found["world.gmail.messages[0].body"].split() == ["Move", "it", "A&B", "say", "<contact_id>"]


def test_keys_dates_and_amounts_are_no_passages() -> None:
    row = {
        "id": "ab cd",
        "Id": "003xx",
        "AccountId": "001xx",
        "created": "2026-03-04T09:20:00Z",
        "amount": "930.00",
        "n": 5,
    }
    found = texts({"salesforce": {"Contact": (row,)}})
    assert list(found.values()) == ["ab cd"]


def test_cells_of_a_row_and_of_a_column_are_passages_in_the_order_of_positions() -> None:
    rows = (
        {"id": "r2", "sheet_id": "s1", "position": 2, "cells": ["Larkfield", 930, None]},
        {"id": "r1", "sheet_id": "s1", "position": 1, "cells": ["Supplier", "Credit", "Note"]},
        {"id": "r9", "sheet_id": "s2", "position": 1, "cells": ["Other sheet"]},
    )
    found = texts({"google_sheets": {"rows": rows}})
    assert found["world.google_sheets.rows[1].cells"] == "Supplier\tCredit\tNote"
    assert found["world.google_sheets.rows[0].cells"] == "Larkfield\t930"
    assert found["world.google_sheets.rows[s1].column[0]"] == "Supplier\nLarkfield"
    assert found["world.google_sheets.rows[s1].column[1]"] == "Credit\n930"
    assert found["world.google_sheets.rows[s2].column[0]"] == "Other sheet"
    assert not any("Larkfield" in text and "Other" in text for text in found.values())


def test_cells_by_heading_and_grids_of_values_are_read_alike() -> None:
    by_heading = BenchmarkTask(
        name="finance.a",
        domain="finance",
        prompt="p",
        initial_state={"google_sheets": {"rows": [{"row_id": 1, "cells": {"Vendor": "Wren Ltd", "Due": "May"}}]}},
        row=1,
    )
    grid = by_heading.model_copy(
        update={"initial_state": {"sheet": {"values": [["Vendor", "Due"], ["Wren Ltd", "May"]]}}}
    )
    for task in (by_heading, grid):
        found = [passage.text for passage in passages_of_benchmark_task(task)]
        assert {"Vendor\tDue", "Wren Ltd\tMay", "Vendor\nWren Ltd", "Due\nMay"} <= set(found)


def test_nodes_of_a_document_are_one_passage() -> None:
    atlassian = {
        "type": "doc",
        "content": [
            {
                "type": "paragraph",
                "content": [{"type": "text", "text": "Move the "}, {"type": "text", "text": "crates"}],
            },
            {"type": "paragraph", "content": [{"type": "text", "text": "before noon"}]},
        ],
    }
    found = texts({"jira": {"issues": ({"id": "1", "description": atlassian},)}})
    assert found == {"world.jira.issues[0].description": "Move the crates\nbefore noon"}


def test_rows_with_rich_text_keep_their_other_fields_and_lines_of_one_page_are_also_one_passage() -> None:
    def block(page: str, position: int, text: str) -> dict[str, Any]:
        rich = [{"type": "text", "plain_text": part} for part in (text, " now")]
        return {"page_id": page, "position": position, "title": "Dock", "paragraph": {"rich_text": rich}}

    rows = (block("p1", 2, "move them"), block("p2", 1, "other page"), block("p1", 1, "count the crates"))
    found = texts({"notion": {"blocks": rows}})
    assert found["world.notion.blocks[0].title"] == "Dock"
    assert found["world.notion.blocks[0].paragraph"] == "move them now"
    assert found["world.notion.blocks[p1].lines"] == "count the crates now\nmove them now"
    assert found["world.notion.blocks[p1].lines.title"] == "Dock\nDock"
    assert "other page" not in found["world.notion.blocks[p1].lines"]


def test_comments_in_a_list_stay_apart_and_plain_lines_do_not() -> None:
    row = {"comments": [{"body": "first one"}, {"body": "second one"}], "lines": ["a line", "its next"]}
    found = texts({"trello": {"cards": (row,)}})
    assert found == {
        "world.trello.cards[0].comments[0].body": "first one",
        "world.trello.cards[0].comments[1].body": "second one",
        "world.trello.cards[0].lines": "a line\nits next",
    }


def test_json_inside_a_string_is_opened() -> None:
    found = texts({"monday": {"items": ({"column_values": '{"status": {"label": "Ready to go"}}'},)}})
    assert found == {"world.monday.items[0].column_values|json.status.label": "Ready to go"}


def test_wholes_leave_out_system_prompt_and_assertions() -> None:
    task = BenchmarkTask(
        name="hr.a", domain="hr", prompt="ask", system="shared words", assertions=({"value": "the answer"},), row=1
    )
    passages = passages_of_benchmark_task(task)
    assert [passage.text for passage in passages] == ["shared words", "ask", "the answer"]
    assert [passage.text for passage in seen_by_the_agent(passages)] == ["ask"]
