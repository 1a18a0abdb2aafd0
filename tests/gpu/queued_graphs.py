#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the recorded part ends while launches of CUDA graphs are queued, their kernels keep their times.

programs/queued_graphs.py launches graphs far ahead of the device, on one stream, so no kernel of it can end behind the
begin of the next one. It is recorded whole, in a part that ends in mid-run, and in a part whose last step waits.
"""

import os
import sys

import numpy

import scope_file
import support

STEPS, AFTER, RECORDED = 200, 60, 100
ROUNDING_NS = 2_000
PART = ["--start-after", str(AFTER), "--steps", str(RECORDED)]
VARIANTS = {"whole": ([], []), "part": ([], PART), "part_that_waits": (["at", str(AFTER + RECORDED - 1)], PART)}


def overruns(scope):
    """(device ops, those that end behind the begin of the next one, the most in us). The program has one stream."""
    (recording,) = scope_file.read(scope)
    ops = recording.device_ops
    order = numpy.argsort(ops.begin, kind="stable")
    begin, end = ops.begin[order].astype(numpy.int64), ops.end[order].astype(numpy.int64)
    late = end[:-1] - begin[1:]
    return len(order), int((late > ROUNDING_NS).sum()), float(late.max()) / 1e3 if len(late) else 0.0


def variant(options, name):
    words, plan = VARIANTS[name]
    scope = os.path.join(options.out, f"queued_graphs_{name}.scope")
    done = support.run_profiled(options, scope, [options.python, support.program("queued_graphs.py"), str(STEPS), *words],
                                plan)
    if done.status != 0:
        raise RuntimeError(f"{name} ended with {done.status}:\n{done.stderr[-2000:]}")
    ops, wrong, most_us = overruns(scope)
    return {"ops": ops, "overruns": wrong, "most_us": most_us}


def test(options):
    support.need_torch(options.python)
    found = {name: variant(options, name) for name in VARIANTS}
    wrong = {name: row for name, row in found.items() if row["ops"] == 0 or row["overruns"] > 0}
    words = ", ".join(f"{name}: {row['overruns']} of {row['ops']} ops overrun (at most {row['most_us']:.1f} us)"
                      for name, row in found.items())
    return {"passed": not wrong, "headline": words, "variants": found}


def main():
    options = support.parser(__doc__).parse_args()
    return support.conclude("queued_graphs", options, test)


if __name__ == "__main__":
    sys.exit(main())
