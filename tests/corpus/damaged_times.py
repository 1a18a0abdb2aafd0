# SPDX-License-Identifier: Apache-2.0
"""Times that cannot be, and what a profiler writes twice, under other numbers or in another order."""
import copy
import json

from damaged_records import lost
from damaged_text import every_event_twice
from trace_events import begin, CALLS, DEVICE, each, end, keep, marks_of, of, stretch


def moved(category, every, by, offset=11, length=0):
    """Records as far from where they ran; with `length`, it is their begin alone that is wrong."""
    def change(document):
        events = sorted(of(document, category), key=begin)
        inner = events[len(events) // 5: -max(2, len(events) // 5)]
        if not inner:
            return None
        for event in inner[offset % len(inner)::every]:
            event["ts"] = begin(event) + by
            event["dur"] = float(event["dur"]) - (by if length else 0)
        return document
    return change


def last_one_late(document):
    event = max(of(document, "kernel"), key=begin)
    event["ts"] = begin(event) + 3.6e9
    return document


def without_length(every):
    def change(document):
        for event in of(document, "kernel")[::every]:
            event["dur"] = 0
        return document
    return change


def scaled(factor, *fields):
    def change(document):
        for event in document["traceEvents"]:
            for field in fields:
                if field in event and (len(fields) > 1 or event.get("cat") in DEVICE):
                    event[field] = float(event[field]) * factor
        return document
    return change


def drifting(factor):
    def change(document):
        events = of(document, *DEVICE)
        first = min(begin(event) for event in events)
        for event in events:
            event["ts"] = first + (begin(event) - first) * factor
        return document
    return change


def device_jumps(by):
    def change(document):
        border, _ = stretch(document, 0.5, 1)
        for event in of(document, *DEVICE):
            if begin(event) > border:
                event["ts"] = begin(event) + by
        return document
    return change


def times_from_the_middle(document):
    border, _ = stretch(document, 0.5, 1)
    for event in document["traceEvents"]:
        if "ts" in event:
            event["ts"] = begin(event) - border
    document["baseTimeNanoseconds"] = 0
    return document


def zeros_in(low, high):
    """PyTorch 2.12 lost the times of a part of the events."""
    def change(document):
        first, last = stretch(document, low, high)
        for event in document["traceEvents"]:
            if event.get("ph") == "X" and first <= begin(event) < last:
                event["ts"] = event["dur"] = 0
        return document
    return change


def numbers_start_again(document):
    """Two sessions of the profiler: calls of the second half count from the first one's numbers."""
    border, _ = stretch(document, 0.5, 1)
    calls = sorted(of(document, *CALLS), key=begin)
    first = [call["args"]["correlation"] for call in calls if begin(call) < border and "correlation" in call["args"]]
    second = [call["args"]["correlation"] for call in calls if begin(call) >= border and "correlation" in call["args"]]
    new = dict(zip(dict.fromkeys(second), dict.fromkeys(first)))
    for event in of(document, *CALLS, *DEVICE):
        number = event["args"].get("correlation")
        if number in new:
            event["args"]["correlation"] = new[number]
    return document


def other_numbers(change_number):
    def change(document):
        for event in document["traceEvents"]:
            if event.get("args", {}).get("correlation"):
                event["args"]["correlation"] = change_number(event["args"]["correlation"])
        return document
    return change


def device_records_twice(stream):
    def change(document):
        for event in of(document, *DEVICE):
            again = copy.deepcopy(event)
            again["args"]["stream"] = again["tid"] = event["args"].get("stream", 7) + stream
            document["traceEvents"].append(again)
        return document
    return change


def unnumbered_twice(document):
    for event in document["traceEvents"]:
        event.get("args", {}).pop("Ev Idx", None)
    return every_event_twice(document)


def other_thread(tid, test):
    def change(document):
        for event in document["traceEvents"]:
            if event.get("ph") == "X" and test(event):
                event["tid"] = tid
        return document
    return change


def marks_lost(*which):
    def change(document):
        if len(marks_of(document)) < 2 * len(which) + 4:
            return None
        lost_ones = [marks_of(document)[k] for k in which]
        return keep(document, lambda event: not any(event is one for one in lost_ones))
    return change


def marks_outlast(share):
    def change(document):
        for event in marks_of(document):
            event["dur"] = float(event["dur"]) * (1 + share)
        return document
    return change


def merged_ranks(label):
    """Two ranks in one file, each with a device of its own, numbered alike."""
    def change(document):
        other = copy.deepcopy(document["traceEvents"])
        for rank, events in enumerate((document["traceEvents"], other)):
            for event in events:
                event.get("args", {}).pop("Ev Idx", None)
                if event.get("cat") in DEVICE:
                    event["args"]["device"] = rank
                if "pid" in event:
                    event["pid"] = f"[TP0{rank}] {event['pid']}" if label else event["pid"] if rank == 0 else 100000 + int(event["pid"]) \
                        if str(event["pid"]).isdigit() else event["pid"]
        document["traceEvents"] += other
        return document
    return change


def begins_behind_ends(document):
    out = []
    for event in document["traceEvents"]:
        if event.get("cat") in DEVICE:
            out.append({"ph": "E", "ts": end(event)} | {key: event[key] for key in ("pid", "tid", "name")})
            event = {key: value for key, value in event.items() if key != "dur"} | {"ph": "B"}
        out.append(event)
    document["traceEvents"] = out
    return document


def contradictory_rank(document):
    document["distributedInfo"] = {"rank": 5, "world_size": 2}
    return document


def host_alone(document):
    document = keep(document, lambda event: event.get("cat") not in DEVICE + CALLS)
    return document


def memory_alone(document):
    document["traceEvents"] = [{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1000 + k,
                                "args": {"Total Allocated": k, "Device Type": 0, "Device Id": -1}} for k in range(50)]
    return document


def second_list(document):
    return json.dumps(document)[:-1] + ', "traceEvents": []}'
