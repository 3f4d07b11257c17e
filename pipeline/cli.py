"""The command line: a thin skin over the same assets and functions."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

if TYPE_CHECKING:
    from pipeline.store import Store, StoredGeneration

DONE, FELL_SHORT, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
_SURROUNDINGS = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRL_EXPERIMENTAL_SILENCE": "1",
}
"""What libraries read when they are imported: no network, no progress bars of theirs; one thread suits small models."""

app = typer.Typer(
    name="worldloom",
    help="Turns templates into business worlds, keeps what a model can learn from, trains an adapter, measures it.",
    epilog="Exit codes: 0 done, 1 ran but fell short, 2 bad input, 130 interrupted and resumable.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
benchmark_app = typer.Typer(help="The benchmarks that nothing may overlap.", no_args_is_help=True)
app.add_typer(benchmark_app, name="benchmark")

EngagementArgument = Annotated[str, typer.Argument(help="Name of an engagement, or the path of a YAML file.")]
TaskArgument = Annotated[
    str,
    typer.Argument(help="Id of a task in the store, or the beginning of one; or a family, to generate one."),
]
Seed = Annotated[str | None, typer.Option(help="Of a generated task: its seed, 1 unless given.")]
Index = Annotated[int | None, typer.Option(min=0, help="Of a generated task: its number within the seed, from 0.")]
ProfileOption = Annotated[
    Literal["starter", "full", "top"] | None,
    typer.Option(
        "--profile", help="Of a generated task: knobs drawn low (starter, unless given) or in full, or all at the top."
    ),
]
KnobOption = Annotated[
    list[str] | None, typer.Option("--knob", help="Of a generated task: one knob as name=value; may be given again.")
]
New = Annotated[bool, typer.Option("--new", help="Start the next generation.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def main() -> None:
    """Runs the command line."""
    for name, value in _SURROUNDINGS.items():
        os.environ.setdefault(name, value)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()


@contextmanager
def _outcome() -> Iterator[None]:
    """Turns what a command raised into one sentence and an exit code; a bug of ours stays a traceback."""
    from assets.generation import FellShort

    try:
        yield
    except KeyboardInterrupt:
        raise _ended(INTERRUPTED, "interrupted; the same command goes on from here") from None
    except FellShort as short:
        raise _ended(FELL_SHORT, str(short)) from None
    except ValueError as error:
        raise _ended(BAD_INPUT, str(error)) from None
    except BrokenPipeError:
        raise  # the reader had enough, as `head` does; typer ends quietly
    except OSError as error:
        raise _ended(FELL_SHORT, f"{error.filename or 'the disk'}: {error.strerror or error}") from None


def _ended(code: int, sentence: str) -> typer.Exit:
    print(f"worldloom: {' '.join(sentence.split())}", file=sys.stderr)
    return typer.Exit(code)


@app.command()
def run(engagement: EngagementArgument, new: New = False, as_json: Json = False) -> None:
    """The whole flow: the newest unfinished generation, or the first one.

    Example: worldloom run laptop
    """
    _make(engagement, "lineage_manifest", new, as_json)


@app.command()
def generate(engagement: EngagementArgument, new: New = False, as_json: Json = False) -> None:
    """Up to the candidate tasks.

    Example: worldloom generate laptop
    """
    _make(engagement, "candidate_tasks", new, as_json)


@app.command()
def prove(engagement: EngagementArgument, new: New = False, as_json: Json = False) -> None:
    """Up to the tasks with proofs.

    Example: worldloom prove laptop
    """
    _make(engagement, "proven_tasks", new, as_json)


@app.command()
def decontaminate(
    engagement: Annotated[
        str | None, typer.Argument(help="Name of an engagement, or the path of a YAML file; none with --explain.")
    ] = None,
    new: New = False,
    explain: Annotated[
        str | None, typer.Option(metavar="TASK", help="Instead: what a stored task was compared with and overlaps.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Up to the tasks that overlap nothing, with totals by rule; or, of one task, every overlap with both texts.

    Example: worldloom decontaminate laptop

    Example: worldloom decontaminate --explain sales.deal_stage-0c
    """
    from pipeline.bad_input import BadInput
    from pipeline.explanation import explained, explanation_text
    from pipeline.layout import terminal_width
    from pipeline.overlap_totals import overlap_totals, overlap_totals_text
    from pipeline.results import result_text
    from pipeline.status import status_of
    from pipeline.store import Store, store_root

    with _outcome():
        if (engagement is None) == (explain is None) or (explain is not None and new):
            raise BadInput("decontaminate takes either an engagement or --explain with the id of a stored task")
        if explain is not None:
            found = explained(Store(store_root()), explain)
            if as_json:
                print(json.dumps(found.to_json(), indent=1, ensure_ascii=False), flush=True)
            else:
                print(explanation_text(found, terminal_width()), flush=True)
        elif engagement is not None:
            store, generation = _made(engagement, "clean_tasks", new)
            totals = overlap_totals(generation)
            if as_json:
                status = status_of(store, generation).to_json()
                print(json.dumps({**status, "decontamination": totals.to_json()}, indent=1))
            else:
                print(result_text(store, generation), overlap_totals_text(totals), sep="\n\n")


