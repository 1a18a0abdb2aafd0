# SPDX-License-Identifier: Apache-2.0
"""Evolution strategies without gradients or an optimizer: populations by vmap, a score that is read every 20 generations."""
import torch
from own_clock import Clock, arguments
from torch.func import vmap

args = arguments(60)
torch.manual_seed(0)
size, hidden = 256, 32
inputs = torch.randn(256, 8, device=args.device)
targets = inputs.sin().sum(1)
centre = torch.zeros(9 * hidden, device=args.device)


def fitness(weights):
    first, second = weights[:8 * hidden].view(8, hidden), weights[8 * hidden:]
    return -((torch.tanh(inputs @ first) @ second - targets) ** 2).mean()


clock = Clock(args.device)
for generation in clock.steps(args.steps):
    noise = torch.randn(size, centre.numel(), device=args.device)
    scores = vmap(fitness)(centre + 0.1 * noise)
    ranks = scores.argsort().argsort().float() / size - 0.5
    centre += 0.5 / size * (ranks[:, None] * noise).sum(0)
    if generation % 20 == 0:
        print(f"generation {generation}: {scores.mean().item():.3f}")
clock.done()
