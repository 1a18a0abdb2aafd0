# SPDX-License-Identifier: Apache-2.0
"""A language model without an optimizer: parameters are updated by hand, in a function, over slices of a text."""
import torch
from own_clock import Clock, arguments

args = arguments(80)
embed, cell, head = torch.nn.Embedding(500, 64), torch.nn.LSTM(64, 64, 2), torch.nn.Linear(64, 500)
models = torch.nn.ModuleList([embed, cell, head]).to(args.device)
length = 20
text = torch.randint(500, ((args.steps + 1) * length, 8), device=args.device)
clock = Clock(args.device)


def train():
    state = None
    for number, i in enumerate(range(0, args.steps * length, length)):
        clock.tick()
        models.zero_grad()
        out, state = cell(embed(text[i:i + length]), state)
        state = tuple(s.detach() for s in state)
        wanted = text[i + 1:i + 1 + length].reshape(-1)
        loss = torch.nn.functional.cross_entropy(head(out).reshape(-1, 500), wanted)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(models.parameters(), 0.25)
        for p in models.parameters():
            p.data.add_(p.grad, alpha=-0.5)
        if number % 40 == 0:
            loss.item()


train()
clock.done()