@app.command()
def calibrate(
    engagement: EngagementArgument,
    new: New = False,
    as_json: Json = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Only look on while another process does it; with --json, look once.")
    ] = False,
) -> None:
    """Up to the tasks with the target model's pass rates, with what that took and why it ended.

    Example: worldloom calibrate laptop

    Example: worldloom calibrate laptop --watch
    """
    from pipeline.calibration_totals import calibration_totals, calibration_totals_text
    from pipeline.results import result_text
    from pipeline.status import status_of

    if watch:
        _look_on(engagement, new, as_json)
        return
    with _outcome():
        store, generation = _made(engagement, "calibrated_tasks", new)
        totals = calibration_totals(generation)
        if as_json:
            status = status_of(store, generation).to_json()
            print(json.dumps({**status, "calibration": totals.to_json()}, indent=1))
        else:
            print(result_text(store, generation), calibration_totals_text(totals), sep="\n\n")


@app.command()
def select(engagement: EngagementArgument, new: New = False, as_json: Json = False) -> None:
    """Up to the training set.

    Example: worldloom select laptop
    """
    _make(engagement, "training_set", new, as_json)


@app.command()
def train(engagement: EngagementArgument, new: New = False, as_json: Json = False) -> None:
    """Up to the adapter.

    Example: worldloom train laptop
    """
    _make(engagement, "lora_adapter", new, as_json)


@app.command()
def evaluate(engagement: EngagementArgument, new: New = False, as_json: Json = False) -> None:
    """Up to the report on base and adapter.

    Example: worldloom evaluate laptop
    """
    _make(engagement, "evaluation_report", new, as_json)


@app.command()
def status(engagement: EngagementArgument, as_json: Json = False) -> None:
    """What of the newest generation is done, and what came out.

    Example: worldloom status laptop --json
    """
    from pipeline.bad_input import BadInput
    from pipeline.engagement import load_engagement
    from pipeline.status import status_of, status_table
    from pipeline.store import Store, store_root

    with _outcome():
        name = load_engagement(engagement).name
        store = Store(store_root())
        generation = store.newest(name)
        if generation is None:
            raise BadInput(f"{name} has no generation in {store.root}; start one with: worldloom run {engagement}")
        found = status_of(store, generation)
        print(json.dumps(found.to_json(), indent=1) if as_json else status_table(found))


@app.command()
def rates(engagement: EngagementArgument, as_json: Json = False) -> None:
    """Pass rates of every policy that was calibrated on the newest generation's tasks, side by side, never pooled.

    Example: worldloom rates laptop
    """
    from pipeline.bad_input import BadInput
    from pipeline.engagement import load_engagement
    from pipeline.rates import rates, rates_table
    from pipeline.store import Store, store_root

    with _outcome():
        name, store = load_engagement(engagement).name, Store(store_root())
        generation = store.newest(name)
        if generation is None:
            raise BadInput(f"{name} has no generation in {store.root}; start one with: worldloom run {engagement}")
        found = rates(store, generation)
        print(json.dumps(found.to_json(), indent=1) if as_json else rates_table(found))


