"""Showing makes a task readable: what is asked, what there is, what is right, where people go wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assets.generation import batch_name
from environment.attempt import Verdict
from environment.contract import Change, Matcher
from environment.episode import Episode
from environment.task import Task, ToolCall
from pipeline.bad_input import BadInput
from pipeline.store import Store, StoredGeneration

_HOLDING_TASKS = ("clean_tasks", "proven_tasks", "candidate_tasks")
"""Stages in which a task is looked for, the furthest first."""
_SHOWN = 5


def find_task(store: Store, beginning: str) -> tuple[StoredGeneration, Task]:
    """The task whose id begins so, from the newest generation that has it. Raises BadInput for none or several."""
    for key in reversed(store.keys()):
        generation = store.open(key)
        for stage in _HOLDING_TASKS:
            found = list(_beginning(generation, stage, beginning))
            exact = [row for row in found if row["id"] == beginning]
            if len(found) > 1 and not exact:
                ids = ", ".join(str(row["id"]) for row in found[:_SHOWN])
                raise BadInput(f"{beginning!r} begins the ids of {len(found)} tasks ({ids}, ...); give more of it")
            if found:
                return generation, _task(generation, stage, (exact or found)[0])
    raise BadInput(f"no task in {store.root} has an id that begins with {beginning!r}; see worldloom status")


def shown(task: Task) -> str:
    """The task as text."""
    world = [
        f"  {app}: " + ", ".join(f"{len(rows)} {name}" for name, rows in collections.items())
        for app, collections in task.world.items()
    ]
    parts = [
        f"{task.id}  ({task.split}, {task.now}, as {task.actor['name']} <{task.actor['email']}>)",
        f"knobs: {', '.join(f'{name} {value:g}' for name, value in task.knobs.items())}",
        _section("request", [f"  {task.prompt}"]),
        _section("world", world),
        _section("tools", [f"  {', '.join(task.actions)}"]),
        _section("expected changes", _contract(task)),
        _section(
            "traps", [line for trap in task.traps for line in (f"  {trap.name}: {trap.note}", *_calls(trap.sprung))]
        ),
        _section("reference", _calls(task.reference)),
    ]
    if task.proof:
        proof = task.proof
        parts.append(
            _section(
                "proof",
                [
                    f"  {sum(proof.mutants.values())} mutants rejected, {sum(proof.equivalents.values())} equivalents "
                    f"accepted, {proof.replayed} replayed, {proof.values_traced} values traced"
                ],
            )
        )
    return "\n\n".join(part for part in parts if part)


def judged(task: Task, path: Path) -> Verdict:
    """The verdict on the tool calls of a transcript, made again in a fresh world. Raises BadInput for no transcript."""
    episode = Episode(task)
    for message in _messages(path):
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise BadInput(f"{path} has tool_calls that are no list; give chat-completions messages")
        for call in calls:
            function = call.get("function") if isinstance(call, Mapping) else None
            if not isinstance(function, Mapping) or "name" not in function:
                raise BadInput(f"{path} has a tool call without a function's name; give chat-completions messages")
            episode.call(str(function["name"]), function.get("arguments"))
    return episode.verdict()


def verdict_text(verdict: Verdict) -> str:
    """The verdict as text."""
    lines = [f"{'strict pass' if verdict.strict else 'no pass'}, partial credit {verdict.partial_credit:.2f}"]
    for one in verdict.expected:
        wrong = f" (wrong: {', '.join(one.wrong)})" if one.wrong else ""
        lines.append(f"  {'done   ' if one.satisfied else 'missing'}  {one.label}{wrong}")
    lines += [f"  stray    {row}" for row in verdict.collateral]
    return "\n".join(lines)


def _beginning(generation: StoredGeneration, stage: str, beginning: str) -> Iterator[Mapping[str, Any]]:
    needle = f'"id":"{beginning}'
    batches = (0, *generation.batches(stage)) if generation.is_finished(stage) else ()
    for batch in batches:
        path = generation.folder(stage, batch) / "tasks.jsonl"
        if not path.is_file():
            raise BadInput(f"{path} of {batch_name(stage, batch)} is missing; restore it from a copy")
        with path.open(encoding="utf-8") as file:
            for line in file:
                if needle in line and (row := _row(path, line))["id"].startswith(beginning):
                    yield row


def _row(path: Path, line: str) -> dict[str, Any]:
    try:
        row: dict[str, Any] = json.loads(line)
    except ValueError as error:
        raise BadInput(f"{path} was altered: a line is not JSON ({error}); restore it from a copy") from None
    return row


def _task(generation: StoredGeneration, stage: str, row: Mapping[str, Any]) -> Task:
    try:
        return Task.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(
            f"{stage} of {generation.key} was altered, or another version wrote it: {row['id']} is no task "
            f"({'.'.join(map(str, first['loc']))}: {first['msg']}); worldloom audit {generation.key}/report names "
            "altered files"
        ) from None


def _messages(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"there is no transcript {path}; give a JSON file with chat messages") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); give a JSON file with chat messages") from None
    except ValueError as error:
        raise BadInput(f"{path} is no JSON ({error}); give a JSON file with chat messages") from None
    match data:
        case {"transcript": {"messages": messages}} | {"messages": messages}:
            data = messages
    if not isinstance(data, list) or not all(isinstance(message, dict) for message in data):
        raise BadInput(f"{path} holds no list of chat messages; give messages, a transcript or an attempt")
    return data


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *lines]) if lines else ""


def _contract(task: Task) -> list[str]:
    contract = task.contract
    lines = [line for change in contract.all_of for line in _change(change)]
    for group in contract.any_of:
        lines.append("  one of:")
        lines += [f"  {line}" for change in group for line in _change(change)]
    lines += [f"  allowed: {one.action} {one.app}.{one.collection}" for one in contract.allowed]
    return lines


def _change(change: Change) -> list[str]:
    head = f"  {change.label}: {change.action} {change.app}.{change.collection} {change.id or ''}".rstrip()
    fields = [(path, matcher) for part in (change.key, change.fields) for path, ms in part.items() for matcher in ms]
    return [head, *(f"    {path} {_matcher(matcher)}" for path, matcher in fields)]


def _matcher(matcher: Matcher) -> str:
    return f"{matcher.kind} " + json.dumps(
        {name: value for name, value in matcher.to_json().items() if name != "kind" and value not in (None, [])},
        ensure_ascii=False,
    )


def _traps(task: Task) -> list[str]:
    return [line for trap in task.traps for line in (f"  {trap.name}: {trap.note}", *_calls(trap.sprung))]


def _calls(calls: Sequence[ToolCall]) -> list[str]:
    return [f"    {call.tool} {json.dumps(dict(call.arguments), ensure_ascii=False)}" for call in calls]
