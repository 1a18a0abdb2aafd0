# SPDX-License-Identifier: Apache-2.0
"""95 % intervals of ratios between two variants of a program that ran in the same rounds, by resampling the rounds."""

import random
import statistics

RESAMPLES = 4000


def interval(values):
    ordered = sorted(values)
    return [ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered)) - 1]]


def ratio(over, under, middle):
    """{ratio, low, high} of middle(over) / middle(under); the lists hold a value a round."""
    generator = random.Random(1)
    rounds, found = range(len(over)), []
    for _ in range(RESAMPLES):
        chosen = generator.choices(rounds, k=len(over))
        found.append(middle([over[i] for i in chosen]) / middle([under[i] for i in chosen]))
    low, high = interval(found)
    return {"ratio": middle(over) / middle(under), "low": low, "high": high}


def ratios(over, under):
    return {"of_medians": ratio(over, under, statistics.median), "of_means": ratio(over, under, statistics.fmean)}


def verdict(found, target):
    """held and missed only where the whole interval lies on one side."""
    if found["high"] <= target:
        return "held"
    return "missed" if found["low"] > target else "not shown"


def window_ratio(stretches):
    """Of [[on, time], ...] in which off and on take turns: median of on / mean of the neighbours, 95 % by order
    statistics (a binomial's normal approximation, rounded outwards)."""
    triples = zip(stretches, stretches[1:], stretches[2:])
    ratios = sorted(2 * on[1] / (before[1] + after[1]) for before, on, after in triples if on[0])
    if len(ratios) < 6:
        raise ValueError(f"{len(ratios)} recorded stretches are too few")
    outside = max(0, int(len(ratios) / 2 - 1.96 * len(ratios) ** 0.5 / 2) - 1)
    return {"ratio": statistics.median(ratios), "low": ratios[outside], "high": ratios[-1 - outside],
            "windows": len(ratios), "plain_ms": statistics.median(time for on, time in stretches if not on)}
