# SPDX-License-Identifier: Apache-2.0
"""Two networks and two optimizers in one iteration."""
import torch
from own_clock import Clock, arguments

args = arguments(50)
generator = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 512)).to(args.device)
critic = torch.nn.Sequential(torch.nn.Linear(512, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)).to(args.device)
of_generator = torch.optim.Adam(generator.parameters())
of_critic = torch.optim.Adam(critic.parameters())
bce = torch.nn.functional.binary_cross_entropy_with_logits
clock = Clock(args.device)
for step in clock.steps(args.steps):
    real = torch.randn(256, 512, device=args.device)
    fake = generator(torch.randn(256, 64, device=args.device))
    ones, zeros = torch.ones(256, 1, device=args.device), torch.zeros(256, 1, device=args.device)
    of_critic.zero_grad()
    (bce(critic(real), ones) + bce(critic(fake.detach()), zeros)).backward()
    of_critic.step()
    of_generator.zero_grad()
    bce(critic(fake), ones).backward()
    of_generator.step()
clock.done()
