# SPDX-License-Identifier: Apache-2.0
"""A loop that evaluates every tenth step."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters())
held_out = torch.randn(8192, 256)


def evaluate():
    with torch.no_grad():
        scores = [(model(part.to(args.device)) - part.to(args.device)).square().mean().item() for part in held_out.split(256)]
    return sum(scores) / len(scores)


clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(256, 256, device=args.device)
    loss = (model(inputs) - inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 4:
        evaluate()
clock.done()
