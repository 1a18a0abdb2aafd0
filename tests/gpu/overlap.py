#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of two streams that run side by side must still do so under `stepscope profile`, and take as long.

programs/overlap.cu times them with CUDA events, plain and profiled in turn. Compared are the medians of each kernel's
time and of the overlapped total with and without us, and, pair by pair, our trace's times and overlap with the events'.
Were kernels serialised by tracing, the total would be the sum of both. Events enclose the launch: a kernel is never
longer than they say, and where the host stalls in between, shorter; so the middle of the differences is judged.
"""

import os
import statistics
import sys

import scope_file
import support

WARM_UP_PAIRS = 5
EVENT_RESOLUTION_US = 2


def kernels(scope, name):
    """(begin ns, end ns) of the timed kernels of a name, in order."""
    rows = []
    for recording in scope_file.read(scope):
        ops = recording.device_ops
        rows += [(int(b), int(e)) for b, e, n in zip(ops.begin, ops.end, ops.name) if name in recording.names[n]]
    return sorted(rows)[WARM_UP_PAIRS:]


def against_events(times, scope, pairs):
    """Our trace and the events of one run: largest differences in us."""
    a, b = kernels(scope, "work_a"), kernels(scope, "work_b")
    if len(a) != pairs or len(b) != pairs:
        return {"kernels": [len(a), len(b)], "least_us": float("-inf"), "duration_us": float("inf"), "overlap_us": float("inf")}
    durations, overlaps = [], []
    for i in range(pairs):
        ours = [(end - begin) / 1e3 for begin, end in (a[i], b[i])]
        durations += [times["a_us"][i] - ours[0], times["b_us"][i] - ours[1]]
        ours_overlap = max(0, min(a[i][1], b[i][1]) - max(a[i][0], b[i][0])) / 1e3
        overlaps.append(abs(times["a_us"][i] + times["b_us"][i] - times["total_us"][i] - ours_overlap))
    return {"kernels": [pairs, pairs], "least_us": min(durations), "duration_us": statistics.median(durations),
            "overlap_us": statistics.median(overlaps), "most_us": max(durations)}


def measure(options, command):
    plain, profiled, traces = [], [], []
    for number in range(options.alternations):
        done = support.run(command)
        scope = os.path.join(options.out, f"overlap_{number}.scope")
        ours = support.run_profiled(options, scope, command)
        if done.status != 0 or ours.status != 0:
            raise RuntimeError(f"overlap ended with {done.status} and {ours.status}:\n{done.stderr}{ours.stderr}")
        plain.append(support.last_json(done.stdout))
        profiled.append(support.last_json(ours.stdout))
        traces.append(against_events(profiled[-1], scope, options.pairs))
    return plain, profiled, traces


def judge(plain, profiled, traces, options):
    middle = {key: [statistics.median(value for run in runs for value in run[key]) for runs in (plain, profiled)]
              for key in ("a_us", "b_us", "total_us")}
    ratios = {key: after / before for key, (before, after) in middle.items()}
    overlapped = middle["total_us"][0] < 0.8 * (middle["a_us"][0] + middle["b_us"][0])
    same = all(abs(ratio - 1) <= options.tolerance for ratio in ratios.values())
    least = min(t["least_us"] for t in traces)
    middles = [max(t[key] for t in traces) for key in ("duration_us", "overlap_us")]
    headline = (f"total {middle['total_us'][0]:.0f} -> {middle['total_us'][1]:.0f} us (a {middle['a_us'][0]:.0f}, "
                f"b {middle['b_us'][0]:.0f} alone in events), events beyond the trace by {middles[0]:.1f} us in the middle, "
                f"at least {least:.1f}, overlap {middles[1]:.1f} us apart"
                + ("" if overlapped else "; the kernels do not overlap even without us"))
    close = least >= -EVENT_RESOLUTION_US and max(middles) <= options.slack_us
    return {"passed": overlapped and same and close, "headline": headline,
            "medians_us_plain_profiled": middle, "ratios": ratios, "traces": traces}


def test(options):
    command = [support.compile_cuda("overlap", options.out), str(options.pairs)]
    return judge(*measure(options, command), options)


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--alternations", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=0.02, help="of the medians with and without us")
    parser.add_argument("--slack-us", type=float, default=40, help="between events, which enclose the launch, and us, in the middle")
    sys.exit(support.conclude("overlap", parser.parse_args(), test))


if __name__ == "__main__":
    main()
