from __future__ import annotations

import pytest

from training.monitor import MonitorLog, append_monitor, decide, read_monitor, truncate_monitor


def _log(update: int, strict: int, scored: int = 10) -> MonitorLog:
    return MonitorLog(
        update=update,
        tasks=5,
        attempts=10,
        scored=scored,
        strict=strict,
        partial_credit=None,
        decision="go_on",
        reason="",
    )


@pytest.mark.parametrize(
    ("earlier", "pass_rate", "patience", "decision", "words"),
    [
        ([], 0.2, 1, "go_on", "the first measurement, 0.200"),
        ([2], 0.3, 1, "go_on", "0.300 is better than the best so far, 0.200 after update 0"),
        ([2], 0.2, 1, "stop", "does not exceed 0.200 after update 0, the 1st measurement in a row"),
        ([2, 4, 3], 0.4, 2, "stop", "does not exceed 0.400 after update 10, the 2nd measurement in a row"),
        ([2, 4, 3], 0.4, 3, "go_on", "does not exceed 0.400 after update 10"),
        ([2, 4, 3, 3, 1], 0.0, None, "go_on", "does not exceed 0.400"),
        ([2, 4, 3], 0.5, 2, "go_on", "better than the best so far"),
        ([2], None, 1, "go_on", "nothing was scored"),
    ],
)
def test_training_stops_when_patience_has_ended(earlier, pass_rate, patience, decision, words):
    logs = [_log(10 * place, strict) for place, strict in enumerate(earlier)]
    decided, reason = decide(logs, 10 * len(earlier), pass_rate, patience)
    assert decided == decision
    assert words in reason


def test_a_measurement_without_a_scored_attempt_has_no_pass_rate_and_does_not_count():
    assert _log(0, 0, scored=0).pass_rate is None
    assert decide([_log(0, 0, scored=0)], 10, 0.1, 1)[0] == "go_on"


def test_measurements_that_will_be_made_again_are_dropped(tmp_path):
    path = tmp_path / "monitor.jsonl"
    truncate_monitor(path, 0)
    assert read_monitor(path) == ()
    for update in (0, 10, 20):
        append_monitor(path, _log(update, 3))
    truncate_monitor(path, 10)
    assert [log.update for log in read_monitor(path)] == [0, 10]
