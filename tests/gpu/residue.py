#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What stays on a step when a profiler is there and records nothing: a process in which it is brought in late, against one
beside it that never sees it. What two processes differ by from the start cancels.

    residue.py --stepscope BIN [--sets N] [--rounds N] [--steps N] [--cores 2-7] "PROGRAM.py ARGUMENTS" ...

A pair is such a process and its neighbour, which make stretches in turn; of each stage the median ratio of the two, over
that of the stage before anything was brought in. `cupti`: CUPTI by itself, stage by stage; `ours`: the injected library,
with cudaProfilerStart and Stop as its plan. The mean over pairs and its 95 % interval by Student's t. Passes where what
`ours` leaves while it is off is not surely above 3 %, the most by which a corrected step may be wrong.
"""

import os
import sys

import intervals
import support
import turns

STAGES = {"cupti": ("again", "subscribe", "kinds_on", "kinds_off", "unsubscribe", "finalize"),
          "ours": ("again", "load", "listen_start", "listen_stop")}
NOTHING = "again"  # the same once more: the method's own spread
MOST = 1.03


def library_beside(stepscope):
    return os.path.join(os.path.dirname(stepscope), "libstepscope_inject.so")


def environment_of(kind, folder, options):
    if kind != "ours":
        return {}
    os.makedirs(folder, exist_ok=True)
    return {"STEPSCOPE_LIBRARY": options.library or library_beside(options.stepscope), "STEPSCOPE_OUTPUT": folder,
            "STEPSCOPE_LEVEL": options.level, "STEPSCOPE_CAPTURE_RANGE": "cudaProfilerApi"}


def pair_of(number, kind, words, options):
    environment = environment_of(kind, os.path.join(options.out, f"{kind}_{number}.scope"), options)
    return {name: turns.Turn(f"{kind}_{number}_{name}", words, options, environment=environment if name == kind else {})
            for name in ("plain", kind)}


def effects_of(pair, kind, options):
    """{stage: its ratio over the first's}"""
    first = turns.ratio(turns.rounds(pair, options), kind, "plain")
    found = {}
    for stage in STAGES[kind]:
        if stage != NOTHING:
            pair[kind].ask(stage)
        found[stage] = turns.ratio(turns.rounds(pair, options), kind, "plain") / first
    return found


def measured(kind, words, options):
    pairs = turns.measured_sets(lambda number: pair_of(number, kind, words, options),
                                lambda pair: effects_of(pair, kind, options), options)
    return {stage: intervals.mean_of_sets([pair[stage] for pair in pairs]) for stage in STAGES[kind]}


def judged(words, options):
    print(f"  {' '.join(words)}", flush=True)
    row = {}
    for kind in options.kinds.split(","):
        row[kind] = measured(kind, words, options)
        for stage, found in row[kind].items():
            print(f"    {kind:6} {stage:13} {found['ratio']:.4f} ({found['low']:.4f}-{found['high']:.4f})", flush=True)
    left = row.get("ours", {}).get("listen_stop")
    row["verdict"] = intervals.verdict(left, MOST) if left else "not measured"
    return row


def test(options):
    rows = turns.each_program(options, lambda words: judged(words, options))
    return {"passed": all(row["verdict"] != "missed" for row in rows), "programs": rows, "cores": options.cores,
            "headline": "; ".join(f"off after on: at most {MOST}: {row['verdict']}" for row in rows)}


def main():
    parser = turns.parser(__doc__, sets=8)
    parser.add_argument("--kinds", default="cupti,ours")
    parser.add_argument("--level", default="standard")
    parser.add_argument("--library", help="the injected library; default: beside the binary")
    sys.exit(support.conclude("residue", parser.parse_args(), test))


if __name__ == "__main__":
    main()
