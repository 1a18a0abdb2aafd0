# SPDX-License-Identifier: Apache-2.0
"""LoRA adapters of peft on a small language model, cross entropy over shifted tokens."""
import torch
from own_clock import Clock, arguments
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

args = arguments(40)
base = GPT2LMHeadModel(GPT2Config(vocab_size=2000, n_embd=128, n_layer=3, n_head=4, n_positions=128))
model = get_peft_model(base, LoraConfig(r=8, target_modules=["c_attn"], fan_in_fan_out=True)).to(args.device)
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
clock = Clock(args.device)
for step in clock.steps(args.steps):
    tokens = torch.randint(0, 2000, (8, 128), device=args.device)
    loss = model(input_ids=tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
