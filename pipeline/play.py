"""Playing is working on a task by hand: lines are read, tools answer, and finishing shows the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TextIO

from environment.attempt import RowChange
from environment.episode import SYSTEM_PROMPT
from environment.record import Record
from environment.task import Task
from pipeline.change_text import change_lines
from pipeline.desk import Desk
from pipeline.layout import clean, wrap
from pipeline.reasons import Explanation, explain
from pipeline.row_text import RowNames
from pipeline.task_text import reference_lines, request_lines, who_and_when
from pipeline.tool_text import answer_lines, endpoint_lines, example_line, tool_lines
from pipeline.transcripts import Recorder
from pipeline.typed import HELP, WORDS, ToolLine, UnclearLine, WordLine, read_line

PROMPT = "> "
Leaving = Literal["finished", "quit", "end of input", "interrupted"]


class Played(Record):
    """What came of a session."""

    task_id: str
    end: Leaving
    answer: str | None
    """None when the session was left without finishing."""
    calls: int
    verdict: Explanation | None
    """None when the session was left without finishing."""
    changes: tuple[RowChange, ...]

    @property
    def strict(self) -> bool:
        return self.verdict is not None and self.verdict.strict


def play(task: Task, lines: Iterator[str], say: Callable[[str], None], recorder: Recorder, width: int) -> Played:
    """One session; it ends when it is finished or left, or when the lines or the person's patience do."""
    session = _Session(task, say, recorder, width)
    try:
        session.greet()
        for line in lines:
            end = session.take(line)
            if end is not None:
                return session.played(end)
    except KeyboardInterrupt:
        return session.played("interrupted")
    return session.played("end of input")


def typed_lines(task: Task, source: TextIO, say: Callable[[str], None], by_hand: bool) -> Iterator[str]:
    """The lines of a script, each said before it is answered, or those that a person types, with history."""
    if not by_hand:
        for line in source:
            text = line.rstrip("\n")
            say(f"{PROMPT}{clean(text)}")
            yield text
        return
    _prepare_readline(task)
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            return


class _Session:
    """One person's work on one task."""

    def __init__(self, task: Task, say: Callable[[str], None], recorder: Recorder, width: int) -> None:
        self._task, self._say, self._recorder, self._width = task, say, recorder, width
        self._desk = Desk(task)
        self._calls = 0
        self._answer: str | None = None
        self._verdict: Explanation | None = None

    def greet(self) -> None:
        self._say(self._task.id)
        self._show_task()
        names = ", ".join(spec["function"]["name"] for spec in self._desk.specs)
        self._lines(wrap(f"tools: {names}", self._width, "", "  "))
        self._say("help tells what can be typed; finish ends with the verdict")

    def take(self, text: str) -> Leaving | None:
        """Answer one line; how the session is left when this was the last."""
        match read_line(text, self._desk.specs):
            case ToolLine(tool, arguments):
                self._call(tool, arguments)
            case UnclearLine(sentence):
                self._say(sentence)
            case WordLine("quit", _):
                return "quit"
            case WordLine("finish", answer):
                self._finish(answer)
                return "finished"
            case WordLine("help", name):
                self._help(name)
            case WordLine("tools", _):
                for spec in self._desk.specs:
                    self._lines(tool_lines(spec, self._width, "  "))
            case WordLine("task", _):
                self._show_task()
            case WordLine("changes", _):
                self._show_changes()
        return None

    def played(self, end: Leaving) -> Played:
        return Played(
            task_id=self._task.id,
            end=end,
            answer=self._answer,
            calls=self._calls,
            verdict=self._verdict,
            changes=self._desk.changes(),
        )

    def _call(self, tool: str, arguments: str) -> None:
        result = self._desk.call(tool, arguments)
        self._calls += 1
        self._recorder.called(tool, arguments, result)
        if tool == "api_search" and isinstance(found := json.loads(result), list):
            self._lines(endpoint_lines(found, self._width))
        else:
            self._lines(answer_lines(result, self._width))

    def _finish(self, answer: str) -> None:
        self._answer = answer
        self._recorder.answered(answer)
        self._verdict = explain(self._task, self._desk.changes(), self._desk.verdict())

    def _help(self, name: str) -> None:
        if not name:
            self._say(HELP)
            return
        for spec in self._desk.specs:
            if spec["function"]["name"] == name:
                self._lines(tool_lines(spec, self._width, "  "))
                self._say(f"  example: {example_line(spec)}")
                return
        self._say(f"there is no tool {name[:80]!r}; tools lists them")

    def _show_task(self) -> None:
        self._lines([*who_and_when(self._task, self._desk.now), *wrap(SYSTEM_PROMPT, self._width)])
        self._lines(["", "request", *request_lines(self._task, self._width), ""])

    def _show_changes(self) -> None:
        changes = self._desk.changes()
        if not changes:
            self._say("nothing has changed so far")
            return
        self._lines(change_lines(changes, RowNames(self._task, changes), self._width))

    def _lines(self, lines: Sequence[str]) -> None:
        self._say("\n".join(lines))


def reference_text(task: Task, width: int) -> str:
    """How the reference does it, for whoever has finished."""
    return "\n".join(["the reference", *reference_lines(task, width)])


def _prepare_readline(task: Task) -> None:
    """Lines typed by hand can be edited and called back, and the tab key completes names."""
    import readline

    specs: dict[str, list[str]] = {
        spec["function"]["name"]: [f"{name}=" for name in spec["function"]["parameters"]["properties"]]
        for spec in Desk(task).specs
    }
    beginnings = ["search", *WORDS, *specs]

    def complete(text: str, number: int) -> Any:
        words = readline.get_line_buffer().lstrip().split(" ")
        names = beginnings if len(words) == 1 else list(specs) if words[0] == "help" else specs.get(words[0], [])
        found = [name for name in names if name.startswith(text)]
        return found[number] if number < len(found) else None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
