"""Market: a toy application of vendors' rarer habits.

Pages are named in a header, and so is what was created; bodies are forms, or hold their fields under the noun; and one
endpoint answers a query language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from environment.apps.crud import Style, crud, new, shown
from environment.apps.kit import Action, App, AppError, Args, Call, Fetch, Response, Route, digits_id
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


class Trader(Row):
    id: str
    name: str
    phone: str | None = None


class Sale(Row):
    id: str
    amount: int
    paid: bool = False
    tags: tuple[str, ...] = ()
    card: Mapping[str, str] = {}
    lines: tuple[Mapping[str, str], ...] = ()


class MakeSale(Args):
    amount: int = Field(description="Pence")
    paid: bool = Field(False, description="Whether it is paid")
    tags: list[str] = Field([], description="Tags")
    card: dict[str, str] = Field({}, description="Card")
    lines: list[dict[str, str]] = Field([], description="Lines")


class ListSales(Args):
    amount: dict[Literal["gte", "lte"], int] = Field({}, description="Bounds")


class Ask(Args):
    query: str = Field(description="Query")
    variables: dict[str, Any] = Field({}, description="Variables")


STYLE = Style(many=_many, paging=page_numbers(size="limit", default=2))

WRAPPED = Style(one=lambda noun, record: {noun: record}, wrapped=True)


def open_stall(call: Call, args: OpenStall) -> Response:
    """Open a stall."""
    stall = call.tables.put(new(call, STYLE, Stall, {"name": args.name}))
    return Response(201, None, headers={"x-market-id": stall.id})


def make_sale(call: Call, args: MakeSale) -> dict[str, Any]:
    """Sell something."""
    return shown(call.tables.put(new(call, STYLE, Sale, args.model_dump())))


def list_sales(call: Call, args: ListSales) -> list[dict[str, Any]]:
    """List sales."""
    low, high = args.amount.get("gte", 0), args.amount.get("lte", 10**9)
    return [shown(sale) for sale in call.tables.all(Sale) if low <= sale.amount <= high]


def ask(call: Call, args: Ask) -> Response:
    """Run queries: `stalls` and `openStall`, one after the other, each whole by itself."""
    data: dict[str, Any] = {}
    errors: list[dict[str, Any]] = []
    for name in re.findall(r"\w+", args.query):
        try:
            with call.tables.whole():
                data[name] = _asked(call, name, args.variables)
        except AppError as error:
            errors.append({"message": error.message, "path": [name]})
    if errors:
        return Response(200, {"data": data, "errors": errors}, errors[0]["message"])
    return Response(200, {"data": data})


def _asked(call: Call, name: str, variables: dict[str, Any]) -> Any:
    if name == "stalls":
        return [shown(stall) for stall in call.tables.all(Stall)]
    if name != "openStall":
        raise AppError(400, f"there is no field {name}")
    stall = call.tables.put(Stall(id=call.tables.new_id(Stall), name="?"))
    if not isinstance(variables.get("name"), str):
        raise AppError(400, "openStall needs a name")
    return shown(call.tables.put(stall.change(name=variables["name"])))


def _open(fetch: Fetch, args: OpenStall) -> dict[str, Any]:
    return {"id": fetch.response("POST", "/stalls", None, args.model_dump()).headers["x-market-id"]}


def _ask(fetch: Fetch, args: Ask) -> Any:
    return fetch("POST", "/graphql", None, args.model_dump())["data"]


APP = App(
    name="market",
    title="Market",
    host="api.market.example",
    base_path=_BASE_PATH,
    rows=(Stall, Trader, Sale),
    ids={Stall: digits_id("ST"), Trader: digits_id("TR"), Sale: digits_id("SA")},
    routes=(
        *crud(Stall, STYLE, "list", "get"),
        Route("open_stall", "POST", "/stalls", "write", OpenStall, open_stall, as_action=False),
        *crud(Trader, WRAPPED, "create", "update", writable=("name", "phone"), required=("name",), as_action=True),
        Route("make_sale", "POST", "/sales", "write", MakeSale, make_sale),
        Route("list_sales", "GET", "/sales", "read", ListSales, list_sales),
        Route("ask", "POST", "/graphql", "write", Ask, ask, as_action=False),
    ),
    error_body=lambda error: {"message": error.message},
    forms=True,
    actions=(
        Action("market_open_stall", "write", "Open a stall.", OpenStall, _open),
        Action("market_ask", "write", "Ask for stalls.", Ask, _ask),
    ),
)
