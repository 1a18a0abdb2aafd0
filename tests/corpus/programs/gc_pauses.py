# SPDX-License-Identifier: Apache-2.0
"""A loop whose caches make Python's collector slow, run by hand every fifth step."""
import gc

import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512)).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
history = [[{"step": i, "tags": [i]}] for i in range(150_000)]


def tidy():
    gc.collect()  # planted: host.gc


clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(256, 512, device=args.device)
    loss = (model(inputs) - inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 2:
        tidy()
clock.done()
