# SPDX-License-Identifier: Apache-2.0
"""An event loop: batches come from a service that answers after a while, training goes on between the answers."""
import asyncio

import torch
from own_clock import Clock, arguments

args = arguments(50)
model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
clock = Clock(args.device)


async def fetch():
    await asyncio.sleep(0.015)
    return torch.randn(64, 256)


async def train():
    for step in clock.steps(args.steps):
        batch = (await fetch()).to(args.device)
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


asyncio.run(train())
clock.done()
