from __future__ import annotations

from training.diagnostics import UpdateLog, append_update, read_updates, truncate_updates


def make_log(update: int, **changes) -> UpdateLog:
    values = {
        "update": update,
        "task_ids": ("a", "b"),
        "attempts": 4,
        "scored": 4,
        "strict": 1,
        "partial_credit": 0.5,
        "reward_raw": 0.4,
        "reward": 0.3,
        "zero_variance_share": 0.5,
        "ends": {"answered": 3, "malformed": 1},
        "truncated_share": 0.0,
        "clipped_share": 0.0,
        "entropy": 0.7,
        "loss": 0.01,
        "grad_norm": 0.2,
        "learning_rate": 0.001,
        "kl": None,
        "prompt_tokens": 100,
        "tool_tokens": 10,
        "response_tokens": 20,
        "turns": 2.0,
        "generation_s": 1.0,
        "seconds": 2.0,
        "resumed": False,
    }
    return UpdateLog.model_validate({**values, **changes})


def test_lines_come_back_as_they_were_written(tmp_path):
    path = tmp_path / "updates.jsonl"
    logs = tuple(make_log(number) for number in (1, 2, 3))
    for log in logs:
        append_update(path, log)
    assert read_updates(path) == logs


def test_a_line_cut_while_being_written_is_left_out(tmp_path):
    path = tmp_path / "updates.jsonl"
    append_update(path, make_log(1))
    append_update(path, make_log(2))
    path.write_bytes(path.read_bytes()[:-7])
    assert [log.update for log in read_updates(path)] == [1]


def test_truncating_drops_what_will_be_made_again(tmp_path):
    path = tmp_path / "updates.jsonl"
    for number in (1, 2, 3):
        append_update(path, make_log(number))
    truncate_updates(path, 2)
    append_update(path, make_log(3, resumed=True))
    assert [(log.update, log.resumed) for log in read_updates(path)] == [(1, False), (2, False), (3, True)]


def test_a_log_that_was_never_begun_is_empty(tmp_path):
    assert read_updates(tmp_path / "updates.jsonl") == ()
    truncate_updates(tmp_path / "updates.jsonl", 0)
    assert read_updates(tmp_path / "updates.jsonl") == ()


def test_incomplete_share_counts_all_ends_but_the_answer():
    assert make_log(1).incomplete_share == 0.25
    assert make_log(1, ends={}, scored=0, strict=0).incomplete_share is None
