# SPDX-License-Identifier: Apache-2.0
"""torch.compile with mode="reduce-overhead" (CUDA graphs made by the compiler) on a small mixer, in mixed precision."""
import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F

args = arguments(150)
on_gpu = args.device == "cuda"
torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
TOKENS, WIDTH, BATCH = (64, 512, 512) if on_gpu else (8, 32, 4)


class MixerBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_tokens, self.norm_channels = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.tokens = nn.Sequential(nn.Linear(TOKENS, 2 * TOKENS), nn.GELU(), nn.Linear(2 * TOKENS, TOKENS))
        self.channels = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.tokens(self.norm_tokens(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm_channels(x))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(MixerBlock(), MixerBlock())
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, x):
        return self.head(self.blocks(x).mean(1))


mixer = Mixer().to(args.device)
compiled = torch.compile(mixer, mode="reduce-overhead")
optimizer = torch.optim.AdamW(mixer.parameters(), lr=1e-3, fused=True)
pool = torch.randn(4, BATCH, TOKENS, WIDTH, device=args.device)
labels = torch.randint(0, 10, (4, BATCH), device=args.device)
total = torch.zeros((), device=args.device)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    torch.compiler.cudagraph_mark_step_begin()
    with torch.autocast(args.device, dtype=torch.bfloat16):
        logits = compiled(pool[step % 4])
    loss = F.cross_entropy(logits.float(), labels[step % 4])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    total += loss.detach()
clock.done()
print("mean loss", float(total) / args.steps)
