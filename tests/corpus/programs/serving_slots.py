# SPDX-License-Identifier: Apache-2.0
"""A serving engine with continuous batching: slots, a cache of keys and values, a queue of requests; a token per slot and step."""
import collections
import dataclasses
import random

import torch
from own_clock import Clock, arguments
from torch import nn
from torch.nn import functional as F

args = arguments(200)
on_gpu = args.device == "cuda"
torch.manual_seed(0)
random.seed(0)
SLOTS, WIDTH, HEADS, LAYERS, LENGTH, WORDS = (128, 1024, 16, 12, 512, 8000) if on_gpu else (4, 32, 2, 2, 64, 100)
STOP = 1


@dataclasses.dataclass
class Request:
    number: int
    limit: int
    tokens: list = dataclasses.field(default_factory=list)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.register_buffer("keys", torch.zeros(SLOTS, HEADS, LENGTH, WIDTH // HEADS), persistent=False)
        self.register_buffer("values", torch.zeros(SLOTS, HEADS, LENGTH, WIDTH // HEADS), persistent=False)

    def forward(self, x, slots, positions, mask):
        query, key, value = self.qkv(self.first(x)).view(SLOTS, 3, HEADS, WIDTH // HEADS).unbind(1)
        self.keys[slots, :, positions] = key
        self.values[slots, :, positions] = value
        mixed = F.scaled_dot_product_attention(query.unsqueeze(2), self.keys, self.values, attn_mask=mask)
        x = x + self.out(mixed.reshape(SLOTS, WIDTH))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Engine:
    def __init__(self):
        dtype = torch.bfloat16 if on_gpu else torch.float32
        self.embedding = nn.Embedding(WORDS, WIDTH, device=args.device, dtype=dtype)
        with torch.device(args.device):
            self.layers = nn.ModuleList(Layer() for _ in range(LAYERS)).to(dtype)
        self.head = nn.Linear(WIDTH, WORDS, bias=False, device=args.device, dtype=dtype)
        self.slots = torch.arange(SLOTS, device=args.device)
        self.columns = torch.arange(LENGTH, device=args.device)
        self.current = torch.full((SLOTS,), 2, device=args.device)
        self.positions = torch.zeros(SLOTS, dtype=torch.long, device=args.device)
        self.waiting, self.running, self.finished = collections.deque(), [None] * SLOTS, 0

    def admit(self):
        for slot, request in enumerate(self.running):
            if request is None and self.waiting:
                self.running[slot] = self.waiting.popleft()
                self.positions[slot] = 0
                self.current[slot] = 2

    @torch.no_grad()
    def decode(self):
        x = self.embedding(self.current)
        mask = (self.columns <= self.positions[:, None])[:, None, None]
        for layer in self.layers:
            x = layer(x, self.slots, self.positions, mask)
        logits = self.head(x).float() / 0.8
        best = logits.topk(50, dim=-1)
        probabilities = best.values.softmax(-1)
        noise = torch.empty_like(probabilities).exponential_()
        return best.indices.gather(1, (probabilities / noise).argmax(-1, keepdim=True)).squeeze(1)

    def step(self):
        self.admit()
        self.current = self.decode()
        self.positions = (self.positions + 1).clamp_(max=LENGTH - 1)
        words = self.current.tolist()
        for slot, word in enumerate(words):
            request = self.running[slot]
            if request is None:
                continue
            request.tokens.append(word)
            if word == STOP or len(request.tokens) >= request.limit:
                self.finished += 1
                self.running[slot] = None


engine = Engine()
for number in range(4 * args.steps):
    engine.waiting.append(Request(number, random.randint(8, LENGTH // 2)))
clock = Clock(args.device)
served = 0
while (engine.waiting or any(engine.running)) and served < args.steps:
    clock.tick()
    engine.step()
    served += 1
clock.done()
print(engine.finished, "requests finished")
