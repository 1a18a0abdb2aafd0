#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the step time that a report of windows calls plain is the one that the same process had before anything was
recorded: `profile --start-after ... --window ON/OFF`, the program's own clock over steps that the report does not use for
its correction (programs/turn_times.py), and the report's corrected step.

    corrected.py --stepscope BIN [--sets N] [--window 6/6] [--recorded N] [--level L] "PROGRAM.py ARGUMENTS" ...

A set is one process. Printed are the mean over the processes of corrected / plain, of traced / plain and of plain again:
steps 2 to N of the untouched ones by the clock in two halves, the method's own spread. 95 % by Student's t. Passes where
the corrected step is not surely more than 3 % off.
"""

import os
import sys

import intervals
import support
import turns

WARM_UP = 20  # steps that turn_times leaves out
MARGIN = 220      # untouched steps behind the clock's: the report uses the last 200 of them
MOST = 0.03


def process_of(number, words, options):
    scope = os.path.join(options.out, f"corrected_{number}.scope")
    plan = ["--level", options.level, "--window", options.window,
            "--start-after", str(WARM_UP + 2 * (options.steps + 3) + MARGIN)]
    return {"windows": turns.Turn(f"corrected_{number}", words, options,
                                  lambda inner: support.profile_command(options, scope, inner, plan))}


def measured(number, made, options):
    turn = made["windows"]
    halves = [turn.steps(options.steps) for _ in range(2)]
    turn.steps(MARGIN + options.recorded)
    turn.finish(options.limit)
    report = support.report(options, os.path.join(options.out, f"corrected_{number}.scope"))
    return of_report(report, halves)


def of_report(report, halves):
    """Times in ms; the report's of the steps that it counts."""
    partition = report["partition"]
    if "corrected_step_ns" not in partition:
        raise ValueError(f"the report corrects no step: {partition.get('why_bound')}")
    plain = sum(halves) / 2
    traced = partition["wall_ns_total"] / partition["steps_counted"] / 1e6
    return {"plain_ms": plain, "corrected": partition["corrected_step_ns"] / 1e6 / plain, "traced": traced / plain,
            "again": halves[1] / halves[0], "left": report["trust"].get("overhead_left", {}).get("ratio")}


def judged(words, options):
    print(f"  {' '.join(words)}", flush=True)
    numbers = iter(range(options.sets))
    sets = turns.measured_sets(lambda number: process_of(number, words, options),
                               lambda made: measured(next(numbers), made, options), options)
    row = {"sets": sets}
    for name in ("again", "traced", "corrected"):
        row[name] = found = intervals.mean_of_sets([one[name] for one in sets])
        print(f"    {name:10} {found['ratio']:.4f} ({found['low']:.4f}-{found['high']:.4f})", flush=True)
    row["verdict"] = verdict(row["corrected"])
    return row


def verdict(found):
    """held and missed only where the whole interval says so."""
    if 1 - MOST <= found["low"] and found["high"] <= 1 + MOST:
        return "held"
    return "missed" if found["low"] > 1 + MOST or found["high"] < 1 - MOST else "not shown"


def test(options):
    rows = turns.each_program(options, lambda words: judged(words, options))
    return {"passed": all(row["verdict"] != "missed" for row in rows), "programs": rows, "cores": options.cores,
            "headline": "; ".join(f"corrected within {MOST:.0%} of plain: {row['verdict']}" for row in rows)}


def main():
    parser = turns.parser(__doc__, sets=10)
    parser.set_defaults(steps=100, rounds=1)
    parser.add_argument("--window", default="6/6")
    parser.add_argument("--recorded", type=int, default=400, help="steps from the first window on")
    parser.add_argument("--level", default="standard")
    sys.exit(support.conclude("corrected", parser.parse_args(), test))


if __name__ == "__main__":
    main()
