# SPDX-License-Identifier: Apache-2.0
"""Generation without a cache: a call makes 24 tokens, each a pass through the whole sequence."""
import torch
from own_clock import Clock, arguments

args = arguments(20)
layer = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
body = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).to(args.device).eval()
words = torch.nn.Embedding(1000, 128).to(args.device)
head = torch.nn.Linear(128, 1000).to(args.device)


@torch.no_grad()
def generate(prompt):
    tokens = prompt
    for _ in range(24):
        logits = head(body(words(tokens))[:, -1])
        tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)], dim=1)
    return tokens.tolist()


clock = Clock(args.device)
for step in clock.steps(args.steps):
    generate(torch.randint(0, 1000, (1, 8), device=args.device))
clock.done(inner=24)
