# SPDX-License-Identifier: Apache-2.0
"""Self-distillation: a teacher that is an average of the student, and a critic that is trained every fifth step only."""
import copy

import torch
from own_clock import Clock, arguments

args = arguments(60)
student = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.GELU(), torch.nn.Linear(512, 128)).to(args.device)
teacher = copy.deepcopy(student).requires_grad_(False)
critic = torch.nn.Linear(128, 1).to(args.device)
optimizer = torch.optim.AdamW(student.parameters())
critic_optimizer = torch.optim.Adam(critic.parameters())
clock = Clock(args.device)
for step in clock.steps(args.steps):
    base = torch.randn(256, 128, device=args.device)
    views = [base + 0.1 * torch.randn_like(base) for _ in range(2)]
    if step % 5 == 0:
        critic_loss = (critic(student(views[0]).detach()) - 1).square().mean()
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()
    loss = (student(views[0]) - teacher(views[1])).square().mean() - 0.01 * critic(student(views[1])).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for average, parameter in zip(teacher.parameters(), student.parameters()):
            average.lerp_(parameter, 0.01)
clock.done()
