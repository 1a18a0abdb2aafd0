# SPDX-License-Identifier: Apache-2.0
"""A small GPT in the manner of nanoGPT: a memory-mapped file of tokens, DDP of one rank, micro-batches without synchronisation."""
import math
import os
import tempfile
from contextlib import nullcontext

import numpy as np
import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

args = arguments(60)
device_type = args.device
batch_size, block_size, n_embd, n_head, n_layer, vocab = (16, 256, 384, 6, 6, 8192) if device_type == "cuda" else (2, 16, 32, 2, 2, 64)
gradient_accumulation_steps, warmup_iters, learning_rate, log_interval = 4, 10, 6e-4, 10
torch.manual_seed(1337)
folder = tempfile.mkdtemp()
np.random.default_rng(0).integers(0, vocab, size=2_000_000, dtype=np.uint16).tofile(os.path.join(folder, "train.bin"))
backend = "nccl" if device_type == "cuda" else "gloo"
torch.distributed.init_process_group(backend, init_method=f"file://{folder}/rendezvous", rank=0, world_size=1)
device = "cuda:0" if device_type == "cuda" else "cpu"
ctx = nullcontext() if device_type == "cpu" else torch.amp.autocast(device_type=device_type, dtype=torch.bfloat16)


def get_batch():
    data = np.memmap(os.path.join(folder, "train.bin"), dtype=np.uint16, mode="r")
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([torch.from_numpy(data[i:i + block_size].astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy(data[i + 1:i + 1 + block_size].astype(np.int64)) for i in ix])
    if device_type == "cuda":
        return x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)
    return x.to(device), y.to(device)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.c_attn, self.c_proj = nn.Linear(n_embd, 3 * n_embd), nn.Linear(n_embd, n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (part.view(B, T, n_head, C // n_head).transpose(1, 2) for part in self.c_attn(self.ln_1(x)).split(n_embd, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).contiguous().view(B, T, C)
        x = x + self.c_proj(y)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, n_embd), nn.Embedding(block_size, n_embd)
        self.h = nn.ModuleList(Block() for _ in range(n_layer))
        self.ln_f, self.lm_head = nn.LayerNorm(n_embd), nn.Linear(n_embd, vocab, bias=False)
        self.lm_head.weight = self.wte.weight
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, idx, targets):
        x = self.wte(idx) + self.wpe.weight[:idx.size(1)]
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return logits, F.cross_entropy(logits.view(-1, vocab), targets.view(-1))


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    return learning_rate * (0.1 + 0.45 * (1 + math.cos(math.pi * min(1, it / 1000))))


model = DDP(GPT().to(device), device_ids=[0] if device_type == "cuda" else None)
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95), fused=device_type == "cuda")
scaler = torch.amp.GradScaler(device_type, enabled=False)
X, Y = get_batch()
iter_num = 0
clock = Clock(args.device)
while True:
    clock.tick()
    for group in optimizer.param_groups:
        group["lr"] = get_lr(iter_num)
    for micro_step in range(gradient_accumulation_steps):
        model.require_backward_grad_sync = micro_step == gradient_accumulation_steps - 1
        with ctx:
            logits, loss = model(X, Y)
            loss = loss / gradient_accumulation_steps
        X, Y = get_batch()
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    if iter_num % log_interval == 0:
        lossf = loss.item() * gradient_accumulation_steps
        print(f"iter {iter_num}: loss {lossf:.4f}")
    iter_num += 1
    if iter_num >= args.steps:
        break
clock.done()
torch.distributed.destroy_process_group()
