"""A job is work on several tickets; it is done at once, and its status says what became of each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from environment.apps.kit import AppError, Call
from environment.apps.zendesk.style import url

GivenT = TypeVar("GivenT")


def job_status(
    call: Call, action: str, work: Sequence[tuple[str, GivenT]], do: Callable[[str, GivenT], None]
) -> dict[str, Any]:
    """The completed job of doing `do` for each (ticket id, what is given); a refusal fails that ticket alone."""
    results: list[dict[str, Any]] = []
    for index, (key, given) in enumerate(work):
        try:
            with call.tables.whole():
                do(key, given)
        except AppError as error:
            results.append({"index": index, "error": error.code, "details": error.message, "success": False})
        else:
            results.append({"index": index, "id": int(key), "action": action, "status": "Updated", "success": True})
    name = hashlib.sha256(f"{action} {call.now.isoformat()}".encode()).hexdigest()[:32]
    return {
        "job_status": {
            "id": name,
            "url": url(call.host, f"/job_statuses/{name}"),
            "total": len(results),
            "progress": len(results),
            "status": "completed",
            "message": f"Completed at {call.now:%Y-%m-%d %H:%M:%S %z}",
            "results": results,
        }
    }
