#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a Kineto trace says, computed a second time in plain Python: json and Decimal, no code shared with
the C++ importer or attribution. Tests compare against it; times are integer nanoseconds.

    kineto_reference.py TRACE [--windows FILE] [--first-step N] [--last-step N]

Prints one JSON document:
  categories  events by "phase:category" (metadata has no category: "M:")
  rows        what the model must hold: host ranges by kind, calls, device ops, calls with a launched op
  checksums   sums of begin (modulo 2^63) and of end - begin, so that a single wrong nanosecond shows; a Python
              frame ends at the latest with its caller
  busy        union of all device ops (kernels, copies, sets)
  steps       ProfilerStep# in order: host span, union of device ops inside it, union of those launched in it
  windows     the union inside each [begin, end) of --windows, a JSON list of pairs
  phases      device-busy time by outermost user phase, over steps first..last (counted from 1)

A device op has a launch record if an API call carries its correlation id. Its phase is the outermost
user_annotation, other than ProfilerStep# and Optimizer.*, that encloses the call on the calling thread;
for a call on an autograd thread (it runs backward nodes) the outermost one open at that time on the main
thread, which is that of the ProfilerStep# ranges; a prefetcher's copies belong to no phase of the loop. Its step is the ProfilerStep# in which the call began.
"""
import argparse
import collections
import decimal
import gzip
import json
import sys

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
HOST = ("cpu_op", "user_annotation", "python_function", "overhead") + CALLS
NO_PHASE = "(no phase)"


def nanoseconds(microseconds):
    value = decimal.Decimal(microseconds) * 1000
    return int(value.to_integral_value(rounding=decimal.ROUND_HALF_UP))


def read(path):
    with open(path, "rb") as file:
        raw = file.read()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    return json.loads(text, parse_float=decimal.Decimal)


def complete_events(trace):
    base = trace.get("baseTimeNanoseconds", 0)
    for event in trace["traceEvents"]:
        if event.get("ph") == "X":
            begin = nanoseconds(event["ts"])
            event["begin"] = base + begin
            event["end"] = base + begin + nanoseconds(event.get("dur", 0))
            yield event


def end_with_callers(frames):
    """A Python frame outlives no frame that it began in: the profiler misses the return of some."""
    open_until = collections.defaultdict(list)
    for frame in sorted(frames, key=lambda f: (f["begin"], -f["end"])):
        ends = open_until[thread(frame)]
        while ends and ends[-1] <= frame["begin"]:
            ends.pop()
        frame["end"] = min([frame["end"], *ends])
        ends.append(frame["end"])


def union_ns(spans, low=None, high=None):
    total, reached = 0, None
    for begin, end in sorted(spans):
        if low is not None:
            begin, end = max(begin, low), min(end, high)
        if reached is not None:
            begin = max(begin, reached)
        if end > begin:
            total += end - begin
            reached = end
    return total


def spans_of(events):
    return [(event["begin"], event["end"]) for event in events]


def correlation(event):
    return event.get("args", {}).get("correlation")


def first_call_by_correlation(calls):
    """A runtime call and the driver call inside it may share an id: the earlier is the launch."""
    found = {}
    for call in sorted(calls, key=lambda event: (event["begin"], -event["end"])):
        found.setdefault(correlation(call), call)
    return found


def thread(event):
    return (event["pid"], event["tid"])


class Annotations:
    def __init__(self, events, autograd_threads):
        self.autograd_threads = autograd_threads
        self.steps = sorted((e for e in events if e["name"].startswith("ProfilerStep#")), key=lambda e: e["begin"])
        self.main = thread(self.steps[0]) if self.steps else None
        self.by_thread = collections.defaultdict(list)
        for event in sorted(events, key=lambda e: (e["begin"], -e["end"])):
            if not event["name"].startswith(("ProfilerStep#", "Optimizer.")):
                self.by_thread[thread(event)].append(event)

    def outermost(self, where, time):
        for event in self.by_thread.get(where, ()):
            if event["begin"] > time:
                break
            if time < event["end"]:
                return event["name"]
        return None

    def phase_of(self, call):
        own = self.outermost(thread(call), call["begin"])
        if own is None and thread(call) in self.autograd_threads:
            own = self.outermost(self.main, call["begin"])
        return own or NO_PHASE

    def step_of(self, time):
        for index, step in enumerate(self.steps):
            if step["begin"] <= time < step["end"]:
                return index
        return None


def category_counts(trace):
    counts = collections.Counter()
    for event in trace["traceEvents"]:
        counts[f'{event.get("ph", "")}:{event.get("cat", "")}'] += 1
    return dict(sorted(counts.items()))


def checksum(events):
    return {"rows": len(events), "begin_sum": sum(e["begin"] for e in events) % 2**63,
            "length_sum": sum(e["end"] - e["begin"] for e in events)}


def is_backward_node(event):
    args = event.get("args", {})
    inner = args.get("Fwd thread id", 0) != 0 and "Sequence number" in args
    return inner or event["name"].startswith("autograd::engine::evaluate_function")


def phase_table(annotations, launched, first, last):
    by_phase = collections.defaultdict(list)
    for call, op in launched:
        step = annotations.step_of(call["begin"])
        if step is not None and first <= step + 1 <= last:
            by_phase[annotations.phase_of(call)].append(op)
    rows = [{"phase": phase, "device_ops": len(ops), "busy_ns": union_ns(spans_of(ops)),
             "device_ns": sum(op["end"] - op["begin"] for op in ops)} for phase, ops in by_phase.items()]
    return sorted(rows, key=lambda row: -row["busy_ns"])


def step_rows(annotations, ops, launched):
    by_step = collections.defaultdict(list)
    for call, op in launched:
        by_step[annotations.step_of(call["begin"])].append((op["begin"], op["end"]))
    every = spans_of(ops)
    return [{"name": step["name"], "begin_ns": step["begin"], "end_ns": step["end"],
             "busy_inside_ns": union_ns(every, step["begin"], step["end"]),
             "busy_launched_ns": union_ns(by_step[index]), "ops_launched": len(by_step[index])}
            for index, step in enumerate(annotations.steps)]


def describe(trace, windows, first, last):
    groups = collections.defaultdict(list)
    for event in complete_events(trace):
        groups[event.get("cat")].append(event)
    end_with_callers(groups["python_function"])
    ops = [event for category in DEVICE for event in groups[category]]
    calls = [event for category in CALLS for event in groups[category]]
    by_correlation = first_call_by_correlation(calls)
    launched = [(by_correlation[correlation(op)], op) for op in ops if correlation(op) in by_correlation]
    annotations = Annotations(groups["user_annotation"], {thread(op) for op in groups["cpu_op"] if is_backward_node(op)})
    return {
        "categories": category_counts(trace),
        "rows": {**{category: len(groups[category]) for category in HOST + DEVICE},
                 "backward_node": sum(is_backward_node(op) for op in groups["cpu_op"]),
                 "ops_with_launch": len(launched)},
        "checksums": {"host": checksum([e for category in HOST for e in groups[category]]),
                      "device": checksum(ops)},
        "busy": {"device_ops": len(ops), "busy_ns": union_ns(spans_of(ops)),
                 "begin_ns": min((op["begin"] for op in ops), default=0),
                 "end_ns": max((op["end"] for op in ops), default=0)},
        "steps": step_rows(annotations, ops, launched),
        "windows": [{"begin_ns": low, "end_ns": high, "busy_ns": union_ns(spans_of(ops), low, high)}
                    for low, high in windows],
        "phases": {"first_step": first, "last_step": last,
                   "rows": phase_table(annotations, launched, first, last)},
    }


def main():
    parser = argparse.ArgumentParser(description="Kineto trace, computed independently")
    parser.add_argument("trace")
    parser.add_argument("--windows", help="JSON file: list of [begin_ns, end_ns]")
    parser.add_argument("--first-step", type=int, default=2)
    parser.add_argument("--last-step", type=int, default=20)
    options = parser.parse_args()
    windows = []
    if options.windows:
        with open(options.windows, encoding="utf-8") as file:
            windows = json.load(file)
    json.dump(describe(read(options.trace), windows, options.first_step, options.last_step), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
