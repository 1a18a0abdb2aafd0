# SPDX-License-Identifier: Apache-2.0
"""The clock of a corpus program's own loop, and the arguments that every program takes.

`clock.steps()` counts iterations; the line printed at the end gives the begin of each and the end of the last, behind
one synchronisation, in nanoseconds. It imports nothing that stepscope knows of.
"""
import argparse
import json
import time


def arguments(steps):
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--steps", type=int, default=steps)
    return parser.parse_args()


class Clock:
    def __init__(self, device):
        self.device = device
        self.begins = []
        self.stopped = False

    def tick(self):
        self.begins.append(time.monotonic_ns())

    def steps(self, count):
        for number in range(count):
            self.tick()
            yield number

    def stop(self):
        """The end of the last step, where a library does more before it returns."""
        if self.device == "cuda":
            import torch
            torch.cuda.synchronize()
        self.tick()
        self.stopped = True

    def done(self, **facts):
        if not self.stopped:
            self.stop()
        print(json.dumps({"own_clock": {"steps": len(self.begins) - 1, "begins_ns": self.begins, **facts}}), flush=True)
