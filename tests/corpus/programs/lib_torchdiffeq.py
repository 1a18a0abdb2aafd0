# SPDX-License-Identifier: Apache-2.0
"""A neural ODE: a solver that calls the model as often as it needs."""
import torch
from own_clock import Clock, arguments
from torchdiffeq import odeint_adjoint

args = arguments(25)


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2))

    def forward(self, t, y):
        return self.net(y)


field = Field().to(args.device)
optimizer = torch.optim.Adam(field.parameters())
times = torch.linspace(0, 1, 5, device=args.device)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    start = torch.randn(128, 2, device=args.device)
    loss = odeint_adjoint(field, start, times, method="rk4").square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
