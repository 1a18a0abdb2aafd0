# SPDX-License-Identifier: Apache-2.0
"""repairs.py [--cost NAME] [--repaired | --turns N]: a small training loop with one avoidable cost, or with that cost
repaired; with --turns both, in turn in this process.

costs: none, sync (a NaN check each step), read (the loss each step), pageable (batches in pageable memory), tiny (labels one
by one), optimizer (AdamW, a kernel sequence a tensor), input (batches made in the loop), eval (each step), log (each step), copy (pinned, in the
stream of the compute)
Prints the mean step of a window as JSON; lines of costs end in "# cost: NAME".
"""

import argparse
import json
import queue
import threading
import time

import numpy as np
import torch
from torch import nn
from torch.profiler import record_function

COSTS = ("none", "sync", "read", "pageable", "tiny", "optimizer", "input", "eval", "log", "copy")
COPIED = 8  # batches at once by the cost copy


def batches(count, rows, width, pinned):
    made = [torch.randn(rows, width) for _ in range(count)]
    return [batch.pin_memory() for batch in made] if pinned else made


def prepare(seed, rows, width):
    rng = np.random.default_rng(seed)
    noise = np.sort(rng.standard_normal((rows, width), dtype=np.float32), axis=1)
    return torch.from_numpy(noise)


def prefetched(rows, width, pinned, workers=4):
    ready = queue.Queue(8)

    def work(first):
        for seed in range(first, 1 << 30, workers):
            batch = prepare(seed, rows, width)
            ready.put(batch.pin_memory() if pinned else batch)

    for first in range(workers):
        threading.Thread(target=work, args=(first,), daemon=True).start()
    return ready


def build_model(options):
    torch.manual_seed(0)
    width = options.width
    layers = [nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width)) for _ in range(options.layers)]
    return nn.Sequential(*layers, nn.Linear(width, 16)).to(options.device)


def make_loop(options, repaired):
    """The function that makes a step."""
    has = {cost: options.cost == cost and not repaired for cost in COSTS}
    device, rows, width = torch.device(options.device), options.rows, options.width
    model = build_model(options)
    on_device = device.type == "cuda"
    fused = on_device and not has["optimizer"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=fused, foreach=False if not fused else None)
    pinned = on_device and not has["pageable"]
    ready = batches(8, rows * (COPIED if options.cost == "copy" else 1), width, pinned)
    labels = torch.randint(16, (rows,), device=device)
    ahead = prefetched(rows // 4, width, pinned) if options.cost == "input" and repaired else None
    side = torch.cuda.Stream() if options.cost == "copy" and repaired else None
    following = ready[0].to(device) if side is not None else None
    total = torch.zeros((), device=device)

    def copied_beside(i):
        """This step's batch is there; the next one is copied while it is used."""
        nonlocal following
        torch.cuda.current_stream().wait_stream(side)
        now = following
        now.record_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            following = ready[(i + 1) % len(ready)].to(device, non_blocking=True)
        return now

    def data(i):
        if side is not None:
            return copied_beside(i)[:rows]
        if has["input"]:
            batch = prepare(i, rows // 4, width).repeat(4, 1)  # cost: input
        else:
            batch = ready[i % len(ready)] if ahead is None else ahead.get().repeat(4, 1)
        if has["copy"]:
            return batch.to(device, non_blocking=True)[:rows]  # cost: copy
        return batch.to(device, non_blocking=pinned)  # cost: pageable

    def step(i):
        nonlocal total
        with record_function("data"):
            x = data(i)
            y = labels
            if has["tiny"]:
                y = torch.stack([torch.tensor(k % 16, device=device) for k in range(200)] * 6)[:rows]  # cost: tiny
            elif options.cost == "tiny":
                y = torch.tensor([k % 16 for k in range(200)] * 6, device=device)[:rows]
        with record_function("forward"):
            loss = nn.functional.cross_entropy(model(x), y)
            if has["sync"] and torch.isnan(loss):  # cost: sync
                raise SystemExit("the loss is no number")
        with record_function("backward"):
            loss.backward()
        with record_function("optimizer"):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        with record_function("log"):
            total = total + (loss.item() if has["read"] else loss.detach())  # cost: read
            if has["log"] or (options.cost == "log" and i % 20 == 0):
                [float(p.norm()) for p in model.parameters()]  # cost: log
        if has["eval"] or (options.cost == "eval" and i % 10 == 0):
            with record_function("eval"), torch.no_grad():
                model(x).argmax(-1).eq(labels).float().mean()  # cost: eval

    return step


def time_of(step, options):
    """Milliseconds a step."""
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    for i in range(20):
        step(i)
    wait()
    begin = time.perf_counter()
    for i in range(options.steps):
        step(i)
    wait()
    return 1e3 * (time.perf_counter() - begin) / options.steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cost", choices=COSTS, default="none")
    parser.add_argument("--repaired", action="store_true")
    parser.add_argument("--turns", type=int, default=0, help="both loops, so often in turn")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=24)
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    if options.turns == 0:
        step = make_loop(options, options.repaired)
        print(json.dumps({"cost": options.cost, "repaired": options.repaired, "ms_per_step": time_of(step, options)}), flush=True)
        return
    slow, repaired = make_loop(options, False), make_loop(options, True)
    times = [(time_of(slow, options), time_of(repaired, options)) for _ in range(options.turns)]
    print(json.dumps({"cost": options.cost, "slow_ms": [a for a, _ in times], "repaired_ms": [b for _, b in times]}), flush=True)


if __name__ == "__main__":
    main()
