from __future__ import annotations

import pytest
from pydantic import ValidationError

from calibration.settings import Band, CalibrationSettings, SelectionSettings


def test_a_reversed_band_says_what_to_do() -> None:
    with pytest.raises(ValidationError, match=r"band.low 0.9 exceeds band.high 0.8; swap them or widen the band"):
        Band(low=0.9, high=0.8)


def test_a_band_of_one_point_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"both 0\.5; widen the band"):
        Band(low=0.5, high=0.5)


def test_n_min_above_n_max_is_refused() -> None:
    with pytest.raises(ValidationError, match="n_min 13 exceeds n_max 12"):
        CalibrationSettings(band=Band(low=0.2, high=0.8), max_attempts=10, max_batches=0, n_min=13)


def test_band_budget_and_batches_have_no_default() -> None:
    with pytest.raises(ValidationError) as refused:
        CalibrationSettings()  # type: ignore[call-arg]
    assert {error["loc"][0] for error in refused.value.errors()} == {"band", "max_attempts", "max_batches"}


@pytest.mark.parametrize(("quotas", "sentence"), [({"sales": -1}, "are negative"), ({"sales": 0}, "no task at all")])
def test_quotas_that_ask_for_nothing_are_refused(quotas: dict, sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        SelectionSettings(quotas=quotas, family_cap=1, cluster_cap=1, min_per_app=0)


def test_unknown_domains_are_refused() -> None:
    with pytest.raises(ValidationError):
        SelectionSettings(quotas={"legal": 3}, family_cap=1, cluster_cap=1, min_per_app=0)  # type: ignore[dict-item]
