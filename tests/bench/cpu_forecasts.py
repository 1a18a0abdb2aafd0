#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of single repairs on a CPU against what the repairs give: cpu_repairs.py, each of its costs.

usage: cpu_forecasts.py STEPSCOPE [--python PYTHON] [--turns 9] [--steps 60] [--cost NAME ...] [--out FOLDER]

The loop with its cost is recorded by `stepscope profile` and its repair forecast by `stepscope whatif`. Then both loops run
without it, in turns in one process, 20 steps each. What the repair gives is the median over the turns of repaired / slow:
of CPU time where the loop never waits, since other work on the machine does not count there, else of wall time. Forecasts
are shares of the recorded step; milliseconds are those shares of the slow loop's. The fixes were written down before any
forecast had been seen. PYTHON needs torch. Prints a Markdown table and a summary; nothing is left out.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).with_name("cpu_repairs.py")
FIXES = {  # {line}: of the cost
    "input": "prefetch_input@phase=data",
    "eval": "less_often@phase=eval:every=10",
    "save": "less_often@phase=save:every=20",
    "python": "drop_work@phase=log",
    "mask": "hoist_invariant@{line}",
    "gc": "drop_work@cause=host.gc",
    "twice": "drop_work@{line}",
    "copies": "drop_work@{line}",
    "rows": "drop_work@{line}",
    "io": "drop_work@{line}",
    "pause": "drop_work@{line}",
    "extra": "drop_work@{line}",
    "sort": "drop_work@{line}",
    "ema": "less_often@phase=ema:every=10",
    "norms": "less_often@phase=norms:every=10",
}
WAITS = ("input", "save", "io", "pause")  # their loops sleep, or wait for a disk or a thread


def line_of(cost):
    for number, text in enumerate(PROGRAM.read_text().splitlines(), 1):
        if text.endswith(f"# cost: {cost}"):
            return f"{PROGRAM.name}:{number}"
    raise LookupError(f"no line of {PROGRAM.name} costs {cost}")


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def judge(options, folder, cost):
    name = folder / cost
    shutil.rmtree(f"{name}.scope", ignore_errors=True)
    program = [options.python, PROGRAM, cost, "--steps", options.steps]
    run([options.stepscope, "profile", "-o", name, "--", *program])
    fix = FIXES[cost].format(line=line_of(cost))
    answer = json.loads(run([options.stepscope, "whatif", f"{name}.scope", "--format", "json", "--fix", fix]))
    times = json.loads(run([*program[:-1], 20, "--turns", options.turns]).splitlines()[-1])
    clock = 0 if cost in WAITS else 1
    slow = [row[clock] for row in times["slow_ms"]]
    ratios = [row[clock] / a for row, a in zip(times["repaired_ms"], slow)]
    before = statistics.median(slow)
    truth = before * statistics.median(ratios)
    scale = before / (answer["ns_per_step"] / 1e6)
    forecast, low, high = (answer["fixes"][0][key] / 1e6 * scale for key in ("ns_per_step", "low", "high"))
    return {"cost": cost, "fix": fix, "before": before, "truth": truth, "forecast": forecast, "low": low, "high": high,
            "error": abs(forecast / truth - 1), "held": low <= truth <= high, "replay_error": answer["replay_error"],
            "spread": statistics.stdev(ratios) / statistics.median(ratios), "clock": ("wall", "CPU")[clock],
            "load": os.getloadavg()[0], "recorded": answer["ns_per_step"] / 1e6, "times": times}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--cost", action="append", choices=tuple(FIXES))
    parser.add_argument("--out", type=pathlib.Path, help="where recordings and answers stay; default: nowhere")
    options = parser.parse_args()
    print("| cost | fix | clock | slow, ms | forecast (90 %) | repaired | error | held | turns vary by | load |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        for cost in options.cost or FIXES:
            row = judge(options, folder, cost)
            rows.append(row)
            print(f"| {cost} | `{row['fix']}` | {row['clock']} | {row['before']:.2f} | {row['forecast']:.2f} ({row['low']:.2f}-{row['high']:.2f}) | "
                  f"{row['truth']:.2f} | {100 * row['error']:.1f} % | {'yes' if row['held'] else 'no'} | "
                  f"{100 * row['spread']:.0f} % | {row['load']:.1f} |", flush=True)
        (folder / "cpu_forecasts.json").write_text(json.dumps(rows, indent=1))
    errors = sorted(row["error"] for row in rows)
    print(f"\n{len(rows)} forecasts: error median {100 * statistics.median(errors):.1f} %, largest {100 * errors[-1]:.1f} %; "
          f"interval held {sum(row['held'] for row in rows)} of {len(rows)}")


if __name__ == "__main__":
    main()
