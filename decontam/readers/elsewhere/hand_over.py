"""Hands the AutomationBench package's tasks over, one JSON object a line, to whoever started this file.

It runs in the interpreter that has the package, so it imports nothing of ours. Order of the lines: the interpreter's
version; the package's version and its domains; the rows; their count, without which the hand-over is not complete.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import uuid
from importlib import metadata
from typing import Any

DISTRIBUTIONS = ("automation-bench", "automationbench")
SCORED = ("sales", "marketing", "operations", "support", "finance", "hr")
SIMPLE = "simple"
"""Public although not scored."""


def main() -> None:
    """Hands everything over; what the package itself prints goes to standard error."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as out:
        os.dup2(2, 1)

        def say(line: dict[str, Any]) -> None:
            out.write(json.dumps(line, default=str, allow_nan=False) + "\n")

        say({"python": ".".join(map(str, sys.version_info[:3]))})
        out.flush()
        _repeat_ids()
        domains = importlib.import_module("automationbench.domains")
        names = _names(domains)
        say({"version": _version(), "domains": names})
        count = 0
        for name in names:
            for row in domains.get_domain_dataset(name):
                count += 1
                say({"row": {"domain": name, **row}})
        say({"rows": count})


def _repeat_ids() -> None:
    """The package draws ids of records anew each time it loads; two imports of one version must be equal."""
    rng = random.Random(0)
    random.seed(0)  # noqa: TID251
    uuid.uuid4 = lambda: uuid.UUID(int=rng.getrandbits(128), version=4)  # type: ignore[assignment]  # noqa: TID251


def _names(domains: Any) -> list[str]:
    """The public domains as the package lists them; older versions list none."""
    named = getattr(domains, "PUBLIC_DOMAINS", SCORED)
    lister = getattr(domains, "get_available_domains", None)
    available = lister() if lister else (*named, SIMPLE)
    return [*named, *([SIMPLE] if SIMPLE in available and SIMPLE not in named else [])]


def _version() -> str:
    """Version of the distribution, with the commit where it was installed from a repository."""
    for name in DISTRIBUTIONS:
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        commit = origin.get("vcs_info", {}).get("commit_id")
        return f"{found.version} at commit {commit}" if commit else str(found.version)
    return "unknown"


if __name__ == "__main__":
    main()
