# SPDX-License-Identifier: Apache-2.0
"""Records of the device, marks, ranges and operations that a profiler lost, cut off or wrote wrongly."""
import copy
import random

from trace_events import begin, CALLS, DEVICE, each, end, is_mark, keep, marks_of, of, OVERFLOW, stretch


# The device's records.

def overrun(category, every, by, offset=7):
    """Records that end behind what follows them on their stream, none the last there."""
    def change(document):
        events = sorted(of(document, category), key=begin)
        inner = events[len(events) // 10: -max(2, len(events) // 10)] or events[:1]
        if not inner:
            return None
        for event in inner[offset % len(inner)::every]:
            event["dur"] = by
        return document
    return change


def lost(low, high, *categories):
    """As a profiler loses them: all device records whose launches lie in a part of the run, and further categories of that part."""
    def change(document):
        first, last = stretch(document, low, high)
        launched = {event["args"].get("correlation") for event in of(document, *CALLS) if first <= begin(event) < last}
        return keep(document, lambda event: not (event.get("cat") in DEVICE and event["args"].get("correlation") in launched)
                    and not (event.get("cat") in categories and first <= begin(event) < last))
    return change


def cut_behind(share):
    """All that begins behind a part of the run is missing, as in a trace that was filtered by time; marks keep their length."""
    def change(document):
        _, border = stretch(document, 0, share)
        return keep(document, lambda event: event.get("ph") == "M" or "ts" not in event or begin(event) < border)
    return change


def thinned(document):
    random.seed(3)
    return keep(document, lambda event: event.get("cat") not in DEVICE or random.random() > 0.2)


def without_time(document):
    for event in of(document, *DEVICE)[::50]:
        event["ts"] = event["dur"] = 0
    return document


def uncorrelated(value, every):
    def change(document):
        for event in of(document, "kernel")[::every]:
            event["args"]["correlation"] = value
        return document
    return change


def collectives(document):
    """A collective in each step on a stream of its own, which no record ties to its launch."""
    calls = sorted(of(document, "cuda_runtime"), key=begin)
    for mark in marks_of(document):
        inside = [call for call in calls if begin(mark) <= begin(call) < end(mark)]
        launch = dict(inside[len(inside) // 2], name="cudaLaunchKernel", args={"correlation": 90000000 + int(begin(mark)) % 1000000})
        document["traceEvents"] += [launch, {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 99,
                                             "ts": begin(launch) + 1, "dur": 1, "args": {"device": 0, "context": 1, "stream": 99, "correlation": 0}}]
    return document


def collectives_of_one_number(document):
    number = next(call["args"]["correlation"] for call in of(document, "cuda_runtime") if call["name"] == "cudaLaunchKernel")
    for event in of(collectives(document), "kernel"):
        if event["name"].startswith("nccl"):
            event["args"]["correlation"] = number
    return document


# Marks, ranges and ops.

def mark(which, field, value):
    def change(document):
        event = marks_of(document)[which]
        if value is None:
            del event[field]
        else:
            event[field] = value
        return document
    return change


def all_marks_without_end(document):
    for event in marks_of(document):
        event["dur"] = 0
    return document


def open_op(document):
    for category in ("cpu_op", "user_annotation"):
        event = copy.deepcopy(of(document, category)[-1])
        document["traceEvents"].append(event | {"name": "DistributedDataParallel.forward" if category == "user_annotation" else "aten::to", "dur": OVERFLOW})
    return document


def two_marks(*shares):
    """Two marks in place of all, which divide the run there."""
    def change(document):
        first, last = stretch(document, 0, 1)
        pattern = marks_of(document)[0]
        borders = [first + share * (last - first) for share in (0, *shares, 1)]
        keep(document, lambda event: not is_mark(event))
        for number, (low, high) in enumerate(zip(borders, borders[1:])):
            document["traceEvents"].append(pattern | {"name": f"ProfilerStep#{number}", "ts": low, "dur": max(1.0, high - low - 1)})
        return document
    return change


def marks_behind(document):
    _, last = stretch(document, 0, 1)
    pattern = marks_of(document)[0]
    last = max([last] + [end(event) for event in document["traceEvents"] if event.get("ph") == "X" and event.get("cat") in DEVICE])
    keep(document, lambda event: not is_mark(event))
    for number in range(2):
        document["traceEvents"].append(pattern | {"name": f"ProfilerStep#{number}", "ts": last + 50 * number, "dur": 40})
    return document


def batch_sizes(document):
    for number, event in enumerate(marks_of(document)):
        size = 32 - number // 2
        document["traceEvents"].append(event | {"name": f"execute_context_0(0)_generation_{size}({size})",
                                                "ts": begin(event) + 1, "dur": event["dur"] - 2})
    return document
