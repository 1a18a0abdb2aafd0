# SPDX-License-Identifier: Apache-2.0
"""A thread that prepares batches, slower than the loop takes them."""
import queue
import threading

import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.Linear(2048, 64).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batches = queue.Queue(maxsize=2)


def produce():
    for _ in range(args.steps):
        batches.put(torch.tensor([[float(i * j % 7) for i in range(2048)] for j in range(32)]))


threading.Thread(target=produce, daemon=True).start()
clock = Clock(args.device)
for step in clock.steps(args.steps):
    batch = batches.get().to(args.device)  # planted: host
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
