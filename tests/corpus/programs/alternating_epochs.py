# SPDX-License-Identifier: Apache-2.0
"""A GAN that trains its critic in even epochs and its generator in odd ones; a step is a batch of either."""
import torch
from own_clock import Clock, arguments

args = arguments(120)
PER_EPOCH = 20
generator = torch.nn.Sequential(torch.nn.Linear(16, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)).to(args.device)
critic = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1)).to(args.device)
of_generator, of_critic = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
clock = Clock(args.device)


def noise():
    return torch.randn(64, 16, device=args.device)


for epoch in range(args.steps // PER_EPOCH):
    if epoch % 2 == 0:
        for _ in range(PER_EPOCH):
            clock.tick()
            of_critic.zero_grad()
            real = torch.randn(64, 64, device=args.device)
            (critic(generator(noise()).detach()).mean() - critic(real).mean()).backward()
            of_critic.step()
    else:
        for _ in range(PER_EPOCH):
            clock.tick()
            of_generator.zero_grad()
            (-critic(generator(noise())).mean()).backward()
            of_generator.step()
clock.done()
