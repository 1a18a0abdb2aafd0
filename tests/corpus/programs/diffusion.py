# SPDX-License-Identifier: Apache-2.0
"""A diffusion model: training, then sampling in 50 denoising passes a picture: two loops of different kinds."""
import torch
from own_clock import Clock, arguments

args = arguments(80)
model = torch.nn.Sequential(torch.nn.Conv2d(4, 32, 3, padding=1), torch.nn.SiLU(), torch.nn.Conv2d(32, 32, 3, padding=1), torch.nn.SiLU(),
                            torch.nn.Conv2d(32, 3, 3, padding=1)).to(args.device)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
alphas = torch.linspace(0.9999, 0.98, 50, device=args.device).cumprod(0)
clock = Clock(args.device)


def predict(noisy, level):
    return model(torch.cat([noisy, level.expand(noisy.shape[0], 1, *noisy.shape[2:])], dim=1))


for step in clock.steps(args.steps):
    clean = torch.randn(8, 3, 32, 32, device=args.device)
    level = alphas[torch.randint(0, 50, (8,), device=args.device)].view(-1, 1, 1, 1)
    noise = torch.randn_like(clean)
    noisy = level.sqrt() * clean + (1 - level).sqrt() * noise
    loss = (predict(noisy, level) - noise).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
with torch.no_grad():
    for picture in range(2):
        x = torch.randn(1, 3, 32, 32, device=args.device)
        for level in alphas.flip(0):
            x = (x - (1 - level) * predict(x, level.view(1, 1, 1, 1)) / (1 - level).sqrt()) / level.sqrt()
