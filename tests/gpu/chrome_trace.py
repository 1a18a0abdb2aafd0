# SPDX-License-Identifier: Apache-2.0
"""What two_profilers.py asks of a trace that torch.profiler wrote: device ops and ProfilerStep# ranges, in ns since the
Unix epoch."""

import dataclasses
import json
import re

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


@dataclasses.dataclass
class ChromeTrace:
    ops: list    # (name, begin, end)
    steps: list  # (number, begin, end), by number


def read(path):
    with open(path) as file:
        document = json.load(file)
    base, ops, steps = int(document.get("baseTimeNanoseconds", 0)), [], []
    for event in document["traceEvents"]:
        if event.get("ph") != "X":
            continue
        begin = base + round(event["ts"] * 1000)
        row = (event["name"], begin, begin + round(event["dur"] * 1000))
        if event.get("cat") in DEVICE:
            ops.append(row)
        elif event.get("cat") == "user_annotation" and (found := re.fullmatch(r"ProfilerStep#(\d+)", row[0])):
            steps.append((int(found[1]), *row[1:]))
    return ChromeTrace(ops, sorted(steps))


def outside_ns(trace):
    """By how much the op that lies worst lies outside every step range."""
    def outside(begin, end):
        return min(max(low - begin, end - high, 0) for _, low, high in trace.steps)
    return max((outside(begin, end) for _, begin, end in trace.ops), default=0)
