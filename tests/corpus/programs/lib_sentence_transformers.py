# SPDX-License-Identifier: Apache-2.0
"""Contrastive training of a sentence encoder on a transformer built from its configuration."""
import torch
from own_clock import Clock, arguments
from sentence_transformers import util
from transformers import BertConfig, BertModel

args = arguments(40)
encoder = BertModel(BertConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256)).to(args.device)
optimizer = torch.optim.AdamW(encoder.parameters())
clock = Clock(args.device)
for step in clock.steps(args.steps):
    tokens = torch.randint(0, 1000, (32, 32), device=args.device)
    first, second = (encoder(tokens).last_hidden_state.mean(1) for _ in range(2))
    scores = util.cos_sim(first, second) * 20
    loss = torch.nn.functional.cross_entropy(scores, torch.arange(32, device=args.device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
