# SPDX-License-Identifier: Apache-2.0
"""A program without a loop of steps: it inverts one large matrix."""
import torch
from own_clock import Clock, arguments

args = arguments(1)
clock = Clock(args.device)
clock.tick()
matrix = torch.randn(1500, 1500, device=args.device)
inverse = torch.linalg.inv(matrix @ matrix.T + 10 * torch.eye(1500, device=args.device))
print(float((inverse @ matrix).abs().sum()))
clock.done(no_steps=True)
