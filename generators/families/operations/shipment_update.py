"""Shipment update: orders have left the warehouse and the sheet must say so, unless a row's note puts it on hold."""

from __future__ import annotations

from dataclasses import dataclass

from environment.contract import Enum
from environment.task import ToolCall
from generators.expectations import cells_update, slack_post, text
from generators.family import Family, Knob, Knobs, Scene, Story, call
from generators.phrasing import joined, one_post_each
from generators.plan import Calls, Slip, Step, ignored_hold, ignored_rule, near_duplicate, superseded, tell
from generators.staging.google_sheets import Table, add_table
from generators.staging.noise import add_chatter
from generators.staging.slack import add_channel, add_post, add_user

_CHANNELS = ("warehouse", "dispatch", "shipping")
_HEADER = ("Order", "Customer", "Status", "Note")
_STATUSES = ("Shipped", "Delivered", "Returned", "Delayed")
_OPEN = ("Packed", "Picking", "Ready")
_NOTES = ("", "", "fragile", "two parcels", "gift")
_HOLDS = ("HOLD by quality", "HOLD by credit", "HOLD by customs")


@dataclass(frozen=True, slots=True)
class _Order:
    number: str
    status: str
    """The status it is to get."""
    held: bool
    old_statuses: tuple[str, ...]
    """Statuses that were posted first and corrected."""
    lookalikes: tuple[str, ...]


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Each order has look-alike numbers; with holds some rows must be left alone and reported; news may be posted."""
    posted = knobs["hops"] >= 2
    channel_name = scene.rng.choice(_CHANNELS)
    orders = [_order(scene, knobs) for _ in range(knobs["entities"])]
    table = _sheet(scene, orders, knobs["records"])
    informed = posted or knobs["rules"] or knobs["holds"]
    channel = add_channel(scene, channel_name) if informed else ""
    if posted:
        _post_news(scene, channel, orders, knobs["distractors"])
    prompts, steps = [], []
    for order in orders:
        template = "prompt_posted" if posted else "prompt_told"
        prompts.append(
            scene.phrase(f"shipment_update/{template}", order=order, channel=channel_name, sheet=table.title)
        )
        look = (call("slack_read_channel", channel=channel_name),) if posted else ()
        steps.extend(_steps(scene, knobs, order, table, look, channel, channel_name))
    if knobs["rules"]:
        prompts.append(scene.phrase("shipment_update/post_rule", channel=channel_name))
    if knobs["holds"]:
        prompts.append(scene.phrase("shipment_update/hold_rule", channel=channel_name))
    if knobs["rules"] or knobs["holds"]:
        prompts.extend(one_post_each(len(orders)))
    actions = (
        *(("slack_read_channel",) if posted else ()),
        *("google_sheets_find_rows", "google_sheets_update_cell"),
        *(("slack_post_message",) if knobs["rules"] or knobs["holds"] else ()),
    )
    return tell(joined(prompts), steps, actions)


def _steps(
    scene: Scene, knobs: Knobs, order: _Order, table: Table, look: Calls, channel: str, channel_name: str
) -> list[Step]:
    find = call("google_sheets_find_rows", spreadsheet=table.title, column="Order", value=order.number)
    places = {cells: place for place, cells in enumerate(_orders_of(scene, table))}
    row_id = table.row_ids[places[order.number]]
    done = _set_status(table, row_id, order.status)
    if order.held:
        post = scene.phrase("shipment_update/held_post", order=order)
        tell_hold = call("slack_post_message", channel=channel_name, text=post)
        change = slack_post(f"hold {order.number}", channel, (text(order.number), text("hold", "held")))
        return [Step((*look, find, tell_hold), (change,), (ignored_hold(order.number, *look, find, done),))]
    slips: list[Slip] = [
        near_duplicate(number, *look, find, _set_status(table, table.row_ids[places[number]], order.status))
        for number in order.lookalikes
    ]
    slips += [superseded(old, *look, find, _set_status(table, row_id, old)) for old in order.old_statuses]
    if not slips:
        slips.append(Slip("not_done", "Reports success without the change.", (*look, find)))
    wanted = {table.column("Status"): Enum(value=order.status)}
    steps = [Step((*look, find, done), (cells_update(f"row {order.number}", row_id, wanted),), tuple(slips))]
    if knobs["rules"]:
        post = scene.phrase("shipment_update/done_post", order=order)
        never = tuple((text(order.number), text(other)) for other in _STATUSES if other != order.status)
        change = slack_post(f"post {order.number}", channel, (text(order.number), text(order.status)), never=never)
        tell_done = call("slack_post_message", channel=channel_name, text=post)
        steps.append(Step((tell_done,), (change,), (ignored_rule("post what was done"),)))
    return steps


def _order(scene: Scene, knobs: Knobs) -> _Order:
    number = str(scene.invent.number(1_100, 9_800))
    lookalikes = tuple(f"{number}-{letter}" for letter in "ABCDEF"[: knobs["near_duplicates"]])
    statuses = scene.rng.sample(_STATUSES, min(knobs["amendments"], len(_STATUSES) - 1) + 1)
    held = bool(knobs["holds"]) and scene.rng.random() < 0.5
    old = tuple(statuses[:-1]) if knobs["hops"] >= 2 else ()
    return _Order(number, statuses[-1], held, old, lookalikes)


def _sheet(scene: Scene, orders: list[_Order], records: int) -> Table:
    rows = []
    for order in orders:
        note = scene.rng.choice(_HOLDS if order.held else _NOTES)
        rows.append([order.number, scene.invent.company().name, scene.rng.choice(_OPEN), note])
        for number in order.lookalikes:
            rows.append([number, scene.invent.company().name, scene.rng.choice(_OPEN), scene.rng.choice(_NOTES)])
    for _ in range(records):
        number = str(scene.invent.number(1_100, 9_800))
        rows.append([number, scene.invent.company().name, scene.rng.choice(_OPEN), scene.rng.choice(_NOTES)])
    scene.rng.shuffle(rows)
    return add_table(scene, "Shipments", _HEADER, rows)


def _orders_of(scene: Scene, table: Table) -> list[str]:
    """Order numbers of the table's rows, in order."""
    rows = scene.rows["google_sheets"]["GridRow"]
    return [row["cells"][0] for row in rows if row["sheet_id"] == table.sheet][1:]


