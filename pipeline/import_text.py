"""An import in words says what is kept, where it came from, and what is missing of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.imports import Outcome, StoredImport
from pipeline.terminal import columns

_SHOWN = 20
"""Letters of a version or a hash in the table; --json has them whole."""
_BEGINNINGS = {
    "kept": "{name}: kept",
    "replaced": "{name}: replaced, now",
    "already there": "{name}: imported already, nothing to do:",
}


def import_text(found: StoredImport, outcome: Outcome) -> str:
    """What came of importing."""
    source = found.source
    beginning = _BEGINNINGS[outcome].format(name=source.name)
    return (
        f"{beginning} {_tasks(source.counts)} of {source.source} in {found.folder}\n"
        f"read as {source.reader}, version {source.version}, content hash {source.content_hash}"
    )


def imports_table(found: Sequence[StoredImport], place: Path) -> str:
    """All imports, with what is missing below."""
    if not found:
        return f"no benchmark is imported in {place}; import one with worldloom benchmark import SOURCE"
    rows = [["name", "tasks", "read as", "version", "content hash", "imported", "source"]]
    for one in found:
        source = one.source
        tasks = str(sum(source.counts.values()))
        version = source.version if len(source.version) <= _SHOWN else source.version[: _SHOWN - 1] + "…"
        rows.append([source.name, tasks, source.reader, version, source.content_hash[:12], one.imported, source.source])
    domains = [f"{one.source.name}: {_tasks(one.source.counts)}" for one in found]
    return "\n".join([columns(rows), "", *domains])


def _tasks(counts: Mapping[str, int]) -> str:
    return f"{sum(counts.values())} tasks ({', '.join(f'{count} {domain}' for domain, count in counts.items())})"
