# SPDX-License-Identifier: Apache-2.0
"""Text that is no JSON, and documents as other writers print them."""
import copy
import json
import random
import re

from trace_events import keep, of


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


# Numbers as other writers print them.

def every_number_of(field, spell):
    def change(document):
        return re.sub(f'"{field}": ([0-9.]+)', lambda found: f'"{field}": {spell(found.group(1))}', json.dumps(document))
    return change


def absolute(ts):
    return float(ts) + 1.78e15


def empty_event(document):
    document["traceEvents"].append({})
    return document
