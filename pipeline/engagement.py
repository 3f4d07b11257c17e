"""An engagement is one customer model and what is to be delivered for it: one YAML file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from calibration.settings import CalibrationSettings, SelectionSettings
from decontam.benchmark import is_import_name
from decontam.settings import DecontaminationSettings
from environment.policies.target import Target
from environment.record import Record, content_hash
from evaluation.settings import EvaluationSettings
from generators.demonstrations import SEED as POLICY_SEED
from generators.families import FAMILIES
from generators.settings import CandidateSettings
from pipeline.bad_input import BadInput
from training.settings import TrainingSettings

SHIPPED = Path(__file__).resolve().parents[1] / "engagements"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_SHOWN = 80
"""Letters of a wrong value that a message repeats."""


class Engagement(Record):
    """Everything that decides what is delivered; secrets come from the environment and are never in here."""

    name: str
    """The file's name without its ending; first part of every partition key."""
    customer: str = Field(min_length=1)
    """Whose model it is; the engagement's own name unless given. Policies on earlier deliveries go by it."""
    seed: str = Field(min_length=1)
    reuse: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9._-]*\.g[1-9][0-9]*$")
    """Generation such as `acme.g1` whose clean tasks are taken for another target or band; None makes new ones."""
    candidates: CandidateSettings
    decontamination: DecontaminationSettings
    target: Target
    calibration: CalibrationSettings
    selection: SelectionSettings
    training: TrainingSettings
    evaluation: EvaluationSettings

    @model_validator(mode="before")
    @classmethod
    def _customer_is_known(cls, data: Any) -> Any:
        return {"customer": data["name"], **data} if isinstance(data, Mapping) and "name" in data else data

    @field_validator("seed")
    @classmethod
    def _seed_is_its_own(cls, seed: str) -> str:
        if seed == POLICY_SEED:
            raise ValueError(f"{seed!r} is the seed of the reference policy's own pretraining; choose another")
        return seed

    @model_validator(mode="after")
    def _parts_agree(self) -> Engagement:
        for domain, quota in self.selection.quotas.items():
            candidates = self.candidates.train_in(domain)
            families = sum(one.domain == domain and one.name in self.candidates.families for one in FAMILIES)
            if quota > candidates:
                raise ValueError(
                    f"selection.quotas.{domain} asks for {quota} tasks and there will be {candidates} candidates in "
                    f"that domain; lower the quota or raise candidates.train"
                )
            if quota > families * self.selection.family_cap:
                raise ValueError(
                    f"selection.quotas.{domain} asks for {quota} tasks and {families} families with "
                    f"selection.family_cap {self.selection.family_cap} give at most "
                    f"{families * self.selection.family_cap}; lower the quota or raise the cap"
                )
        if self.training.tasks_per_update > self.selection.size:
            raise ValueError(
                f"training.tasks_per_update {self.training.tasks_per_update} exceeds the {self.selection.size} tasks "
                "that selection.quotas ask for; lower it"
            )
        if self.training.monitor and not self.candidates.development:
            raise ValueError(
                "training.monitor needs development tasks; raise candidates.development or remove the monitor"
            )
        prices = self.target.endpoint.prices if self.target.kind == "chat" else None
        if self.calibration.max_cost is not None and prices is None:
            raise ValueError(
                f"calibration.max_cost is {self.calibration.max_cost} and nothing is known of prices; add "
                "target.endpoint.prices, or use calibration.max_tokens"
            )
        asked = {"harness": self.evaluation.harness, "capability": self.evaluation.capability}
        for part, settings in asked.items():
            if settings is not None and self.target.kind == "local":
                raise ValueError(
                    f"evaluation.{part} asks a model behind an endpoint and target.kind is local; use kind chat, or "
                    f"remove evaluation.{part}"
                )
        sampled = self.target.temperature if self.target.kind == "local" else self.target.endpoint.temperature
        if sampled != self.training.temperature:
            raise ValueError(
                f"calibration would sample at temperature {sampled} and training at {self.training.temperature}; "
                "make them equal, or the band is measured on another policy than learns"
            )
        return self

    @property
    def hash(self) -> str:
        """Hash of everything in it."""
        return content_hash(self.to_json())


def load_engagement(name_or_path: str) -> Engagement:
    """The engagement of that name or in that YAML file. Raises BadInput with what is wrong and the remedy."""
    path = _find(name_or_path)
    if not _NAME.fullmatch(path.stem):
        raise BadInput(
            f"{path.name}: an engagement is named by lower-case letters, digits, '.', '_' and '-'; rename it"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error}); give a readable UTF-8 YAML file") from None
    data = _parse(path, text)
    if "name" in data:
        raise BadInput(f"{path.name}: name is given by the file's name, here {path.stem}; remove the key")
    section = data.get("decontamination")
    if isinstance(section, dict) and isinstance(named := section.get("benchmarks"), list):
        section["benchmarks"] = [_benchmark(path.parent, one) for one in named]
    evaluation = data.get("evaluation")
    if isinstance(evaluation, dict):
        _resolve(evaluation, ("published",), path.parent)
        _resolve(evaluation.get("harness"), ("python", "monitored", "flags"), path.parent)
        _resolve(evaluation.get("capability"), ("python",), path.parent)
    try:
        return Engagement.model_validate({"name": path.stem, **data})
    except ValidationError as error:
        raise BadInput(f"{path.name}: {_sentence(error, data)}") from None


