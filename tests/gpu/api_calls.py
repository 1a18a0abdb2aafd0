# SPDX-License-Identifier: Apache-2.0
"""CUDA runtime calls by name within the range "window", from a .scope folder and from a torch.profiler trace."""

import collections
import json
import re

import numpy

USER_SCOPE, RUNTIME_CALL, DRIVER_CALL, OVERHEAD = 2, 5, 6, 7

# What collectors/cupti/other_calls.cpp leaves out; of the calls that come in training.
NOISE = {"cudaDeviceGetAttribute", "cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventDestroy", "cudaGetDevice",
         "cudaGetDeviceCount", "cudaGetLastError", "cudaPeekAtLastError", "cudaPointerGetAttributes", "cudaSetDevice",
         "cudaStreamGetCaptureInfo", "cudaStreamIsCapturing", "cudaThreadExchangeStreamCaptureMode"}
POLLS = {"cudaEventQuery", "cudaStreamQuery"}  # as often as the device is not ready


def plain(name):
    return re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", name)


def of_recording(recording):
    rows = recording.host_ranges
    windows = numpy.flatnonzero(rows.name == recording.names.index("window"))
    (window,) = [row for row in windows if rows.kind[row] == USER_SCOPE]
    inside = ((rows.kind == RUNTIME_CALL) & (rows.begin >= rows.begin[window]) & (rows.end <= rows.end[window]))
    return collections.Counter(plain(recording.names[name]) for name in rows.name[inside])


def of_chrome_trace(path):
    with open(path) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
    (window,) = [e for e in events if e["name"] == "window" and e.get("cat") == "user_annotation"]
    begin, end = window["ts"], window["ts"] + window["dur"]
    return collections.Counter(plain(e["name"]) for e in events if e.get("cat") == "cuda_runtime"
                               and begin <= e["ts"] and e["ts"] + e["dur"] <= end)


def differences(ours, theirs):
    """[{name, ours, theirs}] of the calls whose counts differ and should not."""
    names = sorted((set(ours) | set(theirs)) - NOISE - POLLS)
    rows = [{"name": name, "ours": ours[name], "theirs": theirs[name]} for name in names
            if not name.startswith("__")]
    return [row for row in rows if row["ours"] != row["theirs"]]


def recorded_noise(ours):
    return sorted(set(ours) & NOISE)
