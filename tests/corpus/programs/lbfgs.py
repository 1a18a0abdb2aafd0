# SPDX-License-Identifier: Apache-2.0
"""An optimizer that calls the whole forward and backward pass as often as it likes."""
import torch
from own_clock import Clock, arguments

args = arguments(25)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)).to(args.device)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
inputs = torch.randn(2048, 32, device=args.device)
wanted = inputs.sin().sum(1, keepdim=True)


def closure():
    optimizer.zero_grad()
    loss = (model(inputs) - wanted).square().mean()
    loss.backward()
    return loss


clock = Clock(args.device)
for step in clock.steps(args.steps):
    optimizer.step(closure)
clock.done()
