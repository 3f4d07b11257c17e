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
    assert found == {
        "world.monday.items[0].column_values": '{"status": {"label": "Ready to go"}}',
        "world.monday.items[0].column_values|json.status.label": "Ready to go",
    }


def test_wholes_leave_out_system_prompt_and_assertions() -> None:
    task = BenchmarkTask(
        name="hr.a", domain="hr", prompt="ask", system="shared words", assertions=({"value": "the answer"},), row=1
    )
    passages = passages_of_benchmark_task(task)
    assert [passage.text for passage in passages] == ["shared words", "ask", "the answer"]
    assert [passage.text for passage in seen_by_the_agent(passages)] == ["ask"]


@pytest.mark.parametrize(
    ("field", "value", "is_text"),
    [
        ("user", "U0000000940", False),
        ("issue", "MNT-471", False),
        ("author", "5b10ac8d82e05b2200001268", False),
        ("number", "B-7581", False),
        ("members", ["U0000000940", "U0000000941"], False),
        ("name", "pipeline", True),
        ("name", "Q3", True),
        ("company", "360i", True),
        ("email", "ada4071992@birk.test", True),
        ("topic", "COVID-19", True),
    ],
)
def test_codes_are_no_text_wherever_they_stand(field: str, value: Any, is_text: bool) -> None:
    assert bool(texts({"slack": {"messages": ({"id": "1", field: value},)}})) == is_text


def read_of(state: dict[str, Any]) -> dict[str, str]:
    task = BenchmarkTask(name="hr.a", domain="hr", prompt="p", initial_state=state, row=1)
    return {
        p.path.removeprefix("initial_state."): p.text for p in passages_of_benchmark_task(task) if p.path != "prompt"
    }


@pytest.mark.parametrize(
    "rows",
    [
        [
            {"row": 1, "col": "A", "value": "Move"},
            {"row": 1, "col": "B", "value": "it"},
            {"row": 2, "col": "A", "value": "up"},
        ],
        [{"cells": {"B1": "it", "A1": "Move", "A2": "up"}}],
        [["Move", "it"], ["up"]],
        [
            {"values": [{"formattedValue": "Move"}, {"userEnteredValue": {"stringValue": "it"}}]},
            {"values": [{"value": "up"}]},
        ],
    ],
    ids=["a record a cell", "by address", "lists", "cells with formats"],
)
def test_a_sheet_is_read_by_rows_and_columns_in_whatever_shape(rows: list[Any]) -> None:
    found = list(read_of({"google_sheets": {"rowData": rows}}).values())
    assert sorted(found) == sorted(["Move\tit", "up", "Move\nup", "it"])


def test_items_of_a_check_list_are_lines_and_their_states_stay_out_of_them() -> None:
    items = [{"name": text, "state": "incomplete"} for text in ("move every", "crate")]
    found = read_of({"trello": {"cards": [{"checklists": [{"checkItems": items}]}]}})
    assert found["trello.cards[0].checklists[0].checkItems.lines"] == "move every\ncrate"


def test_blocks_of_different_kinds_are_lines_of_one_page() -> None:
    def block(kind: str, text: str) -> dict[str, Any]:
        return {"page_id": "p1", "type": kind, kind: {"rich_text": [{"plain_text": text}]}}

    blocks = [block("paragraph", "a"), block("to_do", "crate"), block("paragraph", "up")]
    assert read_of({"notion": {"blocks": blocks}})["notion.blocks[p1].lines"] == "a\ncrate\nup"


def test_a_document_that_begins_with_a_section_is_one_passage_with_its_links_apart() -> None:
    run = {"content": "over 500", "textStyle": {"link": {"url": "https://larkfield.test"}}}
    cell = {"paragraph": {"elements": [{"textRun": {"content": "x"}}]}}
    content = [
        {"sectionBreak": {}},
        {"paragraph": {"elements": [{"textRun": {"content": "Refunds "}}, {"textRun": run}]}},
        {"table": {"tableRows": [{"tableCells": [{"content": [cell]}]}]}},
    ]
    found = read_of({"google_docs": {"documents": [{"body": {"content": content}}]}})
    path = "google_docs.documents[0].body.content"
    assert found == {path: "Refunds over 500\nx", f"{path}|links": "https://larkfield.test"}


def test_names_that_people_give_to_fields_are_text() -> None:
    found = read_of({"airtable": {"records": [{"fields": {"Who to call first": "Ada"}}]}})
    assert "Who to call first" in found.values()


def test_a_cell_that_hides_its_words_is_also_read_by_itself() -> None:
    encoded = base64.b64encode(b"move every crate from the dock").decode()
    found = read_of({"google_sheets": {"rows": [{"cells": {"Note": encoded, "List": "1. move\n2. every"}}]}})
    assert found["google_sheets.rows[0].cells[0]|base64"] == "move every crate from the dock"
    assert found["google_sheets.rows[0].cells[1]|unmarked"] == "move\nevery"
