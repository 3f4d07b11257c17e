"""Deal stage: the amount after discount, worked out by hand."""

from __future__ import annotations

import pytest

from generators.families.sales.deal_stage import discounted


@pytest.mark.parametrize(
    ("price", "percent", "amount"),
    [(91_300, 8, 83_996), (71_100, 6, 66_834), (25_000, 4, 24_000), (50_000, 0, 50_000), (11_100, 22, 8_658)],
)
def test_a_discount_is_taken_off_the_price(price, percent, amount):
    assert discounted(price, percent) == amount
