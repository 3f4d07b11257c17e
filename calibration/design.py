"""A design is the matrix of the regression: a row a task, a column for 1, each knob, each domain and each family.

It is kept in its parts, because nearly all of it is zero: the products that a fit needs then cost a hundredth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The parts of the matrix; its columns are 1, the knobs, the domains and the families, in that order."""

    knobs: np.ndarray
    """Standardised, shape (tasks, knobs)."""
    family: np.ndarray
    """Index of each task's family, shape (tasks,)."""
    family_domain: np.ndarray
    """Index of each family's domain, shape (families,)."""

    @property
    def knob_part(self) -> slice:
        return slice(1, 1 + self.knobs.shape[1])

    @property
    def domain_part(self) -> slice:
        start = 1 + self.knobs.shape[1]
        return slice(start, start + int(self.family_domain.max()) + 1)

    @property
    def family_part(self) -> slice:
        start = self.domain_part.stop
        return slice(start, start + len(self.family_domain))

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.family_part.stop

    def of(self, tasks: np.ndarray) -> Design:
        """The rows of a mask or of indices."""
        return Design(self.knobs[tasks], self.family[tasks], self.family_domain)

    def times(self, b: np.ndarray) -> np.ndarray:
        """The matrix times the coefficients, shape (tasks,)."""
        shift = b[0] + b[self.domain_part][self.family_domain] + b[self.family_part]
        return self.knobs @ b[self.knob_part] + shift[self.family]

    def summed(self, weights: np.ndarray) -> np.ndarray:
        """The transposed matrix times a weight a task, shape (width,)."""
        by_family = self._by_family(weights)
        return np.concatenate([[weights.sum()], weights @ self.knobs, self._by_domain(by_family), by_family])

    def crossed(self, weights: np.ndarray) -> np.ndarray:
        """The transposed matrix times the matrix with its rows weighted, shape (width, width)."""
        weighted = np.concatenate([weights[None], weights * self.knobs.T])  # (1 + knobs, tasks)
        columns = np.stack([self._by_family(row) for row in weighted], axis=1)  # (families, 1 + knobs)
        by_family = columns[:, 0]
        inner, domain, family = slice(0, self.knob_part.stop), self.domain_part, self.family_part
        square = np.zeros((self.width, self.width))
        square[0, inner] = weighted.sum(axis=1)
        square[self.knob_part, inner] = (weighted @ self.knobs).T
        square[domain, inner] = self._by_domain(columns)
        square[family, inner] = columns
        square[domain, domain] = np.diag(square[domain, 0])
        square[family, family] = np.diag(by_family)
        square[family, domain][np.arange(len(by_family)), self.family_domain] = by_family
        square[inner, domain.start :] = square[domain.start :, inner].T
        square[domain, family] = square[family, domain].T
        return square

    def spread(self, covariance: np.ndarray) -> np.ndarray:
        """The variance of each row's product with coefficients of this covariance, shape (tasks,)."""
        inner, domain, family = slice(0, self.knob_part.stop), self.domain_part, self.family_part
        group = covariance[:, family] + covariance[:, domain][:, self.family_domain]  # (width, families)
        own = group[family].diagonal() + group[domain][self.family_domain, np.arange(len(self.family_domain))]
        rows = np.concatenate([np.ones((len(self.knobs), 1)), self.knobs], axis=1)
        across = rows @ covariance[inner, inner] + 2 * group[inner].T[self.family]
        return np.einsum("ij,ij->i", across, rows) + own[self.family]

    def _by_family(self, weights: np.ndarray) -> np.ndarray:
        return np.bincount(self.family, weights=weights, minlength=len(self.family_domain))

    def _by_domain(self, by_family: np.ndarray) -> np.ndarray:
        total = np.zeros((int(self.family_domain.max()) + 1, *by_family.shape[1:]))
        np.add.at(total, self.family_domain, by_family)
        return total
