# SPDX-License-Identifier: Apache-2.0
"""A GAN with two updates of the critic in an inner loop, in a function that two loops call: to warm up, then to train."""
import torch
from own_clock import Clock, arguments

args = arguments(40)
generator = torch.nn.Sequential(torch.nn.Linear(16, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128)).to(args.device)
critic = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)).to(args.device)
of_generator, of_critic = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
rows = torch.randn(256, 128)
loss_of = torch.nn.functional.binary_cross_entropy_with_logits
ones, zeros = torch.ones(256, 1, device=args.device), torch.zeros(256, 1, device=args.device)
clock = Clock(args.device)


def iteration():
    clock.tick()
    for _ in range(2):
        real = rows.to(args.device)
        of_critic.zero_grad()
        fake = generator(torch.randn(256, 16, device=args.device)).detach()
        (loss_of(critic(real), ones) + loss_of(critic(fake), zeros)).backward()
        of_critic.step()
    of_generator.zero_grad()
    loss_of(critic(generator(torch.randn(256, 16, device=args.device))), ones).backward()
    of_generator.step()


for _ in range(5):
    iteration()
for _ in range(args.steps - 5):
    iteration()
clock.done()