def _post_news(scene: Scene, channel: str, orders: list[_Order], distractors: int) -> None:
    driver = add_user(scene, scene.invent.person(scene.business.company.domain))
    for order in orders:
        ago = scene.rng.randint(300, 600)
        for place, status in enumerate((*order.old_statuses, order.status)):
            template = "correction" if place else "news"
            news = scene.phrase(f"shipment_update/{template}", order=order, status=status)
            add_post(scene, channel, driver, news, minutes_ago=ago - 40 * place)
    add_chatter(scene, channel, driver, distractors)


def _set_status(table: Table, row_id: str, status: str) -> ToolCall:
    return call(
        "google_sheets_update_cell",
        spreadsheet=table.title,
        row=table.row_number(row_id),
        column="Status",
        value=status,
    )


FAMILY = Family(
    name="shipment_update",
    domain="operations",
    knobs={
        "entities": Knob(1, 5, 1, "orders"),
        "hops": Knob(1, 2, 2, "places to look in before the row can be changed"),
        "near_duplicates": Knob(0, 5, 2, "rows with a similar order number, each order"),
        "records": Knob(2, 60, 5, "unrelated rows"),
        "amendments": Knob(0, 3, 1, "posts that correct a status, each order", ("hops", 2)),
        "rules": Knob(0, 1, 1, "rules besides the request: post what was done"),
        "holds": Knob(0, 1, 1, "rules that forbid: rows on hold are left alone and reported"),
        "distractors": Knob(0, 25, 2, "unrelated posts", ("hops", 2)),
    },
    compose=compose,
)
