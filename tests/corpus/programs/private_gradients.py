# SPDX-License-Identifier: Apache-2.0
"""Gradients of each sample by vmap and grad, clipped and applied by hand: no optimizer, no call of backward."""
import torch
from own_clock import Clock, arguments
from torch import nn
from torch.func import functional_call, grad, vmap

args = arguments(60)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)).to(args.device)
weights = {name: parameter.detach() for name, parameter in model.named_parameters()}


def loss_of(weights, row, label):
    return nn.functional.cross_entropy(functional_call(model, weights, row[None]), label[None])


per_sample = vmap(grad(loss_of), in_dims=(None, 0, 0))
clock = Clock(args.device)
for step in clock.steps(args.steps):
    rows, labels = torch.randn(256, 32, device=args.device), torch.randint(0, 4, (256,), device=args.device)
    gradients = per_sample(weights, rows, labels)
    norms = torch.stack([one.flatten(1).norm(dim=1) for one in gradients.values()]).norm(dim=0)
    scale = (1.0 / norms.clamp(min=1e-6)).clamp(max=1)
    for name, gradient in gradients.items():
        weights[name] -= 0.1 * (gradient * scale.view(-1, *[1] * (gradient.dim() - 1))).mean(0)
clock.done()
