# SPDX-License-Identifier: Apache-2.0
"""A gated activation written in Triton, forward and backward, both tuned at their first call. On a GPU only."""
import sys

import torch
from own_clock import Clock, arguments
from torch import nn

args = arguments(120)
if args.device != "cuda":
    print("Triton needs a GPU")
    sys.exit(77)
import triton
import triton.language as tl

choices = [triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((512, 4), (1024, 4), (2048, 8))]


@triton.autotune(configs=choices, key=["count"])
@triton.jit
def swiglu_forward(gate, up, out, count, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < count
    g = tl.load(gate + places, mask=inside, other=0.0).to(tl.float32)
    u = tl.load(up + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + places, (g * tl.sigmoid(g) * u).to(tl.bfloat16), mask=inside)


@triton.autotune(configs=choices, key=["count"])
@triton.jit
def swiglu_backward(grad, gate, up, grad_gate, grad_up, count, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < count
    d = tl.load(grad + places, mask=inside, other=0.0).to(tl.float32)
    g = tl.load(gate + places, mask=inside, other=0.0).to(tl.float32)
    u = tl.load(up + places, mask=inside, other=0.0).to(tl.float32)
    s = tl.sigmoid(g)
    tl.store(grad_gate + places, (d * u * s * (1.0 + g * (1.0 - s))).to(tl.bfloat16), mask=inside)
    tl.store(grad_up + places, (d * g * s).to(tl.bfloat16), mask=inside)


class SwiGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        out, count = torch.empty_like(gate), gate.numel()
        swiglu_forward[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](gate, up, out, count)
        return out

    @staticmethod
    def backward(ctx, grad):
        gate, up = ctx.saved_tensors
        grad, count = grad.contiguous(), gate.numel()
        grad_gate, grad_up = torch.empty_like(gate), torch.empty_like(up)
        swiglu_backward[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](grad, gate, up, grad_gate, grad_up, count)
        return grad_gate, grad_up


class FeedForward(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.gate, self.up, self.down = nn.Linear(width, inner, False), nn.Linear(width, inner, False), nn.Linear(inner, width, False)

    def forward(self, x):
        y = self.norm(x)
        return x + self.down(SwiGLU.apply(self.gate(y), self.up(y)))


torch.manual_seed(0)
net = nn.Sequential(*[FeedForward(1024, 2816) for _ in range(4)]).to("cuda", torch.bfloat16)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
clock = Clock(args.device)
for step in clock.steps(args.steps):
    x = torch.randn(8192, 1024, device="cuda", dtype=torch.bfloat16)
    loss = (net(x) - x.roll(1, -1)).float().square().mean()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
clock.done()
