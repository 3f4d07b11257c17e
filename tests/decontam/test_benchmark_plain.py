"""Plain tables: JSONL and Parquet files of which one column is the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from decontam.readers.plain import Columns
from decontam.readers.sources import read_source

RETAIL = Path(__file__).parents[3] / "shared" / "data" / "tau2" / "retail_tasks.json"
ROWS = [
    {"id": "q1", "topic": "retail", "text": "Exchange the keyboard for a quiet one."},
    {"id": "q2", "topic": "airline", "text": "Move my flight to Tuesday."},
]


def jsonl(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_jsonl_and_parquet_with_the_same_rows_are_the_same_benchmark(tmp_path: Path) -> None:
    columns = Columns(id="id", domain="topic")
    lines = read_source(jsonl(tmp_path / "a.jsonl", *ROWS), columns=columns)
    table = read_source(parquet(tmp_path / "b.parquet", ROWS), columns=columns)
    assert [(task.name, task.domain, task.prompt) for task in lines.tasks] == [
        ("q1", "retail", "Exchange the keyboard for a quiet one."),
        ("q2", "airline", "Move my flight to Tuesday."),
    ]
    assert lines.content_hash == table.content_hash
    assert (lines.sources[0].reader, table.sources[0].reader) == ("jsonl", "parquet")
    assert lines.sources[0].version != table.sources[0].version


def test_rows_without_an_id_column_are_numbered(tmp_path: Path) -> None:
    found = read_source(jsonl(tmp_path / "a.jsonl", *ROWS))
    assert [(task.name, task.domain, task.row) for task in found.tasks] == [
        ("row_1", "unknown", 1),
        ("row_2", "unknown", 2),
    ]


def test_a_dot_leads_into_an_object_and_messages_are_text(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Cancel order 7."}]
    rows = [{"case": {"said": messages, "number": 4}}]
    columns = Columns(text="case.said", id="case.number")
    for path in (jsonl(tmp_path / "a.jsonl", *rows), parquet(tmp_path / "b.parquet", rows)):
        (task,) = read_source(path, columns=columns).tasks
        assert (task.name, task.system, task.prompt) == ("4", "Be brief.", "Cancel order 7.")


def test_parquet_is_recognised_by_its_bytes(tmp_path: Path) -> None:
    assert len(read_source(parquet(tmp_path / "table.bin", ROWS)).tasks) == 2


@pytest.mark.parametrize(
    ("rows", "columns", "sentence"),
    [
        ([{"q": "a b", "a": "c"}], Columns(), "line 1 has no column 'text'; it has q, a: name one of them with --text"),
        ([*ROWS, {"text": "x"}], Columns(id="id"), "line 3 has no column 'id'; it has text: name one of them with --i"),
        ([{"text": "x"}], Columns(domain="d"), "line 1 has no column 'd'; it has text: name one of them with --dom"),
        ([{"a": {"b": "x"}}], Columns(text="a.c"), "line 1 has no column 'a.c'; it has b"),
        ([*ROWS, ROWS[0]], Columns(id="id"), "line 3 has the name 'q1' that line 1 has"),
        ([{"text": " "}], Columns(), "line 1 has no text in the column 'text'"),
        ([{"text": "\u200b!"}], Columns(), "line 1 is no task: the prompt of row_1 holds no word"),
        ([{"text": None}], Columns(), "line 1 has None in the column 'text', expected text"),
        ([{"text": "x", "id": True}], Columns(id="id"), "line 1 has True in the column 'id', expected a word or a"),
        ([{"text": "x", "id": ""}], Columns(id="id"), "line 1 has '' in the column 'id'"),
        ([7], Columns(), "line 1 is no record but a JSON int"),
    ],
)  # fmt: skip
def test_a_row_that_lacks_something_is_refused(
    tmp_path: Path, rows: list[Any], columns: Columns, sentence: str
) -> None:
    path = jsonl(tmp_path / "a.jsonl", *rows)
    with pytest.raises(ValueError) as refusal:
        read_source(path, columns=columns)
    assert str(refusal.value).startswith(f"{path} {sentence}")


def test_a_table_without_the_column_names_those_it_has(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", [{"question": "Who?", "answer": "He"}])
    with pytest.raises(ValueError) as refusal:
        read_source(path)
    assert (
        str(refusal.value)
        == f"{path} has no column 'text'; it has question, answer: name one of them with --text-column"
    )


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 and then nothing of the sort PAR1", b"plain words"])
def test_a_parquet_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(ValueError) as refusal:
        read_source(path)
    assert str(refusal.value).startswith(f"{path} is no readable Parquet file (")
    assert "\n" not in str(refusal.value)


def test_a_parquet_file_with_a_damaged_page_is_refused(tmp_path: Path) -> None:
    rows = [{"text": f"Sentence number {number} of this table"} for number in range(2000)]
    path = parquet(tmp_path / "a.parquet", rows)
    damaged = bytearray(path.read_bytes())
    damaged[100:2000] = b"\xff" * 1900
    path.write_bytes(damaged)
    with pytest.raises(ValueError) as refusal:
        read_source(path)
    assert str(refusal.value).startswith(str(path))


def test_bytes_in_a_table_that_are_no_utf8_are_refused_with_their_row(tmp_path: Path) -> None:
    raw = pa.array([b"fine", b"caf\xe9"], type=pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": raw}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="row 2 is not UTF-8 text at byte 4"):
        read_source(tmp_path / "a.parquet")


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([], type=pa.string())}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="holds no task"):
        read_source(tmp_path / "a.parquet")


@pytest.mark.skipif(not RETAIL.exists(), reason="the tasks of another public benchmark are not beside this checkout")
def test_another_public_benchmark_is_read_as_a_plain_table(tmp_path: Path) -> None:
    rows = json.loads(RETAIL.read_text())
    columns = Columns(text="user_scenario.instructions.reason_for_call", id="id")
    found = read_source(jsonl(tmp_path / "retail.jsonl", *rows), columns=columns)
    assert len(found.tasks) == len(rows) == 114
    assert found.tasks[0].prompt == rows[0]["user_scenario"]["instructions"]["reason_for_call"]
    with pytest.raises(ValueError, match="line 1 begins a JSON array"):
        read_source(RETAIL)
