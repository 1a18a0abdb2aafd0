#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a report advises for a loop behind a DataLoader, executed: 12 programs of loader_epochs.py.

usage: loader_advice.py STEPSCOPE [--python PYTHON] [--turns 3] [--out FOLDER] [--again]

0, 1, 2 and 4 workers, whose batches are cheap (rows of a tensor), computed for 8 ms, or slept for 16 ms, over epochs that start
the workers anew. Each program is recorded by `stepscope profile`. Where the report has `input_starvation`, its advice is executed:
so many workers, kept from epoch to epoch. Where it has not, twice as many workers are (1 in place of none), and their forecast is
`whatif`'s. Program and repair then run in turns without a profiler; the truth is the median of the turns' ratios, of all
iterations but the first. A sign is right if forecast and truth both gain, both lose, or both change by less than 5 %.
--again forecasts the recordings in --out anew; their truth stays. Nothing is left out. Exit 1: a sign is wrong, or the median
error is above 10 %.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).with_name("loader_epochs.py")
SAMPLES = {"cheap": ["index", 0], "computed": ["spin", 8], "slept": ["sleep", 16]}
NOTHING, MEDIAN = 0.05, 0.10  # shares of the step
HEAD = ("| workers | batches | ms | advice | executed | forecast (90 %) | repaired | error | sign | held | turns vary by |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|")


def programs():
    for workers in (0, 1, 2, 4):
        for kind, sample in SAMPLES.items():
            yield f"{kind}{workers}", {"workers": workers, "sample": sample, "loop": 2, "epochs": 4, "batches": 40}


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def milliseconds(options, program):
    return json.loads(run([options.python, PROGRAM, json.dumps(program)]).splitlines()[-1])["ms"]


def forecast(options, scope, program):
    """(what the report says, the program with its repair, the forecast and its interval as shares of the step)"""
    report = json.loads(run([options.stepscope, "report", scope, "--format", "json"]))
    step = report["partition"]["wall_ns_total"] / report["partition"]["steps_counted"]
    found = next((one for one in report["findings"] if one["id"] == "input_starvation"), None)
    named = re.search(r"num_workers=(\d+)", found["code_hint"]) if found else None
    if named and found.get("forecast"):
        said, workers, guess = found["code_hint"], int(named[1]), found["forecast"]
    else:
        said, workers = "nothing fires" if not found else found["fix"], max(1, 2 * program["workers"])
        answer = json.loads(run([options.stepscope, "whatif", scope, "--format", "json", "--fix", f"prefetch_input:workers={workers}"]))
        step, guess = answer["ns_per_step"], answer["fixes"][0]
    kept = "persistent_workers=True" in said or not named
    return said, {**program, "workers": workers, "kept": kept}, [guess[key] / step for key in ("ns_per_step", "low", "high")]


def is_sign_right(guess, truth):
    return (guess < 1) == (truth < 1) or (abs(guess - 1) < NOTHING and abs(truth - 1) < NOTHING)


def judge(options, folder, name, program, known):
    scope = folder / f"{name}.scope"
    if known is None:
        shutil.rmtree(scope, ignore_errors=True)
        run([options.stepscope, "profile", "-o", folder / name, "--", options.python, PROGRAM, json.dumps(program)])
    said, repaired, (guess, low, high) = forecast(options, scope, program)
    if known is None or known["repaired"] != repaired:
        pairs = [(milliseconds(options, program), milliseconds(options, repaired)) for _ in range(options.turns)]
    else:
        pairs = known["pairs"]
    ratios = [after / before for before, after in pairs]
    truth, before = statistics.median(ratios), statistics.median(pair[0] for pair in pairs)
    return {"name": name, "program": program, "repaired": repaired, "said": said, "pairs": pairs, "before": before, "truth": truth,
            "guess": guess, "low": low, "high": high, "error": abs(guess / truth - 1), "sign": is_sign_right(guess, truth),
            "held": low <= truth <= high, "spread": statistics.stdev(ratios) / truth if len(ratios) > 1 else 0,
            "load": os.getloadavg()[0]}


def line_of(row):
    program, before = row["program"], row["before"]
    return (f"| {program['workers']} | {row['name'].rstrip('0124')} | {before:.2f} | "
            f"{'yes' if 'num_workers' in row['said'] else 'none'} | {row['repaired']['workers']} workers | "
            f"{before * row['guess']:.2f} ({before * row['low']:.2f}-{before * row['high']:.2f}) | {before * row['truth']:.2f} | "
            f"{100 * row['error']:.1f} % | {'right' if row['sign'] else 'wrong'} | {'yes' if row['held'] else 'no'} | "
            f"{100 * row['spread']:.0f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, help="where recordings and answers stay; default: nowhere")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    rows = []
    print(HEAD)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        answers = folder / "loader_advice.json"
        known = {row["name"]: row for row in json.loads(answers.read_text())} if options.again else {}
        for name, program in programs():
            rows.append(judge(options, folder, name, program, known.get(name)))
            print(line_of(rows[-1]), flush=True)
            answers.write_text(json.dumps(rows, indent=1))
    right, median = sum(row["sign"] for row in rows), statistics.median(row["error"] for row in rows)
    print(f"\nsign right in {right} of {len(rows)}; error: median {100 * median:.1f} %, largest "
          f"{100 * max(row['error'] for row in rows):.1f} %; interval held in {sum(row['held'] for row in rows)}")
    sys.exit(0 if right == len(rows) and median <= MEDIAN else 1)


if __name__ == "__main__":
    main()
