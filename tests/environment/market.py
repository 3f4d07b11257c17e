"""Market: a toy application of vendors' rarer habits. Pages are named in a header, and so is what was created."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.crud import Style, crud, new
from environment.apps.kit import Action, App, Args, Call, Fetch, Response, Route, digits_id
from environment.apps.paging import Page, link_header, page_numbers
from environment.world import Row

_BASE_PATH = "/v2"


class Stall(Row):
    id: str
    name: str = Field(min_length=1)


class OpenStall(Args):
    name: str = Field(description="Name")


def _many(page: Page) -> Response:
    return Response(200, page.records, headers=link_header(page, _BASE_PATH))


STYLE = Style(many=_many, paging=page_numbers(size="limit", default=2))


def open_stall(call: Call, args: OpenStall) -> Response:
    """Open a stall."""
    stall = call.tables.put(new(call, STYLE, Stall, {"name": args.name}))
    return Response(201, None, headers={"x-market-id": stall.id})


def _open(fetch: Fetch, args: OpenStall) -> dict[str, Any]:
    return {"id": fetch.response("POST", "/stalls", None, args.model_dump()).headers["x-market-id"]}


APP = App(
    name="market",
    title="Market",
    host="api.market.example",
    base_path=_BASE_PATH,
    rows=(Stall,),
    ids={Stall: digits_id("ST")},
    routes=(
        *crud(Stall, STYLE, "list", "get"),
        Route("open_stall", "POST", "/stalls", "write", OpenStall, open_stall, as_action=False),
    ),
    error_body=lambda error: {"message": error.message},
    actions=(Action("market_open_stall", "write", "Open a stall.", OpenStall, _open),),
)
