# SPDX-License-Identifier: Apache-2.0
"""A small U-Net that empties the allocator's cache after every step, "against running out of memory"."""
import gc

import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F

args = arguments(60)
on_gpu = args.device == "cuda"
torch.manual_seed(0)
BATCH, WIDTH, SIDES = (8, 32, (256, 320, 384)) if on_gpu else (2, 4, (16, 24, 32))


def double(inside, outside):
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1), nn.GroupNorm(4, outside), nn.SiLU(),
                         nn.Conv2d(outside, outside, 3, padding=1), nn.GroupNorm(4, outside), nn.SiLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([double(3, WIDTH), double(WIDTH, 2 * WIDTH), double(2 * WIDTH, 4 * WIDTH)])
        self.up = nn.ModuleList([double(6 * WIDTH, 2 * WIDTH), double(3 * WIDTH, WIDTH)])
        self.head = nn.Conv2d(WIDTH, 5, 1)

    def forward(self, x):
        kept = []
        for stage in self.down:
            x = stage(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = kept.pop()
        for stage in self.up:
            x = stage(torch.cat([F.interpolate(x, scale_factor=2.0, mode="nearest"), kept.pop()], 1))
        return self.head(x)


net = UNet().to(args.device)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    side = SIDES[step % len(SIDES)]
    pictures = torch.rand(BATCH, 3, side, side, device=args.device)
    masks = (pictures.mean(1) * 5).long().clamp(0, 4)
    logits = net(pictures)
    probabilities = logits.softmax(1)
    hot = F.one_hot(masks, 5).permute(0, 3, 1, 2)
    dice = 1 - (2 * (probabilities * hot).sum((2, 3)) + 1) / (probabilities.sum((2, 3)) + hot.sum((2, 3)) + 1)
    loss = F.cross_entropy(logits, masks) + dice.mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    del logits, probabilities, loss, dice, hot, masks, pictures
    if step % 20 == 19:
        gc.collect()
    torch.cuda.empty_cache()
clock.done()
