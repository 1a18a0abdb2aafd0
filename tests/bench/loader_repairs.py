#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop behind a DataLoader, with costs of known kinds and lengths, and the same loop repaired.

usage: loader_repairs.py PROGRAM_JSON [--turns N]

PROGRAM_JSON names the numbers of workers and of batches that each makes ahead, and the cost of a batch, of a part of the
forward (and of its gradient), of the optimizer and of the rest of the loop: [kind, milliseconds]. Kinds: "sleep"; "spin", a
busy loop until the clock says so; "compute", matrix products, which take longer where cores are few. "uneven" is the share by
which single batches differ from the mean. "repair" changes some of these numbers; "device" is where the model is.

Without --turns the loop runs as it is: this is what a profiler records. With it, the loop and its repair run N times in turn.
Their mean steps, without those in which the loader fills, are printed as JSON: milliseconds of wall time.
"""

import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.profiler import record_function

ROWS, WIDTH = 8, 64


def spend(kind, ms):
    if ms <= 0:
        return
    if kind == "sleep":
        time.sleep(ms / 1e3)
    elif kind == "spin":
        end = time.perf_counter() + ms / 1e3
        while time.perf_counter() < end:
            pass
    else:  # a product of this size takes some 0.25 ms of one core
        a = torch.ones(160, 160)
        for _ in range(max(1, round(4 * ms))):
            a = (a @ a) * 1e-2


class Costly(torch.autograd.Function):
    """Does nothing, at a price in both directions."""

    @staticmethod
    def forward(ctx, x, forward, backward):
        ctx.backward_cost = backward
        spend(*forward)
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        spend(*ctx.backward_cost)
        return grad, None, None


class Samples(torch.utils.data.Dataset):
    def __init__(self, program, batches):
        self.kind, self.ms = program["sample"]
        self.uneven, self.batches = program.get("uneven", 0), batches

    def __len__(self):
        return ROWS * self.batches

    def __getitem__(self, i):
        batch = i // ROWS
        # One of four batches is as much cheaper as another is dearer; the mean stays.
        factor = 1 + self.uneven * (0, 1, 0, -1)[batch % 4]
        spend(self.kind, self.ms * factor / ROWS)
        return torch.full((WIDTH,), float(i % 7))


def make(program, batches):
    workers = program["workers"]
    more = {"prefetch_factor": program["prefetch"]} if workers and program.get("prefetch") else {}
    return torch.utils.data.DataLoader(Samples(program, batches), batch_size=ROWS, num_workers=workers,
                                       pin_memory=program.get("device", "cpu") != "cpu", **more)


def train(program, batches):
    device = program.get("device", "cpu")
    torch.manual_seed(0)
    first = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU()).to(device)
    second = nn.Linear(WIDTH, WIDTH).to(device)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=1e-3)
    ends = []
    for i, x in enumerate(make(program, batches + 64)):  # left while the loader still works
        if i == batches:
            break
        x = x.to(device, non_blocking=True)
        with record_function("encode"):
            y = first(x)
        with record_function("costly"):
            y = Costly.apply(y, program["forward"], program["backward"])
        with record_function("head"):
            loss = (second(y) - x).square().mean()
        with record_function("rest"):
            spend(*program["rest"])
        loss.backward()
        with record_function("update"):
            spend(*program["update"])
        optimizer.step()
        optimizer.zero_grad()
        if device != "cpu":
            loss.item()
        ends.append(time.perf_counter())
    return ends


def steady_ms(program, batches):
    """Returns the mean time of the steps behind the first batches, which were all requested at once."""
    ahead = program["workers"] * (program.get("prefetch") or 2)
    ends = train(program, batches)[ahead + 4:]
    return 1e3 * (ends[-1] - ends[0]) / (len(ends) - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--turns", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    program = json.loads(arguments.program)
    if not arguments.turns:
        train(program, program["batches"])
        return
    repaired = {**program, **program["repair"]}
    times = {"slow_ms": [], "repaired_ms": []}
    for _ in range(arguments.turns):
        times["slow_ms"].append(steady_ms(program, program["truth_batches"]))
        times["repaired_ms"].append(steady_ms(repaired, program["truth_batches"]))
    times["ratio"] = statistics.median(b / a for a, b in zip(times["slow_ms"], times["repaired_ms"]))
    print(json.dumps(times))


if __name__ == "__main__":
    main()
