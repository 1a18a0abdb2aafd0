# SPDX-License-Identifier: Apache-2.0
"""A collate function that brings each sample's length and label to the device by itself."""
import random

import torch
from own_clock import Clock, arguments

args = arguments(40)
model = torch.nn.EmbeddingBag(1000, 64).to(args.device)
head = torch.nn.Linear(64, 10).to(args.device)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)


def collate(samples):
    labels = [torch.tensor(label, device=args.device) for _, label in samples]  # planted: host
    return torch.stack([words for words, _ in samples]).to(args.device), torch.stack(labels)


samples = [(torch.randint(0, 1000, (32,)), random.randrange(10)) for _ in range(2000)]
clock = Clock(args.device)
for step in clock.steps(args.steps):
    words, labels = collate(random.sample(samples, 256))
    loss = torch.nn.functional.cross_entropy(head(model(words)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
