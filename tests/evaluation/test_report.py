"""The report of made-up inputs: complete, self-contained, the same every time."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from evaluation.comparison import Row, compare
from evaluation.number_text import interval, percent, points
from evaluation.plots import gains
from evaluation.report import finding, render_report, report_json
from evaluation.report_inputs import FunnelStage, PassRates, ReportInputs, pass_rate_counts
from tests.evaluation.example_report import complete_inputs, example_inputs
from tests.evaluation.tables import table


@pytest.fixture(scope="module")
def inputs() -> ReportInputs:
    return example_inputs()


@pytest.fixture(scope="module")
def page(inputs: ReportInputs) -> str:
    return render_report(inputs)


@pytest.fixture(scope="module")
def complete() -> ReportInputs:
    return complete_inputs()


class _Reader(HTMLParser):
    """Text of a page, the tags that are open at its end, and everything it points to."""

    VOID = ("meta", "br", "link", "img", "hr", "input")

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.read(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.read(attrs)

    def read(self, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.targets += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        self.targets += [target for _, value in attrs for target in re.findall(r"url\((.*?)\)", value or "")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    return reader


def test_page_loads_nothing_and_points_only_into_itself(page: str) -> None:
    reader = _read(page)
    assert not re.search(r"https?:|//[a-z]|@import|<script|<link|<img|<iframe", page)
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    assert {target.removeprefix("#") for target in reader.targets} <= set(reader.ids)
    assert reader.targets


def test_headline_and_every_count_are_on_the_page(page: str, inputs: ReportInputs) -> None:
    text = " ".join(" ".join(_read(page).text).split())
    result, at_best = inputs.comparison, inputs.sharpening
    for shown in (
        f"{100 * result.gain:+.1f}",
        f"{100 * result.low:+.1f} to {100 * result.high:+.1f}",
        f"{100 * result.base:.1f}% (base) to {100 * result.adapter:.1f}% (adapter)",
        "200 tasks with 600 scored attempts a side",
        f"{result.base_solved} → {result.adapter_solved}",
        f"({at_best.best_temperature:g}) the gain is {100 * at_best.gain_over_best:+.1f} points",
        "Reference policy (2.6M parameters, trained from scratch by us, made careless on purpose)",
        "stand in for it",
        "9f2c" * 16,
        "31 shared passage, 9 shared company name, 22 near-duplicate",
        "all but the monitor tasks",
        "Stopped after update 60",
        "Before selection: 1,400 tasks",
        "Selected for training: 240 tasks",
        "Diagnostics over 60 updates",
        "holds no overlap",
        "made careless on purpose, so that there is something to learn",
    ):
        assert shown in text, shown
    for row in result.domains:
        assert f"{row.name} {percent(row.base)} {percent(row.adapter)} {points(row.gain)}" in text
    for stage in inputs.funnel:
        assert f"{stage.rows_in:,} {stage.kept:,}" in text


def test_equal_inputs_give_equal_bytes(page: str) -> None:
    assert render_report(example_inputs()) == page


def test_json_holds_the_headline_and_gives_the_inputs_back(inputs: ReportInputs) -> None:
    data = json.loads(json.dumps(report_json(inputs), allow_nan=False))
    assert data.pop("evaluation") == inputs.comparison.summary()
    assert ReportInputs.model_validate(data) == inputs


def test_parts_that_are_missing_leave_no_section(inputs: ReportInputs) -> None:
    nothing = {
        "sharpening": None,
        "funnel": (),
        "pass_rates": None,
        "updates": (),
        "monitor": (),
        "stopping": None,
        "decontamination": None,
        "provenance": {},
    }
    bare = render_report(ReportInputs.model_validate({**inputs.model_dump(), **nothing}))
    headings = re.findall(r"<h2>(.*?)</h2>", bare)
    assert headings == [
        "To be read with these numbers",
        "Gain per domain",
        "Distribution over tasks",
        "Several attempts",
        "How it was measured",
    ]


def test_text_from_outside_is_escaped(inputs: ReportInputs) -> None:
    data = {**inputs.model_dump(), "policy_label": "<script>alert(1)</script>", "sampling": {"a<b": "c&d"}}
    page = render_report(ReportInputs.model_validate(data))
    assert "<script" not in page
    assert "a&lt;b" in page and "c&amp;d" in page


HOSTILE = "</script><img src=x onerror=alert(1)>\"'&{{ 7*7 }}$\\frac"


def test_markup_in_any_text_is_text(complete: ReportInputs) -> None:
    data = complete.to_json()
    closed = {"metric", "seed", "state", "set"}

    def hostile(value: Any, key: str = "") -> Any:
        if isinstance(value, dict) and value and key not in ("links",):
            fields = key not in ("sampling", "provenance", "dropped")
            return {
                (name if fields else f"{name}{HOSTILE}"): (one if name in closed else hostile(one, name))
                for name, one in value.items()
            }
        if isinstance(value, list):
            return [hostile(one) for one in value]
        return f"{value}{HOSTILE}" if isinstance(value, str) and key != "links" else value

    inputs = ReportInputs.model_validate(hostile(data))
    page = render_report(inputs)
    assert not re.search(r"<img|<script|onerror=alert\(1\)>|49\$", page)
    reader = _read(page)
    assert reader.open == []
    text = "".join(reader.text)
    assert inputs.exhibits[0].base.lines[0].text in text
    for shown in (inputs.title, inputs.exhibits[0].prompt, inputs.exhibits[0].base.missed[0], inputs.failures_of):
        assert " ".join(shown.split()) in " ".join(text.split())
    assert inputs.exhibits[0].move.task_id in text
    assert inputs.published[0].source in text
    assert text.count(HOSTILE) > 500


def test_a_complete_page_has_every_section_in_order(complete: ReportInputs) -> None:
    page = render_report(complete)
    headings = re.findall(r"<h[23]>(.*?)</h[23]>", page)
    assert headings == [
        "To be read with these numbers",
        "Gain per domain",
        "Distribution over tasks",
        "Several attempts",
        "The engagement's own held-out tasks",
        "Is it more than a better temperature?",
        "Beside published scores",
        "How attempts fail",
        "Largest gains and losses",
        "From candidates to evaluation",
        "Difficulty for the base",
        "Training",
        "Decontamination",
        "How it was measured",
        "Provenance",
    ]
    own, failed = complete.held_out, complete.failures
    assert own is not None and failed is not None
    text = " ".join(" ".join(_read(page).text).split())
    assert f"From {percent(own.base)} to {percent(own.adapter)}: {points(own.gain)} points" in text
    assert "On the engagement's own tasks, against the base at its best sampling temperature" in text
    assert f"{failed.attempts.base} of 600 attempts of the base and {failed.attempts.adapter} of 600" in text
    for share in (*failed.ways, *failed.apps, *failed.traps, *failed.knobs):
        assert f"{share.name} {percent(share.base_share)} {percent(share.adapter_share)}" in text
    assert text.count("attempt 1:") + text.count("attempt 2:") + text.count("attempt 3:") == 2 * len(complete.exhibits)
    assert "… (12,345 letters more)" in text
    for row in complete.published:
        assert f"{row.model} {row.source} {row.effort} {row.score:.1f}% {row.set} {row.source}" in text
    for check in complete.comparison.settings:
        stated = ["not stated" if one is None else str(one) for one in (check.base, check.adapter)]
        assert f"{check.name} {stated[0]} {stated[1]} {check.state}" in text


def test_links_lead_to_the_artifacts_and_nowhere_else(complete: ReportInputs) -> None:
    reader = _read(render_report(complete))
    outside = [target for target in reader.targets if target.removeprefix("#") not in reader.ids]
    assert sorted(outside) == sorted(complete.links.values())


@pytest.mark.parametrize(
    ("part", "nothing", "heading"),
    [
        ("failures", None, "How attempts fail"),
        ("published", (), "Beside published scores"),
        ("held_out", None, "own held-out tasks"),
        ("exhibits", (), "Largest gains and losses"),
    ],
)
def test_a_missing_part_of_a_complete_page_leaves_no_section(
    complete: ReportInputs, part: str, nothing: object, heading: str
) -> None:
    page = render_report(complete.model_copy(update={part: nothing}))
    assert heading in render_report(complete)
    assert heading not in page
    assert _read(page).open == []


def test_complete_inputs_survive_json(complete: ReportInputs) -> None:
    data = json.loads(json.dumps(report_json(complete), allow_nan=False))
    assert data.pop("evaluation")["tasks"] == 600
    assert ReportInputs.model_validate(data) == complete


def test_left_overlaps_are_said_plainly(inputs: ReportInputs) -> None:
    clean = inputs.decontamination
    assert clean is not None
    data = {**inputs.model_dump(), "decontamination": {**clean.model_dump(), "overlaps_left": 2, "stand_in": None}}
    page = render_report(ReportInputs.model_validate(data))
    assert "2 overlaps are left in the delivered set" in page
    assert 'class="notice"' not in page


@pytest.mark.parametrize(
    ("base", "adapter", "sentence"),
    [
        ({f"hr.x-{n}": [0.0] for n in range(9)}, {f"hr.x-{n}": [1.0] for n in range(9)}, "solves more"),
        ({f"hr.x-{n}": [1.0] for n in range(9)}, {f"hr.x-{n}": [0.0] for n in range(9)}, "solves less"),
        ({"hr.x-1": [0.0], "hr.x-2": [1.0]}, {"hr.x-1": [1.0], "hr.x-2": [0.0]}, "No difference is shown"),
        ({"hr.x-1": [0.0]}, {"hr.x-1": [1.0]}, "Too few tasks"),
    ],
)
def test_finding_says_no_more_than_the_interval(base: dict, adapter: dict, sentence: str) -> None:
    assert sentence in finding(compare(table("base", base), table("adapter", adapter), seed=1))


def test_domain_without_an_interval_is_drawn_as_a_point() -> None:
    row = Row(name="hr", base=0, adapter=0.5, gain=0.5, low=None, high=None, tasks=1, attempts=2)
    assert "+50.0" in gains((row,), narrow=True)


def test_numbers_are_written_the_way_a_reader_expects() -> None:
    assert (percent(0.45454), points(0.14114), points(-0.0512), points(-0.0001)) == ("45.5%", "+14.1", "−5.1", "0.0")
    assert (interval(-0.015, 0.0267), interval(None, None)) == ("−1.5 to +2.7", "no interval")


def test_funnel_stage_that_does_not_add_up_is_refused() -> None:
    with pytest.raises(ValueError, match="keeps 5 and drops 2 of 8"):
        FunnelStage(name="clean", rows_in=8, kept=5, dropped={"shared passage": 2})


def test_pass_rates_are_counted_at_the_edge_where_their_bin_starts() -> None:
    counts = pass_rate_counts([0.0, 0.049, 0.2, 0.8, 0.999, 1.0])
    assert {bin_: count for bin_, count in enumerate(counts) if count} == {0: 2, 4: 1, 16: 1, 19: 2}
    with pytest.raises(ValueError, match=r"given 1\.2"):
        pass_rate_counts([1.2])
    with pytest.raises(ValueError, match="at least 20"):
        PassRates(before=(1,), selected=counts, band_low=0.2, band_high=0.8, estimate="posterior mean", attempts=9)
