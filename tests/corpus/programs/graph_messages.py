# SPDX-License-Identifier: Apache-2.0
"""A graph network by hand: messages along edges, summed with index_add, full batch, accuracy read each epoch."""
import torch
from own_clock import Clock, arguments

args = arguments(60)
nodes, edges = 3000, 20000
features = torch.randn(nodes, 64, device=args.device)
labels = torch.randint(0, 7, (nodes,), device=args.device)
source, target = torch.randint(0, nodes, (2, edges), device=args.device)


class Layer(torch.nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.own, self.other = torch.nn.Linear(inside, outside), torch.nn.Linear(inside, outside)

    def forward(self, x):
        messages = self.other(x)[source]
        return self.own(x) + torch.zeros(nodes, messages.shape[1], device=x.device).index_add_(0, target, messages)


first, second = Layer(64, 64).to(args.device), Layer(64, 7).to(args.device)
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01, weight_decay=5e-4)
clock = Clock(args.device)
best = 0.0
for epoch in clock.steps(args.steps):
    optimizer.zero_grad()
    out = second(torch.nn.functional.dropout(first(features).relu(), 0.5))
    loss = torch.nn.functional.cross_entropy(out[:1000], labels[:1000])
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        out = second(first(features).relu())
        best = max(best, (out[1000:].argmax(1) == labels[1000:]).float().mean().item())
clock.done()
