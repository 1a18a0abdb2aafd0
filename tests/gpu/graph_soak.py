#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs of many small kernels, replayed until --records node records: all must arrive, and memory must not grow.

Memory is compared between the samples after the first tenth of the run (buffers have their size then) and the largest
one later: device memory in use by all processes, resident memory of the process. The tracer's own growth with graph
nodes, where a version of CUPTI has it, is 50 to 100 bytes a record: 10 million records would show 500 MB.
"""

import json
import os
import sys

import scope_file
import support


def growth(samples, key):
    settled = max(1, len(samples) // 10)
    base = max(sample[key] for sample in samples[:settled])
    return max(sample[key] for sample in samples[settled:]) - base


def of_kinds(recordings):
    counts = [0, 0, 0]
    for recording in recordings:
        for kind in (scope_file.KERNEL, scope_file.MEMCPY, scope_file.MEMSET):
            counts[kind] += int((recording.device_ops.kind == kind).sum())
    return counts


def judge(samples, counts, recordings, replays, options):
    device, resident = (growth(samples, key) / 2**20 for key in ("device_bytes", "resident_bytes"))
    expected = [replays * options.kernels, replays, replays]
    dropped, zeros = (sum(getattr(r, field) for r in recordings) for field in ("dropped", "zero_timestamps"))
    seconds = samples[-1]["seconds"]
    passed = (counts == expected and dropped == 0 and zeros == 0 and device <= options.device_mib
              and resident <= options.resident_mib)
    headline = (f"{sum(counts)} of {sum(expected)} records in {seconds:.1f} s ({sum(counts) / seconds / 1e6:.2f} M/s), "
                f"device memory +{device:.0f} MiB (limit {options.device_mib}), resident +{resident:.0f} MiB "
                f"(limit {options.resident_mib}), dropped {dropped}, without a time {zeros}")
    return {"passed": passed, "headline": headline, "kernels_copies_sets": counts, "expected": expected,
            "dropped": dropped, "zero_timestamps": zeros, "device_growth_mib": device, "resident_growth_mib": resident,
            "seconds": seconds, "samples": samples}


def test(options):
    program = support.compile_cuda("graph_soak", options.out)
    replays = -(-options.records // (options.kernels + 2))
    command = [program, str(options.kernels), str(replays), str(options.samples)]
    scope = os.path.join(options.out, "graph_soak.scope")
    done = support.run_profiled(options, scope, command, limit_s=options.limit)
    if done.status != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.status}:\n{done.stderr[-2000:]}")
    samples = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    recordings = scope_file.read(scope)
    result = judge(samples, of_kinds(recordings), recordings, replays, options)
    result["trust"] = support.report(options, scope)["trust"] if options.report else None
    result["seconds_in_all"] = done.seconds
    return result


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--kernels", type=int, default=1998, help="in one graph")
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--device-mib", type=int, default=64)
    parser.add_argument("--resident-mib", type=int, default=256)
    parser.add_argument("--limit", type=int, default=400, help="seconds, after which the run has failed")
    parser.add_argument("--report", action="store_true", help="also read the trace with `stepscope report`")
    sys.exit(support.conclude("graph_soak", parser.parse_args(), test))


if __name__ == "__main__":
    main()
