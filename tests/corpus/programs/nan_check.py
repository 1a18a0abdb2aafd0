# SPDX-License-Identifier: Apache-2.0
"""A check for non-finite losses that waits for the device each step. A decoy: where the host is the slower side anyway, it costs
next to nothing, and a report that blames it is wrong.
"""
import torch
from own_clock import Clock, arguments

args = arguments(60)
layers = [layer for _ in range(12) for layer in (torch.nn.Linear(512, 512), torch.nn.ReLU())]
model = torch.nn.Sequential(*layers).to(args.device)
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(4096, 512, device=args.device)
    loss = (model(inputs) - inputs).square().mean()
    if torch.isnan(loss).item():
        raise SystemExit("the loss is not a number")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