@app.command()
def serve(
    engagement: EngagementArgument,
    only_print: Annotated[bool, typer.Option("--print", help="Print the checked command and start nothing.")] = False,
) -> None:
    """The target's own server, kept up until Ctrl-C, so that no stage has to start it.

    Example: worldloom serve my-engagement.yaml --print
    """
    from pipeline.engagement import load_engagement
    from pipeline.serving import keep_serving, target_command
    from pipeline.store import Store, store_root
    from pipeline.terminal import Terminal

    with _outcome():
        store, found = Store(store_root()), load_engagement(engagement)
        if only_print:
            print(target_command(store, found)[0])
        else:
            keep_serving(store, found, Terminal().say)


@app.command()
def show(
    task: TaskArgument,
    seed: Seed = None,
    index: Index = None,
    profile: ProfileOption = None,
    knob: KnobOption = None,
    brief: Annotated[bool, typer.Option("--brief", help="Cut long texts, long tables and answers.")] = False,
    proven: Annotated[bool, typer.Option("--prove", help="Prove a generated task, to see the proof's counts.")] = False,
    as_json: Json = False,
) -> None:
    """A task as an auditor reads it: prompt, world, contract, traps and what they leave, reference with answers, proof.

    Example: worldloom show sales.deal_stage-0c --brief

    Example: worldloom show deal_stage --seed 7 --profile top --knob entities=2
    """
    from pipeline.layout import terminal_width
    from pipeline.store import Store, store_root
    from pipeline.task_source import Wish, choose_task, prove_task
    from pipeline.task_text import task_text

    with _outcome():
        found = choose_task(Store(store_root()), task, Wish(seed, index, profile, tuple(knob or ())))
        if proven and found.proof is None:
            found = prove_task(found)
        if as_json:
            print(json.dumps(found.to_json(), indent=1, ensure_ascii=False), flush=True)
        else:
            print(task_text(found, terminal_width(), brief), flush=True)


@app.command()
def play(
    task: TaskArgument,
    seed: Seed = None,
    index: Index = None,
    profile: ProfileOption = None,
    knob: KnobOption = None,
    reference: Annotated[
        bool, typer.Option("--reference", help="After finishing, show how the reference does it.")
    ] = False,
    transcript: Annotated[Path | None, typer.Option(help="Keep the session in this file, for verify.")] = None,
    as_json: Json = False,
) -> None:
    """Work on a task yourself: lines typed, or a script on standard input. Exit code 0 for a strict pass, 1 otherwise.

    Example: worldloom play callback_number --transcript mine.jsonl

    Example: worldloom play sales.deal_stage-0c --json < commands.txt
    """
    from pipeline.layout import terminal_width
    from pipeline.play import play as play_task
    from pipeline.play import reference_text, typed_lines
    from pipeline.store import Store, store_root
    from pipeline.task_source import Wish, choose_task
    from pipeline.transcripts import Recorder
    from pipeline.verdict_text import verdict_text

    def say(text: str) -> None:
        print(text, file=sys.stderr if as_json else sys.stdout, flush=True)

    with _outcome():
        wish, width = Wish(seed, index, profile, tuple(knob or ())), terminal_width()
        found = choose_task(Store(store_root()), task, wish)
        source, by_hand = _standard_input()
        with Recorder(transcript, found) as recorder:
            played = play_task(found, typed_lines(found, source, say, by_hand), say, recorder, width)
        if played.verdict is None:
            say(f"left without a verdict ({played.end})")
        else:
            say(verdict_text(found, played.verdict, width))
            if reference:
                say(reference_text(found, width))
        if transcript:
            again = " ".join(part for part in (task, shlex.quote(str(transcript)), wish.options()) if part)
            say(f"kept; to judge it again: worldloom verify {again}")
        if as_json:
            print(json.dumps(played.to_json(), indent=1, ensure_ascii=False), flush=True)
        if not played.strict:
            raise typer.Exit(INTERRUPTED if played.end == "interrupted" else FELL_SHORT)


