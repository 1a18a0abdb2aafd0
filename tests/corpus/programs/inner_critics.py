# SPDX-License-Identifier: Apache-2.0
"""A Wasserstein GAN with five critic updates in an inner loop, then one of the generator: one iteration."""
import torch
from own_clock import Clock, arguments

args = arguments(30)
generator = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 512)).to(args.device)
critic = torch.nn.Sequential(torch.nn.Linear(512, 256), torch.nn.LeakyReLU(), torch.nn.Linear(256, 1)).to(args.device)
of_generator = torch.optim.RMSprop(generator.parameters(), lr=5e-5)
of_critic = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    for _ in range(5):
        real = torch.randn(128, 512, device=args.device)
        with torch.no_grad():
            fake = generator(torch.randn(128, 64, device=args.device))
        of_critic.zero_grad()
        (critic(fake).mean() - critic(real).mean()).backward()
        of_critic.step()
        for weight in critic.parameters():
            weight.data.clamp_(-0.01, 0.01)
    of_generator.zero_grad()
    (-critic(generator(torch.randn(128, 64, device=args.device))).mean()).backward()
    of_generator.step()
clock.done()
