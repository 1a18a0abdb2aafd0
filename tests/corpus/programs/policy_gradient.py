# SPDX-License-Identifier: Apache-2.0
"""Reinforcement learning: episodes in an environment of Python, then one update of the policy."""
import math
import random

import torch
from own_clock import Clock, arguments

args = arguments(40)


class Pole:
    """A pole on a cart, as in the text books, with an observation that is dear to make."""
    def reset(self):
        self.state = [random.uniform(-0.05, 0.05) for _ in range(4)]
        return self.observe()

    def observe(self):
        return [sum(math.sin(k * value) for k in range(1, 1200)) for value in self.state]  # planted: host

    def step(self, action):
        position, speed, angle, turn = self.state
        force = 10.0 if action else -10.0
        pull = (force + 0.05 * turn * turn * math.sin(angle)) / 1.1
        bend = (9.8 * math.sin(angle) - math.cos(angle) * pull) / (0.5 * (4 / 3 - 0.1 * math.cos(angle) ** 2 / 1.1))
        self.state = [position + 0.02 * speed, speed + 0.02 * pull, angle + 0.02 * turn, turn + 0.02 * bend]
        return self.observe(), 1.0, abs(position) > 2.4 or abs(angle) > 0.2


policy = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2)).to(args.device)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
env = Pole()


def rollout(least=100):
    scores, rewards = [], []
    while len(rewards) < least:
        observation, done = env.reset(), False
        while not done and len(rewards) < 2 * least:
            choice = torch.distributions.Categorical(logits=policy(torch.tensor(observation, device=args.device)))
            action = choice.sample()
            scores.append(choice.log_prob(action))
            observation, reward, done = env.step(action.item())
            rewards.append(reward)
    return torch.stack(scores), torch.tensor(rewards, device=args.device)


clock = Clock(args.device)
for step in clock.steps(args.steps):
    scores, rewards = rollout()
    returns = rewards.flip(0).cumsum(0).flip(0)
    loss = -(scores * (returns - returns.mean()) / (returns.std() + 1e-6)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
