# SPDX-License-Identifier: Apache-2.0
"""A loop that talks to a slow service once a step."""
import time

import torch
from own_clock import Clock, arguments


def report_to_tracker(loss):
    time.sleep(0.02)  # planted: host.off_cpu


args = arguments(60)
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 256)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters())
clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(512, 256, device=args.device)
    loss = (model(inputs) - inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report_to_tracker(loss)
clock.done()
