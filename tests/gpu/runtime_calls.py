#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each call that a program makes of the CUDA runtime is one row, whichever interface's callback tells of it.

programs/runtime_calls.cu makes the calls of a training step and says how many, with default streams of the process and
of each thread. At level deep the rows have the runtime's names; at standard those that are left to the driver have the
driver's, as many, and calls of the driver inside others are no rows. Each kernel is there, and each device op has the
correlation id of one call.
"""

import collections
import re
import sys

import numpy

import api_calls
import scope_file
import support

VARIANTS = {"legacy": (), "per_thread": ("--default-stream=per-thread",)}
LOADS = ("cuModuleLoad", "cuLibraryLoad")  # in the first launch, whose correlation id they may have


def of_driver(made):
    """{pattern of the driver's names: calls} of what is left to the driver."""
    expected = collections.Counter()
    for name, pattern in api_calls.LEFT_TO_DRIVER.items():
        expected[pattern] += made.get(name, 0)
    return expected


def judge_deep(made, found):
    """Sentences; none: as it must be."""
    return [f"{found[name]} rows of {count} {name}" for name, count in made.items() if found[name] != count]


def judge_standard(made, found):
    problems, known = [], set(made) - set(api_calls.LEFT_TO_DRIVER)
    for name in known:
        if found[name] != made[name]:
            problems.append(f"{found[name]} rows of {made[name]} {name}")
    for pattern, count in of_driver(made).items():
        names = [name for name in found if re.fullmatch(pattern, name)]
        known.update(names)
        rows = sum(found[name] for name in names)
        if rows != count:
            problems.append(f"{rows} rows of {pattern} ({', '.join(names)}) for {count} calls")
    others = {name: count for name, count in found.items() if name not in known and not name.startswith(LOADS)}
    return problems + ([f"rows of calls that the program did not make: {others}"] if others else [])


def judge_device(recording, kernels):
    calls, ops = (recording.correlations[table] for table in (scope_file.CALLS, scope_file.DEVICE_OPS))
    calls = calls[calls != 0]
    found = int((recording.device_ops.kind == scope_file.KERNEL).sum())
    loads = sum(count for name, count in api_calls.of_process(recording).items() if name.startswith(LOADS))
    checks = ((found == kernels, f"{found} kernels of {kernels}"),
              (numpy.isin(ops, calls).all(), f"{int((~numpy.isin(ops, calls)).sum())} device ops have no call"),
              (len(numpy.unique(calls)) + loads >= len(calls), "calls share correlation ids"),
              (recording.dropped + recording.zero_timestamps == 0, "records were dropped or have no time"))
    return [sentence for good, sentence in checks if not good]


def run(options, binary, level):
    scope = f"{binary}_{level}.scope"
    done = support.run_profiled(options, scope, [binary], ["--level", level])
    if done.status != 0:
        raise RuntimeError(f"it ended with {done.status}:\n{done.stderr[-2000:]}")
    (recording,) = scope_file.read(scope)
    return recording, support.last_json(done.stdout)


def judged(options, variant, flags):
    binary = support.compile_cuda("runtime_calls", options.out, *flags)
    problems, rows = [], {}
    for level, judge in (("deep", judge_deep), ("standard", judge_standard)):
        recording, made = run(options, binary, level)
        rows[level] = api_calls.of_process(recording)
        wrong = judge(made["calls"], rows[level]) + judge_device(recording, made["kernels"])
        problems += [f"{variant}, {level}: {problem}" for problem in wrong]
    return {"problems": problems, "made": made["calls"], "rows": rows}


def test(options):
    rows = {variant: judged(options, variant, flags) for variant, flags in VARIANTS.items()}
    problems = [problem for row in rows.values() for problem in row["problems"]]
    made = sum(sum(row["made"].values()) for row in rows.values())
    return {"passed": not problems and made > 0, "variants": rows,
            "headline": "; ".join(problems) or f"{made} calls of {len(rows)} programs, each once at both levels"}


def main():
    sys.exit(support.conclude("runtime_calls", support.parser(__doc__).parse_args(), test))


if __name__ == "__main__":
    main()
