#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of one pass in place of a Python loop on a CPU, against the same loop written so.

usage: loop_passes.py STEPSCOPE [--python PYTHON] [--turns 9] [--steps 80] [--kind NAME ...]
       loop_passes.py --run KIND [--steps 80] [--turns N]

mlp, cnn (the model runs for each sample; repaired: once for the batch), augment (each sample is scaled, blurred with noise and
flipped or not), crop (a window at a place of its own of each sample), pairs (a penalty on the distances of each row), groups
(the mean of each class), average (a moving average of 44 parameters, one by one; by torch._foreach_lerp_).
The loop is recorded by `stepscope profile`, and the first finding of launch_bound that names a loop is taken. Then both loops
run without it, in turns in one process; what the repair gives is the median of the turns' ratios of medians of steps.
PYTHON needs torch. Prints a Markdown table; nothing is left out.
"""

import copy
import json
import pathlib
import random
import statistics
import time

from executed_repairs import finding_of, line_of, output_of, parser_of, print_table

BATCH, CLASSES = 24, 10
KINDS = ("mlp", "cnn", "augment", "crop", "pairs", "groups", "average")


class Loop:
    def __init__(self, kind, repaired):
        global torch, nn, functional
        import torch
        from torch import nn
        from torch.nn import functional
        torch.manual_seed(0)
        self.kind, self.repaired = kind, repaired
        self.images = kind in ("cnn", "augment", "crop")
        self.net = self.make_net()
        self.average = copy.deepcopy(self.net)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=1e-3)
        self.inputs = torch.rand(512, 3, 32, 32) if self.images else torch.randn(512, 64)
        self.labels = torch.randint(CLASSES, (512,))

    def make_net(self):
        if self.images:
            return nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(),
                                 nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, CLASSES))
        if self.kind == "average":
            return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), *[nn.Linear(32, 32) for _ in range(20)], nn.Linear(32, CLASSES))
        return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, CLASSES))

    def augment(self, x):
        if self.repaired:
            x = (x * (0.7 + 0.6 * torch.rand(BATCH, 3, 1, 1)) + 0.05 * torch.randn(BATCH, 3, 32, 32)).clamp(0, 1)
            x = torch.where((torch.rand(BATCH) < 0.5).view(BATCH, 1, 1, 1), x.flip(3), x)
            return (x - x.mean((1, 2, 3), keepdim=True)) / x.std((1, 2, 3), keepdim=True)
        out = []
        for image in x:
            image = (image * (0.7 + 0.6 * torch.rand(3, 1, 1)) + 0.05 * torch.randn(3, 32, 32)).clamp(0, 1)
            if random.random() < 0.5:
                image = image.flip(2)
            out.append((image - image.mean()) / image.std())
        return torch.stack(out)

    def crop(self, x):
        if self.repaired:
            padded = functional.pad(x, (4,) * 4)
            rows, columns = (torch.randint(0, 9, (BATCH, 1)) + torch.arange(32) for _ in range(2))
            return padded[torch.arange(BATCH)[:, None, None], :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2).contiguous()
        out = []
        for image in x:
            row, column = random.randint(0, 8), random.randint(0, 8)
            out.append(functional.pad(image, (4,) * 4)[:, row:row + 32, column:column + 32])
        return torch.stack(out)

    def distances(self, h):
        if self.repaired:
            return torch.exp(-(h[:, None] - h[None]).pow(2).sum(-1)).mean()
        penalty = 0.0
        for i in range(BATCH):
            penalty = penalty + torch.exp(-(h[i][None] - h).pow(2).sum(-1)).mean()
        return penalty / BATCH

    def means(self, h, y):
        if self.repaired:
            counts = torch.zeros(CLASSES).index_add(0, y, torch.ones(BATCH)).clamp(min=1)
            return torch.zeros(CLASSES, CLASSES).index_add(0, y, h) / counts[:, None]
        means = []
        for c in range(CLASSES):
            rows = h[y == c]
            means.append(rows.mean(0) if len(rows) else torch.zeros(CLASSES))
        return torch.stack(means)

    def loss(self, x, y):
        if self.kind in ("mlp", "cnn") and not self.repaired:
            loss = 0.0
            for i in range(BATCH):
                loss = loss + functional.cross_entropy(self.net(x[i:i + 1]), y[i:i + 1])
            return loss / BATCH
        if self.kind in ("augment", "crop"):
            x = getattr(self, self.kind)(x)
        h = self.net(x)
        loss = functional.cross_entropy(h, y)
        if self.kind == "pairs":
            loss = loss + 0.1 * self.distances(h)
        if self.kind == "groups":
            loss = loss + 0.01 * self.means(h, y).pow(2).sum()
        return loss

    def update_average(self):
        with torch.no_grad():
            if self.repaired:
                torch._foreach_lerp_(list(self.average.parameters()), list(self.net.parameters()), 0.01)
                return
            for a, p in zip(self.average.parameters(), self.net.parameters()):
                a.mul_(0.99).add_(p, alpha=0.01)

    def step(self):
        rows = torch.randint(0, 512, (BATCH,))
        loss = self.loss(self.inputs[rows], self.labels[rows])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if self.kind == "average":
            self.update_average()

    def run(self, steps):
        """The median step in ms."""
        times = []
        for _ in range(steps):
            begin = time.perf_counter()
            self.step()
            times.append(1e3 * (time.perf_counter() - begin))
        return statistics.median(times[5:])


def run_program(options):
    slow = Loop(options.run, False)
    if options.turns == 0:
        slow.run(options.steps)
        return
    repaired = Loop(options.run, True)
    pairs = [(slow.run(options.steps), repaired.run(options.steps)) for _ in range(options.turns)]
    print(json.dumps(pairs))


def judge(options, folder, kind):
    program = [options.python, pathlib.Path(__file__).resolve(), "--run", kind, "--steps", options.steps]
    found, step = finding_of(options.stepscope, folder / f"{kind}.scope", [*program, "--turns", 0],
                             lambda one: one["id"] == "launch_bound" and "times a step the loop" in one["title"])
    return line_of(kind, found, step, json.loads(output_of([*program, "--turns", options.turns]).splitlines()[-1]))


def main():
    parser = parser_of(__doc__, turns=9, steps=80)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--run", choices=KINDS, help="run one loop in this process")
    options = parser.parse_args()
    if options.run:
        run_program(options)
        return
    print_table(parser, options, judge, [[kind] for kind in options.kind or KINDS])


if __name__ == "__main__":
    main()
