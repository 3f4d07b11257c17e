"""A task as an auditor reads it: what is asked, what there is, what is right, where people go wrong, how it is done."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from environment.task import Task
from pipeline.contract_text import allowance_lines, contract_lines
from pipeline.layout import wrap
from pipeline.row_text import RowNames, row_id
from pipeline.tool_text import answer_lines, call_line
from pipeline.verdict_text import reason_lines
from pipeline.walk import Walk, walk, writing_tools
from pipeline.world_text import Marks, world_characters, world_lines

_CHARACTERS_PER_TOKEN = 4
_TELLING = 5
"""Characters from which on an id in an answer is taken for the row's."""


def task_text(task: Task, width: int, brief: bool = False) -> str:
    """The whole task; `brief` cuts long texts, long tables and the reference's answers."""
    reference = walk(task, task.reference)
    walks = [walk(task, trap.sprung) for trap in task.traps]
    names = RowNames(task)
    sections = (
        ("", _head(task, width)),
        ("size", _size(task, reference, width)),
        ("request", request_lines(task, width)),
        (
            "world (> the reference changes it, ! only a trap does, * the reference reads it)",
            world_lines(task, _marks(task, reference, walks), width, brief),
        ),
        ("tools", wrap(", ".join(task.actions), width, "  ")),
        ("expected changes", contract_lines(task.contract, names, width)),
        ("allowed", allowance_lines(task.contract, names, width)),
        ("traps", list(_traps(task, walks, width, brief))),
        ("derivations", [line for one in task.derivations for line in wrap(f"{one.value} = {one.rule}", width, "  ")]),
        ("reference", reference_lines(task, width, brief, reference)),
        ("proof", _proof(task, width)),
    )
    return "\n\n".join("\n".join([title, *lines] if title else lines) for title, lines in sections if lines)


def request_lines(task: Task, width: int) -> list[str]:
    """The prompt, set off."""
    return wrap(task.prompt, width, "  ")


def who_and_when(task: Task, now: datetime) -> list[str]:
    """Whom the agent acts as, and the world's clock."""
    actor = task.actor
    return [
        f"you act as {actor['name']} <{actor['email']}> of {actor['company']}",
        f"it is {now.strftime('%A')} {now.isoformat(sep=' ')}",
    ]


def reference_lines(task: Task, width: int, brief: bool = False, reference: Walk | None = None) -> list[str]:
    """How the reference does it: each call with its answer."""
    done = reference or walk(task, task.reference)
    lines: list[str] = []
    for number, (call, result) in enumerate(zip(task.reference, done.results, strict=True), start=1):
        lines += wrap(f"{number}. {call_line(call.tool, call.arguments)}", width, "  ", "     ")
        lines += answer_lines(result, width, "       ", brief)
    return lines


def _head(task: Task, width: int) -> list[str]:
    knobs = ", ".join(f"{name} {value:g}" for name, value in task.knobs.items())
    return [
        f"{task.id}",
        *wrap(f"{task.domain}, family {task.family}, {task.split}, seed {task.seed}, index {task.index}", width),
        *wrap(f"knobs: {knobs or 'none'}", width, "", "  "),
        *(line for text in who_and_when(task, datetime.fromisoformat(task.now)) for line in wrap(text, width)),
    ]


def _size(task: Task, reference: Walk, width: int) -> list[str]:
    writes = sum(call.tool in writing_tools() for call in task.reference)
    rows = sum(len(rows) for collections in task.world.values() for rows in collections.values())
    text, read = world_characters(task.world), sum(map(len, reference.results))
    return wrap(
        f"reference: {len(task.reference)} calls, {writes} of them writing; it reads {_tokens(read)}. "
        f"World: {rows} rows in {len(task.world)} applications with {_tokens(text)}. "
        f"Prompt: {_tokens(len(task.prompt))}. "
        f"Tokens are approximated as characters / {_CHARACTERS_PER_TOKEN}.",
        width,
        "  ",
    )


def _tokens(characters: int) -> str:
    return f"{characters:,} characters (about {-(-characters // _CHARACTERS_PER_TOKEN):,} tokens)"


def _marks(task: Task, reference: Walk, walks: Sequence[Walk]) -> Marks:
    changed = frozenset((one.app, one.collection, one.id) for one in reference.changes)
    trapped = frozenset((one.app, one.collection, one.id) for done in walks for one in done.changes)
    seen = "\n".join(text for result in reference.results for text in _texts(json.loads(result)))
    read = frozenset(
        (app, collection, key)
        for app, collections in task.world.items()
        for collection, rows in collections.items()
        for row in rows
        if _is_seen(key := row_id(app, collection, row), row, seen)
    )
    return Marks(changed, trapped - changed, read)


def _is_seen(key: str, row: Any, seen: str) -> bool:
    longest = max(_texts(row), key=len, default="")
    return (len(key) >= _TELLING and key in seen) or (len(longest) > _TELLING and " ".join(longest.split()) in seen)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a nested value, each on one line."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield " ".join(value.split())


def _traps(task: Task, walks: Sequence[Walk], width: int, brief: bool) -> Iterator[str]:
    for trap, done in zip(task.traps, walks, strict=True):
        yield from wrap(f"{trap.name}: {trap.note}", width, "  ", "    ")
        found = done.explanation
        credit = f"{'a strict pass' if found.strict else 'no pass'}, partial credit {found.partial_credit:.2f}"
        yield from wrap(f"leaves {credit}:", width, "    ")
        yield from reason_lines(task, found, width, "      ", "rows unseen" if brief else "faults")


def _proof(task: Task, width: int) -> list[str]:
    if task.proof is None:
        return ["  none: this task has not been proven"]
    proof = task.proof
    kinds = [
        f"{sum(counts.values())} {title} ({', '.join(f'{count} {kind}' for kind, count in counts.items()) or 'none'})"
        for title, counts in (("mutants rejected", proof.mutants), ("equivalents accepted", proof.equivalents))
    ]
    facts = (
        f"reference strict through {proof.references} toolsets",
        *kinds,
        f"{proof.replayed} of these replayed through the tools",
        f"{proof.values_traced} values traced",
        f"code {proof.code_hash}",
    )
    return [line for fact in facts for line in wrap(fact, width, "  ", "    ")]
