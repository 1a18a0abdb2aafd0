# SPDX-License-Identifier: Apache-2.0
"""Cells of a notebook, run as a kernel runs them: each compiled by itself, under a name that is no file."""
from own_clock import Clock, arguments

args = arguments(50)
clock = Clock(args.device)
CELLS = ["""
import torch
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters())
""", """
def training_step(inputs, labels):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    return loss.item()
""", """
losses = []
for step in clock.steps(args.steps):
    inputs = torch.randn(128, 256, device=args.device)
    labels = torch.randint(0, 10, (128,), device=args.device)
    losses.append(training_step(inputs, labels))
""", """
clock.done()
"""]
names = {"args": args, "clock": clock}
for number, cell in enumerate(CELLS, 1):
    exec(compile(cell, f"<ipython-input-{number}-5f3a>", "exec"), names)