@app.command()
def verify(
    task: TaskArgument,
    transcript: Annotated[Path, typer.Argument(help="File with chat messages, a transcript of play, or an attempt.")],
    seed: Seed = None,
    index: Index = None,
    profile: ProfileOption = None,
    knob: KnobOption = None,
    toolset: Annotated[
        Literal["actions", "api", "both"] | None,
        typer.Option(help="Tools that the calls were made with: as the transcript says, else the task's own."),
    ] = None,
    as_json: Json = False,
) -> None:
    """The verdict on a transcript, whose tool calls are made again in a fresh world; exit code 0 for a strict pass.

    Example: worldloom verify sales.deal_stage-0c transcript.json
    """
    from pipeline.layout import terminal_width
    from pipeline.store import Store, store_root
    from pipeline.task_source import Wish, choose_task
    from pipeline.transcripts import judge_transcript, replay_sentence
    from pipeline.verdict_text import verdict_text

    with _outcome():
        found = choose_task(Store(store_root()), task, Wish(seed, index, profile, tuple(knob or ())))
        judged = judge_transcript(found, transcript, toolset)
        if as_json:
            print(json.dumps(judged.to_json(), indent=1, ensure_ascii=False), flush=True)
        else:
            print(
                verdict_text(found, judged.explanation, terminal_width()), replay_sentence(judged), sep="\n", flush=True
            )
        if not judged.explanation.strict:
            raise typer.Exit(FELL_SHORT)


@app.command()
def compare(
    base: Annotated[Path, typer.Argument(help="Result file of the base, or a folder of them.")],
    adapter: Annotated[Path, typer.Argument(help="Result file of the adapter, or a folder of them.")],
    common: Annotated[bool, typer.Option("--common", help="Compare only what both sides have scored.")] = False,
    allow: Annotated[
        list[str] | None, typer.Option(help="Setting in which the sides may differ, such as toolset; repeatable.")
    ] = None,
    monitored: Annotated[
        Path | None, typer.Option(help="Text file: tasks that decisions were taken on, a name a line.")
    ] = None,
    flags: Annotated[Path | None, typer.Option(help="CSV with the columns task and set: tasks in doubt.")] = None,
    published: Annotated[Path | None, typer.Option(help="YAML list of published scores to show beside.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for report.html and report.json.")] = Path("comparison"),
    as_json: Json = False,
) -> None:
    """Two policies from AutomationBench's own result files, with the uncertainty of the gain; writes a report.

    Example: worldloom compare base.json adapter.json --flags doubted.csv
    """
    from pipeline.comparing import compare_results, write_report
    from pipeline.results import comparison_table

    with _outcome():
        inputs = compare_results(
            base, adapter, out, common=common, allow=allow or (), monitored=monitored, flags=flags, published=published
        )
        page = write_report(inputs, out)
        found = inputs.comparison
        print(json.dumps(found.to_json(), indent=1) if as_json else f"{comparison_table(found)}\n\nreport: {page}")


@app.command()
def capability(
    base: Annotated[Path, typer.Argument(help="Folder with NeMo Evaluator's results of the base.")],
    adapter: Annotated[Path, typer.Argument(help="Folder with those of the adapter.")],
    score: Annotated[
        list[str] | None, typer.Option(help="TASK=SCORE for a benchmark that has several scores; repeatable.")
    ] = None,
    common: Annotated[bool, typer.Option("--common", help="Compare only what both sides have.")] = False,
    allow: Annotated[
        list[str] | None, typer.Option(help="Setting in which the sides may differ, such as temperature; repeatable.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for report.html and report.json.")] = Path("capability"),
    as_json: Json = False,
) -> None:
    """Whether the adapter still answers capability benchmarks as well as its base, from NeMo Evaluator's results.

    Example: worldloom capability results/base results/adapter --score mmlu=score/micro
    """
    from pipeline.capability import compare_results, write_report
    from pipeline.results import capability_table

    with _outcome():
        found = compare_results(base, adapter, scores=score or (), common=common, allow=allow or ())
        page = write_report(found, base, adapter, out)
        print(json.dumps(found.to_json(), indent=1) if as_json else f"{capability_table(found)}\n\nreport: {page}")


