# SPDX-License-Identifier: Apache-2.0
"""Activations that are computed again in the backward pass."""
import torch
from own_clock import Clock, arguments
from torch.utils.checkpoint import checkpoint

args = arguments(40)
blocks = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(384, 1536), torch.nn.GELU(), torch.nn.Linear(1536, 384))
                             for _ in range(6)).to(args.device)
optimizer = torch.optim.AdamW(blocks.parameters())
clock = Clock(args.device)
for step in clock.steps(args.steps):
    hidden = torch.randn(256, 384, device=args.device)
    for block in blocks:
        hidden = hidden + checkpoint(block, hidden, use_reentrant=False)
    loss = hidden.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
