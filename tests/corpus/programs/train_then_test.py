# SPDX-License-Identifier: Apache-2.0
"""Two loops, one after the other: training, then a shorter one that only evaluates."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 512)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters())
clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(512, 512, device=args.device)
    loss = (model(inputs) - inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
with torch.no_grad():
    for _ in range(20):
        inputs = torch.randn(512, 512, device=args.device)
        (model(inputs) - inputs).square().mean().item()
