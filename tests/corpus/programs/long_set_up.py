# SPDX-License-Identifier: Apache-2.0
"""Three seconds of set-up, in loops of their own, before a short training: the section is the training's."""
import torch
from own_clock import Clock, arguments

args = arguments(40)
rows = torch.randn(512, 256)
for column in range(600):
    ordered = torch.sort(rows[:, column % 256])[0]
    for part in range(8):
        rows[:, column % 256] += 0.001 * (ordered[part::8].mean() + rows.std())
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
clock = Clock(args.device)
for step in range(args.steps):
    clock.tick()
    optimizer.zero_grad()
    model(rows.to(args.device)).square().mean().backward()
    optimizer.step()
clock.done()
