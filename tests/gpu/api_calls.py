# SPDX-License-Identifier: Apache-2.0
"""CUDA runtime calls by name within the range "window", from a .scope folder and from a torch.profiler trace; those of
either interface in a whole recording."""

import collections
import json
import re

import numpy

USER_SCOPE, RUNTIME_CALL, DRIVER_CALL, OVERHEAD = 2, 5, 6, 7

# What collectors/cupti/calls/other_calls.cpp leaves out; of the calls that come in training.
NOISE = {"cudaDeviceGetAttribute", "cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventDestroy", "cudaGetDevice",
         "cudaGetDeviceCount", "cudaGetLastError", "cudaPeekAtLastError", "cudaPointerGetAttributes", "cudaSetDevice",
         "cudaStreamGetCaptureInfo", "cudaStreamIsCapturing", "cudaThreadExchangeStreamCaptureMode"}
# What collectors/cupti/calls/api_functions.cpp leaves to the driver below level deep, and the driver's names of it.
LEFT_TO_DRIVER = {"cudaLaunchKernel": "cuLaunchKernel(Ex)?", "cudaLaunchKernelExC": "cuLaunchKernel(Ex)?",
                  "cudaMemcpyAsync": "cuMemcpy(HtoD|DtoH|DtoD|Peer)?Async", "cudaMemsetAsync": "cuMemsetD(2D)?(8|16|32)Async",
                  "cudaEventRecord": "cuEventRecord(WithFlags)?", "cudaStreamWaitEvent": "cuStreamWaitEvent",
                  "cudaStreamSynchronize": "cuStreamSynchronize", "cudaGraphLaunch": "cuGraphLaunch"}
POLLS = {"cudaEventQuery", "cudaStreamQuery"}  # as often as the device is not ready


def plain(name):
    return re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", name)


def of_recording(recording):
    rows = recording.host_ranges
    windows = numpy.flatnonzero(rows.name == recording.names.index("window"))
    (window,) = [row for row in windows if rows.kind[row] == USER_SCOPE]
    inside = ((rows.kind == RUNTIME_CALL) & (rows.begin >= rows.begin[window]) & (rows.end <= rows.end[window]))
    return collections.Counter(plain(recording.names[name]) for name in rows.name[inside])


def of_process(recording):
    """The calls of both interfaces in the whole recording."""
    rows = recording.host_ranges
    calls = (rows.kind == RUNTIME_CALL) | (rows.kind == DRIVER_CALL)
    return collections.Counter(plain(recording.names[name]) for name in rows.name[calls])


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
