#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What watching costs: interleaved runs of one program, plain and under `stepscope profile`.

    host_overhead.py [--runs N] [--field NAME] [--only plain,empty,light,full] STEPSCOPE -- COMMAND...

The command prints one JSON object as a line of its output, with its step time under --field (default
window_ms_per_step). `empty` is stepscope with callbacks that do nothing: what PyTorch itself spends once a callback
exists. Printed: the median of each variant, and the median and quartiles of the ratios run by run.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

VARIANTS = {
    "plain": None,
    "empty": (["--level", "standard"], {"STEPSCOPE_EMPTY_CALLBACKS": "1"}),
    "light": (["--level", "light"], {}),
    "unsampled": (["--no-sampling"], {}),
    "full": ([], {}),
}


def step_time(output, field):
    for line in reversed(output.splitlines()):
        try:
            return float(json.loads(line)[field])
        except (ValueError, KeyError, TypeError):
            continue
    sys.exit(f"no JSON line with {field} in the command's output")


def run(stepscope, variant, command, field, folder):
    environment = dict(os.environ)
    environment.setdefault("OMP_NUM_THREADS", "1")
    words = command
    if VARIANTS[variant] is not None:
        options, settings = VARIANTS[variant]
        environment.update(settings)
        words = [stepscope, "profile", "-o", os.path.join(folder, "run"), *options, "--", *command]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    for name in os.listdir(folder):
        shutil.rmtree(os.path.join(folder, name))
    return step_time(done.stdout, field)


def spread(values):
    if len(values) < 2:
        return f"{values[0]:.3f}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.3f} (quartiles {low:.3f}-{high:.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--field", default="window_ms_per_step")
    parser.add_argument("--only", default="plain,empty,light,full")
    parser.add_argument("--folder", help="where the traces are written meanwhile")
    parser.add_argument("stepscope")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    chosen = options.only.split(",")
    times = {variant: [] for variant in chosen}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for number in range(options.runs):
            order = chosen if number % 2 == 0 else chosen[::-1]
            for variant in order:
                times[variant].append(run(options.stepscope, variant, options.command, options.field, folder))
            print(number, {v: times[v][-1] for v in chosen}, file=sys.stderr)
    for variant in chosen:
        print(f"{variant:6} {options.field} {spread(times[variant])}")
    for over, under in (("full", "unsampled"), ("full", "empty"), ("light", "empty"), ("empty", "plain"), ("full", "plain")):
        if over in times and under in times:
            print(f"{over}/{under} {spread([a / b for a, b in zip(times[over], times[under])])}")


if __name__ == "__main__":
    main()
