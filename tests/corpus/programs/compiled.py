# SPDX-License-Identifier: Apache-2.0
"""A model under torch.compile: its first steps compile."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
model = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.LayerNorm(2048), torch.nn.Linear(2048, 512)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters())
forward = torch.compile(model)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(512, 512, device=args.device)
    loss = (forward(inputs) - inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
