"""A broken engagement is refused in one sentence that names file, key, value and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from environment.policies.target import ChatTarget
from environment.task import DOMAINS
from pipeline.bad_input import BadInput
from pipeline.engagement import load_engagement, shipped_engagements
from tests.pipeline.small import changed, write


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([("calibration.bandd", 1)], "calibration.bandd is not a key here (did you mean band?); rename or remove it"),
        ([("target.limits.turns", 1)], "target.limits.turns is not a key here"),
        ([("extra", 1)], "extra is not a key here (expected one of customer, seed, reuse, candidates"),
        ([("calibration.n_max", "many")], "calibration.n_max is 'many'; expected: a valid integer"),
        ([("calibration.tau", 2)], "calibration.tau is 2; expected: less than 1"),
        ([("candidates.profile", "hard")], "candidates.profile is 'hard'; expected: 'starter' or 'full'"),
        ([("calibration.band", {"low": 0.9, "high": 0.8})], "calibration.band: band.low 0.9 exceeds band.high 0.8"),
        ([("selection.quotas", {"support": 9})], "selection.quotas.support asks for 9 tasks and there will be 8"),
        ([("selection.quotas", {"sales": 1})], "selection.quotas.sales asks for 1 tasks and there will be 0"),
        ([("selection.quotas", {"support": 5})], "selection.family_cap 4 give at most 4"),
        ([("candidates.families", ["callbacks"])], "candidates: there is no family 'callbacks'; there are deal_stage"),
        ([("candidates.families", [])], "candidates.families is []"),
        ([("target.kind", "remote")], "target.kind must be 'local' or 'chat'"),
        ([("training.temperature", 0.5)], "calibration would sample at temperature 1.0 and training at 0.5"),
        ([("calibration.max_cost", 5)], "calibration.max_cost is 5.0 and nothing is known of prices; add target"),
        ([("training.tasks_per_update", 4)], "training.tasks_per_update 4 exceeds the 2 tasks"),
        ([("evaluation.other_temperatures", [1.0])], "evaluation: the base is sampled at [1.0, 1.0]"),
        ([("seed", "reference-policy")], "seed: 'reference-policy' is the seed of the reference policy's own"),
        ([("name", "other")], "name is given by the file's name, here broken; remove the key"),
        ([("selection", None)], "selection is None"),
        (
            [("decontamination", {"earlier": {"generations": "mine"}})],
            "decontamination.earlier.generations is 'mine'; expected: 'same_engagement', 'same_customer' or 'all'",
        ),
        (
            [("decontamination", {"earlier": {"generation": "all"}})],
            "decontamination.earlier.generation is not a key here (did you mean generations?)",
        ),
        ([("customer", "")], "customer is ''; expected: "),
        ([("decontamination", [1])], "decontamination is [1]; expected: a valid dictionary"),
        ([("decontamination", "none")], "decontamination is 'none'; expected: a valid dictionary"),
    ],
)
def test_a_wrong_value_is_named_with_its_file_and_remedy(
    tmp_path: Path, changes: list[tuple[str, Any]], sentence: str
) -> None:
    path = write(tmp_path / "broken.yaml", changed(*changes))
    with pytest.raises(BadInput) as refusal:
        load_engagement(str(path))
    message = str(refusal.value)
    assert message.startswith("broken.yaml: ")
    assert sentence in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("seed: [", "is not valid YAML"),
        ("- seed", "holds a list; expected the keys customer, seed, reuse, candidates"),
        ("", "is empty; expected the keys customer, seed, reuse, candidates"),
        ("seed: a\n? [a, b]\n: c\n", "line 2 is not valid YAML: a key is no plain word"),
        ("seed: a\nseed: b\n", "line 2 is not valid YAML: the key seed comes twice"),
    ],
)
def test_a_file_that_is_no_engagement_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as refusal:
        load_engagement(str(path))
    assert sentence in str(refusal.value)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    data = changed()
    del data["calibration"]["band"]
    with pytest.raises(BadInput, match=r"broken.yaml: calibration.band is missing; add it"):
        load_engagement(str(write(tmp_path / "broken.yaml", data)))


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"no engagement 'nobody'; give one of laptop, qwen3\.8-27b"):
        load_engagement("nobody")


def test_a_file_whose_name_cannot_be_a_partition_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="lower-case letters"):
        load_engagement(str(write(tmp_path / "My Engagement.yaml")))


def test_a_relative_benchmark_lies_beside_its_file_and_a_name_stays_a_name(tmp_path: Path) -> None:
    named = ["public.jsonl", "./harbor", "my-tasks", "/elsewhere/qa.parquet"]
    path = write(tmp_path / "near.yaml", changed(("decontamination.benchmarks", named)))
    assert load_engagement(str(path)).decontamination.benchmarks == (
        str(tmp_path / "public.jsonl"),
        str(tmp_path / "harbor"),
        "my-tasks",
        "/elsewhere/qa.parquet",
    )


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        (["a", "a"], "a is named twice; name each benchmark once"),
        ([" "], "a benchmark has an empty name"),
        ([7], "decontamination.benchmarks.0 is 7; expected: a valid string"),
    ],
)
def test_benchmarks_that_cannot_be_are_refused(tmp_path: Path, named: list[object], sentence: str) -> None:
    with pytest.raises(BadInput) as refusal:
        load_engagement(str(write(tmp_path / "near.yaml", changed(("decontamination.benchmarks", named)))))
    assert sentence in str(refusal.value)


def test_equal_files_have_equal_hashes_and_any_value_changes_them(tmp_path: Path) -> None:
    first = load_engagement(str(write(tmp_path / "one.yaml"))).hash
    assert load_engagement(str(write(tmp_path / "one.yaml"))).hash == first
    assert load_engagement(str(write(tmp_path / "one.yaml", changed(("calibration.tau", 0.6))))).hash != first


def test_the_customer_is_the_engagement_itself_unless_given(tmp_path: Path) -> None:
    assert load_engagement(str(write(tmp_path / "small.yaml"))).customer == "small"
    assert load_engagement(str(write(tmp_path / "small.yaml", changed(("customer", "north"))))).customer == "north"


def test_the_shipped_engagements_are_those_of_the_laptop_and_of_the_study() -> None:
    assert shipped_engagements() == ("laptop", "qwen3.8-27b")
    laptop, study = (load_engagement(name) for name in shipped_engagements())
    assert len({laptop.selection.quota(domain) for domain in DOMAINS}) == 1
    assert [study.selection.quota(domain) for domain in DOMAINS] == [137, 104, 102, 89, 81, 74]
    assert study.selection.size == 587
    assert len(study.candidates.families) * study.candidates.train >= 10_000
    assert isinstance(study.target, ChatTarget)
