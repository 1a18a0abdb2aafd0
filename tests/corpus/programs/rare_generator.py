# SPDX-License-Identifier: Apache-2.0
"""A Wasserstein GAN whose generator is trained in every fifth batch."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
generator = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 512)).to(args.device)
critic = torch.nn.Sequential(torch.nn.Linear(512, 256), torch.nn.LeakyReLU(), torch.nn.Linear(256, 1)).to(args.device)
of_generator = torch.optim.RMSprop(generator.parameters(), lr=5e-5)
of_critic = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
loader = torch.utils.data.DataLoader(torch.randn(128 * args.steps, 512), batch_size=128, shuffle=True)
clock = Clock(args.device)
for step, real in enumerate(loader):
    clock.tick()
    real = real.to(args.device)
    fake = generator(torch.randn(len(real), 64, device=args.device))
    of_critic.zero_grad()
    (critic(fake.detach()).mean() - critic(real).mean()).backward()
    of_critic.step()
    for weight in critic.parameters():
        weight.data.clamp_(-0.01, 0.01)
    if step % 5 == 0:
        of_generator.zero_grad()
        (-critic(fake).mean()).backward()
        of_generator.step()
clock.done()
