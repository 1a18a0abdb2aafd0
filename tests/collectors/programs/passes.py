# SPDX-License-Identifier: Apache-2.0
"""A small training program whose lines of forward and backward work a test knows: forward lines are marked with
their op, `# line: NAME`, and read by backward_lines.py."""

import torch
from torch.utils.checkpoint import checkpoint


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x  # line: cube

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 3 * (x * x) * gradient  # line: cube_backward


class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.first = torch.nn.Linear(size, size)
        self.second = torch.nn.Linear(size, size)

    def block(self, x):
        return torch.nn.functional.gelu(self.second(x))  # line: block

    def forward(self, x):
        x = self.first(x)  # line: first
        x = torch.sigmoid(x)  # line: sigmoid
        x = Cube.apply(x)
        return checkpoint(self.block, x, use_reentrant=False)


def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    size = 2048 if device == "cuda" else 384
    model = Model(size).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = torch.randn(size, size, device=device)
    for _ in range(12):
        loss = model(data).square().mean()  # line: loss
        loss.backward()  # line: backward
        optimizer.step()  # line: step
        optimizer.zero_grad()
    print(f"loss {loss.item():.4f}")


main()
