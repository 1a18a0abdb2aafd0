# SPDX-License-Identifier: Apache-2.0
"""Batches that are copied from pageable memory, the loop waiting for each."""
import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.Conv2d(3, 8, 3, stride=4).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
pool = [torch.randn(64, 3, 224, 224) for _ in range(4)]
clock = Clock(args.device)
for step in clock.steps(args.steps):
    batch = pool[step % 4].to(args.device)  # planted on a GPU: copy.h2d.pageable
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
