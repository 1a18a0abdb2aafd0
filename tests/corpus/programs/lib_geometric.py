# SPDX-License-Identifier: Apache-2.0
"""A graph network of PyTorch Geometric on a random graph."""
import torch
from own_clock import Clock, arguments
from torch_geometric.nn import GCNConv

args = arguments(60)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GCNConv(64, 128), GCNConv(128, 7)

    def forward(self, nodes, edges):
        return self.second(self.first(nodes, edges).relu(), edges)


model = Net().to(args.device)
optimizer = torch.optim.Adam(model.parameters())
nodes = torch.randn(5000, 64, device=args.device)
edges = torch.randint(0, 5000, (2, 40000), device=args.device)
labels = torch.randint(0, 7, (5000,), device=args.device)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    loss = torch.nn.functional.cross_entropy(model(nodes, edges), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock.done()
