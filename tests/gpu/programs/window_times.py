# SPDX-License-Identifier: Apache-2.0
"""window_times.py OUT.json SWITCH STEPS WINDOWS PROGRAM [ARGUMENTS...]: runs a program unmodified and times stretches of
STEPS optimiser steps, by turns with a profiler off and on, until WINDOWS stretches were timed. SWITCH says what turns:

    none            nothing: what the method itself spreads
    cuda            cudaProfilerStart and Stop, for whatever listens to them (nsys, stepscope), and with them whether
                    PyTorch calls anybody for its ops
    torch           a torch.profiler.profile of its own each time, CPU and CUDA, without stacks
    subscribed      a CUPTI subscription whose activity kinds were on once and are off

Stretches begin and end with the device idle; the step after each switch is not timed. OUT.json: [[on, ms a step], ...].
"""

import ctypes
import json
import os
import runpy
import sys
import time

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

WARM_UP_STEPS = 20
ACTIVITY_KINDS = (1, 2, 10)  # memcpy, memset, concurrent kernel


class Cuda:
    def __call__(self, on):
        torch.autograd._enable_record_function(on)
        (torch.cuda.profiler.start if on else torch.cuda.profiler.stop)()


class TorchProfiler:
    def __call__(self, on):
        if on:
            self.profiler = torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA])
            self.profiler.start()
        else:
            self.profiler.stop()
            self.profiler = None


class Subscribed:
    CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)

    def __init__(self):
        self.cupti = ctypes.CDLL("libcupti.so.13")
        self.subscriber = ctypes.c_void_p()
        self.callback = self.CALLBACK(lambda *_: None)

    def must(self, name, *arguments):
        if status := getattr(self.cupti, name)(*arguments):
            sys.exit(f"{name} failed with {status}")

    def __call__(self, on):
        if not on:
            self.must("cuptiUnsubscribe", self.subscriber)
            return
        self.must("cuptiSubscribe", ctypes.byref(self.subscriber), self.callback, None)
        for kind in ACTIVITY_KINDS:
            self.must("cuptiActivityEnable", kind)
        for kind in ACTIVITY_KINDS:
            self.must("cuptiActivityDisable", kind)


SWITCHES = {"none": lambda: lambda on: None, "cuda": Cuda, "torch": TorchProfiler, "subscribed": Subscribed}


class Windows:
    def __init__(self, switch, steps, wanted, out):
        self.switch, self.steps, self.wanted, self.out = switch, steps, wanted, out
        self.seen, self.found, self.on, self.begin = 0, [], False, None

    def after_step(self, *_):
        """A stretch is one step that is not timed and then the timed ones."""
        self.seen += 1
        if self.seen < WARM_UP_STEPS:
            return
        place = (self.seen - WARM_UP_STEPS) % (self.steps + 1)
        if place == 1:
            torch.cuda.synchronize()
            self.begin = time.perf_counter()
        if place == 0:
            self.turn()

    def turn(self):
        torch.cuda.synchronize()
        if self.begin is not None:
            self.found.append([self.on, (time.perf_counter() - self.begin) * 1e3 / self.steps])
        if len(self.found) >= self.wanted:
            self.end()
        if self.begin is not None:
            self.on = not self.on
            self.switch(self.on)

    def end(self):
        if self.on:
            self.switch(False)
        with open(self.out, "w") as file:
            json.dump(self.found, file)
        sys.stdout.flush()
        raise SystemExit(0)


def main():
    out, name, steps, wanted, *words = sys.argv[1:]
    windows = Windows(SWITCHES[name](), int(steps), int(wanted), out)
    sys.argv = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    if name == "cuda":
        torch.autograd._enable_record_function(False)
    register_optimizer_step_post_hook(windows.after_step)
    runpy.run_path(words[0], run_name="__main__")
    sys.exit(f"{words[0]} ended after {windows.seen} optimiser steps: too few for {wanted} stretches")


if __name__ == "__main__":
    main()
