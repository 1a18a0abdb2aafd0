# SPDX-License-Identifier: Apache-2.0
"""Ways in which users' traces are damaged, or written by others: each a function of a Kineto document.

KINDS: a name, what must hold, and the change. A change gets the document and returns it, or text in its place; None where the
document has nothing of the kind.
  same      the numbers are those of the whole trace
  marks     as same, up to the spread of the steps: fewer of them are counted
  told      other numbers only with a word in the report, which the whole trace's report does not have
  refused   exit 4, with the place and the cause
"""
import copy
import json
import random

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
OVERFLOW = 7443372036854776.0
UINT32 = 4294967.295


def is_mark(event):
    return event.get("ph") == "X" and event.get("name", "").startswith("ProfilerStep#") and event.get("cat") == "user_annotation"


def of(document, *categories):
    return [event for event in document["traceEvents"] if event.get("cat") in categories and event.get("ph") == "X"]


def begin(event):
    return float(event["ts"])


def end(event):
    return begin(event) + float(event.get("dur", 0))


def marks_of(document):
    return sorted((event for event in document["traceEvents"] if is_mark(event)), key=begin)


def keep(document, test):
    document["traceEvents"] = [event for event in document["traceEvents"] if test(event)]
    return document


def stretch(document, low, high):
    marks = marks_of(document)
    first, last = begin(marks[0]), end(marks[-1])
    return first + low * (last - first), first + high * (last - first)


def each(categories, change):
    def all_of_them(document):
        for number, event in enumerate(of(document, *categories)):
            change(event, number)
        return document
    return all_of_them


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


# Text that is no JSON.

NAME = "a name to be damaged"


