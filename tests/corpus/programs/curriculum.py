# SPDX-License-Identifier: Apache-2.0
"""A curriculum: batches that grow once, then sequences, so that a recurrent layer runs more operations in each step."""
import torch
from own_clock import Clock, arguments
from torch import nn

args = arguments(60)
torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(500, 64)
        self.layer = nn.GRU(64, 96, batch_first=True)
        self.head = nn.Linear(96, 20)

    def forward(self, tokens):
        return self.head(self.layer(self.embedding(tokens))[0])


tagger = Tagger().to(args.device)
optimizer = torch.optim.Adam(tagger.parameters())
clock = Clock(args.device)
for size, length in ((8, 16), (16, 16), (16, 32)):
    for _ in range(args.steps // 3):
        clock.tick()
        tokens = torch.randint(0, 500, (size, length), device=args.device)
        loss = nn.functional.cross_entropy(tagger(tokens).transpose(1, 2), tokens % 20)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
        optimizer.step()
clock.done()
