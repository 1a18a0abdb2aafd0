#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `stepscope profile --level deep` adds, against what else tells of it.

CUDA runtime calls by name are as many as torch.profiler sees in a process of its own, none doubled, and more kinds than
the standard level's, which leaves the frequent ones to the driver; what the driver compiles is a row inside the call that loads it, on its thread; the counters of
PyTorch's allocator reach the peaks that PyTorch states.
"""

import os
import sys

import api_calls
import scope_file
import support


def run(options, name, level):
    scope = os.path.join(options.out, name + ".scope")
    done = support.run_profiled(options, scope, [options.python, support.program("deep_train.py")], ["--level", level])
    if done.status != 0:
        raise RuntimeError(f"it ended with {done.status}:\n{done.stderr[-2000:]}")
    (recording,) = scope_file.read(scope)
    return recording, support.last_json(done.stdout)


def theirs(options):
    out = os.path.join(options.out, "deep.torch.json")
    done = support.run([options.python, support.program("deep_train.py"), out])
    if done.status != 0:
        raise RuntimeError(f"torch.profiler's run ended with {done.status}:\n{done.stderr[-2000:]}")
    return api_calls.of_chrome_trace(out)


def compilations(recording):
    """(name, whether a call that loads a module on the same thread holds it) of each row of the driver's compiler."""
    rows, thread = recording.host_ranges, recording.host_threads
    name = [recording.names[i] for i in rows.name]
    loads = [row for row in range(len(name)) if rows.kind[row] == api_calls.DRIVER_CALL
             and name[row].startswith(("cuModuleLoad", "cuLibraryLoad"))]
    return [(name[row], any(thread[load] == thread[row] and rows.begin[load] <= rows.begin[row]
                            and rows.end[row] <= rows.end[load] for load in loads))
            for row in range(len(name)) if rows.kind[row] == api_calls.OVERHEAD and name[row].startswith("JIT Compile")]


def peak(recording, counter):
    return max((value for _, value in recording.counters.get(f"gpu.0.{counter}", [])), default=None)


def test(options):
    support.need_torch(options.python)
    recording, memory = run(options, "deep", "deep")
    standard, _ = run(options, "standard", "standard")
    ours = api_calls.of_recording(recording)
    differ = api_calls.differences(ours, theirs(options))
    of_standard = set(api_calls.of_recording(standard))
    added = sorted(set(ours) - of_standard - set(api_calls.LEFT_TO_DRIVER))
    compiled = compilations(recording)
    peaks = {what: peak(recording, f"allocator_{what}_bytes") for what in ("allocated", "reserved")}
    passed = {"counts": not differ, "added": bool(added),
              "left_to_driver": not of_standard & set(api_calls.LEFT_TO_DRIVER), "no_noise": not api_calls.recorded_noise(ours),
              "compiled": any(inside for name, inside in compiled if "PTX" in name), "memory": peaks == memory,
              "nothing_dropped": recording.dropped == 0}
    return {"passed": all(passed.values()),
            "headline": f"{sum(ours.values())} calls of {len(ours)} names, {len(differ)} counts differ, {len(added)} "
                        f"names beyond standard; failed: {[what for what, good in passed.items() if not good]}",
            "checks": passed, "calls": ours, "counts_differ": differ, "added": added, "compiled": compiled,
            "peaks": peaks, "peaks_of_torch": memory, "notes": support.report(options, os.path.join(
                options.out, "deep.scope"))["trust"]["notes"]}


def main():
    sys.exit(support.conclude("deep", support.parser(__doc__).parse_args(), test))


if __name__ == "__main__":
    main()