def text_with(value):
    def change(document):
        event = copy.deepcopy(of(document, "cpu_op")[5])
        document["traceEvents"].insert(len(document["traceEvents"]) // 2, event | {"name": NAME, "dur": 0.001})
        return json.dumps(document).replace(f'"{NAME}"', value)
    return change


def argument(value):
    def change(document):
        of(document, "kernel")[5]["args"]["occupancy"] = NAME
        return json.dumps(document).replace(f'"{NAME}"', value)
    return change


def trailing_comma(document):
    return json.dumps(document).replace('"ph": "X", ', '"ph": "X", ', 1).replace("}}, {", ",}}, {", 1)


def halves(document):
    text = json.dumps(document)
    return text[: len(text) // 2]


def hole(document):
    text = json.dumps(document)
    return text[: len(text) // 2] + "\0" * 4096 + text[len(text) // 2 + 4096:]


def twice(between):
    return lambda document: json.dumps(document) + between + json.dumps(document)


def interleaved(document):
    one, other = json.dumps(document), json.dumps(document)[: 60000]
    return one[:90000] + other + one[90000:]


def written_over_a_longer_one(document):
    text = json.dumps(document)
    return text + text[-5000:]


# Other vendors.

def renamed(table, categories):
    def change(document):
        for event in document["traceEvents"]:
            if event.get("cat") in categories:
                event["cat"] = categories[event["cat"]]
            if event.get("ph") == "X" and event.get("cat", "").endswith(("_runtime", "_driver")):
                for old, new in table:
                    event["name"] = event["name"].replace(old, new)
        return document
    return change


def as_amd(document):
    document = renamed([("cuda", "hip")], {})(document)
    for event in of(document, "gpu_memcpy"):
        ends = {"H": "Host", "D": "Device", "P": "Peer"}
        word = event["name"].split()[1]
        event["name"] = f"Copy{ends.get(word[0], 'Device')}To{ends.get(word[-1], 'Device')}"
    return document


SYCL = [("cudaLaunchKernelExC", "urEnqueueKernelLaunch"), ("cudaLaunchKernel", "urEnqueueKernelLaunch"), ("cudaMemcpyAsync", "urEnqueueUSMMemcpy"),
        ("cudaMemsetAsync", "urEnqueueUSMFill"), ("cudaStreamSynchronize", "urQueueFinish"), ("cudaEventSynchronize", "urEventWait"),
        ("cuLaunchKernelEx", "urEnqueueKernelLaunch"), ("cuLaunchKernel", "urEnqueueKernelLaunch")]


def as_intel(document):
    document = renamed(SYCL, {"cuda_runtime": "xpu_runtime", "cuda_driver": "xpu_driver"})(document)
    for event in of(document, *DEVICE):
        args = event["args"]
        args["sycl queue"], args["context"] = args.pop("stream", 0), "0x000055d1c0ffee00"
        for old, new in (("HtoD", "M2D"), ("DtoH", "D2M"), ("DtoD", "D2D"), ("Pageable", "MEMORY"), ("Pinned", "HOST"), ("Device", "DEVICE")):
            if event["cat"] == "gpu_memcpy":
                event["name"] = event["name"].replace(old, new)
    return document


def as_ascend(document):
    calls = [("cudaLaunchKernelExC", "aclnnCall"), ("cudaLaunchKernel", "aclnnCall"), ("cuLaunchKernelEx", "aclnnCall"), ("cuLaunchKernel", "aclnnCall"),
             ("cudaMemcpy", "aclrtMemcpy"), ("cudaMemset", "aclrtMemset"), ("cudaStreamSynchronize", "aclrtSynchronizeStream"),
             ("cudaDeviceSynchronize", "aclrtSynchronizeDevice"), ("cudaGraphLaunch", "aclmdlRIExecuteAsync")]
    events = [{"ph": "M", "name": "process_name", "pid": 9000, "tid": 0, "args": {"name": "Ascend Hardware"}}]
    for event in document["traceEvents"]:
        category, args = event.get("cat"), event.get("args", {})
        if category in DEVICE:
            task = {"kernel": "AI_CORE", "gpu_memcpy": "MEMCPY_ASYNC", "gpu_memset": "AI_VECTOR_CORE"}[category]
            events.append({"ph": "X", "name": event["name"], "pid": 9000, "tid": event["tid"], "ts": str(event["ts"]), "dur": event["dur"],
                           "args": {"Task Type": task, "Stream Id": args.get("stream", 0), "connection_id": args.get("correlation", 0)}})
        elif category in CALLS:
            name = event["name"]
            for old, new in calls:
                name = name.replace(old, new)
            events.append({"ph": "X", "name": "AscendCL@" + name, "pid": 8000, "tid": event["tid"], "ts": str(event["ts"]), "dur": event["dur"],
                           "args": {"Mode": "ACL_OP", "level": "acl", "connection_id": args.get("correlation", 0)}})
        elif category in ("cpu_op", "user_annotation"):
            events.append(event | {"cat": "cpu_op", "ts": str(event["ts"])})
    return json.dumps(events)


def as_unknown_device(document):
    events = [{"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "Habana Labs"}}]
    for event in document["traceEvents"]:
        if event.get("cat") in DEVICE:
            event |= {"cat": "tpc", "pid": 77}
        events.append(event)
    document["traceEvents"] = events
    return document


# How other writers print what is the same.

def shuffled(document):
    random.seed(5)
    random.shuffle(document["traceEvents"])
    return document


def as_text(*fields):
    def change(document):
        for event in document["traceEvents"]:
            for field in fields:
                if field in event:
                    event[field] = str(event[field])
        return document
    return change


def no_metadata(document):
    return keep({"traceEvents": document["traceEvents"], "baseTimeNanoseconds": document.get("baseTimeNanoseconds", 0)},
                lambda event: event.get("ph") != "M")


def every_event_twice(document):
    document["traceEvents"] *= 2
    return document


def negative(event, number):
    if number % 40 == 0:
        event["dur"] = -abs(float(event["dur"]))


# Times that cannot be, and what a profiler writes twice, under other numbers or in another order.

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


def empty_event(document):
    document["traceEvents"].append({})
    return document


KINDS = {
    "kernel_overruns": ("same", overrun("kernel", 10 ** 9, 1600000.0)),
    "kernels_overrun": ("same", overrun("kernel", 60, 200000.0)),
    "kernel_overruns_a_little": ("same", overrun("kernel", 10 ** 9, 900.0)),
    "copy_overruns": ("same", overrun("gpu_memcpy", 10 ** 9, 1600000.0, 0)),
    "set_overruns": ("same", overrun("gpu_memset", 10 ** 9, 1600000.0, 0)),
    "kernels_without_time": ("told", without_time),
    "device_lost_first": ("told", lost(0, 0.4)),
    "device_lost_middle": ("told", lost(0.4, 0.7)),
    "device_lost_last": ("told", lost(0.6, 1.01)),
    "device_lost_all": ("told", lost(-1, 2)),
    "calls_lost_too": ("told", lost(0, 0.4, *CALLS)),
    "device_thinned": ("told", thinned),
    "cut_behind_the_middle": ("told", cut_behind(0.6)),
    "cut_in_the_last_step": ("told", cut_behind(0.95)),
    "correlation_0_often": ("told", uncorrelated(0, 5)),
    "correlation_0_always": ("told", uncorrelated(0, 1)),
    "collectives": ("same", collectives),
    "collectives_of_one_number": ("same", collectives_of_one_number),
    "last_mark_overflows": ("marks", mark(-1, "dur", OVERFLOW)),
    "last_mark_32_bits": ("marks", mark(-1, "dur", UINT32)),
    "last_mark_0": ("marks", mark(-1, "dur", 0)),
    "last_mark_negative": ("marks", mark(-1, "dur", -5.0)),
    "last_mark_open": ("marks", mark(-1, "dur", None)),
    "middle_mark_0": ("marks", mark(-2, "dur", 0)),
    "all_marks_0": ("told", all_marks_without_end),
    "no_marks": ("told", lambda document: keep(document, lambda event: not is_mark(event))),
    "op_overflows": ("same", open_op),
    "ops_negative": ("told", each(("cpu_op",), negative)),
    "two_marks_behind": ("told", marks_behind),
    "first_mark_is_all": ("told", two_marks(0.9999)),
    "second_mark_is_all": ("told", two_marks(0.0001)),
    "batch_sizes": ("same", batch_sizes),
    "quotes": ("same", text_with('"{"device": "cpu", "dtype": "float32"}(12): run"')),
    "quote_at_the_end": ("same", text_with('"f(""')),
    "backslash": ("same", text_with('"C:\\work\\"')),
    "control_bytes": ("same", text_with('"a\x01\tb\nc"')),
    "not_utf8": ("same", text_with('"\\ud800 \\xff"')),
    "not_available": ("same", argument("N/A")),
    "not_a_number": ("same", argument("-nan(ind)")),
    "no_value": ("same", argument("")),
    "trailing_comma": ("same", trailing_comma),
    "half": ("refused", halves),
    "hole": ("refused", hole),
    "twice": ("refused", twice("")),
    "twice_in_lines": ("refused", twice("\n")),
    "interleaved": ("refused", interleaved),
    "over_a_longer_one": ("refused", written_over_a_longer_one),
    "amd": ("same", as_amd),
    "intel": ("same", as_intel),
    "ascend": ("told", as_ascend),
    "unknown_device": ("refused", as_unknown_device),
    "shuffled": ("same", shuffled),
    "times_as_text": ("same", as_text("ts", "dur")),
    "ids_as_text": ("same", as_text("pid", "tid")),
    "no_metadata": ("same", no_metadata),
    "every_event_twice": ("told", every_event_twice),
    "kernels_before_their_launch": ("same", moved("kernel", 97, -3e5)),
    "begins_before_their_launch": ("same", moved("kernel", 97, -3e5, length=1)),
    "kernels_an_hour_late": ("same", moved("kernel", 97, 3.6e9)),
    "copies_an_hour_late": ("same", moved("gpu_memcpy", 5, 3.6e9)),
    "last_kernel_an_hour_late": ("same", last_one_late),
    "kernels_without_length": ("told", without_length(2)),
    "no_kernel_has_a_length": ("told", without_length(1)),
    "lengths_in_nanoseconds": ("told", scaled(1000, "dur")),
    "all_in_nanoseconds": ("told", scaled(1000, "ts", "dur")),
    "all_in_milliseconds": ("told", scaled(0.001, "ts", "dur")),
    "device_drifts": ("told", drifting(1.03)),
    "device_jumps": ("told", device_jumps(30000)),
    "device_jumps_back": ("told", device_jumps(-30000)),
    "times_from_the_middle": ("same", times_from_the_middle),
    "times_lost_at_the_end": ("told", zeros_in(0.6, 1.01)),
    "times_lost_at_the_begin": ("told", zeros_in(-1, 0.3)),
    "numbers_start_again": ("same", numbers_start_again),
    "numbers_of_64_bits": ("same", other_numbers(lambda number: number + 2 ** 33)),
    "numbers_with_a_sign": ("same", other_numbers(lambda number: number - 2 ** 31)),
    "numbers_as_text": ("same", other_numbers(str)),
    "device_twice": ("same", device_records_twice(0)),
    "device_twice_in_two_rows": ("same", device_records_twice(100)),
    "unnumbered_twice": ("same", unnumbered_twice),
    "calls_under_another_number": ("same", other_thread("3239786240", lambda event: event.get("cat") in CALLS)),
    "marks_under_another_number": ("same", other_thread(990001, is_mark)),
    "one_mark_lost": ("marks", marks_lost(-3)),
    "three_marks_lost": ("marks", marks_lost(-4, -3, -2)),
    "marks_outlast_a_little": ("told", marks_outlast(0.05)),
    "marks_outlast_by_much": ("told", marks_outlast(0.4)),
    "merged_ranks": ("same", merged_ranks(False)),
    "merged_ranks_with_labels": ("same", merged_ranks(True)),
    "begins_behind_ends": ("same", begins_behind_ends),
    "contradictory_rank": ("same", contradictory_rank),
    "host_alone": ("told", host_alone),
    "memory_alone": ("refused", memory_alone),
    "second_list": ("refused", second_list),
    "empty_event": ("same", empty_event),
}
