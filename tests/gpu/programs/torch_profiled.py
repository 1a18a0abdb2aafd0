# SPDX-License-Identifier: Apache-2.0
"""torch_profiled.py OUT.json PROGRAM [ARGUMENTS...]: runs a program unmodified inside torch.profiler, and writes the
device ops of the whole run as [[name, begin ns, end ns]]."""

import json
import os
import runpy
import sys


def run(out, words):
    import torch
    from torch.profiler import ProfilerActivity, profile

    sys.argv = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        try:
            runpy.run_path(words[0], run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
    events = profiler.profiler.kineto_results.events()
    cuda = torch.autograd.DeviceType.CUDA
    ops = [(e.name(), e.start_ns(), e.end_ns()) for e in events
           if e.device_type() == cuda and not e.is_user_annotation()]
    with open(out, "w") as file:
        json.dump(ops, file)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
