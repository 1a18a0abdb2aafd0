#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of fused=True on a CPU, against the same optimizer with it.

usage: fused_optimizers.py STEPSCOPE [--python PYTHON] [--turns 3] [--steps 150] [--model NAME ...]
       fused_optimizers.py --run MODEL OPTIMIZER [--fused] [--steps 150]

Models: table (100,000 rows of 32, of which a batch reads few), mlp (four layers of 1,024), conv (a layer of 12,544 by 512
behind two convolutions), lstm (a table of 30,000 words). Optimizers: Adam, AdamW, SGD with momentum, Adagrad.
The plain optimizer is recorded by `stepscope profile`. Then both run without it, in turns, each in a process of its own;
what fused=True gives is the median of the turns' ratios of mean steps. PYTHON needs torch.
Prints a Markdown table; nothing is left out.
"""

import pathlib
import statistics
import time

from executed_repairs import finding_of, in_turns, line_of, parser_of, print_table

MODELS = ("table", "mlp", "conv", "lstm")
OPTIMIZERS = ("Adam", "AdamW", "SGD", "Adagrad")
WARM_UP = 10


def model_and_input(name):
    import torch
    from torch import nn
    if name == "table":
        model = nn.Sequential(nn.EmbeddingBag(100_000, 32), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))
        return model, torch.randint(0, 100_000, (128, 20))
    if name == "mlp":
        return nn.Sequential(*[layer for _ in range(4) for layer in (nn.Linear(1024, 1024), nn.ReLU())],
                             nn.Linear(1024, 1)), torch.randn(32, 1024)
    if name == "conv":
        model = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(),
                              nn.Flatten(), nn.Linear(64 * 14 * 14, 512), nn.ReLU(), nn.Linear(512, 1))
        return model, torch.randn(16, 3, 28, 28)

    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(30_000, 64)
            self.lstm = nn.LSTM(64, 128, batch_first=True)
            self.out = nn.Linear(128, 1)

        def forward(self, x):
            return self.out(self.lstm(self.words(x))[0][:, -1])
    return Reader(), torch.randint(0, 30_000, (16, 20))


def run_program(options):
    import torch
    torch.manual_seed(0)
    name, kind = options.run
    model, x = model_and_input(name)
    target = torch.randn(len(x), 1)
    more = {"momentum": 0.9} if kind == "SGD" else {}
    optimizer = getattr(torch.optim, kind)(model.parameters(), lr=1e-3, fused=options.fused, **more)
    times = []
    for _ in range(options.steps):
        begin = time.perf_counter()
        loss = (model(x) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        times.append(1e3 * (time.perf_counter() - begin))
    print(statistics.mean(times[WARM_UP:]))


def judge(options, folder, name, kind):
    program = [options.python, pathlib.Path(__file__).resolve(), "--steps", options.steps, "--run", name, kind]
    found, step = finding_of(options.stepscope, folder / f"{name}.{kind}.scope", program, lambda one: one["id"] == "unfused_optimizer")
    return line_of(f"{name}, {kind}", found, step, in_turns(program, [*program, "--fused"], options.turns))


def main():
    parser = parser_of(__doc__, turns=3, steps=150)
    parser.add_argument("--model", action="append", choices=MODELS)
    parser.add_argument("--run", nargs=2, metavar=("MODEL", "OPTIMIZER"), help="run one in this process")
    parser.add_argument("--fused", action="store_true")
    options = parser.parse_args()
    if options.run:
        run_program(options)
        return
    print_table(parser, options, judge, [[name, kind] for name in options.model or MODELS for kind in OPTIMIZERS])


if __name__ == "__main__":
    main()
