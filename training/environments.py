"""A training environment is an episode as TRL's `environment_factory` wants it: a class whose methods are the tools.

One class is generated for each distinct list of tools. Its methods have the signature and docstring from which
`transformers.utils.get_json_schema` derives exactly the specification that every other policy is shown.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

from environment.attempt import Verdict
from environment.episode import Episode, base_of
from environment.task import Task
from environment.world import Base

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list}


class TaskEnvironment:
    """One attempt after another; TRL makes several, keeps them and resets them. Subclasses add the tools."""

    _tasks: ClassVar[Mapping[str, Task]]
    _bases: ClassVar[dict[str, Base]]

    def reset(self, task_id: str, **row: Any) -> None:
        """Begin an attempt on a task; the dataset's other columns are not needed."""
        task = self._tasks[task_id]
        if task_id not in self._bases:
            self._bases[task_id] = base_of(task)
        self._episode = Episode(task, base=self._bases[task_id])
        self._bug: str | None = None

    @property
    def _specs(self) -> list[dict[str, Any]]:
        return self._episode.specs

    def _answer(self, name: str, arguments: Any) -> str:
        """The tool's answer as JSON text.

        TRL would turn an exception into a tool message and grade the simulator's bug as the model's mistake; it is
        kept here instead, and `_judge` gives no verdict.
        """
        if self._bug is None:
            try:
                return self._episode.call(name, arguments)
            except Exception:  # kept, with its traceback, and makes the attempt unscored
                self._bug = traceback.format_exc(limit=-6)
        return '{"error":"unavailable"}'

    def _judge(self) -> Verdict | None:
        """The verdict on the present state, None after a bug of ours."""
        if self._bug is None:
            try:
                return self._episode.verdict()
            except Exception:  # kept, with its traceback, and makes the attempt unscored
                self._bug = traceback.format_exc(limit=-6)
        return None


def make_environments(tasks: Sequence[Task]) -> dict[str, type[TaskEnvironment]]:
    """Environment name -> class, one for each distinct list of tools; `environment_name` says which is a task's."""
    table = {task.id: task for task in tasks}
    bases: dict[str, Base] = {}
    return {environment_name(task): _environment_class(Episode(task).specs, table, bases) for task in tasks}


def environment_name(task: Task) -> str:
    """What the dataset's column `environment` holds: the task's toolset, or the names of its actions in their order."""
    return " ".join(task.actions) if task.toolset == "actions" else task.toolset


def tool_methods(environment: TaskEnvironment) -> list[Callable[..., str]]:
    """The environment's tools in the order in which the task offers them; TRL would sort them by name."""
    return [getattr(environment, name) for name in type(environment)._tool_names]  # type: ignore[attr-defined]


def _environment_class(
    specs: Sequence[Mapping[str, Any]], tasks: Mapping[str, Task], bases: dict[str, Base]
) -> type[TaskEnvironment]:
    functions = [spec["function"] for spec in specs]
    members: dict[str, Any] = {function["name"]: _tool_method(function) for function in functions}
    members["_tool_names"] = tuple(members)
    return type("GeneratedEnvironment", (TaskEnvironment,), {**members, "_tasks": tasks, "_bases": bases})


def _tool_method(function: Mapping[str, Any]) -> Callable[..., str]:
    """A method that takes whatever the model sent and looks, to whoever inspects it, like the tool's signature."""
    name, shapes = function["name"], function["parameters"]["properties"]
    required = function["parameters"].get("required", ())

    def method(self: TaskEnvironment, /, **arguments: Any) -> str:
        return self._answer(name, arguments)

    annotations = {argument: _annotation(shape) for argument, shape in shapes.items()}
    parameters = [
        inspect.Parameter(
            argument,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if argument in required else None,
            annotation=annotation,
        )
        for argument, annotation in annotations.items()
    ]
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = _docstring(function["description"], shapes)
    method.__annotations__ = annotations
    method.__signature__ = inspect.Signature([receiver, *parameters])  # type: ignore[attr-defined]
    return method


def _annotation(shape: Mapping[str, Any]) -> Any:
    if "enum" in shape:
        return Literal[tuple(shape["enum"])]
    if shape.get("type") == "array" and "items" in shape:
        return list[_annotation(shape["items"])]  # type: ignore[misc]
    return _TYPES[shape["type"]] if "type" in shape else Any


def _docstring(description: str, shapes: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [f"    {argument}: {shape['description']}" for argument, shape in shapes.items()]
    return "\n".join([description, *(["", "Args:", *lines] if lines else [])])
