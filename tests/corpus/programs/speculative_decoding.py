# SPDX-License-Identifier: Apache-2.0
"""Speculative decoding: a small model drafts four tokens, a large one checks them in one pass and keeps what agrees."""
import torch
from own_clock import Clock, arguments

args = arguments(60)


def network(width, layers):
    body = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True), layers, enable_nested_tensor=False)
    return torch.nn.Sequential(torch.nn.Embedding(200, width), body, torch.nn.Linear(width, 200)).to(args.device).eval()


draft, target = network(64, 1), network(256, 4)


@torch.inference_mode()
def propose(tokens, count=4):
    for _ in range(count):
        tokens = torch.cat([tokens, draft(tokens)[:, -1:].argmax(-1)], dim=1)
    return tokens


@torch.inference_mode()
def accept(tokens, proposed):
    wanted = target(proposed)[:, tokens.shape[1] - 1:].argmax(-1)
    agree = (proposed[:, tokens.shape[1]:] == wanted[:, :-1]).long().cumprod(1).sum().item()
    return torch.cat([tokens, wanted[:, :agree + 1]], dim=1)


tokens = torch.randint(0, 200, (1, 16), device=args.device)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    tokens = accept(tokens, propose(tokens))[:, -64:]
clock.done()
