# SPDX-License-Identifier: Apache-2.0
"""A search for hyper-parameters: trials are generators, advanced in turns; after each rung the worse half is given up."""
import random

import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F

args = arguments(144)
on_gpu = args.device == "cuda"
torch.manual_seed(0)
random.seed(0)
ROWS = 8192 if on_gpu else 64
WIDTHS = (1024, 1536, 2048) if on_gpu else (16, 32, 48)
teacher = torch.randn(64, 1, device=args.device)
clock = Clock(args.device)


def draw(rows):
    inputs = torch.randn(rows, 64, device=args.device)
    return inputs, torch.sin(inputs @ teacher / 4)


def build(setting):
    layers, inside = [], 64
    for _ in range(setting["depth"]):
        layers += [nn.Linear(inside, setting["width"]), setting["activation"]()]
        inside = setting["width"]
    return nn.Sequential(*layers, nn.Linear(inside, 1)).to(args.device)


def trial(setting):
    """Yields its model before every step, so that whoever holds it may look at it or stop it."""
    model = build(setting)
    optimizer = setting["optimizer"](model.parameters(), lr=setting["rate"])
    while True:
        yield model
        inputs, wanted = draw(ROWS)
        optimizer.zero_grad()
        F.mse_loss(model(inputs), wanted).backward()
        optimizer.step()


@torch.no_grad()
def score(model):
    inputs, wanted = draw(2 * ROWS)
    return F.mse_loss(model(inputs), wanted).item()


settings = [{"depth": random.choice((2, 3)), "width": random.choice(WIDTHS), "rate": 10 ** random.uniform(-4, -2),
             "activation": random.choice((nn.ReLU, nn.Tanh, nn.SiLU)), "optimizer": random.choice((torch.optim.Adam, torch.optim.SGD))}
            for _ in range(8)]
alive = [(setting, trial(setting)) for setting in settings]
models = {id(generator): next(generator) for _, generator in alive}
turns = max(1, args.steps // 24)  # 8 trials so many turns, 4 twice as many, 2 four times as many: 24 times in all
while len(alive) > 1:
    for _ in range(turns):
        for _, generator in alive:
            clock.tick()
            next(generator)
    ranking = sorted(alive, key=lambda pair: score(models[id(pair[1])]))
    for _, generator in ranking[len(ranking) // 2:]:
        generator.close()
        del models[id(generator)]
    alive, turns = ranking[:len(ranking) // 2], 2 * turns
clock.done()
print("best", {key: getattr(value, "__name__", value) for key, value in alive[0][0].items()})
