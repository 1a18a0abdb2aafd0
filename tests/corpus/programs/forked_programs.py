# SPDX-License-Identifier: Apache-2.0
"""Another program is started in each step, and waited for: no input, though the loop waits."""
import subprocess
import sys

import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.Linear(500, 500).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    subprocess.run([sys.executable, "-S", "-c", "pass"], capture_output=True, check=True)  # planted: host
    inputs = torch.randn(64, 500, device=args.device)
    loss = (model(inputs) - inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
