"""The scored set is what AutomationBench counts: 100 public tasks in each of six domains, beside 200 simple ones."""

from __future__ import annotations

from decontam.benchmark import Benchmark, BenchmarkSource

DOMAINS = ("sales", "marketing", "operations", "support", "finance", "hr")
TASKS_A_DOMAIN = 100
SIMPLE, SIMPLE_TASKS = "simple", 200
"""Public as well, therefore protected as well."""


def shortfalls(benchmark: Benchmark) -> tuple[str, ...]:
    """What is missing of AutomationBench where it is not the stand-in: one sentence an import that lacks tasks.

    Fewer tasks are used all the same; nothing is said about overlap with those that are missing.
    """
    if benchmark.is_stand_in:
        return ()
    found = (shortfall(source) for source in benchmark.sources)
    return tuple(sentence for sentence in found if sentence)


def shortfall(source: BenchmarkSource) -> str | None:
    """What an import of AutomationBench lacks, None when it is all there or when it is another benchmark."""
    if not source.reader.startswith("automationbench"):
        return None
    wanted = {**dict.fromkeys(DOMAINS, TASKS_A_DOMAIN), SIMPLE: SIMPLE_TASKS}
    lacking = [
        f"{source.counts.get(domain, 0)} of {count} in {domain}"
        for domain, count in wanted.items()
        if source.counts.get(domain, 0) < count
    ]
    if not lacking:
        return None
    scored = sum(min(source.counts.get(domain, 0), TASKS_A_DOMAIN) for domain in DOMAINS)
    return (
        f"{source.name} is not complete: it has {scored} of {TASKS_A_DOMAIN * len(DOMAINS)} scored tasks "
        f"({', '.join(lacking)}); nothing protects the tasks that are missing"
    )
