# SPDX-License-Identifier: Apache-2.0
"""two_profilers_train.py torch|none [FOLDER]: a training loop that uses torch.profiler on schedules of its own, twice
in one object and once more later, writing its traces to FOLDER; `none` runs the same steps without it."""

import json
import os
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile, schedule


class Loop:
    def __init__(self):
        torch.manual_seed(0)
        layers = [layer for _ in range(6) for layer in (torch.nn.Linear(1024, 1024), torch.nn.GELU())]
        self.model = torch.nn.Sequential(*layers).cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=True)
        self.data = torch.randn(64, 1024)
        self.losses, self.traces = [], []

    def step(self):
        loss = self.model(self.data.to("cuda")).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(loss.item())  # so that a step's device work lies in its own range

    def steps(self, count, profiler=None):
        for _ in range(count):
            self.step()
            if profiler is not None:
                profiler.step()

    def profiled(self, folder, count, **plan):
        if folder is None:
            return self.steps(count)

        def save(profiler):
            self.traces.append(os.path.join(folder, f"torch.{len(self.traces)}.json"))
            profiler.export_chrome_trace(self.traces[-1])

        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], schedule=schedule(**plan),
                     on_trace_ready=save) as profiler:
            self.steps(count, profiler)


def main():
    folder = sys.argv[2] if sys.argv[1] == "torch" else None
    loop = Loop()
    begin = time.perf_counter()
    loop.steps(20)
    loop.profiled(folder, 12, wait=1, warmup=1, active=4, repeat=2)
    loop.steps(20)
    loop.profiled(folder, 5, wait=0, warmup=1, active=4, repeat=1)
    loop.steps(20)
    print(json.dumps({"steps": len(loop.losses), "losses": loop.losses, "traces": loop.traces,
                      "seconds": time.perf_counter() - begin}), flush=True)


if __name__ == "__main__":
    main()
