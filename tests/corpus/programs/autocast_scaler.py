# SPDX-License-Identifier: Apache-2.0
"""Mixed precision as the tutorials write it: autocast, a gradient scaler, clipping, a schedule."""
import torch
from own_clock import Clock, arguments

args = arguments(50)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.BatchNorm2d(32), torch.nn.ReLU(), torch.nn.Conv2d(32, 32, 3, stride=2),
                            torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(32 * 15 * 15, 10)).to(args.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=args.steps)
scaler = torch.amp.GradScaler(args.device)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    images, labels = torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,))
    images, labels = images.to(args.device), labels.to(args.device)
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(args.device, dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    schedule.step()
clock.done()
