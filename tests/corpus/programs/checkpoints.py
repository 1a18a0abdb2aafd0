# SPDX-License-Identifier: Apache-2.0
"""A checkpoint written every tenth step, while the device waits."""
import os
import tempfile

import torch
from own_clock import Clock, arguments

args = arguments(50)
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(6)]).to(args.device)
optimizer = torch.optim.AdamW(model.parameters())
folder = tempfile.mkdtemp()


def save(step):
    torch.save({"model": model.state_dict(), "step": step}, os.path.join(folder, "last.pt"))  # planted: host


clock = Clock(args.device)
for step in clock.steps(args.steps):
    inputs = torch.randn(64, 1024, device=args.device)
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 4:
        save(step)
clock.done()
