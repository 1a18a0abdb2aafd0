#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The model of `stepscope train llm` in PyTorch, plain or under torch.compile: what a user would
take instead. Same sizes, optimizer, clip and tokens a step; random tokens, which time no differently.

    llm_torch_compile.py --preset t90m --mode compile --micro-batch 8 --accumulate 4 --steps 20

prints one JSON line with the fields of train_llm's that a comparison needs. With --float8 the matrix products
of the blocks are torchao's in 8 bits (tensorwise or rowwise scaling), and with tensorwise-head the output matrix's, too.
"""

import argparse
import json
import time

import torch
import torch.nn.functional as F
from torch import nn

PRESETS = {  # layers, d_model, heads, kv_heads, hidden, vocabulary, sequence, micro_batch, accumulate
    "tiny": (2, 96, 6, 2, 256, 512, 64, 8, 1),
    "t90m": (10, 768, 6, 2, 2048, 32768, 2048, 8, 4),
    "t350m": (24, 1024, 8, 8, 2816, 32768, 2048, 8, 4),
    "gpt2-124m": (12, 768, 12, 12, 2048, 50304, 1024, 16, 4),
    "q0.5b": (24, 896, 14, 2, 4864, 151936, 1024, 16, 4),
    "q1.5b": (28, 1536, 12, 2, 8960, 151936, 1024, 8, 8),
}


class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight.to(x.dtype), 1e-6)


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return turned.to(x.dtype)


class Block(nn.Module):
    def __init__(self, d, heads, kv_heads, hidden):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, d // heads
        self.attention_norm, self.mlp_norm = Norm(d), Norm(d)
        self.query_norm, self.key_norm = Norm(self.size), Norm(self.size)
        self.qkv = nn.Linear(d, (heads + 2 * kv_heads) * self.size, bias=False)
        self.output = nn.Linear(d, d, bias=False)
        self.gate_up = nn.Linear(d, 2 * hidden, bias=False)
        self.down = nn.Linear(hidden, d, bias=False)

    def forward(self, x, cos, sin):
        batch, length, d = x.shape
        all_heads = self.qkv(self.attention_norm(x)).view(batch, length, -1, self.size).transpose(1, 2)
        query, key, value = all_heads.split([self.heads, self.kv_heads, self.kv_heads], dim=1)
        query = rotate(self.query_norm(query), cos, sin)
        key = rotate(self.key_norm(key), cos, sin)
        grouped = self.heads != self.kv_heads
        out = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=grouped)
        x = x + self.output(out.transpose(1, 2).reshape(batch, length, d))
        gate, up = self.gate_up(self.mlp_norm(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class Decoder(nn.Module):
    def __init__(self, layers, d, heads, kv_heads, hidden, vocabulary, sequence):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d)
        self.head = nn.Linear(d, vocabulary, bias=False)
        self.head.weight = self.embedding.weight
        self.blocks = nn.ModuleList(Block(d, heads, kv_heads, hidden) for _ in range(layers))
        self.norm = Norm(d)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
        size = d // heads
        frequency = 10000.0 ** (-torch.arange(0, size, 2) / size)
        angle = torch.outer(torch.arange(sequence), frequency)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, inputs, targets):
        x = self.embedding(inputs)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def in_float8(model, recipe):
    """Gives the model torchao's linear layers, and returns torchao's version."""
    import torchao
    from torchao.float8 import Float8LinearConfig, convert_to_float8_training

    name, _, head = recipe.partition("-")
    convert_to_float8_training(
        model,
        config=Float8LinearConfig.from_recipe_name(name),
        module_filter_fn=lambda module, fqn: bool(head) or fqn != "head",
    )
    return torchao.__version__


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=PRESETS, default="t90m")
    parser.add_argument("--mode", choices=("eager", "compile", "max-autotune"), default="compile")
    parser.add_argument("--float8", choices=("tensorwise", "rowwise", "tensorwise-head"))
    parser.add_argument("--micro-batch", type=int)
    parser.add_argument("--accumulate", type=int)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


def main():
    args = arguments()
    *shape, sequence, micro_batch, accumulate = PRESETS[args.preset]
    micro_batch = args.micro_batch or micro_batch
    accumulate = args.accumulate or accumulate
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    model = Decoder(*shape, sequence).to(args.device)
    torchao_version = in_float8(model, args.float8) if args.float8 else None
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": decays, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
        lr=6e-4, betas=(0.9, 0.95), fused=True,
    )
    run = model if args.mode == "eager" else torch.compile(
        model, mode="max-autotune-no-cudagraphs" if args.mode == "max-autotune" else None
    )
    corpus = torch.randint(shape[5], (8, micro_batch, sequence + 1), device=args.device)
    on_gpu = args.device.startswith("cuda")
    wait = torch.cuda.synchronize if on_gpu else (lambda: None)

    losses = []

    def step(index):
        total = torch.zeros((), device=args.device)
        for i in range(accumulate):
            tokens = corpus[(index * accumulate + i) % len(corpus)]
            with torch.autocast(args.device.split(":")[0], torch.bfloat16):
                loss = run(tokens[:, :-1], tokens[:, 1:]) / accumulate
            loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(total)

    compiled_at = time.perf_counter()
    for index in range(args.warm_up):
        step(index)
    wait()
    begin = time.perf_counter()
    for index in range(args.warm_up, args.steps):
        step(index)
    wait()
    seconds = time.perf_counter() - begin
    timed = args.steps - args.warm_up
    tokens = timed * micro_batch * accumulate * sequence
    layers, d = shape[0], shape[1]
    flops = 6 * sum(p.numel() for p in model.parameters()) + 6 * layers * d * sequence
    print(json.dumps({
        "schema": "stepscope.train/1", "model": "llm", "preset": args.preset,
        "rung": f"torch-{args.mode}" + (f"-{args.float8}" if args.float8 else ""), "rungs": [], "torchao": torchao_version, "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "torch": torch.__version__, "steps": args.steps, "timed_steps": timed,
        "tokens_a_step": micro_batch * accumulate * sequence, "ms_per_step": 1e3 * seconds / timed,
        "tokens_per_s": tokens / seconds, "mfu": tokens / seconds * flops / 989e12 if on_gpu else None,
        "peak_bytes": torch.cuda.max_memory_allocated() if on_gpu else 0,
        "warm_up_s": begin - compiled_at, "losses": [loss.item() for loss in losses],
    }))


if __name__ == "__main__":
    main()