def _resolve(section: Any, keys: Sequence[str], folder: Path) -> None:
    """Relative paths are seen from the engagement's folder; a link, as an environment's interpreter is, stays one."""
    for key in keys:
        if isinstance(section, dict) and isinstance(section.get(key), str):
            section[key] = str(folder / Path(section[key]).expanduser())


def _benchmark(folder: Path, named: Any) -> Any:
    """A benchmark as it is named, a relative path seen from the engagement's own folder."""
    if not isinstance(named, str) or not named.strip() or is_import_name(named):
        return named
    return str((folder / Path(named).expanduser()).resolve())


def shipped_engagements() -> tuple[str, ...]:
    """Names of the engagements that come with the project."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.yaml")))


def _find(name_or_path: str) -> Path:
    path = Path(name_or_path).expanduser()
    if path.suffix in (".yaml", ".yml"):
        if not path.is_file():
            raise BadInput(f"there is no file {name_or_path}; give a YAML file, or one of {_listed()}")
        return path.resolve()
    for folder in (Path("engagements"), SHIPPED):
        if (folder / f"{name_or_path}.yaml").is_file():
            return (folder / f"{name_or_path}.yaml").resolve()
    raise BadInput(f"there is no engagement {name_or_path!r}; give one of {_listed()}, or the path of a YAML file")


def _listed() -> str:
    return ", ".join(shipped_engagements())


class _Loader(yaml.SafeLoader):
    """Refuses a key that comes twice, of which YAML would silently take the second."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="a key is no plain word", problem_mark=key.start_mark)
        if key.value in seen:
            raise yaml.MarkedYAMLError(problem=f"the key {key.value} comes twice", problem_mark=key.start_mark)
        seen.add(key.value)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        data = yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else "the file"
        raise BadInput(f"{path.name}: {line} is not valid YAML: {error.problem}; mend it") from None
    except yaml.YAMLError as error:
        raise BadInput(f"{path.name} is not valid YAML: {error}; mend it") from None
    if not isinstance(data, dict):
        given = "is empty" if data is None else f"holds a {type(data).__name__}"
        raise BadInput(f"{path.name} {given}; expected the keys {_keys(Engagement)}")
    return data


def _sentence(error: ValidationError, data: Mapping[str, Any]) -> str:
    """The first thing that is wrong: key path, given, expected, remedy."""
    first = error.errors()[0]
    place = _place(first["loc"], data)
    where = ".".join(map(str, place)) or "the file"
    given = repr(first["input"])
    given = given if len(given) <= _SHOWN else given[: _SHOWN - 3] + "..."
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    match first["type"]:
        case "extra_forbidden":
            known = _fields_at(place[:-1], data)
            close = difflib.get_close_matches(str(place[-1]), known, n=1)
            expected = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(known)}"
            return f"{where} is not a key here ({expected}); rename or remove it{more}"
        case "missing":
            return f"{where} is missing; add it{more}"
        case "value_error":
            message = str(first["ctx"]["error"])
            return f"{where}: {message}{more}" if place else f"{message}{more}"
        case "union_tag_invalid" | "union_tag_not_found":
            return f"{where}.kind must be 'local' or 'chat'; give one of them{more}"
        case _:
            return f"{where} is {given}; expected: {_plain(first['msg'])}; change it{more}"


def _place(loc: Sequence[str | int], data: Any) -> tuple[str | int, ...]:
    """The key path without pydantic's own steps, such as the tag of a union."""
    place: list[str | int] = []
    for step in loc:
        if isinstance(data, Mapping):
            if step in data:
                data = data[step]
            elif step in ("local", "chat", "[key]") and step != loc[-1]:
                continue
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        if step != "[key]":
            place.append(step)
    return tuple(place)


def _fields_at(place: Sequence[str | int], data: Mapping[str, Any]) -> list[str]:
    """Keys that are known at a key path."""
    model: Any = Engagement
    for step in place:
        found = model.model_fields[str(step)].annotation
        kinds = [kind for kind in getattr(found, "__args__", (found,)) if isinstance(kind, type)]
        models = [kind for kind in kinds if issubclass(kind, BaseModel)]
        kind_name = (data.get(str(step)) or {}).get("kind")
        model = next((one for one in models if kind_name and one.__name__.lower().startswith(kind_name)), models[0])
    return [name for name in model.model_fields if (model, name) != (Engagement, "name")]


def _keys(model: type[BaseModel]) -> str:
    return ", ".join(name for name in model.model_fields if name != "name")


def _plain(message: str) -> str:
    return message.removeprefix("Input should be ")
