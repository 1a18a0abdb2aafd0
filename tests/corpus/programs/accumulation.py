# SPDX-License-Identifier: Apache-2.0
"""Four micro-batches to an optimizer step: a step is what the optimizer makes of it."""
import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.Tanh(), torch.nn.Linear(512, 512)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters())
clock = Clock(args.device)
for step in clock.steps(args.steps):
    optimizer.zero_grad()
    for part in range(4):
        inputs = torch.randn(256, 512, device=args.device)
        loss = (model(inputs) - inputs).square().mean() / 4
        loss.backward()
    optimizer.step()
clock.done()
