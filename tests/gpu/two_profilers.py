#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that uses torch.profiler itself, under `stepscope profile`: both must see everything.

Three runs of programs/two_profilers_train.py: plain with torch.profiler inside, the same under stepscope, and under
stepscope without torch.profiler. Each torch.profiler trace must hold the same ops by name as in the plain run, inside
its own ProfilerStep# ranges; in the same ranges our trace has the same ops, with mean times within the tolerance; over
the whole run it has the same ops as where torch.profiler was not used.
"""

import os
import sys

import chrome_trace
import device_ops
import scope_file
import support


def run(options, mode, scope=None):
    folder = os.path.join(options.out, f"{mode}_{'plain' if scope is None else 'profiled'}")
    os.makedirs(folder, exist_ok=True)
    command = [options.python, support.program("two_profilers_train.py"), mode, folder]
    done = support.run(command) if scope is None else support.run_profiled(options, scope, command)
    if done.status != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.status}:\n{done.stderr[-2000:]}")
    result = support.last_json(done.stdout)
    result["seconds_in_all"] = done.seconds
    return result


def ours_inside(recordings, trace):
    """Our ops in the step ranges of a torch.profiler trace, as one list."""
    sums = {}
    for _, begin, end in trace.steps:
        for name, (count, mean) in device_ops.of_recordings(recordings, begin, end).items():
            row = sums.setdefault(name, [0, 0])
            row[0], row[1] = row[0] + count, row[1] + count * mean
    return device_ops.means(sums)


def check_trace(plain, profiled, recordings, options):
    """One torch.profiler trace of each run."""
    theirs = device_ops.of_events(profiled.ops)
    ours = ours_inside(recordings, profiled)
    row = {"ops": len(profiled.ops), "ops_plain": len(plain.ops), "steps": len(profiled.steps),
           "differ_from_plain": device_ops.count_differences(device_ops.of_events(plain.ops), theirs),
           "differ_from_ours": device_ops.count_differences(ours, theirs),
           "durations_differ": device_ops.duration_differences(ours, theirs, options.tolerance),
           "outside_steps_us": chrome_trace.outside_ns(profiled) / 1e3,
           "outside_steps_us_plain": chrome_trace.outside_ns(plain) / 1e3}
    row["passed"] = (len(profiled.ops) > 0 and len(profiled.steps) == len(plain.steps) > 0
                     and not row["differ_from_plain"] and not row["differ_from_ours"] and not row["durations_differ"]
                     and row["outside_steps_us"] <= options.slack_us)
    return row


def test(options):
    support.need_torch(options.python)
    scopes = [os.path.join(options.out, f"two_profilers_{mode}.scope") for mode in ("torch", "none")]
    plain = run(options, "torch")
    profiled = run(options, "torch", scopes[0])
    run(options, "none", scopes[1])
    both, alone = (scope_file.read(scope) for scope in scopes)
    traces = [check_trace(chrome_trace.read(a), chrome_trace.read(b), both, options)
              for a, b in zip(plain["traces"], profiled["traces"])]
    whole = device_ops.of_recordings(both)
    missing = device_ops.count_differences(whole, device_ops.of_recordings(alone))
    ratio = profiled["seconds"] / plain["seconds"]
    same = plain["losses"] == profiled["losses"] and len(traces) == len(plain["traces"]) == len(profiled["traces"]) == 3
    good = sum(row["passed"] for row in traces)
    return {"passed": same and good == 3 and not missing and bool(whole),
            "headline": f"{good} of 3 torch.profiler traces as without us, {len(missing)} names of the whole run "
                        f"differ ({device_ops.totals(whole)['kernel']} kernels), loop {ratio:.3f} times as long",
            "losses_same": plain["losses"] == profiled["losses"], "wall_ratio_of_the_loop": ratio,
            "wall_ratio_in_all": profiled["seconds_in_all"] / plain["seconds_in_all"], "traces": traces,
            "whole_run_differs": missing, "notes": support.report(options, scopes[0])["trust"]["notes"]}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--tolerance", type=float, default=0.05, help="of the mean time of a name, ours to theirs")
    parser.add_argument("--slack-us", type=float, default=20, help="by which an op may lie outside its step's range")
    sys.exit(support.conclude("two_profilers", parser.parse_args(), test))


if __name__ == "__main__":
    main()
