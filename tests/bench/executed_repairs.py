# SPDX-License-Identifier: Apache-2.0
"""What benches of one finding share: their command line, recording a program, reading the finding's forecast, running program
and repair in turns, and a Markdown table in which nothing is left out."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HEAD = "| program | step, ms | forecast of the step (90 %) | repaired | held |\n|---|---|---|---|---|"


def parser_of(description, turns, steps):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope", nargs="?")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--turns", type=int, default=turns)
    parser.add_argument("--steps", type=int, default=steps)
    return parser


def print_table(parser, options, judge, rows):
    """judge(options, folder, *row) gives the line of a row; recordings are gone behind the last one."""
    if options.stepscope is None:
        parser.error("name the stepscope to judge")
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            print(judge(options, pathlib.Path(folder), *row), flush=True)


def output_of(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def finding_of(stepscope, scope, program, is_wanted):
    """The first finding that is_wanted, of a recording of `program`, and the step that it was found in, ns."""
    output_of([stepscope, "profile", "--overwrite", "-o", scope, "--", *program])
    report = json.loads(output_of([stepscope, "report", scope, "--format", "json"]))
    found = next((one for one in report["findings"] + report["no_gain"] if is_wanted(one)), None)
    return found, report["partition"]["wall_ns_per_step"]


def in_turns(program, repaired, turns):
    """[(ms, ms)] of processes that print their step last, one after the other."""
    last = lambda command: float(output_of(command).split()[-1])
    return [(last(program), last(repaired)) for _ in range(turns)]


def line_of(name, found, step_ns, pairs):
    before = statistics.median(pair[0] for pair in pairs)
    truth = statistics.median(after / before for before, after in pairs)
    if found is None or found.get("forecast") is None:
        return f"| {name} | {before:.2f} | no forecast | {truth:.3f} | - |"
    part, low, high = (found["forecast"][key] / step_ns for key in ("ns_per_step", "low", "high"))
    return f"| {name} | {before:.2f} | {part:.3f} ({low:.3f}-{high:.3f}) | {truth:.3f} | {'yes' if low <= truth <= high else 'no'} |"
