# SPDX-License-Identifier: Apache-2.0
"""Ratios of step times with intervals of 95 %, and how they stand to a target."""

import statistics

# Student's t, two-sided 95 %, by degrees of freedom (Gosset 1908; any table).
STUDENT_T = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201,
             15: 2.131, 20: 2.086, 30: 2.042}


def student_t(freedom):
    """Returns the value for the nearest tabled number that is not greater: wider rather than narrower."""
    return STUDENT_T[max(tabled for tabled in STUDENT_T if tabled <= freedom)]


def mean_of_sets(ratios):
    """{ratio, low, high}: the mean of independent sets' ratios."""
    if len(ratios) < 2:
        raise ValueError("one set has no interval")
    mean = statistics.fmean(ratios)
    half = student_t(len(ratios) - 1) * statistics.stdev(ratios) / len(ratios) ** 0.5
    return {"ratio": mean, "low": mean - half, "high": mean + half}


def verdict(found, target):
    """held and missed only where the whole interval lies on one side."""
    if found["high"] <= target:
        return "held"
    return "missed" if found["low"] > target else "not shown"


def window_ratio(stretches):
    
    """Returns the ratio of on to off for [[on, time], ...] in which they alternate: median of on / mean of the neighbours,
    95 % by order statistics (a binomial's normal approximation, rounded outwards)."""
    triples = zip(stretches, stretches[1:], stretches[2:])
    ratios = sorted(2 * on[1] / (before[1] + after[1]) for before, on, after in triples if on[0])
    if len(ratios) < 6:
        raise ValueError(f"{len(ratios)} recorded stretches are too few")
    outside = max(0, int(len(ratios) / 2 - 1.96 * len(ratios) ** 0.5 / 2) - 1)
    return {"ratio": statistics.median(ratios), "low": ratios[outside], "high": ratios[-1 - outside],
            "windows": len(ratios), "plain_ms": statistics.median(time for on, time in stretches if not on)}
