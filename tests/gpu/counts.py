#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Device ops of any Python program, unmodified: under `stepscope profile` and, in another process, in torch.profiler.

    counts.py --stepscope BIN [--zygote] "PROGRAM.py ARGUMENTS" ...

For each program the counts of kernels, copies and sets must be the same by name over the whole run; mean times of a
name that are more than the tolerance apart are listed with their share of device time (pageable copies take as long as
the host takes to feed them, so that theirs is no verdict). Where counts differ,
torch.profiler runs once more: what differs between its own two runs is the program's, not ours. A program that is not
Python (no .py) runs under stepscope only: each launch that was recorded must have its kernel.
The counts are read from the .sst file (scope_file.py, with no code of core): no verb prints device ops of the whole run.
Foreign programs that were tried, 60 steps each on random data: transformers 5.17.0 Trainer (accelerate 1.15.0),
pytorch-lightning 2.6.6 (torchmetrics 1.9.0), timm 1.0.31 with torchvision 0.26.0, cpp/mnist of pytorch/examples.
--zygote forks runs from one process that has torch.
"""

import json
import os
import shlex
import sys

import device_ops
import endings_checks
import scope_file
import support
from runs import Forked, Separate, check, is_python


def labelled(words, number):
    name = os.path.basename(words[0]).removesuffix(".py")
    return "_".join([f"{number:02}", name, *(w for w in words[1:] if w.isalnum())])[:80]


def read_theirs(path):
    with open(path) as file:
        return device_ops.of_events(json.load(file))


def compared(ours, theirs, options):
    """The two lists of ops side by side."""
    differing = device_ops.count_differences(ours, theirs)
    slower = device_ops.duration_differences(ours, theirs, options.tolerance)
    share = sum(row["share"] for row in slower if "Pageable" not in row["name"])
    return {"ops": device_ops.totals(ours), "ops_of_torch_profiler": device_ops.totals(theirs), "names": len(theirs),
            "counts_differ": differing, "durations_differ": slower, "share_outside": round(share, 5),
            "passed": bool(ours) and not differing and share <= options.outside_share}


def steps_of(found):
    steps = found["steps"]
    return {"steps_found": steps["count"], "found_by": steps["found_by"], "dropped": found["trust"]["dropped"],
            "zero_timestamps": found["trust"]["zero_timestamps"]}


def launched(recordings):
    """Kernels beside the launches of the same trace, where there is no other profiler to ask."""
    ops = device_ops.of_recordings(recordings)
    launches = endings_checks.calls_of(recordings, endings_checks.KERNEL_LAUNCHES)
    kernels = device_ops.totals(ops)["kernel"]
    differing = [] if kernels == launches else [{"name": "all kernels", "ours": kernels, "theirs": launches}]
    return {"ops": device_ops.totals(ops), "launches": launches, "names": len(ops), "counts_differ": differing,
            "durations_differ": [], "share_outside": 0.0, "passed": kernels == launches > 0}


def judged(case, options):
    words, scope = case["words"], case["scope"]
    recordings = scope_file.read(scope)
    result = (compared(device_ops.of_recordings(recordings), read_theirs(case["out"]), options) if is_python(words)
              else launched(recordings))
    row = {"program": shlex.join(words), **result}
    try:
        row.update(steps_of(support.report(options, scope)))
    except RuntimeError as error:
        row.update(report_failed=str(error), passed=False)
    row["passed"] = row["passed"] and row.get("dropped") == 0 and row.get("zero_timestamps") == 0
    if options.steps is not None:
        row["passed"] = row["passed"] and row.get("steps_found") == options.steps
    return row


def control(row, case, options):
    """What torch.profiler counts in a second run of its own."""
    again = case["out"] + ".again"
    Separate(options).theirs(case["words"], again)
    first, second = read_theirs(case["out"]), read_theirs(again)
    row["torch_profiler_differs_from_itself"] = device_ops.count_differences(first, second)


def line(row):
    ops, share = row["ops"], row["share_outside"]
    word = "PASS" if row["passed"] else "FAIL"
    return (f"  {word} {row['program']}: {ops['kernel']} kernels, {ops['memcpy']} copies, {ops['memset']} sets, "
            f"{row['names']} names, {len(row['counts_differ'])} counts differ; {len(row['durations_differ'])} names "
            f"({share:.1%} of device time) beyond the tolerance; {row.get('steps_found')} steps")


def cases_of(options):
    cases = []
    for number, program in enumerate(options.programs):
        words = shlex.split(program)
        base = os.path.join(options.out, labelled(words, number))
        cases.append({"words": words, "scope": base + ".scope", "out": base + ".torch.json"})
    return cases


def run_case(case, runs, options):
    words = case["words"]
    if options.warm:
        done = support.run([options.python, *words])
        check(words, done.status, done.stderr)
    runs.ours(words, case["scope"])
    if is_python(words):
        runs.theirs(words, case["out"])


def run_all(cases, options):
    """Those that broke off, as rows; they leave the list."""
    runs, failed = Forked(options) if options.zygote else Separate(options), []
    for case in list(cases):
        try:
            run_case(case, runs, options)
        except RuntimeError as error:
            failed.append({"program": shlex.join(case["words"]), "passed": False, "error": str(error)})
            print(f"  FAIL {shlex.join(case['words'])}: {error}", flush=True)
            cases.remove(case)
    runs.close()
    return failed


def test(options):
    support.need_torch(options.python)
    cases = cases_of(options)
    failed, rows = run_all(cases, options), []
    for case in cases:
        rows.append(judged(case, options))
        if rows[-1]["counts_differ"] and is_python(case["words"]):
            control(rows[-1], case, options)
        print(line(rows[-1]), flush=True)
    return summed(rows + failed)


def summed(rows):
    good = sum(row["passed"] for row in rows)
    return {"passed": good == len(rows) > 0, "headline": f"{good} of {len(rows)} programs", "programs": rows}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--tolerance", type=float, default=0.02, help="of the mean time of a name")
    parser.add_argument("--outside-share", type=float, default=0.10,
                        help="share of device time that names beyond the tolerance may have: separate runs differ too")
    parser.add_argument("--steps", type=int, help="the true number of steps, which the report must find")
    parser.add_argument("--zygote", action="store_true", help="fork the runs from processes that have imported torch")
    parser.add_argument("--warm", action="store_true", help="run each program once before, to fill compilers' caches")
    parser.add_argument("programs", nargs="*", help="quoted command lines without the interpreter")
    options = parser.parse_args()
    options.programs = options.programs or [support.program("two_profilers_train.py") + " none"]
    sys.exit(support.conclude("counts", options, test))


if __name__ == "__main__":
    main()
