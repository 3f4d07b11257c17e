"""From which cosine on two prompts mean the same: paraphrases beside unrelated requests and generated prompts.

    python -m benchmarks.meaning            # prints the table
    python -m benchmarks.meaning --write    # and writes it into docs/decontamination.md

Needs `pip install 'worldloom[meaning]'`. `retold_requests.jsonl` has requests and how somebody else would ask for the
same; `paraphrases.jsonl`, freer ones that keep hardly a word.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

import numpy as np

from benchmarks.doc_section import write_section
from decontam.sentence_model import SentenceModel
from decontam.settings import MeaningSettings
from environment.rng import derive_rng
from generators.families import FAMILIES

PAGE = Path(__file__).parents[1] / "docs" / "decontamination.md"
LIMITS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
PER_FAMILY = 50


def pairs(name: str) -> list[tuple[str, str]]:
    """Requests with their paraphrases."""
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return [(pair["prompt"], pair["paraphrase"]) for pair in map(json.loads, lines)]


def generated_prompts() -> list[str]:
    """Prompts of all families."""
    return [
        family.generate(
            "meaning", index, "train", family.draw_knobs(derive_rng("meaning", family.name, index), "full"), "actions"
        ).prompt
        for family in FAMILIES
        for index in range(PER_FAMILY)
    ]


def main() -> int:
    """Measure, print, and write when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write the section of {PAGE.name}")
    arguments = parser.parse_args()
    model = SentenceModel()
    retold, free = pairs("retold_requests.jsonl"), pairs("paraphrases.jsonl")
    requests, others = (model([pair[side] for pair in retold + free]) for side in (0, 1))
    cosines = requests @ others.T
    own = np.diag(cosines)
    unrelated = cosines[~np.eye(len(cosines), dtype=bool)]
    prompts = generated_prompts()
    begun = process_time()
    ours = model(prompts)
    per_prompt_ms = 1000 * (process_time() - begun) / len(set(prompts))
    nearest = (ours @ requests.T).max(axis=1)
    limits = MeaningSettings()
    marks = {limits.report: " (`report`)", limits.drop: " (`drop`)"}
    lines = [
        "| cosine of at least | retold requests | free paraphrases | unrelated pairs | generated prompts |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for limit in LIMITS:
        kinds = (own[: len(retold)], own[len(retold) :], unrelated, nearest)
        found = [int(np.count_nonzero(cosines_of >= limit)) for cosines_of in kinds]
        lines.append(f"| {limit}{marks.get(limit, '')} | {' | '.join(map(str, found))} |")
    lines += [
        f"| of | {len(retold)} | {len(free)} | {len(unrelated)} | {len(nearest)} |",
        "",
        f"A pair is a request and its paraphrase, or somebody else's; a generated prompt counts when any of the "
        f"{len(requests)} requests is that near. The nearest unrelated pair has {unrelated.max():.2f}, the nearest "
        f"generated prompt {nearest.max():.2f}. A prompt takes about {per_prompt_ms:.0f} ms of one processor.",
    ]
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        write_section(PAGE, "meaning", text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
