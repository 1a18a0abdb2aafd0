#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several threads launch small kernels and copies without a pause, --launches of them in all: as many events as hours of
a training run make. Neither resident nor device memory may grow after the first tenth of the run, each launch has its
record, nothing is dropped and nothing without a time; with --report no promise of the report is broken either (1 us an
event). Nothing else may use the device meanwhile.
"""

import json
import os
import sys

import scope_file
import support
from graph_soak import growth

COPY_EVERY = 8  # launches (programs/launch_soak.cu)


def expected_ops(steps, options):
    """A set of each thread's memory comes first."""
    return options.threads * (1 + steps * (options.in_step + options.in_step // COPY_EVERY))


def judge(samples, totals, expected, trust, options):
    device, resident = (growth(samples, key) / 2**20 for key in ("device_bytes", "resident_bytes"))
    seconds, ops, events = samples[-1]["seconds"], totals.rows[scope_file.DEVICE_OPS], sum(totals.rows.values())
    bad = [] if trust is None else [key for key in ("dropped", "zero_timestamps", "broken_invariants") if trust[key]]
    whole = ops == expected and totals.dropped == totals.zero_timestamps == 0
    passed = whole and not bad and device <= options.device_mib and resident <= options.resident_mib
    headline = (f"{ops} of {expected} device ops, {events / 1e6:.0f} M events in {seconds:.1f} s, device memory "
                f"+{device:.0f} MiB (limit {options.device_mib}), resident +{resident:.0f} MiB (limit "
                f"{options.resident_mib}), dropped {totals.dropped}, without a time {totals.zero_timestamps}, report "
                f"{'not asked' if trust is None else bad or 'as promised'}")
    return {"passed": passed, "headline": headline, "device_growth_mib": device, "resident_growth_mib": resident,
            "seconds": seconds, "samples": samples, "events": events, "trust": trust}


def test(options):
    program = support.compile_cuda("launch_soak", options.out)
    steps = -(-options.launches // (options.threads * options.in_step))
    command = [program, str(options.threads), str(steps), str(options.in_step), str(options.samples)]
    scope = os.path.join(options.out, "launch_soak.scope")
    done = support.run_profiled(options, scope, command, limit_s=options.limit)
    if done.status != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.status}:\n{done.stderr[-2000:]}")
    samples = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    (store,) = scope_file.stores(scope)
    trust = support.report(options, scope)["trust"] if options.report else None
    result = judge(samples, scope_file.totals(store), expected_ops(steps, options), trust, options)
    size = sum(os.path.getsize(os.path.join(scope, name)) for name in os.listdir(scope))
    result["headline"] += f", {size / 2**20:.0f} MiB written"
    return result


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--launches", type=int, default=20_000_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--in-step", type=int, default=1000, help="launches of a thread in a step")
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--device-mib", type=int, default=64)
    parser.add_argument("--resident-mib", type=int, default=256)
    parser.add_argument("--limit", type=int, default=500, help="seconds, after which the run has failed")
    parser.add_argument("--report", action="store_true", help="also read the trace with `stepscope report`")
    sys.exit(support.conclude("launch_soak", parser.parse_args(), test))


if __name__ == "__main__":
    main()
