#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of one backward pass in place of several, against the same programs written so.

usage: backward_passes.py STEPSCOPE [--python PYTHON] [--turns 9] [--steps 80] [--kind NAME ...] [--device cpu]
       backward_passes.py --run KIND [--repaired] [--steps 80] [--device cpu]

heads, heads_small (three heads on one trunk, a backward() for each loss), critic (policy, value and entropy of one trunk, two
backward passes), conv (two heads on convolutions), burgers (u_x and u_t asked for one after the other, then u_xx), fields (the same
of a wider net, without a second derivative). Repaired: one backward() of the sum, one torch.autograd.grad for both inputs.
PYTHON needs torch. Prints a Markdown table; nothing is left out.
"""

import pathlib
import statistics
import time

from executed_repairs import finding_of, in_turns, line_of, parser_of, print_table

KINDS = ("heads", "heads_small", "critic", "conv", "burgers", "fields")
CLASSES = 10


class Program:
    def __init__(self, kind, repaired, device):
        global torch, nn, functional
        import torch
        from torch import nn
        from torch.nn import functional
        torch.manual_seed(0)
        self.kind, self.repaired, self.device = kind, repaired, device
        self.trunk, width = self.make_trunk()
        self.heads = nn.ModuleList([nn.Linear(width, size) for size in self.head_sizes()])
        self.trunk, self.heads = self.trunk.to(device), self.heads.to(device)
        self.optimizer = torch.optim.AdamW([*self.trunk.parameters(), *self.heads.parameters()], 1e-3)

    def head_sizes(self):
        return {"critic": (6, 1), "conv": (CLASSES, 4), "burgers": (1,), "fields": (1,)}.get(self.kind, (CLASSES, 4, 1))

    def make_trunk(self):
        if self.kind == "conv":
            return nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1),
                                 nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()), 64
        if self.kind in ("burgers", "fields"):
            width = 64 if self.kind == "burgers" else 256
            sizes = [2] + [width] * 5
            return nn.Sequential(*[part for a, b in zip(sizes, sizes[1:]) for part in (nn.Linear(a, b), nn.Tanh())]), width
        width, layers = {"heads": (256, 6), "heads_small": (48, 3), "critic": (64, 4)}[self.kind]
        return nn.Sequential(*[part for _ in range(layers) for part in (nn.Linear(width, width), nn.LayerNorm(width), nn.GELU())]), width

    def losses(self):
        if self.kind in ("burgers", "fields"):
            return [self.residual()]
        rows = 64 if self.kind == "heads_small" else 256
        inputs = (16, 3, 32, 32) if self.kind == "conv" else (rows, self.heads[0].in_features)
        hidden = self.trunk(torch.randn(inputs, device=self.device))
        out = []
        for head in self.heads:
            made = head(hidden)
            target = torch.randint(made.shape[1], made.shape[:1], device=self.device)
            out.append(functional.cross_entropy(made, target) if made.shape[1] > 1 else made.pow(2).mean())
        return out

    def residual(self):
        x, t = (torch.rand(1024, 1, device=self.device).requires_grad_() for _ in range(2))
        u = self.heads[0](self.trunk(torch.cat([x, t], 1)))
        if self.repaired:
            u_x, u_t = torch.autograd.grad(u.sum(), (x, t), create_graph=True)
        else:
            u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
            u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        out = u_t + u * u_x
        if self.kind == "burgers":
            out = out - 0.003 * torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
        return out.pow(2).mean()

    def step(self):
        losses = self.losses()
        self.optimizer.zero_grad()
        if self.repaired:
            sum(losses).backward()
        else:
            for loss in losses:
                loss.backward(retain_graph=loss is not losses[-1])
        self.optimizer.step()


def run_program(options):
    program = Program(options.run, options.repaired, options.device)
    times = []
    for _ in range(options.steps):
        begin = time.perf_counter()
        program.step()
        if options.device != "cpu":
            torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
    print(statistics.median(times[10:]))


def judge(options, folder, kind):
    program = [options.python, pathlib.Path(__file__).resolve(), "--run", kind, "--steps", options.steps, "--device", options.device]
    found, step = finding_of(options.stepscope, folder / f"{kind}.scope", program, lambda one: one["id"] == "repeated_backward")
    return line_of(kind, found, step, in_turns(program, [*program, "--repaired"], options.turns))


def main():
    parser = parser_of(__doc__, turns=9, steps=80)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--run", choices=KINDS, help="run one program in this process")
    parser.add_argument("--repaired", action="store_true")
    options = parser.parse_args()
    if options.run:
        run_program(options)
        return
    print_table(parser, options, judge, [[kind] for kind in options.kind or KINDS])


if __name__ == "__main__":
    main()
