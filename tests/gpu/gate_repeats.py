#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stepscope gate` on real repeats: the same program raises no alarm, and what is planted is caught and named.

PAIRS pairs of runs of the same program, then five of each planted variant between five plain ones, in turns. A/A: every
disjoint gate of five against five, and all against all, must not say "regression". Planted: 3 and 5 % more products (by
time alone, counts ignored, and by their kernels) and one more host wait must be regressions that name the metric. The
reports stay in OUT/gate_repeats, so that the verdicts can be taken again without a GPU.

usage: gate_repeats.py --stepscope BIN [--out FOLDER]   (STEPSCOPE_GATE_PAIRS: how many pairs; 20)
"""

import json
import os
import sys

import support

STEPS = "60"
TIMES_ONLY = {"schema": "stepscope.policy/1", "metrics": ["step_time"]}


def record(options, folder, variant, number):
    scope = os.path.join(folder, f"{variant}{number}.scope")
    report = scope.replace(".scope", ".json")
    command = [options.python, support.program("planted_step.py"), variant.rstrip("_"), STEPS]
    done = support.run_profiled(options, scope, command, ["--level", "light"])
    if done.status != 0:
        raise RuntimeError(f"{variant} ended with {done.status}:\n{done.stderr[-2000:]}")
    made = support.run([options.stepscope, "report", scope, "--format", "json", "-o", report])
    if made.status != 0:
        raise RuntimeError(f"no report of {scope}: {made.stderr}")
    return report


def gate(options, baseline, candidate, policy=None):
    command = [options.stepscope, "gate", "--baseline", *baseline, "--candidate", *candidate, "--format", "json"]
    done = support.run(command + (["--policy", policy] if policy else []))
    if done.status not in (0, 1, 3):
        raise RuntimeError(f"gate ended with {done.status}: {done.stderr}")
    verdict = json.loads(done.stdout)
    named = [m["name"] for m in verdict["metrics"] if m["verdict"] == "regression"]
    ratio = next((m.get("ratio") for m in verdict["metrics"] if m["name"] == "step_time"), None)
    return {"verdict": verdict["verdict"], "named": named, "step_time_ratio": ratio, "why_not": verdict["why_not"]}


def run_gate_repeats(options):
    support.need_gpu()
    support.need_torch(options.python)
    folder = os.path.join(options.out, "gate_repeats")
    os.makedirs(folder, exist_ok=True)
    policy = os.path.join(folder, "times_only.json")
    with open(policy, "w", encoding="utf-8") as file:
        json.dump(TIMES_ONLY, file)
    pairs = int(os.environ.get("STEPSCOPE_GATE_PAIRS", "20"))
    sides = ([], [])
    for i in range(pairs):
        for side in ((0, 1), (1, 0))[i % 2]:
            sides[side].append(record(options, folder, "none", f"_{'ab'[side]}{i}"))
    variants = {name: [] for name in ("none", "three", "five", "sync")}
    for i in range(5):
        for name, reports in variants.items():
            reports.append(record(options, folder, name, i))
    same = [gate(options, sides[0][i : i + 5], sides[1][i : i + 5]) for i in range(0, pairs - 4, 5)]
    same.append(gate(options, *sides))
    planted = {name: gate(options, variants["none"], variants[name]) for name in ("three", "five", "sync")}
    by_time = {name: gate(options, variants["none"], variants[name], policy) for name in ("three", "five", "sync")}
    passed = (
        all(v["verdict"] != "regression" for v in same)
        and all("kernels" in planted[name]["named"] for name in ("three", "five"))
        and "host_syncs" in planted["sync"]["named"]
        and all("step_time" in by_time[name]["named"] for name in ("three", "five"))
    )
    alarms = sum(v["verdict"] == "regression" for v in same)
    return {
        "passed": passed,
        "headline": f"{alarms} alarms in {len(same)} gates of {pairs} A/A pairs; planted: "
        + ", ".join(f"{name} {v['verdict']} by {'+'.join(v['named']) or 'nothing'}" for name, v in planted.items())
        + "; by time alone: "
        + ", ".join(f"{name} {v['verdict']} ({v['step_time_ratio']})" for name, v in by_time.items()),
        "same": same,
        "planted": planted,
        "by_time": by_time,
    }


if __name__ == "__main__":
    sys.exit(support.conclude("gate_repeats", support.parser(__doc__).parse_args(), run_gate_repeats))
