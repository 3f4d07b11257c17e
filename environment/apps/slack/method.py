"""A method of the Web API: one route that answers both GET and POST."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from environment.apps.kit import Args, Call, Route


def method(
    name: str,
    path: str,
    access: Literal["read", "write"],
    args: type[Args],
    handler: Callable[[Call, Any], Any],
    keywords: str = "",
) -> Route:
    """The route of the method `path`, such as `chat.postMessage`."""
    first, second = ("GET", "POST") if access == "read" else ("POST", "GET")
    return Route(
        name,
        first,  # type: ignore[arg-type]
        f"/{path}",
        access,
        args,
        handler,
        as_action=False,
        methods_also=(second,),
        keywords=f"{path} {keywords}",
    )
