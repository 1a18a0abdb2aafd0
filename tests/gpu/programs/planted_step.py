# SPDX-License-Identifier: Apache-2.0
"""A training-like loop whose step is 200 equal matrix products, with what a gate must notice planted.

usage: planted_step.py [none|three|five|sync] [STEPS]

three, five: 206 or 210 products a step, so 3 or 5 % more device time. sync: the loss is read on the host each step.
"""

import sys

import torch


def main():
    planted = sys.argv[1] if len(sys.argv) > 1 else "none"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    products = {"three": 206, "five": 210}.get(planted, 200)
    torch.manual_seed(0)
    weight = torch.nn.Parameter(torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16) / 2048**0.5)
    rows = torch.randn(4096, 2048, device="cuda", dtype=torch.bfloat16)
    optimizer = torch.optim.SGD([weight], lr=1e-6, fused=True)
    for _ in range(steps):
        with torch.no_grad():
            hidden = rows
            for _ in range(products):
                hidden = hidden @ weight
        loss = (hidden @ weight).float().square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if planted == "sync":
            loss.item()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
