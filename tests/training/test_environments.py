from __future__ import annotations

import json
from dataclasses import replace

import pytest

from environment.apps import APPS
from environment.episode import Episode
from environment.specs import function_spec
from tests.training.jobs import EASY_TASKS, easy_task
from training.environments import _tool_method, environment_name, make_environments, tool_methods

ACTIONS = [action for app in APPS for action in app.all_actions]


def _environment(task):
    environment = make_environments([task])[environment_name(task)]()
    environment.reset(task_id=task.id, prompt=[])
    return environment


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
def test_a_method_describes_itself_as_the_tool_specification_does(action):
    utils = pytest.importorskip("transformers.utils")
    spec = function_spec(action.name, action.doc, action.args)
    method = _tool_method(spec["function"])
    holder = type("Holder", (), {action.name: method})()
    derived = utils.get_json_schema(getattr(holder, action.name))
    assert json.dumps(derived) == json.dumps(spec)  # the order of keys is part of the prompt


@pytest.mark.parametrize("task", EASY_TASKS, ids=lambda task: task.family)
def test_tools_come_in_the_tasks_order(task):
    assert tuple(method.__name__ for method in tool_methods(_environment(task))) == task.actions


def test_one_class_serves_every_task_with_the_same_tools():
    tasks = [easy_task("callback_number", 0), easy_task("callback_number", 1), easy_task("shipment_update", 0)]
    classes = make_environments(tasks)
    assert len(classes) == 2
    assert environment_name(tasks[0]) == environment_name(tasks[1])


@pytest.mark.parametrize("task", EASY_TASKS, ids=lambda task: task.family)
def test_the_reference_through_the_methods_passes_and_doing_nothing_does_not(task):
    environment = _environment(task)
    assert not environment._judge().strict
    for call in task.reference:
        getattr(environment, call.tool)(**call.arguments)
    assert environment._judge().strict
    environment.reset(task_id=task.id)
    assert not environment._judge().strict


def test_wrong_arguments_are_answered_as_in_an_episode():
    task = EASY_TASKS[0]
    environment, episode = _environment(task), Episode(task)
    name = task.actions[-1]
    for arguments in ({}, {"invented": 1}, {"id": 7, "stage": ["x"]}):
        answer = getattr(environment, name)(**arguments)
        assert answer == episode.call(name, arguments)
        assert "error" in json.loads(answer)
    assert environment._bug is None


class SimulatorBroke(Exception):
    pass


def test_a_bug_of_ours_is_kept_and_leaves_no_verdict(monkeypatch):
    task = EASY_TASKS[0]
    environment = _environment(task)

    def broken(*_):
        raise SimulatorBroke("row 7")

    app = next(app for app in APPS if app.name == "salesforce")
    monkeypatch.setitem(app.__dict__, "all_actions", tuple(replace(action, run=broken) for action in app.all_actions))
    environment.reset(task_id=task.id)
    assert "unavailable" in environment.salesforce_find_opportunities(name="Haddad")
    assert "SimulatorBroke: row 7" in environment._bug
    assert environment._judge() is None
    monkeypatch.undo()
    environment.reset(task_id=task.id)
    assert environment._judge() is not None


def test_a_task_of_the_api_toolset_is_trained_with_the_tools_it_was_attempted_with():
    utils = pytest.importorskip("transformers.utils")
    task = EASY_TASKS[0].model_copy(update={"toolset": "api"})
    environment = _environment(task)
    derived = [utils.get_json_schema(method) for method in tool_methods(environment)]
    assert json.dumps(derived) == json.dumps(Episode(task, "api").specs)
    found = json.loads(environment.api_search(query="find contacts by name"))
    assert found and all(entry["url"].startswith("https://") for entry in found)
