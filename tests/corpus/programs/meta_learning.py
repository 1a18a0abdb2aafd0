# SPDX-License-Identifier: Apache-2.0
"""Meta-learning: four tasks a step, each with two inner steps of its own that are differentiated through."""
import torch
from own_clock import Clock, arguments
from torch import nn
from torch.func import functional_call

args = arguments(40)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1)).to(args.device)
meta = torch.optim.Adam(net.parameters(), lr=1e-3)


def points():
    return torch.rand(10, 1, device=args.device) * 10 - 5


def adapted(weights, shift):
    for _ in range(2):
        inputs = points()
        loss = (functional_call(net, weights, inputs) - torch.sin(inputs + shift)).pow(2).mean()
        gradients = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
        weights = {name: weight - 0.01 * gradient for (name, weight), gradient in zip(weights.items(), gradients)}
    return weights


clock = Clock(args.device)
for step in clock.steps(args.steps):
    total = torch.zeros((), device=args.device)
    for task in range(4):
        inputs = points()
        total = total + (functional_call(net, adapted(dict(net.named_parameters()), task), inputs) - torch.sin(inputs + task)).pow(2).mean()
    meta.zero_grad()
    total.backward()
    meta.step()
clock.done()
