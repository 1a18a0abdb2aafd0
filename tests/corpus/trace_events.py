# SPDX-License-Identifier: Apache-2.0
"""What the changes of a Kineto document share: which events are of the device, of calls and marks, and when they are."""

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
OVERFLOW = 7443372036854776.0
UINT32 = 4294967.295
WRAPPED = 2 ** 64 / 1000 - 5


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
