"""Reuse takes an earlier generation's clean tasks for another target, so that nothing is generated or proven again.

The artifacts are copied with the counts and facts of the original, and name it. What calibration asks for beyond them
is made anew, as always.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from assets.generation import Product
from pipeline.bad_input import BadInput

if TYPE_CHECKING:
    from pipeline.engagement import Engagement
    from pipeline.store import Store, StoredGeneration

REUSED = ("benchmark_tasks", "candidate_tasks", "proven_tasks", "clean_tasks")
"""Stages whose artifacts are taken over."""
FROM = "reused_from"
"""Fact that names the generation an artifact was copied from."""


def source_of(store: Store, engagement: Engagement) -> StoredGeneration | None:
    """The generation whose clean tasks the engagement takes, None where it makes its own.

    Raises BadInput when they are not there, or are not what the engagement asks for.
    """
    if engagement.reuse is None:
        return None
    stored = store.keys()
    if engagement.reuse not in stored:
        raise BadInput(f"reuse: there is no generation {engagement.reuse} in {store.root}; name one that is there")
    source = store.open(engagement.reuse)
    if not source.is_finished(REUSED[-1]):
        raise BadInput(
            f"reuse: the clean tasks of {source.key} are not finished; finish them with `worldloom decontaminate`"
        )
    for section in ("candidates", "decontamination"):
        if getattr(source.engagement, section) != getattr(engagement, section):
            raise BadInput(
                f"reuse: {section} of {engagement.name} differ from those of {source.key}, whose tasks are taken; make "
                "them equal, or leave reuse out"
            )
    return source


def copied(source: StoredGeneration, stage: str, batch: int, folder: Path) -> Product:
    """The source's artifact, copied into the folder. Raises BadInput when a file of it is missing."""
    manifest = source.manifest(stage, batch)
    for name in manifest.files:
        original = source.folder(stage, batch) / name
        if not original.is_file():
            raise BadInput(f"{original} is missing although its manifest is there; restore it from a copy")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original, folder / name)
    return Product(
        files=manifest.files,
        rows_in=manifest.rows_in,
        rows_out=manifest.rows_out,
        dropped=manifest.dropped,
        facts={**manifest.facts, FROM: source.key},
    )
