# SPDX-License-Identifier: Apache-2.0
"""What torch.profiler is told of memory, as one line of JSON: by the CPU's allocator, which reports while its profiler
wants it, and by one report of a GPU's, made by hand as the CUDA allocator makes it (by the symbol that it calls)."""

import ctypes
import json

import torch
from torch.profiler import ProfilerActivity, profile

SYMBOL = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"
CUDA_1 = 1 | 1 << 8  # type and index, a byte each


def report(allocated, reserved):
    function = getattr(ctypes.CDLL(None), SYMBOL, None)
    if function is None:  # nobody stands before it: PyTorch's own is not global
        function = getattr(ctypes.CDLL("libc10.so"), SYMBOL)
    function.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_uint64]
    function.restype = None
    function(4096, 512, allocated, reserved, CUDA_1)


with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
    kept = [torch.ones(1000, i + 1) for i in range(5)]
    del kept[1:]
    report(512, 2 << 20)
report(1024, 2 << 20)

events = [e for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"]
print(json.dumps([[str(e.device_type()), e.device_index(), e.nbytes()] for e in events]))
