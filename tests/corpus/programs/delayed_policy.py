# SPDX-License-Identifier: Apache-2.0
"""An actor and a critic that learn from a buffer; the actor and the targets are updated in every second iteration."""
import copy

import torch
from own_clock import Clock, arguments

args = arguments(60)


def network(inputs, outputs):
    return torch.nn.Sequential(torch.nn.Linear(inputs, 256), torch.nn.ReLU(), torch.nn.Linear(256, 256), torch.nn.ReLU(),
                               torch.nn.Linear(256, outputs)).to(args.device)


actor, critic = network(17, 6), network(23, 1)
far_actor, far_critic = copy.deepcopy(actor), copy.deepcopy(critic)
of_actor, of_critic = torch.optim.Adam(actor.parameters()), torch.optim.Adam(critic.parameters())
seen = {name: torch.randn(10000, width) for name, width in (("state", 17), ("action", 6), ("reward", 1), ("next", 17))}


def sample(count=256):
    rows = torch.randint(0, 10000, (count,))
    return {name: values[rows].to(args.device) for name, values in seen.items()}


def follow(far, near, share=0.005):
    with torch.no_grad():
        for old, new in zip(far.parameters(), near.parameters()):
            old.lerp_(new, share)


clock = Clock(args.device)
for step in clock.steps(args.steps):
    batch = sample()
    with torch.no_grad():
        noise = (0.2 * torch.randn_like(batch["action"])).clamp(-0.5, 0.5)
        action = (far_actor(batch["next"]).tanh() + noise).clamp(-1, 1)
        wanted = batch["reward"] + 0.99 * far_critic(torch.cat([batch["next"], action], 1))
    loss = torch.nn.functional.mse_loss(critic(torch.cat([batch["state"], batch["action"]], 1)), wanted)
    of_critic.zero_grad()
    loss.backward()
    of_critic.step()
    if step % 2 == 1:
        loss = -critic(torch.cat([batch["state"], actor(batch["state"]).tanh()], 1)).mean()
        of_actor.zero_grad()
        loss.backward()
        of_actor.step()
        follow(far_actor, actor)
        follow(far_critic, critic)
clock.done()
