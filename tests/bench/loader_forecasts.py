#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of repairs of random loops behind a DataLoader against what the repairs give: loader_repairs.py.

usage: loader_forecasts.py STEPSCOPE [--python PYTHON] [--first-seed 0] [--programs 40] [--turns 5] [--device cpu] [--out FOLDER]

A program is a loop whose batches, forward, backward, optimizer and rest sleep or spin for random times, with 0, 1, 2 or 4
workers (in turn) that make batches one, two or four ahead; its repair drops a part of the loop, makes batches cheaper,
or gives the loader other workers. The loop is recorded by `stepscope profile` and its repair forecast by `stepscope whatif`;
then both run in turns without a profiler, and the median of the turns' ratios is the truth. A forecast is a share of the
recorded step. A seed makes the same program everywhere. Prints a Markdown table and a summary by workers and by what was
repaired; nothing is left out.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).with_name("loader_repairs.py")
WORKERS = (0, 1, 2, 4)
RECORDED, TRUTH = 160, 40  # batches
HEAD = ("| seed | workers x ahead | ms a batch or step | repair | before, ms | forecast (90 %) | repaired | error | held | replay off | "
        "turns vary by | load |\n|---|---|---|---|---|---|---|---|---|---|---|---|")


def random_program(seed, device):
    """The loop's parts and the workers' share of a batch are drawn alike, so that either may hold the step."""
    draw = random.Random(seed)
    workers = WORKERS[seed % len(WORKERS)]

    def cost(most):
        return [draw.choice(("sleep", "sleep", "spin")), round(draw.uniform(0, most), 2)]

    # Workers that want a core each are no more than the machine has: a busy machine has none for the rest.
    kind = draw.choice(("sleep", "spin") if workers < 2 else ("sleep",))
    sample = [kind, round(draw.uniform(1, 14) * max(1, workers), 2)]
    parts = {"forward": cost(6), "backward": cost(6), "update": cost(4), "rest": cost(6)}
    program = {"workers": workers, "prefetch": draw.choice((1, 2, 2, 4)), "sample": sample, **parts,
               "uneven": draw.choice((0, 0, 0.5, 0.9)), "batches": RECORDED + 4 * workers, "truth_batches": TRUTH + 8 * workers,
               "device": device}
    what = draw.choice(("costly", "costly", "update", "rest", "batches", "batches", "workers", "costly and batches"))
    fixes, repair = [], {}
    if what.startswith("costly"):
        fixes.append("drop_work@phase=costly")
        repair |= {"forward": ["sleep", 0], "backward": ["sleep", 0]}
    if what in ("update", "rest"):
        fixes.append(f"drop_work@phase={what}")
        repair |= {what: ["sleep", 0]}
    if what.endswith("batches"):
        factor = draw.choice((0.1, 0.25, 0.5, 0.75))
        fixes.append(f"scale_work@cause=host.data_wait:factor={factor}:low={factor}:high={factor}")
        repair |= {"sample": [sample[0], round(factor * sample[1], 3)]}
    if what == "workers":
        more = draw.choice([n for n in (1, 2, 4, 8) if n != workers])
        fixes.append(f"prefetch_input:workers={more}")
        repair |= {"workers": more}
    return {**program, "what": what, "fixes": fixes, "repair": repair}


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def forecast(stepscope, scope, program):
    words = [word for fix in program["fixes"] for word in ("--fix", fix)]
    answer = json.loads(run([stepscope, "whatif", scope, "--format", "json", *words]))
    return answer, answer.get("together", answer["fixes"][0])


def judge(options, folder, seed):
    program = random_program(seed, options.device)
    name = folder / f"loader{seed}"
    command = [options.python, PROGRAM, json.dumps(program)]
    shutil.rmtree(f"{name}.scope", ignore_errors=True)
    run([options.stepscope, "profile", "-o", name, "--", *command])
    answer, fixed = forecast(options.stepscope, f"{name}.scope", program)
    times = json.loads(run([*command, "--turns", options.turns]).splitlines()[-1])
    ratios = [b / a for a, b in zip(times["slow_ms"], times["repaired_ms"])]
    before, truth = statistics.median(times["slow_ms"]), statistics.median(ratios)
    guess, low, high = (fixed[key] / answer["ns_per_step"] for key in ("ns_per_step", "low", "high"))
    return {"seed": seed, "program": program, "recorded": answer["ns_per_step"] / 1e6, "before": before, "truth": before * truth,
            "forecast": before * guess, "low": before * low, "high": before * high, "error": abs(guess / truth - 1),
            "held": low <= truth <= high, "replay_error": answer["replay_error"],
            "spread": statistics.stdev(ratios) / truth if len(ratios) > 1 else 0, "load": os.getloadavg()[0], "times": times}


def line_of(row):
    program = row["program"]
    costs = ", ".join(f"{part} {program[part][0]} {program[part][1]:g}" for part in ("sample", "forward", "backward", "update", "rest"))
    repair = ", ".join(f"{key} {value[1] if isinstance(value, list) else value:g}" for key, value in program["repair"].items())
    return (f"| {row['seed']} | {program['workers']} x {program['prefetch']} | {costs}; uneven {program['uneven']:g} | {repair} | "
            f"{row['before']:.2f} | {row['forecast']:.2f} ({row['low']:.2f}-{row['high']:.2f}) | {row['truth']:.2f} | "
            f"{100 * row['error']:.1f} % | {'yes' if row['held'] else 'no'} | {100 * row['replay_error']:.1f} % | "
            f"{100 * row['spread']:.0f} % | {row['load']:.1f} |")


def summary(what, rows):
    errors = sorted(row["error"] for row in rows)
    p90 = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    return (f"| {what} | {len(rows)} | {100 * statistics.median(errors):.1f} % | {100 * p90:.1f} % | {100 * errors[-1]:.1f} % | "
            f"{sum(row['held'] for row in rows)} of {len(rows)} | {100 * statistics.median(row['spread'] for row in rows):.1f} % |")


def summaries(rows):
    groups = {f"{workers} workers": [row for row in rows if row["program"]["workers"] == workers] for workers in WORKERS}
    groups |= {f"repaired: {what}": [row for row in rows if row["program"]["what"] == what]
               for what in sorted({row["program"]["what"] for row in rows})}
    groups["all"] = rows
    head = "\n| programs | forecasts | error: median | p90 | largest | interval held | turns vary by |\n|---|---|---|---|---|---|---|"
    return "\n".join([head, *(summary(what, some) for what, some in groups.items() if some)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=pathlib.Path, help="where recordings and answers stay; default: nowhere")
    parser.add_argument("--again", action="store_true", help="forecast the recordings in --out anew; their truth stays")
    options = parser.parse_args()
    print(HEAD)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        kept = folder / "loader_forecasts.json"
        rows = []
        if options.again:
            for row in json.loads(kept.read_text()):
                answer, fixed = forecast(options.stepscope, folder / f"loader{row['seed']}.scope", row["program"])
                guess, low, high = (row["before"] * fixed[key] / answer["ns_per_step"] for key in ("ns_per_step", "low", "high"))
                rows.append({**row, "forecast": guess, "low": low, "high": high, "error": abs(guess / row["truth"] - 1),
                             "held": low <= row["truth"] <= high, "replay_error": answer["replay_error"]})
                print(line_of(rows[-1]), flush=True)
        else:
            for seed in range(options.first_seed, options.first_seed + options.programs):
                rows.append(judge(options, folder, seed))
                print(line_of(rows[-1]), flush=True)
                kept.write_text(json.dumps(rows, indent=1))
    print(summaries(rows))


if __name__ == "__main__":
    main()
