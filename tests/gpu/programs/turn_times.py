# SPDX-License-Identifier: Apache-2.0
"""turn_times.py REQUESTS REPLIES PROGRAM [ARGUMENTS...]: runs a program unmodified; after the warm-up it makes steps only
when asked. REQUESTS and REPLIES are named pipes, a line each: a number of steps is answered by the milliseconds a step; a
word below is done and answered by itself. A stretch begins and ends with the device idle, behind steps that are not timed.

    listen_start, listen_stop   cudaProfilerStart and Stop, for whatever listens to them
    subscribe, kinds_on, kinds_off, unsubscribe, finalize   CUPTI by itself
    load       the library that STEPSCOPE_LIBRARY names, as if it had been there from the start
"""

import ctypes
import os
import runpy
import sys
import time

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

WARM_UP_STEPS = 20
UNTIMED_STEPS = 2  # another process had the caches
ACTIVITY_KINDS = (1, 2, 10)  # memcpy, memset, concurrent kernel


class Cupti:
    CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)
    REQUEST = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_size_t)] * 3)
    COMPLETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)

    def __init__(self):
        self.library = ctypes.CDLL("libcupti.so.13")
        self.subscriber = ctypes.c_void_p()
        self.callback = self.CALLBACK(lambda *_: None)
        self.memory = []  # never freed: CUPTI may still hold it
        self.buffers = self.REQUEST(self.give), self.COMPLETE(lambda *_: None)

    def give(self, buffer, size, records):
        self.memory.append(ctypes.create_string_buffer(1 << 20))
        buffer[0], size[0], records[0] = ctypes.addressof(self.memory[-1]), 1 << 20, 0

    def must(self, name, *arguments):
        if status := getattr(self.library, name)(*arguments):
            sys.exit(f"{name} failed with {status}")

    def subscribe(self):
        self.must("cuptiSubscribe", ctypes.byref(self.subscriber), self.callback, None)
        self.must("cuptiActivityRegisterCallbacks", *self.buffers)

    def kinds_on(self):
        for kind in ACTIVITY_KINDS:
            self.must("cuptiActivityEnable", kind)

    def kinds_off(self):
        for kind in ACTIVITY_KINDS:
            self.must("cuptiActivityDisable", kind)

    def unsubscribe(self):
        self.must("cuptiUnsubscribe", self.subscriber)

    def finalize(self):
        self.must("cuptiActivityFlushAll", 1)
        self.must("cuptiFinalize")


class Actions:
    def __init__(self):
        self.cupti = None

    def do(self, word):
        torch.cuda.synchronize()
        if word in ("listen_start", "listen_stop"):
            (torch.cuda.profiler.start if word == "listen_start" else torch.cuda.profiler.stop)()
        elif word == "load":
            ctypes.CDLL(os.environ["STEPSCOPE_LIBRARY"], ctypes.RTLD_GLOBAL).InitializeInjection()
        else:
            self.cupti = self.cupti or Cupti()
            getattr(self.cupti, word)()


class Turns:
    def __init__(self, requests, replies):
        self.requests, self.replies = requests, replies
        self.actions = Actions()
        self.seen = 0
        self.begin_at = self.end_at = None
        self.begin = 0.0

    def after_step(self, *_):
        self.seen += 1
        if self.seen == WARM_UP_STEPS:
            self.say("ready")
            self.wait()
        elif self.seen == self.begin_at:
            torch.cuda.synchronize()
            self.begin = time.perf_counter()
        elif self.seen == self.end_at:
            torch.cuda.synchronize()
            self.say((time.perf_counter() - self.begin) * 1e3 / (self.end_at - self.begin_at))
            self.wait()

    def say(self, what):
        self.replies.write(f"{what}\n")
        self.replies.flush()

    def wait(self):
        while asked := self.requests.readline().strip():
            if asked.isdigit():
                self.begin_at = self.seen + UNTIMED_STEPS
                self.end_at = self.begin_at + int(asked)
                return
            self.actions.do(asked)
            self.say(asked)
        raise SystemExit(0)


def main():
    requests, replies, *words = sys.argv[1:]
    turns = Turns(open(requests), open(replies, "w"))
    sys.argv = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    register_optimizer_step_post_hook(turns.after_step)
    runpy.run_path(words[0], run_name="__main__")
    sys.exit(f"{words[0]} ended after {turns.seen} optimiser steps")


if __name__ == "__main__":
    main()
