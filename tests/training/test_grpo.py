from __future__ import annotations

import json
import logging
import sys

import pytest

from tests.training.test_diagnostics import make_log
from training.grpo import main, sentence
from training.monitor import MonitorLog


@pytest.fixture(autouse=True)
def _logging_as_it_was():
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    logging.root.handlers[:], logging.root.level = handlers, level


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        ("{}", "Field required"),
        ("not json", "Invalid JSON"),
        (json.dumps({"invented": 1}), "Extra inputs are not permitted"),
    ],
)
def test_a_bad_configuration_ends_with_exit_code_2(tmp_path, monkeypatch, caplog, content, words):
    path = tmp_path / "job.json"
    if content is not None:
        path.write_text(content)
    monkeypatch.setattr(sys, "argv", ["grpo", "--config", str(path)])
    assert main() == 2
    assert words in caplog.text


def test_an_update_is_told_in_one_line():
    line = sentence(make_log(7))
    assert line.startswith("update 7: reward 0.300 (raw 0.400), 1 of 4 strict, entropy 0.700 nats, 50% of groups equal")
    assert "nothing scored" in sentence(make_log(7, reward=None, reward_raw=None, scored=0, strict=0))


def test_a_measurement_is_told_in_one_line():
    counts = {"update": 10, "tasks": 5, "attempts": 10, "scored": 10, "strict": 3, "partial_credit": 0.5}
    log = MonitorLog(**counts, decision="stop", reason="because")
    assert sentence(log) == "monitor after update 10: 3 of 10 strict, stop: because"
