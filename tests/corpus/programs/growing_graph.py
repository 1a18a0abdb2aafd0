# SPDX-License-Identifier: Apache-2.0
"""A recurrent state that is never detached, and parameters that are updated by hand: each iteration goes back through all before it."""
import torch
from own_clock import Clock, arguments

args = arguments(30)
cell, head = torch.nn.GRUCell(64, 128).to(args.device), torch.nn.Linear(128, 10).to(args.device)
parameters = list(cell.parameters()) + list(head.parameters())
state = torch.zeros(16, 128, device=args.device)
clock = Clock(args.device)
for step in range(args.steps):
    clock.tick()
    inputs, wanted = torch.randn(16, 64, device=args.device), torch.randint(0, 10, (16,), device=args.device)
    state = cell(inputs, state)
    loss = torch.nn.functional.cross_entropy(head(state), wanted)
    for p in parameters:
        p.grad = None
    loss.backward(retain_graph=True)
    for p in parameters:
        p.data = p.data - 0.01 * p.grad
clock.done()
