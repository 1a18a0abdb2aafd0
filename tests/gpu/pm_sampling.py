#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stepscope profile --pm-sampling`: the hardware's counters say what a program's phases are known to do.

One sample a millisecond, on the clock of the ranges; SMs and tensor cores busy in matrix products and idle in a sleep;
the DRAM reads what copies read. Skipped where the driver allows no counters.
"""

import os
import statistics
import sys

import scope_file
import support

USER_SCOPE = 2


def phase(recording, name):
    rows = recording.host_ranges
    (row,) = [r for r in range(len(rows.name)) if rows.kind[r] == USER_SCOPE
              and recording.names[rows.name[r]] == name]
    return int(rows.begin[row]), int(rows.end[row])


def medians(counters, begin, end):
    """{counter: median inside}, and the number of samples, of GPU 0."""
    inside = {}
    for track, rows in counters.items():
        if track.startswith("gpu.0."):
            inside[track.removeprefix("gpu.0.")] = [value for time, value in rows if begin <= time < end]
    return ({name: statistics.median(values) for name, values in inside.items() if values},
            len(inside.get("sm_active_percent", [])))


def judge(phases, read_rate):
    """What does not hold. phases: {name: (medians, samples, seconds)}"""
    (matmul, *_), (idle, *_), (copy, *_) = (phases[name] for name in ("matmul", "idle", "copy"))
    checks = {f"{name}: a sample a millisecond": 900 <= count / seconds <= 1100
              for name, (_, count, seconds) in phases.items()}
    checks["matmul: SMs and tensor cores work"] = (matmul.get("sm_active_percent", 0) > 80
                                                   and matmul.get("tensor_active_percent", 0) > 30)
    checks["idle: nothing works"] = idle.get("sm_active_percent", 100) < 5
    checks["copy: no tensor cores"] = copy.get("tensor_active_percent", 100) < 5
    checks["copy: the DRAM reads what is read"] = (
        0.75 < copy.get("dram_read_bytes_per_second", 0) / read_rate < 1.25)
    return [name for name, good in checks.items() if not good]


def test(options):
    support.need_torch(options.python)
    scope = os.path.join(options.out, "pm_sampling.scope")
    done = support.run_profiled(options, scope, [options.python, support.program("pm_train.py")], ["--pm-sampling"])
    if done.status != 0:
        raise RuntimeError(f"it ended with {done.status}:\n{done.stderr[-2000:]}")
    notes = support.report(options, scope)["trust"]["notes"]
    if any("administrators" in note for note in notes):
        raise support.Skip("; ".join(note for note in notes if "administrators" in note))
    (recording,) = scope_file.read(scope)
    phases = {}
    for name in ("matmul", "idle", "copy"):
        begin, end = phase(recording, name)
        phases[name] = (*medians(recording.counters, begin, end), (end - begin) / 1e9)
    failed = judge(phases, support.last_json(done.stdout)["read_bytes_per_second"])
    return {"passed": not failed, "headline": f"{sum(p[1] for p in phases.values())} samples; failed: {failed}",
            "phases": phases, "notes": notes}


def main():
    sys.exit(support.conclude("pm_sampling", support.parser(__doc__).parse_args(), test))


if __name__ == "__main__":
    main()
