# SPDX-License-Identifier: Apache-2.0
"""Augmentation written in Python, on the loop's own thread."""
import random

import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.Linear(4096, 64).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def augment(rows):
    return [[x * random.uniform(0.9, 1.1) for x in row] for row in rows]  # planted: host


rows = [[float(i % 13) for i in range(4096)] for _ in range(8)]
clock = Clock(args.device)
for step in clock.steps(args.steps):
    batch = torch.tensor(augment(rows), device=args.device)
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
