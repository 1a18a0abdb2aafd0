#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each profiler costs a step of a program, against processes that were never watched: all of them live at once, and
one at a time makes a few steps (programs/turn_times.py), so that what drifts is the same for all.

    overhead.py --stepscope BIN [--modes LIST] [--sets N] [--rounds N] [--steps N] [--cores 2-7] "PROGRAM.py ARGUMENTS" ...

A set is one process a mode; a round is one stretch of each of its processes, in turning order. Modes: plain; outside
(the library is loaded and told that the program is not meant); off (recorded once, then no more); CUPTI alone: subscription,
switched_off (kinds were on for a moment), bare (records thrown away); light; unsampled (standard
with --no-sampling); standard; ops (standard with --ops); nsys (cuda and nvtx). A set's ratio is the median over its rounds; printed are the mean of the sets' ratios and its 95 %
interval by Student's t, for two processes of the same mode differ, too. A target is held or missed only where the whole
interval lies on one side of it; the test fails where one is missed.
"""

import glob
import json
import os
import statistics
import sys

import intervals
import support
import turns

TARGETS = (("light", "bare", 1.03), ("standard", "bare", 1.06), ("standard", "unsampled", 1.005))
COMPARED = (("light", "bare"), ("standard", "bare"), ("standard", "unsampled"), ("standard", "nsys"))


def find_nsys():
    places = ["/usr/local/cuda*/bin/nsys", "/opt/nvidia/nsight-systems/*/bin/nsys",
              "/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys"]
    return next((path for place in places for path in sorted(glob.glob(place))), None)


# Words for `stepscope profile` and environment of our own modes.
OURS = {"off": (["--capture-range", "cudaProfilerApi"], {}), "bare": ([], {"STEPSCOPE_BARE_CUPTI": "records"}),
        "subscription": ([], {"STEPSCOPE_BARE_CUPTI": "subscription"}),
        "switched_off": ([], {"STEPSCOPE_BARE_CUPTI": "switched_off"}), "outside": (["--only", "^no such program$"], {}),
        "light": (["--level", "light"], {}), "unsampled": (["--no-sampling"], {}), "standard": ([], {}), "ops": (["--ops"], {})}
THEIRS = ("plain", "nsys")


def command_of(mode, inner, options, base):
    if mode in OURS:
        return support.profile_command(options, base + ".scope", inner, OURS[mode][0])
    if mode != "nsys":
        return inner
    nsys = options.nsys or find_nsys()
    if nsys is None:
        raise support.Skip("no nsys found; --nsys PATH names it")
    return [nsys, "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none", "--force-overwrite=true", "-o", base,
            *inner]


def set_of(number, modes, words, options):
    return {mode: turns.Turn(f"{mode}_{number}", words, options,
                             lambda inner, m=mode: command_of(m, inner, options, os.path.join(options.out, f"{m}_{number}")),
                             OURS.get(mode, ([], {}))[1])
            for mode in modes}


def times_of(made, options):
    if "off" in made:
        for what in ("listen_start", options.steps, "listen_stop"):
            made["off"].ask(what)
    return turns.rounds(made, options)


def added(times, mode):
    return turns.ratio(times, mode, "plain") - 1


def judged(sets):
    row = {"sets": sets, "ratios": {}, "targets": {}}
    for over, under in [(mode, "plain") for mode in sets[0] if mode != "plain"] + list(COMPARED):
        if over in sets[0] and under in sets[0]:
            row["ratios"][f"{over}/{under}"] = intervals.mean_of_sets([turns.ratio(times, over, under) for times in sets])
    for over, under, target in TARGETS:
        if found := row["ratios"].get(f"{over}/{under}"):
            row["targets"][f"{over}/{under} <= {target}"] = intervals.verdict(found, target)
    if {"plain", "standard", "nsys"} <= set(sets[0]):
        shares = [added(times, "standard") / added(times, "nsys") for times in sets]
        found = row["ratios"]["added by standard / nsys"] = intervals.mean_of_sets(shares)
        row["targets"]["standard adds at most half of nsys"] = intervals.verdict(found, 0.5)
    row["passed"] = "missed" not in row["targets"].values()
    return row


def show(row):
    for mode in row["sets"][0]:
        values = [statistics.median(times[mode]) for times in row["sets"]]
        print(f"    {mode:12} {statistics.fmean(values):.3f} ms a step, by process {min(values):.3f}-{max(values):.3f}")
    for name, found in row["ratios"].items():
        print(f"    {name:24} {found['ratio']:.4f} ({found['low']:.4f}-{found['high']:.4f})")
    print(f"    {json.dumps(row['targets'])}", flush=True)


def test(options):
    modes = options.modes.split(",")
    if strange := set(modes) - set(OURS) - set(THEIRS):
        raise ValueError(f"no such mode: {', '.join(sorted(strange))}")

    def judge(words):
        print(f"  {' '.join(words)}", flush=True)
        row = judged(turns.measured_sets(lambda number: set_of(number, modes, words, options),
                                         lambda made: times_of(made, options), options))
        show(row)
        return row
    rows = turns.each_program(options, judge)
    verdicts = "; ".join(f"{os.path.basename(row['program'])}: {row['targets']}" for row in rows)
    return {"passed": all(row["passed"] for row in rows), "headline": verdicts, "programs": rows, "cores": options.cores}


def main():
    parser = turns.parser(__doc__, sets=6)
    parser.add_argument("--modes", default="plain,off,bare,light,standard,ops,nsys")
    parser.add_argument("--nsys", help="path of nsys, where it is not found")
    sys.exit(support.conclude("overhead", parser.parse_args(), test))


if __name__ == "__main__":
    main()
