"""Results of NeMo Evaluator read from the files of each framework, and files that are none refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from evaluation.capability.results import read_result, read_results
from tests.evaluation.capability import runs


def test_the_page_of_simple_evals_gives_the_questions_whatever_the_model_writes(tmp_path: Path) -> None:
    answers = {"Is 2 < 3 & 4 > 3?": [1.0], "What is <b>?": [0.0], "Third?": [1.0], "Fourth?": [1.0]}
    found = read_result(runs.simple_evals(tmp_path / "run", "mmlu_pro", answers))
    assert (found.task, found.model, found.score, found.value) == ("simple_evals.mmlu_pro", "small", "micro", 0.75)
    assert found.questions is not None
    assert sorted(found.questions.scores.values()) == [0, 1, 1, 1]
    assert (found.questions.unscored, found.note) == (0, None)


def test_several_answers_to_a_question_are_averaged(tmp_path: Path) -> None:
    found = read_result(runs.simple_evals(tmp_path / "run", "math_test_500_nemo", {"a": [1.0, 0.0], "b": [1.0, 1.0]}))
    assert found.score == "micro_avg_of_2"
    assert found.questions is not None and sorted(found.questions.scores.values()) == [0.5, 1.0]


def test_the_samples_of_lm_eval_are_those_of_the_filter_that_counts(tmp_path: Path) -> None:
    folder = runs.lm_eval(tmp_path / "run", "gsm8k_cot_instruct", runs.right(10, wrong=[3, 4]))
    found = read_result(folder)
    assert (found.score, found.value, found.stderr) == ("exact_match__flexible-extract", 0.8, 0.02)
    assert found.questions is not None and sorted(found.questions.scores.values()) == [0, 0, *[1] * 8]
    strict = read_result(folder, {found.task: "exact_match__strict-match"})
    assert strict.value == 0 and strict.questions is not None and set(strict.questions.scores.values()) == {0}


def test_of_two_sample_files_of_a_task_the_newer_counts(tmp_path: Path) -> None:
    runs.lm_eval(tmp_path / "run", "gsm8k_cot_instruct", runs.right(10, wrong=range(10)), time="2026-12-01T09-59-59.9")
    found = read_result(runs.lm_eval(tmp_path / "run", "gsm8k_cot_instruct", runs.right(10)))
    assert found.questions is not None and set(found.questions.scores.values()) == {1}


def test_answers_that_did_not_come_are_counted_and_in_no_rate(tmp_path: Path) -> None:
    found = read_result(runs.byob(tmp_path / "run", "own", {"a": True, "b": False, "c": None}))
    assert (found.score, found.value, found.count) == ("pass@1/correct", 0.5, 2)
    assert found.questions is not None and len(found.questions.scores) == 2
    assert found.note == "byob_own.own: 1 answers of small were not scored and are in no rate."


def test_normalised_samples_are_read_and_steps_without_a_score_left_out(tmp_path: Path) -> None:
    folder = runs.counted(tmp_path / "run", "mine", 0.5, 2)
    (folder / "nemo-evaluator-per-sample-outputs").mkdir()
    rows = [
        {"id": "a", "score": None, "sub_query_id": 0},
        {"id": "a", "score": 1, "sub_query_id": 1},
        {"id": "b", "score": 0},
    ]
    lines = "\n".join(map(json.dumps, rows))
    (folder / "nemo-evaluator-per-sample-outputs" / "mine.jsonl").write_text(lines)
    found = read_result(folder)
    assert found.questions is not None and sorted(found.questions.scores.values()) == [0, 1]


def test_questions_that_are_not_those_of_the_score_are_left_out_and_told(tmp_path: Path) -> None:
    folder = runs.byob(tmp_path / "run", "own", runs.right(4))
    text = (folder / "results.yml").read_text().replace("value: 1.0", "value: 0.25")
    (folder / "results.yml").write_text(text)
    found = read_result(folder)
    assert found.questions is None
    assert found.note is not None and "averages 1.0000 where results.yml says 0.2500" in found.note


def test_a_score_is_named_where_there_are_several(tmp_path: Path) -> None:
    scores = {"micro": {"value": 0.5, "stats": {}}, "macro": {"value": 0.25, "stats": {}}}
    runs.results(tmp_path / "run", "mmlu", {"mmlu": {"metrics": {"score": {"scores": scores}}}})
    with pytest.raises(ValueError, match="mmlu has the scores score/macro, score/micro and nothing says which counts"):
        read_result(tmp_path / "run")
    with pytest.raises(ValueError, match="none of them is meso; name one"):
        read_result(tmp_path / "run", {"mmlu": "meso"})
    assert read_result(tmp_path / "run", {"mmlu": "macro"}).value == 0.25
    assert read_result(tmp_path / "run", {"mmlu": "score/micro"}).value == 0.5


def test_the_whole_is_taken_and_not_its_parts(tmp_path: Path) -> None:
    parts = {name: runs.metric("acc", "acc", value) for name, value in (("law", 0.1), ("mmlu", 0.4), ("math", 0.7))}
    assert read_result(runs.results(tmp_path / "run", "frame.mmlu", parts)).value == 0.4
    del parts["mmlu"]
    with pytest.raises(ValueError, match="has results of law, math and none for the whole"):
        read_result(runs.results(tmp_path / "other", "frame.mmlu", parts))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("config: {type: a, params: {}}\ntarget: {api_endpoint: {}}\nresults: {gro", "cannot be read"),
        ("- 1\n", "is no result file of NeMo Evaluator"),
        ("config: {type: a, params: {}}\n", "it lacks 'target'"),
        ("", "is no result file of NeMo Evaluator"),
    ],
)
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "results.yml").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_results(tmp_path)


def test_a_run_without_one_scored_answer_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no score: not one answer was scored"):
        read_result(runs.results(tmp_path / "run", "byob_own.own", {}))


def test_a_score_that_is_no_share_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"accuracy is 43\.1 and a share in \[0, 1\] is wanted"):
        read_result(runs.counted(tmp_path / "run", "mine", 43.1, 100))
    with pytest.raises(ValueError, match=r"accuracy is nan and a share"):
        read_result(runs.counted(tmp_path / "other", "mine", float("nan"), 100))


def test_a_cut_off_file_of_answers_is_refused_with_its_line(tmp_path: Path) -> None:
    folder = runs.byob(tmp_path / "run", "own", runs.right(3))
    path = folder / "own" / "byob_predictions.jsonl"
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ValueError, match=r"byob_predictions\.jsonl, line 3 is no JSON object; the file is cut off"):
        read_result(folder)


def test_folders_are_looked_through_and_two_results_of_one_task_refused(tmp_path: Path) -> None:
    runs.counted(tmp_path / "x" / "artifacts", "one", 0.5, 100)
    runs.counted(tmp_path / "two", "two", 0.5, 100)
    runs.counted(tmp_path / "three.part", "three", 0.5, 100)
    assert set(read_results(tmp_path)) == {"one", "two"}
    runs.counted(tmp_path / "again", "one", 0.5, 100)
    with pytest.raises(ValueError, match="has two results of one"):
        read_results(tmp_path)
    with pytest.raises(ValueError, match="there is no folder"):
        read_results(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"has no results\.yml in it or below"):
        read_results(tmp_path / "empty")


def test_settings_are_parameters_and_versions_without_places(tmp_path: Path) -> None:
    folder = runs.counted(tmp_path / "run", "mine", 0.5, 100)
    data = yaml.safe_load((folder / "results.yml").read_text())
    data["metadata"] = {"versioning": {"nemo_evaluator": "0.2.8"}}
    (folder / "results.yml").write_text(yaml.safe_dump(data))
    assert read_result(folder).settings == {
        "parallelism": 16,
        "task": "mine",
        "temperature": 0.0,
        "endpoint type": "chat",
        "version.nemo_evaluator": "0.2.8",
    }
