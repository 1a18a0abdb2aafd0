# SPDX-License-Identifier: Apache-2.0
"""An optimizer that goes from parameter to parameter, over hundreds of small ones."""
import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(120)]).to(args.device)
optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(64, 64, device=args.device)
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # planted: optimizer
clock.done()