@app.command()
def audit(
    thing: Annotated[str, typer.Argument(help="Id of a task, or a generation's adapter or report: laptop.g1/adapter.")],
    as_json: Json = False,
) -> None:
    """Where a task, an adapter or a report came from, every file on the way hashed again.

    Example: worldloom audit laptop.g1/report
    """
    from pipeline.audit import audit_text, audited
    from pipeline.store import Store, store_root

    with _outcome():
        found = audited(Store(store_root()), thing)
        print(json.dumps(found.to_json(), indent=1, ensure_ascii=False) if as_json else audit_text(found))
        if not found.sound:
            raise _ended(FELL_SHORT, f"{len(found.damage)} files are missing or altered: {'; '.join(found.damage)}")


@benchmark_app.command("import")
def import_benchmark(
    source: Annotated[
        str, typer.Argument(help="JSONL or Parquet file, folder of Harbor tasks, or automationbench with --python.")
    ],
    kind: Annotated[
        Literal["automationbench", "harbor", "jsonl", "parquet"] | None,
        typer.Option("--as", help="What it is, where that is not recognised."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="What to call it: lower-case letters, digits, _ and -; after the source unless given."),
    ] = None,
    python: Annotated[
        Path | None, typer.Option(help="Interpreter that has the AutomationBench package; it needs Python 3.13.")
    ] = None,
    text_column: Annotated[
        str | None, typer.Option(help="Of a plain table: the column with the text; text unless given.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option(help="Of a plain table: the column that names a task; rows are numbered unless given.")
    ] = None,
    domain_column: Annotated[
        str | None, typer.Option(help="Of a plain table: the column with a task's domain.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of an import of that name.")] = False,
    as_json: Json = False,
) -> None:
    """Keeps the tasks of a benchmark in the store; an engagement that names no benchmark is held against all of them.

    Example: worldloom benchmark import automationbench --python ~/bench/.venv/bin/python

    Example: worldloom benchmark import qa.parquet --text-column question --name customer-qa
    """
    from decontam.readers.plain import Columns
    from decontam.readers.sources import Request, read_requested
    from pipeline.import_text import import_text
    from pipeline.store import Store, store_root

    with _outcome():
        chosen = {"text": text_column, "id": id_column, "domain": domain_column}
        columns = {column: value for column, value in chosen.items() if value is not None}
        request = Request(source, kind, name, python, Columns(**columns) if columns else None)
        benchmark = read_requested(request)
        imports = Store(store_root()).imports
        outcome = imports.keep(benchmark, replace=replace)
        found = imports.find(benchmark.sources[0].name)
        _warn(found.shortfall)
        print(json.dumps({"outcome": outcome, **found.to_json()}, indent=1) if as_json else import_text(found, outcome))


@benchmark_app.command("list")
def list_benchmarks(as_json: Json = False) -> None:
    """The imports of the store: where each came from, in which version, and what is missing of it.

    Example: worldloom benchmark list
    """
    from pipeline.import_text import imports_table
    from pipeline.store import Store, store_root

    with _outcome():
        store = Store(store_root())
        imports = store.imports
        found = [imports.find(name) for name in imports.names()]
        for one in found:
            _warn(one.shortfall)
        print(json.dumps([one.to_json() for one in found], indent=1) if as_json else imports_table(found, store.root))


@app.command()
def ui(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 3000,
) -> None:
    """The Dagster UI on this store.

    Example: worldloom ui --port 3000
    """
    from pipeline.engagement import shipped_engagements
    from pipeline.home import HOME_VARIABLE, dagster_home, open_instance
    from pipeline.store import STORE_VARIABLE, Store, store_root

    with _outcome():
        store = Store(store_root())
        following = [f"{name}.g{max(store.numbers(name), default=0) + 1}" for name in shipped_engagements()]
        open_instance(store, *following).dispose()
        os.environ |= {STORE_VARIABLE: str(store.root), HOME_VARIABLE: str(dagster_home(store.root))}
        program = [sys.executable, "-m", "dagster", "dev", "-m", "pipeline.definitions"]
        os.execv(sys.executable, [*program, "-h", host, "-p", str(port)])


@app.command()
def doctor(
    engagement: Annotated[str, typer.Argument(help="Name of an engagement, or the path of a YAML file.")] = "laptop",
    as_json: Json = False,
) -> None:
    """Whether this machine can run an engagement, and what is missing.

    Example: worldloom doctor qwen3.8-27b
    """
    from pipeline.doctor import examination_text, examine

    with _outcome():
        found = examine(engagement)
        print(json.dumps([one.to_json() for one in found], indent=1) if as_json else examination_text(found))
        if not all(one.passed for one in found):
            raise typer.Exit(FELL_SHORT)


def _standard_input() -> tuple[TextIO, bool]:
    """Where lines come from, and whether a person types them; bytes that are no text become question marks."""
    if sys.stdin is None:
        return io.StringIO(), False
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin, sys.stdin.isatty() and sys.stdout.isatty()


def _make(name_or_path: str, until: str, new: bool, as_json: bool) -> None:
    from pipeline.results import result_text
    from pipeline.status import status_of

    with _outcome():
        store, generation = _made(name_or_path, until, new)
        found = status_of(store, generation)
        print(json.dumps(found.to_json(), indent=1) if as_json else result_text(store, generation))


def _made(name_or_path: str, until: str, new: bool) -> tuple[Store, StoredGeneration]:
    """The generation, made up to a stage."""
    from pipeline.engagement import load_engagement
    from pipeline.home import log_to_file
    from pipeline.readiness import refuse_unready
    from pipeline.store import Store, store_root
    from pipeline.terminal import Terminal, say_warnings

    engagement = load_engagement(name_or_path)
    terminal = Terminal()
    say_warnings(terminal)
    store = Store(store_root(), terminal)
    from pipeline.running import choose_generation, run_stages  # loads the definitions, which need a usable store

    refuse_unready(store, engagement, until)
    generation = choose_generation(store, engagement, new=new)
    log = log_to_file(store.root)
    if generation.is_finished(until):
        terminal.say(f"{generation.key} is finished up to {until}; --new starts the next generation")
    else:
        terminal.say(f"{generation.key} in {generation.root} (log: {log})")
        for finding in run_stages(store, generation, until):
            terminal.say(f"{finding.asset}: the check {finding.check} did not pass. It demands: {finding.demand}")
    return store, generation


def _warn(sentence: str | None) -> None:
    if sentence:
        print(f"worldloom: WARNING: {sentence}", file=sys.stderr)


def _look_on(name_or_path: str, new: bool, as_json: bool) -> None:
    from pipeline.bad_input import BadInput
    from pipeline.engagement import load_engagement
    from pipeline.store import Store, store_root
    from pipeline.watching import CalibrationWatch, watch

    with _outcome():
        if new:
            raise BadInput("--watch starts nothing, so it can't be given with --new; leave one of them out")
        name, store = load_engagement(name_or_path).name, Store(store_root())
        generation = store.newest(name)
        if generation is None:
            raise BadInput(f"{name} has no generation in {store.root}; start one with: worldloom run {name_or_path}")
        if as_json:
            found = CalibrationWatch(generation).look()
            print(json.dumps(found.to_json() if found else None, indent=1))
        elif not watch(store, generation):
            raise typer.Exit(FELL_SHORT)


if __name__ == "__main__":
    main()
