# SPDX-License-Identifier: Apache-2.0
"""diffusers: a UNet trained to predict noise, with its noise scheduler, as in the library's example."""
import torch
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from own_clock import Clock, arguments

args = arguments(20)
model = UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(32, 64), norm_num_groups=8,
                    down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D")).to(args.device)
noises = DDPMScheduler(num_train_timesteps=1000)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
schedule = get_cosine_schedule_with_warmup(optimizer, 5, args.steps)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    clean = torch.randn(8, 3, 16, 16).to(args.device)
    noise = torch.randn_like(clean)
    times = torch.randint(0, 1000, (8,), device=args.device)
    loss = torch.nn.functional.mse_loss(model(noises.add_noise(clean, noise, times), times, return_dict=False)[0], noise)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
clock.done()
