"""An assignment pairs rows with columns one to one so that the sum of the chosen weights is largest."""

from __future__ import annotations

from collections.abc import Mapping


def best_assignment(weights: Mapping[tuple[int, int], float]) -> dict[int, int]:
    """Row -> column of the heaviest one-to-one pairing along the given positive weights; other pairs are impossible."""
    favourites: dict[int, tuple[float, int]] = {}
    for (row, column), weight in weights.items():
        if row not in favourites or weight > favourites[row][0]:
            favourites[row] = weight, column
    wanted = {row: column for row, (_, column) in favourites.items()}
    if len(set(wanted.values())) == len(wanted):
        return wanted
    from scipy.optimize import linear_sum_assignment  # slow to import and seldom needed

    row_list, column_list = (sorted({pair[side] for pair in weights}) for side in (0, 1))
    table = [[weights.get((row, column), 0.0) for column in column_list] for row in row_list]
    chosen = zip(*linear_sum_assignment(table, maximize=True), strict=True)
    pairs = ((row_list[row], column_list[column]) for row, column in chosen)
    return {row: column for row, column in pairs if (row, column) in weights}
