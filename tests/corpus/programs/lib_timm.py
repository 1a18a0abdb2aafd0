# SPDX-License-Identifier: Apache-2.0
"""A vision model of timm with mixed precision and its own optimizer factory."""
import timm
import timm.optim
import torch
from own_clock import Clock, arguments

args = arguments(30)
model = timm.create_model("mobilenetv3_small_050", num_classes=10).to(args.device)
optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    images, labels = torch.randn(8, 3, 96, 96, device=args.device), torch.randint(0, 10, (8,), device=args.device)
    with torch.autocast(args.device, dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
clock.done()
