# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's generate: prompts one after the other, 32 tokens each, with a cache."""
import torch
from own_clock import Clock, arguments
from transformers import GPT2Config, GPT2LMHeadModel

args = arguments(20)
model = GPT2LMHeadModel(GPT2Config(vocab_size=500, n_positions=128, n_embd=128, n_layer=3, n_head=4, eos_token_id=None)).to(args.device).eval()
clock = Clock(args.device)
for step in clock.steps(args.steps):
    prompt = torch.randint(0, 500, (2, 12), device=args.device)
    out = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=32, do_sample=True, pad_token_id=0)
    text = [" ".join(map(str, row)) for row in out.tolist()]
clock.done(inner=32)
