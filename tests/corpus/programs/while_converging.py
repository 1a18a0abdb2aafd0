# SPDX-License-Identifier: Apache-2.0
"""A `while` that goes on until a loss is reached, or so many steps were done; batches come from a generator."""
import torch
from own_clock import Clock, arguments

args = arguments(50)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.Tanh(), torch.nn.Linear(256, 1)).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
clock = Clock(args.device)


def batches():
    while True:
        yield torch.randn(128, 64, device=args.device)


source, loss, step = batches(), float("inf"), 0
while loss > 1e-12 and step < args.steps:
    clock.tick()
    optimizer.zero_grad()
    out = model(next(source)).square().mean()
    out.backward()
    optimizer.step()
    loss = out.item()
    step += 1
clock.done()
