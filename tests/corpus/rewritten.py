# SPDX-License-Identifier: Apache-2.0
"""The same trace as other writers, disks and transfers leave it: each a function of a Kineto document.

KINDS as in damage.py: a name, what must hold, and the change, which returns a document, text or the bytes of a file.
"""
import copy
import gzip
import json

from trace_events import CALLS, DEVICE, begin, end, is_mark, keep, marks_of, of


def text_of(document):
    return json.dumps(document).encode()


def members(document):
    text = text_of(document)
    half = len(text) // 2
    return gzip.compress(text[:half], 1) + gzip.compress(b"", 1) + gzip.compress(text[half:], 1)


def cut(document):
    packed = gzip.compress(text_of(document), 1)
    return packed[: len(packed) * 2 // 3]


def with_a_wrong_checksum(document):
    packed = bytearray(gzip.compress(text_of(document), 1))
    packed[-6] ^= 0xFF
    return bytes(packed)


def lines(document):
    return b"\n".join(text_of(event) for event in document["traceEvents"])


def list_without_end(tail):
    return lambda document: b"[\n" + b",\n".join(text_of(event) for event in document["traceEvents"]) + tail


def each(test, change):
    def all_of_them(document):
        for number, event in enumerate(event for event in document["traceEvents"] if test(event)):
            change(event, number)
        return document
    return all_of_them


def every(step, *categories):
    numbers = iter(range(10 ** 9))
    return lambda event: event.get("cat") in categories and event.get("ph") == "X" and next(numbers) % step == 0


def timed(event):
    return "ts" in event


def set_to(**fields):
    return lambda event, number: event.update(fields)


def from_0(offset):
    def change(document):
        first = min(begin(event) for event in document["traceEvents"] if timed(event))
        document["baseTimeNanoseconds"] = 0
        return each(timed, lambda event, number: event.update(ts=begin(event) - first + offset))(document)
    return change


def added(make):
    def change(document):
        document["traceEvents"] += [new for event in of(document, "cpu_op")[::7] for new in make(event)]
        return document
    return change


def counter(event):
    return [{"ph": "C", "name": "GPU 0 Utilization", "pid": event["pid"], "tid": 0, "ts": event["ts"], "args": {"util": 5}}]


def span(event):
    both = {"cat": "request", "id": int(begin(event)), "name": "request", "pid": event["pid"], "tid": event["tid"]}
    return [both | {"ph": "b", "ts": event["ts"]}, both | {"ph": "e", "ts": end(event) + 9000}]


def end_alone(event):
    return [{"ph": "E", "pid": event["pid"], "tid": event["tid"], "ts": end(event) + 1000}]


def begin_alone(event):
    return [{key: event[key] for key in ("pid", "tid", "ts", "cat")} | {"ph": "B", "name": "open"}]


def begins_of(category):
    def change(event, number):
        event["ph"] = "B"
        del event["dur"]
    return each(lambda event: event.get("cat") == category and event.get("ph") == "X", change)


def half_of_the_ends(document):
    events = []
    for number, event in enumerate(document["traceEvents"]):
        if event.get("cat") == "cpu_op" and number % 2:
            events.append({"ph": "E", "ts": end(event)} | {key: event[key] for key in ("pid", "tid", "name")})
        if event.get("cat") == "cpu_op":
            event = {key: value for key, value in event.items() if key != "dur"} | {"ph": "B"}
        events.append(event)
    document["traceEvents"] = events
    return document


def not_events(document):
    document["traceEvents"][5:5] = [None, {}, None]
    return document


def one_kernel(document):
    kernels = of(document, "kernel")
    return keep(document, lambda event: event.get("cat") not in DEVICE or event is kernels[len(kernels) // 2])


def one_step(document):
    mark = marks_of(document)[len(marks_of(document)) // 2]
    return keep(document, lambda event: not timed(event) or begin(mark) <= begin(event) <= end(mark))


def one_step_unmarked(document):
    return keep(one_step(document), lambda event: not is_mark(event) and "user_annotation" not in event.get("cat", ""))


def two_sessions(document):
    later = copy.deepcopy(document["traceEvents"])
    for event in later:
        if timed(event):
            event["ts"] = begin(event) + 3.6e9
    document["traceEvents"] += later
    return document


def clock_set_back(document):
    border = begin(marks_of(document)[len(marks_of(document)) // 2])
    return each(lambda event: timed(event) and begin(event) >= border, lambda event, number: event.update(ts=begin(event) - 5e6))(document)


def without(*fields):
    def change(event, number):
        for field in fields:
            event.get("args", {}).pop(field, None)
    return each(lambda event: event.get("cat") in DEVICE + CALLS, change)


def side_stream(how):
    """Every fifth record of the device is of a second stream; `how` spells a stream's address."""
    def change(document):
        for number, event in enumerate(of(document, *DEVICE)):
            event["args"]["stream"] = event["tid"] = how(2 ** 46 + 4096 * (number % 5 == 4))
        return document
    return change


def of_another_tool(category, process=None):
    def change(document):
        events = [{"ph": "X", "cat": category, "name": event["name"], "pid": 1, "tid": 1, "ts": event["ts"], "dur": event["dur"]}
                  for event in of(document, "cpu_op")]
        for event in events if category is None else []:
            del event["cat"]
        label = {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": process or "python"}}
        return {"traceEvents": [label] + events}
    return change


def spell(field, how):
    return each(lambda event: field in event, lambda event, number: event.update({field: how(event[field])}))


KINDS = {
    "byte_order_mark": ("same", lambda document: b"\xef\xbb\xbf" + text_of(document)),
    "gzip_members": ("same", members),
    "gzip_padded": ("same", lambda document: gzip.compress(text_of(document), 1) + b"\0" * 512),
    "gzip_twice": ("refused", lambda document: gzip.compress(gzip.compress(text_of(document), 1))),
    "gzip_cut": ("refused", cut),
    "gzip_checksum": ("refused", with_a_wrong_checksum),
    "zero_bytes_behind": ("same", lambda document: text_of(document) + b"\0" * 4096),
    "windows_lines": ("same", lambda document: json.dumps(document, indent=1).replace("\n", "\r\n")),
    "latin_1": ("same", lambda document: text_of(document).replace(b'"aten::', b'"\xe9aten::', 1)),
    "utf_16": ("refused", lambda document: json.dumps(document).encode("utf-16")),
    "list_without_end": ("same", list_without_end(b"")),
    "list_with_a_comma_at_its_end": ("same", list_without_end(b",\n")),
    "list_cut_in_an_event": ("refused", list_without_end(b',\n{"ph": "X", "ts": 1')),
    "json_lines": ("refused", lines),
    "list_of_lists": ("refused", lambda document: "[[1, 2], [[3, 4]]]"),
    "null_events": ("same", not_events),
    "windows_paths": ("same", each(every(9, "cpu_op"), lambda event, number: event.setdefault("args", {}).update(file="C:\\Users\\x\\train.py"))),
    "nan_arguments": ("same", each(every(3, "kernel"), lambda event, number: event["args"].update(x=float("nan"), y=float("-inf")))),
    "large_argument": ("same", each(every(10 ** 9, "cpu_op"), lambda event, number: event.setdefault("args", {}).update(x="y" * 3_000_000))),
    "nan_lengths": ("told", each(every(7, "kernel"), set_to(dur=float("nan")))),
    "infinite_times": ("told", each(every(7, "kernel"), set_to(ts=float("inf")))),
    "null_times": ("told", each(every(7, "kernel"), set_to(ts=None))),
    "negative_kernels": ("told", each(every(3, "kernel"), lambda event, number: event.update(dur=-float(event["dur"])))),
    "host_without_lengths": ("told", each(every(1, "cpu_op", "python_function", *CALLS), set_to(dur=0))),
    "times_from_0": ("same", from_0(0)),
    "times_before_1970": ("refused", from_0(-6e15)),
    "display_in_ns": ("same", lambda document: document | {"displayTimeUnit": "ns"}),
    "times_with_exponents": ("same", spell("ts", lambda ts: f"{float(ts) / 1e6:.12f}e6")),
    "no_pid": ("same", each(timed, lambda event, number: event.pop("pid", None))),
    "device_without_ids": ("same", each(every(1, *DEVICE), lambda event, number: (event.pop("pid"), event.pop("tid")))),
    "streams_of_64_bits": ("same", side_stream(int)),
    "streams_as_text": ("same", side_stream(hex)),
    "all_of_process_0": ("same", spell("pid", lambda pid: 0)),
    "ids_with_words": ("same", lambda document: spell("tid", lambda tid: f"thread {tid}")(spell("pid", lambda pid: f"process {pid}")(document))),
    "negative_threads": ("same", spell("tid", lambda tid: -tid - 1 if isinstance(tid, int) else tid)),
    "reversed": ("same", lambda document: document | {"traceEvents": document["traceEvents"][::-1]}),
    "keys_reversed": ("same", lambda document: document | {"traceEvents": [dict(reversed(event.items())) for event in document["traceEvents"]]}),
    "labels_last": ("same", lambda document: document | {"traceEvents": sorted(document["traceEvents"], key=lambda event: event.get("ph") == "M")}),
    "counters": ("same", added(counter)),
    "spans": ("same", added(span)),
    "ends_alone": ("same", added(end_alone)),
    "begins_alone": ("same", added(begin_alone)),
    "kernels_never_end": ("told", begins_of("kernel")),
    "half_of_the_ends": ("told", half_of_the_ends),
    "one_kernel": ("told", one_kernel),
    "one_step": ("told", one_step),
    "one_step_unmarked": ("told", one_step_unmarked),
    "two_sessions": ("same", two_sessions),
    "clock_set_back": ("told", clock_set_back),
    "no_correlations": ("told", without("correlation")),
    "kernels_half_longer": ("told", each(every(1, "kernel"), lambda event, number: event.update(dur=float(event["dur"]) * 1.5))),
    "device_in_ns": ("told", each(every(1, *DEVICE), lambda event, number: event.update(dur=float(event["dur"]) * 1000))),
    "browser": ("refused", of_another_tool("blink,devtools.timeline")),
    "viztracer": ("refused", of_another_tool("FEE")),
    "xla": ("refused", of_another_tool(None, "/device:GPU:0")),
    "onnx_runtime": ("refused", of_another_tool("Node")),
}
