"""Deal stage: an open opportunity has moved on, told in the request or in a channel; the channel wants to know."""

from __future__ import annotations

from datetime import timedelta

from environment.contract import Enum, Fact, Matcher, Money
from environment.task import ToolCall
from generators.business import Company
from generators.expectations import amount, record_update, slack_post, text
from generators.family import Family, Knob, Knobs, Scene, Story, call
from generators.phrasing import joined, one_post_each
from generators.plan import Slip, Step, near_duplicate, stale_row, superseded, tell
from generators.staging.noise import add_chatter
from generators.staging.salesforce import add_record
from generators.staging.slack import add_channel, add_post, add_user

_CHANNELS = ("deals", "pipeline", "forecast")
_EARLY = ("Prospecting", "Qualification", "Needs Analysis")
_CLOSED = ("Closed Won", "Closed Lost")
_LATER = ("Value Proposition", "Perception Analysis", "Proposal/Price Quote", "Negotiation/Review")


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Each deal has look-alikes of another customer and closed ones of its own; from two hops on the news is posted."""
    posted = knobs["hops"] >= 2
    channel_name = scene.rng.choice(_CHANNELS)
    channel = add_channel(scene, channel_name)
    seller = add_user(scene, scene.invent.person(scene.business.company.domain))
    prompts, steps = [], []
    for place in range(knobs["entities"]):
        customer = scene.invent.company()
        stage, value = scene.rng.choice(_LATER), scene.invent.number(110, 980) * 100
        told = {"customer": customer.name, "stage": stage, "amount": value, "channel": channel_name}
        prompts.append(scene.phrase(f"deal_stage/prompt_{'posted' if posted else 'told'}", **told))
        old_values = _post_news(scene, channel, seller, told, knobs["amendments"]) if posted else []
        steps.append(_update(scene, knobs, customer, stage, value, old_values, channel_name, place))
        post = scene.phrase("deal_stage/confirmation", **told)
        facts: tuple[Fact, ...] = (text(stage), amount(str(value)))
        if knobs["entities"] > 1:
            facts = (text(customer.name), *facts)
        never = tuple((text(customer.name), text(other)) for other in _LATER if other != stage)
        change = slack_post(f"post {place}", channel, facts, never=never)
        steps.append(Step((call("slack_post_message", channel=channel_name, text=post),), (change,)))
    for _ in range(knobs["records"]):
        other = scene.invent.company()
        _add_deal(scene, other, scene.rng.choice(_EARLY + _LATER), scene.invent.number(110, 980) * 100)
    scene.shuffle("salesforce", "Opportunity")
    if posted:
        add_chatter(scene, channel, seller, knobs["distractors"])
    actions = (
        *(("slack_read_channel",) if posted else ()),
        *("salesforce_find_opportunities", "salesforce_update_opportunity", "slack_post_message"),
    )
    prompts.extend(one_post_each(knobs["entities"]))
    return tell(joined(prompts), steps, actions)


def _update(
    scene: Scene,
    knobs: Knobs,
    customer: Company,
    stage: str,
    value: int,
    old_values: list[int],
    channel_name: str,
    place: int,
) -> Step:
    deal = _add_deal(scene, customer, scene.rng.choice(_EARLY), scene.invent.number(110, 980) * 100)
    look = (call("slack_read_channel", channel=channel_name),) if knobs["hops"] >= 2 else ()
    find = call("salesforce_find_opportunities", name=customer.name.split()[0])
    slips: list[Slip] = []
    for _ in range(knobs["near_duplicates"]):
        other = scene.invent.lookalike_company(customer)
        wrong = _add_deal(scene, other, scene.rng.choice(_EARLY), scene.invent.number(110, 980) * 100)
        slips.append(near_duplicate(f"the deal of {other.name}", *look, find, _move(wrong, stage, value)))
    for _ in range(knobs["stale_rows"]):
        closed = _add_deal(scene, customer, scene.rng.choice(_CLOSED), scene.invent.number(110, 980) * 100)
        slips.append(stale_row("a closed deal of the same customer", *look, find, _move(closed, stage, value)))
    slips.extend(superseded(str(old), *look, find, _move(deal, stage, old)) for old in old_values)
    if not slips:
        slips.append(Slip("half_done", "Moves the stage and forgets the amount.", (*look, find, _move(deal, stage))))
    wanted: dict[str, Matcher] = {"StageName": Enum(value=stage), "Amount": Money(amount=str(value))}
    change = record_update(f"deal {place}", "Opportunity", deal, **wanted)
    return Step((*look, find, _move(deal, stage, value)), (change,), tuple(slips))


def _post_news(scene: Scene, channel: str, seller: str, told: dict[str, object], amendments: int) -> list[int]:
    """Post the news, then corrections of the amount, the last of them right. Returns the wrong amounts."""
    values = [*(scene.invent.number(110, 980) * 100 for _ in range(amendments)), told["amount"]]
    ago = scene.rng.randint(300, 600)
    for place, value in enumerate(values):
        news = scene.phrase(f"deal_stage/{'correction' if place else 'news'}", **{**told, "amount": value})
        add_post(scene, channel, seller, news, minutes_ago=ago - 40 * place)
    return [value for value in values[:-1] if isinstance(value, int)]


def _add_deal(scene: Scene, customer: Company, stage: str, value: int) -> str:
    closing = (scene.business.now + timedelta(days=scene.rng.randint(-60, 90))).date().isoformat()
    return add_record(
        scene, "Opportunity", Name=f"{customer.name} deal", StageName=stage, Amount=value, CloseDate=closing
    )


def _move(deal: str, stage: str, value: int | None = None) -> ToolCall:
    if value is None:
        return call("salesforce_update_opportunity", id=deal, stage=stage)
    return call("salesforce_update_opportunity", id=deal, stage=stage, amount=value)


FAMILY = Family(
    name="deal_stage",
    domain="sales",
    knobs={
        "entities": Knob(1, 4, 1, "deals that have moved"),
        "hops": Knob(1, 2, 2, "places to look in before the deal can be changed"),
        "near_duplicates": Knob(0, 5, 2, "deals of customers with a similar name, each deal"),
        "stale_rows": Knob(0, 4, 1, "closed deals of the same customer, each deal"),
        "records": Knob(2, 60, 4, "unrelated deals"),
        "amendments": Knob(0, 3, 1, "posts that correct an amount, each deal", ("hops", 2)),
        "distractors": Knob(0, 25, 2, "unrelated posts", ("hops", 2)),
    },
    compose=compose,
)
