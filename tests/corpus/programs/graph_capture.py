# SPDX-License-Identifier: Apache-2.0
"""A whole training step captured into one CUDA graph by hand; new data are copied into its static inputs. On a GPU only."""
import sys

import torch
from own_clock import Clock, arguments
from torch import nn

args = arguments(120)
if args.device != "cuda":
    print("CUDA graphs need a GPU")
    sys.exit(77)
torch.manual_seed(0)
BATCH, WIDTH = 1024, 3 * 64 * 64
model = nn.Sequential(nn.Linear(WIDTH, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.GELU(),
                      nn.Linear(1024, 100)).cuda()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, capturable=True)

static_input = torch.randn(BATCH, WIDTH, device="cuda")
static_target = torch.randint(0, 100, (BATCH,), device="cuda")

# A warm-up on a side stream, as the documentation asks for it.
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        criterion(model(static_input), static_target).backward()
        optimizer.step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    static_loss = criterion(model(static_input), static_target)
    static_loss.backward()
    optimizer.step()

shards = [(torch.randn(BATCH, WIDTH), torch.randint(0, 100, (BATCH,))) for _ in range(4)]
history = torch.zeros(args.steps, device="cuda")
clock = Clock(args.device)
for step in clock.steps(args.steps):
    pixels, classes = shards[step % len(shards)]
    static_input.copy_(pixels)  # planted on a GPU: copy.h2d.pageable
    static_target.copy_(classes)
    graph.replay()
    history[step] = static_loss.detach()
clock.done()
print("loss", history[0].item(), "->", history[-1].item())
