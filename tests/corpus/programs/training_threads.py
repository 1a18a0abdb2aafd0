# SPDX-License-Identifier: Apache-2.0
"""Two threads that each train a model of their own; the first one's loop carries the clock."""
import threading

import torch
from own_clock import Clock, arguments

args = arguments(60)
clock = Clock(args.device)


def train(seed, steps):
    generator = torch.Generator().manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1)).to(args.device)
    optimizer = torch.optim.Adam(model.parameters())
    for step in steps:
        inputs = torch.randn(128, 256, generator=generator).to(args.device)
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()


stop = threading.Event()


def until_stopped():
    while not stop.is_set():
        yield 0


other = threading.Thread(target=train, args=(2, until_stopped()), name="ablation")
other.start()
train(1, clock.steps(args.steps))
clock.done()
stop.set()
other.join()
